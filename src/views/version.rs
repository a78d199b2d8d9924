//! `--version`. The drop-in says what the driver's own tools would say, so that scripts find the versions
//! where they look for them; rsmi's own face says which rsmi this is first, and needs no driver for that.

use crate::driver::calls;
use crate::gpu::System;

/// The four lines of nvidia-smi, of which the first names the tool and the others the system.
pub fn drop_in(system: &System) -> String {
    let text = |answer: Result<crate::driver::answers::Text, _>| {
        answer.map_or_else(|_: crate::driver::Code| "N/A".to_owned(), |text| text.lossy().into_owned())
    };
    let driver = text(system.ask(calls::DriverVersion));
    let library = library_version(&text(system.ask(calls::NvmlVersion)));
    let cuda = system.ask(calls::CudaVersion).map_or_else(|_| "N/A".to_owned(), cuda_version);
    format!(
        "NVIDIA-SMI version  : {driver}\nNVML version        : {library}\nDRIVER version      : {driver}\nCUDA Version        : {cuda}\n"
    )
}

/// `580.159` for `13.580.159.04`: the library puts its CUDA version before the driver's, and nvidia-smi
/// prints the two parts behind that.
pub fn library_version(full: &str) -> String {
    full.split('.').skip_while(|part| part.len() < 3).take(2).collect::<Vec<_>>().join(".")
}

/// `13.0` for 13000.
pub fn cuda_version(number: i32) -> String {
    format!("{}.{}", number / 1000, number % 1000 / 10)
}

/// This program's own line.
pub fn own() -> String {
    format!("rsmi {}\n", env!("CARGO_PKG_VERSION"))
}

#[cfg(test)]
mod tests {
    #[test]
    fn versions_have_two_parts() {
        assert_eq!(super::cuda_version(13_000), "13.0");
        assert_eq!(super::cuda_version(12_080), "12.8");
        assert_eq!(super::library_version("13.580.159.04"), "580.159");
        assert_eq!(super::library_version("580.159.04"), "580.159");
    }
}
