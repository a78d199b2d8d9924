//! What the tests of the library share: a child process for each environment, since the library reads its
//! variables once, and the raw functions of the built library.

#![allow(dead_code)]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The recording that most tests use.
pub fn fixture() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/three.json")
}

/// The fixture and the recordings under `tests/machines`.
pub fn machines() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../machines");
    let files = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut all: Vec<PathBuf> = files.filter(|file| file.extension().is_some_and(|end| end == "json")).collect();
    all.sort();
    all.push(fixture());
    all
}

/// Runs the test of this name again in a process with these variables.
pub fn child(test: &str, variables: &[(&str, &str)]) -> Output {
    let mut command = Command::new(std::env::current_exe().expect("the test's own file"));
    command.args(["--exact", test, "--nocapture"]).env("FAKE_NVML_CHILD", "1").env("FAKE_NVML_MACHINE", fixture());
    command.envs(variables.iter().copied()).output().expect("a child starts")
}

/// Whether this is the child.
pub fn is_child() -> bool {
    std::env::var_os("FAKE_NVML_CHILD").is_some()
}

/// Runs `body` in a process with these variables, and hands its failure on.
pub fn isolated(test: &str, variables: &[(&str, &str)], body: impl FnOnce()) {
    if is_child() {
        return body();
    }
    let output = child(test, variables);
    let said = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{test} with {variables:?}: {}\n{said}", output.status);
}

/// A folder of its own for a test.
pub fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("fake-nvml-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder for the test");
    folder
}

/// The built library, through rsmi.
pub fn live() -> rsmi::driver::Driver {
    let library = fake_nvml::library_path().expect("the library is built");
    rsmi::driver::Driver::live(Some(&library)).expect("the library starts")
}

/// The same machine, through rsmi's replay.
pub fn replay() -> rsmi::driver::Driver {
    let file = std::env::var_os("FAKE_NVML_MACHINE").expect("the child has a machine");
    rsmi::driver::Driver::replay(Path::new(&file)).expect("a recording")
}

/// The built library, loaded and not initialized.
pub fn library() -> libloading::Library {
    let path = fake_nvml::library_path().expect("the library is built");
    // SAFETY: this workspace's own library.
    unsafe { libloading::Library::new(path) }.expect("the library loads")
}

/// A function of the library, in the type that the test gives it.
///
/// # Safety
/// The type must be the function's.
pub unsafe fn function<F: Copy>(library: &libloading::Library, name: &str) -> F {
    // SAFETY: as here.
    *unsafe { library.get::<F>(name.as_bytes()) }.expect(name)
}

/// A device of a library that is initialized by this.
pub fn device(library: &libloading::Library, index: u32) -> usize {
    let mut handle = 0usize;
    // SAFETY: the types are those of NVML's header.
    unsafe {
        let init: unsafe extern "C" fn() -> u32 = function(library, "nvmlInit_v2");
        let get: unsafe extern "C" fn(u32, *mut usize) -> u32 = function(library, "nvmlDeviceGetHandleByIndex_v2");
        assert_eq!(init(), 0);
        assert_eq!(get(index, &mut handle), 0);
    }
    handle
}
