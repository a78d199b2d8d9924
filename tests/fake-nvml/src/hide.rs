//! Takes functions out of a built library, so that the loader does not find them: a copy of the file in
//! which their names read otherwise. The hash table still leads to them, but the loader compares names, too.

use std::io::{Error, ErrorKind};
use std::ops::Range;
use std::path::Path;

/// Section type of the dynamic symbol table.
const DYNSYM: u32 = 11;
/// Size of a symbol in it.
const SYMBOL: usize = 24;

/// Copies the library at `from` to `to` without the functions in `hidden`. Those that it does not export
/// are passed over.
///
/// # Errors
/// When a file cannot be read or written, or `from` is no 64-bit little-endian ELF library.
pub fn hide_symbols(from: &Path, to: &Path, hidden: &[&str]) -> std::io::Result<()> {
    let mut image = std::fs::read(from)?;
    let names = exported_names(&image)
        .ok_or_else(|| Error::new(ErrorKind::InvalidData, format!("{} is no ELF library", from.display())))?;
    for name in names {
        let bytes = image.get_mut(name).unwrap_or_default();
        if std::str::from_utf8(bytes).is_ok_and(|name| hidden.contains(&name))
            && let Some(first) = bytes.first_mut()
        {
            *first = b'-';
        }
    }
    // A library that is in use must not change under its users: the new one takes its place at once.
    let new = to.with_extension(format!("new{}", std::process::id()));
    std::fs::write(&new, image)?;
    std::fs::rename(&new, to)
}

/// Where in the file the names of the dynamic symbols stand.
fn exported_names(image: &[u8]) -> Option<Vec<Range<usize>>> {
    if image.get(..6)? != b"\x7fELF\x02\x01" {
        return None;
    }
    let (table, size, count) = (number::<8>(image, 0x28)?, number::<2>(image, 0x3A)?, number::<2>(image, 0x3C)?);
    let section = |at: usize| table + at * size;
    let symbols = (0..count).map(section).find(|at| number::<4>(image, at + 4) == Some(DYNSYM as usize))?;
    let strings = section(number::<4>(image, symbols + 0x28)?);
    let text = number::<8>(image, strings + 0x18)?;
    let (start, length) = (number::<8>(image, symbols + 0x18)?, number::<8>(image, symbols + 0x20)?);
    (0..length / SYMBOL)
        .map(|at| {
            let name = text + number::<4>(image, start + at * SYMBOL)?;
            let end = name + image.get(name..)?.iter().position(|byte| *byte == 0)?;
            Some(name..end)
        })
        .collect()
}

/// A little-endian number of `N` bytes.
fn number<const N: usize>(image: &[u8], at: usize) -> Option<usize> {
    let bytes = image.get(at..at.checked_add(N)?)?;
    Some(bytes.iter().rev().fold(0, |number, byte| number << 8 | usize::from(*byte)))
}
