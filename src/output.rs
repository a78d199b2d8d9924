//! Where bytes go. Everything that a tick has to say is collected first and leaves in one write, so that a
//! reader never sees half a row. A reader that has gone away is a quiet end; a write that fails for any
//! other reason is an error with a message.

use crate::exit::Exit;
use crate::face::Face;
use crate::host::words;
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

/// The destination of a command's output.
pub struct Sink {
    face: Face,
    file: Option<File>,
}

/// A failed write: what the program should end with, once its reader or user has been told.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct WriteError(pub Exit);

impl Sink {
    /// Standard output.
    pub fn standard(face: Face) -> Self {
        Sink { face, file: None }
    }

    /// The file at `path`, emptied unless another process has begun it, or standard output.
    ///
    /// # Errors
    /// When the file cannot be created.
    pub fn open(face: Face, path: Option<&Path>, continued: bool) -> io::Result<Self> {
        let open = |path| match continued {
            true => File::options().append(true).create(true).open(path),
            false => File::create(path),
        };
        let file = path.map(open).transpose()?;
        Ok(Sink { face, file })
    }

    /// Writes all of it.
    ///
    /// # Errors
    /// When not all of it could be written; it has been said by then.
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), WriteError> {
        let written = match &mut self.file {
            // The standard library's own buffer is passed by: it would cut a large write at line ends.
            None => write_all(bytes),
            Some(file) => file.write_all(bytes),
        };
        written.map_err(|error| self.give_up(&error))
    }

    /// Quiet when the reader is gone, else a message. nvidia-smi has a sentence of its own for a file that
    /// it cannot finish; for a standard output that is full it has none, and scripts take half of it for all.
    fn give_up(&self, error: &io::Error) -> WriteError {
        WriteError(match (error.kind(), self.face, &self.file) {
            (io::ErrorKind::BrokenPipe, ..) => Exit::SUCCESS,
            (_, Face::NvidiaSmi, Some(_)) => {
                let _ = write_all(b"Failed to properly clean up on exit\n\n");
                Exit::OTHER
            }
            _ => {
                complain(&format!("write error: {}", words(error)));
                Exit::WRITE_FAILED
            }
        })
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

/// Columns and rows of the terminal that is written to, as they are now; the one place that asks. Under a
/// time limit standard output is a pipe to the process that has the terminal, and standard input leads there.
pub fn terminal_size() -> Option<(u16, u16)> {
    let size = rustix::termios::tcgetwinsize(rustix::stdio::stdout())
        .or_else(|_| rustix::termios::tcgetwinsize(rustix::stdio::stdin()));
    // A terminal that knows no size says 0 columns.
    size.ok().filter(|size| size.ws_col > 0).map(|size| (size.ws_col, size.ws_row))
}

/// Says something on standard error, behind the program's name. That it may be closed is no concern.
pub fn complain(text: &str) {
    say(&format!("rsmi: {text}\n"));
}

/// Says something on standard error as it stands.
pub fn say(text: &str) {
    let _ = io::stderr().write_all(text.as_bytes());
}
