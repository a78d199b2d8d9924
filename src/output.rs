//! Where bytes go. Everything that a tick has to say is collected first and leaves in one write, so that a
//! reader never sees half a row. A reader that has gone away is a quiet end; a write that fails for any
//! other reason is an error with a message.

use crate::exit::Exit;
use crate::host::words;
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

/// The destination of a command's output.
pub enum Sink {
    /// Standard output.
    Standard,
    /// A file that `-f` named.
    File(File),
}

/// Why output could not be written.
#[derive(Debug)]
pub enum WriteError {
    /// The reader has closed its end.
    Closed,
    /// Anything else.
    Failed(io::Error),
}

impl Sink {
    /// The file at `path`, emptied, or standard output.
    ///
    /// # Errors
    /// When the file cannot be created.
    pub fn open(path: Option<&Path>) -> io::Result<Self> {
        match path {
            Some(path) => File::create(path).map(Sink::File),
            None => Ok(Sink::Standard),
        }
    }

    /// Writes all of it and flushes.
    ///
    /// # Errors
    /// When not all of it could be written.
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), WriteError> {
        if bytes.is_empty() {
            return Ok(());
        }
        let written = match self {
            // The standard library's own buffer is passed by: it would cut a large write at line ends.
            Sink::Standard => write_all(bytes),
            Sink::File(file) => file.write_all(bytes),
        };
        written.map_err(|error| match error.kind() {
            io::ErrorKind::BrokenPipe => WriteError::Closed,
            _ => WriteError::Failed(error),
        })
    }

    /// True when this is standard output.
    pub fn is_standard(&self) -> bool {
        matches!(self, Sink::Standard)
    }
}

fn write_all(mut bytes: &[u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        match rustix::io::write(rustix::stdio::stdout(), bytes) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(count) => bytes = bytes.get(count..).unwrap_or_default(),
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

/// Says something on standard error, behind the program's name. That it may be closed is no concern.
pub fn complain(text: &str) {
    let _ = io::stderr().write_all(format!("rsmi: {text}\n").as_bytes());
}

/// The end that a failed write makes: quiet when the reader is gone, else with a message.
pub fn give_up(error: &WriteError) -> Exit {
    match error {
        WriteError::Closed => Exit::SUCCESS,
        WriteError::Failed(error) => {
            complain(&format!("write error: {}", words(error)));
            Exit::WRITE_FAILED
        }
    }
}
