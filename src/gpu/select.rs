//! Which devices a command is about.
