//! Linux: `/proc` and `/sys`. Every read can fail, and a failed read is an absent answer.

use super::Process;
use crate::driver::answers::Text;
use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::sync::OnceLock;

/// The node name of the host.
pub(super) fn host_name() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}

/// The version in the first line of what the kernel module says of itself.
pub(super) fn kernel_driver_version() -> Option<String> {
    let text = fs::read_to_string("/proc/driver/nvidia/version").ok()?;
    module_version(&text)
}

fn module_version(text: &str) -> Option<String> {
    let words = text.lines().next()?.split_ascii_whitespace();
    let mut numbers = words.filter(|word| word.contains('.') && word.starts_with(|c: char| c.is_ascii_digit()));
    numbers.next().map(str::to_owned)
}

/// A process, or none when it is gone.
pub(super) fn process(pid: u32) -> Option<Process> {
    let folder = format!("/proc/{pid}");
    let folder = Path::new(&folder);
    let stat = fs::read(folder.join("stat")).ok();
    let stat = stat.as_deref().and_then(parse_stat);
    let status = fs::read_to_string(folder.join("status")).ok();
    if stat.is_none() && status.is_none() {
        return None;
    }
    let ticks = rustix::param::clock_ticks_per_second();
    let milliseconds = |count: u64| count.saturating_mul(1000) / ticks.max(1);
    Some(Process {
        command: fs::read(folder.join("cmdline")).map(|line| words(&line)).unwrap_or_default(),
        user: status.as_deref().and_then(real_user).map(user_name),
        parent: stat.as_ref().map(|stat| stat.parent),
        // The number of pages in `stat` is one that the kernel guesses; a process that has ended has no other.
        resident: status
            .as_deref()
            .and_then(resident)
            .or_else(|| Some(stat.as_ref()?.resident_pages.saturating_mul(rustix::param::page_size() as u64))),
        cpu_time: stat.as_ref().map(|stat| milliseconds(stat.cpu_ticks)),
        age: stat.as_ref().and_then(|stat| Some(up_time()?.saturating_sub(stat.start_ticks / ticks.max(1)))),
        container: fs::read_to_string(folder.join("cgroup")).ok().as_deref().and_then(container),
    })
}

/// What this program reads of `/proc/PID/stat`.
#[derive(PartialEq, Debug)]
struct Stat {
    parent: u32,
    cpu_ticks: u64,
    start_ticks: u64,
    resident_pages: u64,
}

/// The name in it is in brackets and may hold anything, brackets too: numbers start behind the last one.
fn parse_stat(stat: &[u8]) -> Option<Stat> {
    let after = stat.iter().rposition(|byte| *byte == b')')?;
    let rest = std::str::from_utf8(stat.get(after + 1..)?).ok()?;
    let fields: Vec<&str> = rest.split_ascii_whitespace().collect();
    let number = |at: usize| fields.get(at)?.parse::<u64>().ok();
    Some(Stat {
        parent: u32::try_from(number(1)?).ok()?,
        cpu_ticks: number(11)?.saturating_add(number(12)?),
        start_ticks: number(19)?,
        resident_pages: number(21)?,
    })
}

/// A command line is words that each end in NUL; a process may have written over it without one.
fn words(line: &[u8]) -> Vec<Text> {
    if line.is_empty() {
        return Vec::new();
    }
    let line = line.strip_suffix(b"\0").unwrap_or(line);
    line.split(|byte| *byte == 0).map(|word| Text(word.to_vec())).collect()
}

/// Memory that a process holds, in bytes.
fn resident(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kilobytes: u64 = line.split_ascii_whitespace().next()?.parse().ok()?;
    kilobytes.checked_mul(1024)
}

fn real_user(status: &str) -> Option<u32> {
    let line = status.lines().find_map(|line| line.strip_prefix("Uid:"))?;
    line.split_ascii_whitespace().next()?.parse().ok()
}

/// The name that goes with a user's number, or the number. The list of users is read once.
fn user_name(user: u32) -> String {
    static LISTED: OnceLock<HashMap<u32, String>> = OnceLock::new();
    let listed = LISTED.get_or_init(|| users(&fs::read_to_string("/etc/passwd").unwrap_or_default()));
    listed.get(&user).cloned().unwrap_or_else(|| user.to_string())
}

/// The users of a list as in `/etc/passwd`; of two with one number the first counts.
fn users(listed: &str) -> HashMap<u32, String> {
    let mut users = HashMap::new();
    for line in listed.lines() {
        let mut parts = line.split(':');
        if let (Some(name), Some(number)) = (parts.next(), parts.nth(1).and_then(|number| number.parse().ok())) {
            users.entry(number).or_insert_with(|| name.to_owned());
        }
    }
    users
}

/// Seconds since the machine was started, by the clock that the kernel takes the start of a process from.
/// `/proc/uptime` costs a file for each process, and inside of some containers tells their own age.
fn up_time() -> Option<u64> {
    u64::try_from(rustix::time::clock_gettime(rustix::time::ClockId::Boottime).tv_sec).ok()
}

/// The container that a control group belongs to: its id, shortened as the container tools do.
fn container(cgroup: &str) -> Option<String> {
    let path = cgroup.lines().filter_map(|line| line.splitn(3, ':').nth(2)).find(|path| path.len() > 64)?;
    let id = path
        .rsplit('/')
        .flat_map(|part| part.split(['-', '.', ':']))
        .find(|part| part.len() == 64 && part.bytes().all(|byte| byte.is_ascii_hexdigit()))?;
    id.get(..12).map(str::to_owned)
}

/// The PCIe generation of the bridge above a device, from its greatest speed.
pub(super) fn slot_generation(bus_id: &str) -> Option<u32> {
    // sysfs writes the domain with four digits, and with more only when it needs them.
    let (domain, rest) = bus_id.split_once(':')?;
    let domain = u32::from_str_radix(domain, 16).ok()?;
    let device = format!("/sys/bus/pci/devices/{domain:04x}:{}", rest.to_ascii_lowercase());
    let bridge = fs::canonicalize(device).ok()?.parent()?.join("max_link_speed");
    generation_of(&fs::read_to_string(bridge).ok()?)
}

fn generation_of(speed: &str) -> Option<u32> {
    match speed.split_ascii_whitespace().next()? {
        "2.5" => Some(1),
        "5" | "5.0" => Some(2),
        "8" | "8.0" => Some(3),
        "16" | "16.0" => Some(4),
        "32" | "32.0" => Some(5),
        "64" | "64.0" => Some(6),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stat_is_read_behind_any_name() {
        let tail = "S 7 1 1 0 -1 4194560 1 2 3 4 50 25 0 0 20 0 1 0 4200 1000 256 18446744073709551615 1";
        let expected = Stat { parent: 7, cpu_ticks: 75, start_ticks: 4200, resident_pages: 256 };
        for name in ["bash", "a) R 1 (b", ") ) )", "\u{1b}[31m"] {
            let line = format!("42 ({name}) {tail}");
            assert_eq!(parse_stat(line.as_bytes()).as_ref(), Some(&expected), "{name}");
        }
        for broken in ["", "42", "42 (x", "42 (x) S", "42 (x) S x x x"] {
            assert_eq!(parse_stat(broken.as_bytes()), None, "{broken}");
        }
    }

    #[test]
    fn users_are_named_by_their_numbers() {
        let users = users("root:x:0:0:root:/root:/bin/sh\ntoor:x:0:0::/:/bin/sh\nbroken\n\nada:x:1000:1000:Ada::\n");
        assert_eq!(users.get(&0).map(String::as_str), Some("root"));
        assert_eq!(users.get(&1000).map(String::as_str), Some("ada"));
        assert_eq!(users.len(), 2);
    }

    #[test]
    fn resident_memory_is_in_the_status() {
        assert_eq!(resident("Name:\tx\nVmRSS:\t    1736 kB\nUid:\t0\n"), Some(1736 << 10));
        assert_eq!(resident("Name:\tzombie\n"), None);
    }

    #[test]
    fn command_lines_are_split_at_nul() {
        assert_eq!(words(b""), Vec::<Text>::new());
        assert_eq!(words(b"\0"), [Text::from("")]);
        assert_eq!(words(b"python3\0-c\0pass\0"), ["python3", "-c", "pass"].map(Text::from));
        assert_eq!(words(b"\x00105\x0060\x00"), ["", "105", "60"].map(Text::from));
        assert_eq!(words(b"title without end"), [Text::from("title without end")]);
    }

    #[test]
    fn containers_are_found_in_either_hierarchy() {
        let id = "0123456789abcdef".repeat(4);
        let docker = format!("12:cpu:/docker/{id}\n");
        let scope = format!("0::/system.slice/docker-{id}.scope\n");
        let pod = format!("0::/kubepods.slice/kubepods-pod1.slice/cri-containerd-{id}.scope\n");
        for text in [docker, scope, pod] {
            assert_eq!(container(&text).as_deref(), Some("0123456789ab"), "{text}");
        }
        assert_eq!(container("0::/user.slice/user-1000.slice/session-1.scope\n"), None);
    }

    #[test]
    fn the_kernel_modules_version_is_found() {
        let text =
            "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.159.04  Release Build\nGCC version: 12.2\n";
        assert_eq!(module_version(text).as_deref(), Some("580.159.04"));
        assert_eq!(module_version(""), None);
    }

    #[test]
    fn speeds_are_generations() {
        assert_eq!(generation_of("32.0 GT/s PCIe\n"), Some(5));
        assert_eq!(generation_of("Unknown\n"), None);
    }

    #[test]
    fn this_process_is_known_and_a_missing_one_is_not() {
        let own = process(std::process::id()).expect("this process");
        assert!(own.user.is_some() && !own.command.is_empty());
        assert_eq!(process(u32::MAX), None);
    }
}
