//! What was typed, and what it means: two steps. After the second nobody reads the environment.

pub mod plan;
