//! A terminal whose size can change, and the frames that a loop draws on it.

#![allow(missing_docs, unreachable_pub, clippy::indexing_slicing, reason = "a helper of test programs")]

/// A terminal of a size that can change.
pub struct Terminal {
    master: std::fs::File,
    slave: std::fs::File,
}

impl Terminal {
    /// A terminal of so many columns and rows.
    pub fn new(columns: u16, rows: u16) -> Self {
        use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a terminal");
        grantpt(&master).and_then(|()| unlockpt(&master)).expect("a terminal to use");
        let name = ptsname(&master, Vec::new()).expect("its name");
        let path = std::path::PathBuf::from(name.into_string().expect("UTF-8"));
        let slave = std::fs::OpenOptions::new().read(true).write(true).open(path).expect("its other end");
        let terminal = Terminal { master: std::fs::File::from(master), slave };
        terminal.resize(columns, rows);
        terminal
    }

    /// Gives it another size.
    pub fn resize(&self, columns: u16, rows: u16) {
        let size = rustix::termios::Winsize { ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
        rustix::termios::tcsetwinsize(&self.slave, size).expect("a size");
    }

    /// Starts a program whose standard output it is.
    pub fn spawn(&self, mut command: std::process::Command) -> std::process::Child {
        let slave = self.slave.try_clone().expect("a copy");
        command.stdout(slave).stderr(std::process::Stdio::null()).spawn().expect("a start")
    }

    /// The next whole frames, without what moves the cursor.
    pub fn frames(&mut self, count: usize) -> Vec<String> {
        use std::io::Read;
        let mut bytes = Vec::new();
        let mut buffer = [0; 65_536];
        while String::from_utf8_lossy(&bytes).matches("\u{1b}[?7h").count() < count {
            let read = self.master.read(&mut buffer).expect("something to read");
            bytes.extend_from_slice(&buffer[..read]);
        }
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let whole = text.split("\u{1b}[?7h").take(count);
        whole.map(|frame| frame.split('┌').nth(1).map_or(String::new(), |rest| plain(&format!("┌{rest}")))).collect()
    }
}

/// Without escape sequences of any kind.
fn plain(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        match c {
            '\u{1b}' => drop(rest.by_ref().find(char::is_ascii_alphabetic)),
            '\r' => {}
            c => plain.push(c),
        }
    }
    plain
}
