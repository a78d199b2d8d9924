//! Where the built library lies, and how to put it where a program looks for NVIDIA's.

use crate::profile::Profile;
use std::io::{Error, ErrorKind};
use std::path::{Path, PathBuf};

/// The built `libfake_nvml.so`: cargo leaves it beside the tests that depend on this crate.
///
/// # Errors
/// When it is not there: nothing is built here.
pub fn library_path() -> std::io::Result<PathBuf> {
    let own = std::env::current_exe()?;
    // `target/<profile>/deps/test-…`, `target/<profile>/program` or `target/<profile>/examples/…`.
    let folders = own.ancestors().skip(1).take(3);
    let places = folders.flat_map(|folder| ["deps/libfake_nvml.so", "libfake_nvml.so"].map(|name| folder.join(name)));
    // A build of the crate by itself leaves a copy one folder up; whichever is newest is the last built.
    let built = |path: &PathBuf| path.metadata().and_then(|of| of.modified()).ok();
    let mut found: Vec<PathBuf> = places.filter(|path| path.is_file()).collect();
    found.sort_by_key(built);
    found.pop().ok_or_else(|| {
        Error::new(ErrorKind::NotFound, format!("libfake_nvml.so is not near {}: build fake-nvml", own.display()))
    })
}

/// Makes `folder` one for `LD_LIBRARY_PATH`: the library lies there as `libnvidia-ml.so.1`, with only the
/// functions that `driver` has, where one is named. Gives the file.
///
/// # Errors
/// When a file cannot be read or written, or there is no such driver.
pub fn install(folder: &Path, driver: Option<&str>) -> std::io::Result<PathBuf> {
    let own = library_path()?;
    let file = folder.join("libnvidia-ml.so.1");
    let absent: Vec<&str> = match driver {
        None => Vec::new(),
        Some(name) => Profile::named(name)
            .ok_or_else(|| Error::new(ErrorKind::InvalidInput, format!("no driver {name}")))?
            .absent()
            .collect(),
    };
    crate::hide::hide_symbols(&own, &file, &absent)?;
    Ok(file)
}
