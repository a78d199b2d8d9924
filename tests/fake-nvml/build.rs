//! Writes a stub for every function of `symbols.txt` that no file under `src/symbols/` models, so that the
//! library exports what the real one does. A modelled function is one whose name begins a line there, or
//! follows `export!(` or `fn`.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

fn main() {
    println!("cargo::rerun-if-changed=symbols.txt");
    println!("cargo::rerun-if-changed=src/symbols");
    let mut modelled = BTreeSet::new();
    for entry in std::fs::read_dir("src/symbols").expect("src/symbols is there") {
        let text = std::fs::read_to_string(entry.expect("a directory entry").path()).expect("a source file");
        modelled.extend(text.lines().filter_map(exported).map(str::to_owned));
    }
    let symbols = std::fs::read_to_string("symbols.txt").expect("symbols.txt is there");
    let mut stubs = String::new();
    let mut names = String::new();
    for symbol in symbols.lines().filter(|symbol| !modelled.contains(*symbol)) {
        writeln!(stubs, "stub!({symbol});").expect("a string grows");
    }
    for symbol in symbols.lines() {
        writeln!(names, "    {symbol:?},").expect("a string grows");
    }
    let out = std::env::var_os("OUT_DIR").expect("cargo sets OUT_DIR");
    std::fs::write(Path::new(&out).join("stubs.rs"), stubs).expect("OUT_DIR can be written");
    std::fs::write(Path::new(&out).join("names.rs"), format!("&[\n{names}]\n")).expect("OUT_DIR can be written");
}

/// The function that a line of a table or a definition exports.
fn exported(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let prefixes = ["pub unsafe extern \"C\" fn ", "export!("];
    let rest = prefixes.iter().find_map(|prefix| line.strip_prefix(prefix)).unwrap_or(line);
    let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
    rest.get(..end).filter(|name| name.starts_with("nvml") && name.len() > 4)
}
