//! Failures before there is a machine to look at, each told apart and told plainly with what to do about
//! it. Under the name nvidia-smi the words and the channel are the real program's.

use crate::driver::{Code, OpenError, SYSTEM_LIBRARY};
use crate::exit::Exit;
use crate::face::Face;
use crate::gpu::select::BusId;
use crate::views::version::library_version;

/// What to say, and with which status to end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Failure {
    /// The text, with all its line ends for nvidia-smi, without the last for rsmi.
    pub text: String,
    /// The exit status.
    pub exit: Exit,
}

/// How to look around without a driver; rsmi's own face ends its start-up failures with it.
const DEMO: &str = "to look around without a GPU: rsmi --demo";

/// The failure to open a driver, in the words of a face.
pub fn failure(face: Face, error: &OpenError) -> Failure {
    match (face, error) {
        (_, OpenError::Recording(error)) => Failure { text: error.to_string(), exit: Exit::BAD_ARGUMENT },
        (Face::NvidiaSmi, error) => drop_in(error),
        (Face::Rsmi | Face::Gpustat, error) => own(error),
    }
}

/// The failure to find any device, or any that was named.
pub fn no_devices(face: Face, named: Option<&str>) -> Failure {
    let text = match (face, named) {
        (Face::NvidiaSmi, _) => "No devices were found\n".to_owned(),
        (Face::Rsmi | Face::Gpustat, Some(list)) => format!(
            "no device is called `{list}`; accepted are index, UUID, serial number and PCI bus id, and `rsmi -L` lists them"
        ),
        (Face::Rsmi | Face::Gpustat, None) => format!("the driver is there but has no GPU\n{DEMO}"),
    };
    Failure { text, exit: Exit::NO_DEVICE }
}

/// A PCI bus id in the list of devices is none; only nvidia-smi minds.
pub fn bad_bus_id(device: &BusId) -> Failure {
    let format = "Invalid PCI bus id format. Try format [domain:]bus:device.function E.g. 0:2:0.0";
    Failure { text: format!("Problem with GPU {}: {format}\n", device.short()), exit: Exit::OTHER }
}

/// The library refused to count its devices.
pub fn refused(face: Face, code: Code) -> Failure {
    failure(face, &OpenError::Refused { code, library: None })
}

fn drop_in(error: &OpenError) -> Failure {
    match error {
        OpenError::Missing { .. } => Failure {
            text: "NVIDIA-SMI couldn't find libnvidia-ml.so library in your system. Please make sure that the NVIDIA \
                   Display Driver is properly installed and present in your system.\nPlease also try adding directory \
                   that contains libnvidia-ml.so to your system PATH.\n"
                .to_owned(),
            exit: Exit::NO_LIBRARY,
        },
        OpenError::Refused { code: Code::DRIVER_NOT_LOADED, .. } => Failure {
            text: "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. Make sure that the \
                   latest NVIDIA driver is installed and running.\n\n"
                .to_owned(),
            exit: Exit::of(Code::DRIVER_NOT_LOADED),
        },
        OpenError::Refused { code: Code::GPU_NOT_FOUND, .. } => no_devices(Face::NvidiaSmi, None),
        OpenError::Refused { code, library } => {
            let mut text = format!("Failed to initialize NVML: {}\n", code.words());
            if let (Code::VERSION_MISMATCH, Some(library)) = (*code, library) {
                text.push_str(&format!("NVML library version: {}\n", library_version(library)));
            }
            Failure { text, exit: Exit::of(*code) }
        }
        OpenError::Recording(error) => Failure { text: format!("{error}\n"), exit: Exit::BAD_ARGUMENT },
    }
}

fn own(error: &OpenError) -> Failure {
    let (what, code) = match error {
        OpenError::Missing { file, detail } => (missing(file, detail), Code::LIBRARY_NOT_FOUND),
        OpenError::Refused { code, library } => (refusal(*code, library.as_deref()), *code),
        OpenError::Recording(error) => return Failure { text: error.to_string(), exit: Exit::BAD_ARGUMENT },
    };
    Failure { text: format!("{what}\n{DEMO}"), exit: Exit::of(code) }
}

fn missing(file: &str, detail: &str) -> String {
    let advice = if file == SYSTEM_LIBRARY {
        "install the NVIDIA driver, or say with --nvml FILE where it is"
    } else {
        "check the path given with --nvml or RSMI_NVML"
    };
    format!("the NVML library `{file}` could not be loaded; {advice} ({detail})")
}

fn refusal(code: Code, library: Option<&str>) -> String {
    match code {
        Code::DRIVER_NOT_LOADED => "the NVIDIA kernel driver is not loaded; load it with `modprobe nvidia`, or see \
             `dmesg | grep -i nvidia` for why it is not there"
            .to_owned(),
        Code::VERSION_MISMATCH => format!(
            "the NVML library is of version {} and the loaded kernel driver of version {}; reboot, or reload the \
             kernel modules, after a driver update",
            library.map_or("unknown".to_owned(), library_version),
            crate::host::kernel_driver_version().as_deref().unwrap_or("unknown")
        ),
        Code::NO_PERMISSION => "the NVIDIA driver refuses this user; in a container check that the device nodes are \
             passed in and that SELinux or AppArmor allows them"
            .to_owned(),
        Code::OPERATING_SYSTEM => "the operating system does not let this user at the GPU; check that /dev/nvidiactl \
             and /dev/nvidia* exist and can be opened"
            .to_owned(),
        Code::GPU_NOT_FOUND => "the driver is there but has no GPU".to_owned(),
        code => format!("NVML did not start: {} (code {})", code.words(), code.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused_with(code: Code, library: Option<&str>) -> OpenError {
        OpenError::Refused { code, library: library.map(str::to_owned) }
    }

    #[test]
    fn the_drop_in_speaks_the_real_programs_words() {
        let said = |error: &OpenError| failure(Face::NvidiaSmi, error);
        let denied = said(&refused_with(Code::OPERATING_SYSTEM, None));
        assert_eq!(denied.text, "Failed to initialize NVML: GPU access blocked by the operating system\n");
        assert_eq!(denied.exit, Exit(17));
        let mismatch = said(&refused_with(Code::VERSION_MISMATCH, Some("13.580.159.04")));
        assert_eq!(
            mismatch.text,
            "Failed to initialize NVML: Driver/library version mismatch\nNVML library version: 580.159\n"
        );
        assert_eq!(mismatch.exit, Exit(18));
        assert_eq!(said(&refused_with(Code::UNKNOWN, None)).exit, Exit(255));
        assert_eq!(said(&refused_with(Code::GPU_NOT_FOUND, None)).text, "No devices were found\n");
        assert_eq!(said(&OpenError::Missing { file: String::new(), detail: String::new() }).exit, Exit(12));
        assert_eq!(said(&refused_with(Code::DRIVER_NOT_LOADED, None)).exit, Exit(9));
    }

    #[test]
    fn every_code_has_something_to_say_and_a_way_on() {
        for number in (1..=30).chain([77, 999]) {
            for face in [Face::Rsmi, Face::NvidiaSmi] {
                let failure = failure(face, &refused_with(Code(number), None));
                assert!(failure.text.len() > 20 && failure.exit != Exit::SUCCESS, "{number}: {failure:?}");
                if face == Face::Rsmi {
                    assert!(failure.text.contains("--demo"), "{number}: {failure:?}");
                }
            }
        }
    }
}
