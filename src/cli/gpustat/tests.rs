//! gpustat's command lines: what they mean, and what argparse says of wrong ones.

use crate::cli::plan::Command;
use crate::cli::tests::{good, read_in, refusal};
use crate::face::Face;
use crate::views::gpustat::{Flags, Options};
use std::time::Duration;

fn options(args: &[&str]) -> Options {
    let line: Vec<&str> = std::iter::once("gpustat").chain(args.iter().copied()).collect();
    match good(&line).command {
        Command::Gpustat(options) => options,
        other => panic!("{args:?} became {other:?}"),
    }
}

fn flags(args: &[&str]) -> Flags {
    options(args).flags
}

#[test]
fn the_name_decides_the_face() {
    for line in [&["gpustat", "-a"][..], &["/usr/local/bin/gpustat", "-a"], &["rsmi", "gpustat", "-a"]] {
        assert_eq!(good(line).face, Face::Gpustat, "{line:?}");
    }
}

#[test]
fn flags_are_cut_short_and_run_together() {
    let cup = Flags { command: true, user: true, pid: true, ..Flags::default() };
    for line in [&["-cup"][..], &["-c", "-u", "-p"], &["-pu", "--show-cm"], &["--show-cm", "--show-us", "--show-pi"]] {
        assert_eq!(flags(line), cup, "{line:?}");
    }
    let power = Flags { power: true, ..Flags::default() };
    for line in [&["-Pdraw"][..], &["-P=draw"], &["-P", "draw"], &["--show-power=draw"], &["--show-po", "draw"]] {
        assert_eq!(flags(line), power, "{line:?}");
    }
    let both = Flags { power: true, limit: true, ..Flags::default() };
    for line in [&["-P"][..], &["-P", "limit"], &["-Plimit,draw"], &["-Pdraw", "-P"]] {
        assert_eq!(flags(line), both, "{line:?}");
    }
    assert_eq!(flags(&["-P", ""]), Flags::default());
    assert_eq!(flags(&["-cPdraw"]), Flags { command: true, ..power });
    assert_eq!(flags(&["-eenc"]), Flags { encoder: true, ..Flags::default() });
    assert_eq!(flags(&["--show-fan"]), Flags { fan: true, ..Flags::default() });
}

#[test]
fn all_is_all_but_the_whole_commands() {
    let all = flags(&["-a", "-e", "", "-Pdraw"]);
    assert!(all.command && all.user && all.pid && all.fan && all.encoder && all.decoder && all.power && all.limit);
    assert!(!all.full_command);
}

#[test]
fn an_interval_has_a_least_and_zero_is_none() {
    let every = |args: &[&str]| good(&[&["gpustat"], args].concat()).output.every;
    let ms = Duration::from_millis;
    assert_eq!(every(&["-i"]), Some(ms(1000)));
    assert_eq!(every(&["-i", "2.5"]), Some(ms(2500)));
    assert_eq!(every(&["-i.25"]), Some(ms(250)));
    assert_eq!(every(&["--watch", "0.01"]), Some(ms(100)));
    assert_eq!(every(&["--interval=0"]), None);
    assert_eq!(every(&["-i", "-3"]), None);
    assert_eq!(every(&["-i", "nan"]), None);
    assert!(every(&["-i", "inf"]).is_some());
    assert_eq!(every(&[]), None);
}

#[test]
fn ids_are_kept_in_their_order() {
    assert_eq!(flags(&["--id", "2, 0,2"]).ids, Some(Ok(vec![2, 0, 2])));
    assert_eq!(flags(&["--id=-1"]).ids, Some(Ok(vec![u32::MAX])));
    let words = "invalid literal for int() with base 10: 'GPU-1'".to_owned();
    assert_eq!(flags(&["--id", "GPU-1"]).ids, Some(Err(words)));
}

#[test]
fn mistakes_are_told_in_argparses_words() {
    let cases: &[(&[&str], &str)] = &[
        (
            &["--show"],
            "ambiguous option: --show could match --show-all, --show-cmd, --show-full-cmd, --show-user, --show-pid, --show-fan-speed, --show-fan, --show-codec, --show-power",
        ),
        (&["--show-fa"], "ambiguous option: --show-fa could match --show-fan-speed, --show-fan"),
        (&["--color", "--no-color"], "argument --no-color: not allowed with argument --force-color/--color"),
        (&["--no-color", "--color"], "argument --force-color/--color: not allowed with argument --no-color"),
        (
            &["-e", "dec,enc"],
            "argument -e/--show-codec: invalid choice: 'dec,enc' (choose from '', 'enc', 'dec', 'enc,dec')",
        ),
        (&["-i", "x"], "argument -i/--interval/--watch: invalid float value: 'x'"),
        (&["--gpuname-width", "-4"], "argument --gpuname-width: Only non-negative integers are allowed."),
        (&["--gpuname-width=x"], "argument --gpuname-width: invalid nonnegative_int value: 'x'"),
        (&["--id"], "argument --id: expected one argument"),
        (&["--id", "-a"], "argument --id: expected one argument"),
        (&["--json=1"], "argument --json: ignored explicit argument '1'"),
        (&["-cx"], "argument -c/--show-cmd: ignored explicit argument 'x'"),
        (&["-c="], "argument -c/--show-cmd: ignored explicit argument ''"),
        (&["0", "--bogus", "-z", "-a"], "unrecognized arguments: 0 --bogus -z"),
        (&["--", "-a"], "unrecognized arguments: -- -a"),
    ];
    for (args, text) in cases {
        let (said, status) = refusal(&[&["gpustat"], *args].concat());
        assert!(said.starts_with("usage: gpustat "), "{said}");
        assert_eq!(said.lines().last(), Some(format!("gpustat: error: {text}").as_str()), "{args:?}");
        assert_eq!(status, 2, "{args:?}");
    }
    let (said, status) = refusal(&["gpustat", "--json", "-i"]);
    assert_eq!((said.as_str(), status), ("Error: --json and --interval/-i can't be used together.\n", 1));
}

#[test]
fn the_line_ends_with_help_and_version() {
    for line in [&["gpustat", "-h", "--bogus"][..], &["gpustat", "-ch"], &["rsmi", "gpustat", "--bogus", "--help"]] {
        assert!(matches!(good(line).command, Command::Print(text) if text.contains("gpustat")), "{line:?}");
    }
    assert!(matches!(good(&["gpustat", "-v"]).command, Command::Print(text) if text == "gpustat 1.1.1\n"));
    assert_eq!(refusal(&["gpustat", "-e", "x", "-h"]).1, 2);
}

#[test]
fn what_rsmi_adds_goes_with_it() {
    use crate::cli::plan::Source;
    assert_eq!(good(&["gpustat", "--demo", "-a"]).source, Source::Demo);
    assert_eq!(good(&["gpustat", "--replay", "x.json"]).source, Source::Replay("x.json".into()));
    assert_eq!(good(&["gpustat", "--nvml=x.so"]).source, Source::Live(Some("x.so".into())));
    assert!(matches!(good(&["gpustat", "--record=x"]).command, Command::Record { .. }));
    // They take nothing away from gpustat's own short forms.
    assert!(flags(&["--d"]).debug);
    assert_eq!(refusal(&["gpustat", "--demo", "--replay=x"]).1, 2);
}

#[test]
fn colors_are_for_terminals_and_for_those_who_ask() {
    let colors = |args: &[&str], variables: &[(&str, &str)], terminal: bool| {
        let plan = read_in(&[&["gpustat"], args].concat(), variables, terminal).expect("a good line");
        let Command::Gpustat(options) = plan.command else { panic!("another command") };
        options.palette.has_colors()
    };
    let xterm = ("TERM", "xterm-256color");
    assert!(colors(&[], &[xterm], true) && !colors(&[], &[xterm], false));
    assert!(!colors(&[], &[], true) && !colors(&[], &[("TERM", "dumb")], true));
    assert!(!colors(&[], &[xterm, ("NO_COLOR", "1")], true));
    assert!(colors(&["--color"], &[("NO_COLOR", "1")], false));
    assert!(!colors(&["--no-color"], &[xterm], true));
}
