//! Any choice of devices: those that are there, each once and in order; and a bus id that can be read is the
//! same when it is written and read again.

#![no_main]

use libfuzzer_sys::fuzz_target;
use rsmi::driver::Driver;
use rsmi::gpu::System;
use rsmi::gpu::select::{BusId, choose};
use std::sync::LazyLock;

static DEMO: LazyLock<Driver> = LazyLock::new(Driver::demo);

fuzz_target!(|list: &str| {
    let system = System::new(&DEMO, &rsmi::host::System);
    let count = system.count().expect("the demo has devices");
    let chosen = choose(&system, Some(list)).expect("they can be counted");
    assert!(chosen.windows(2).all(|pair| pair[0] < pair[1]) && chosen.iter().all(|index| *index < count));
    for name in list.split(',') {
        if let Some(bus_id) = BusId::parse(name) {
            assert_eq!(BusId::parse(&bus_id.to_string()), Some(bus_id));
            assert_eq!(BusId::parse(&bus_id.short()), Some(bus_id));
        }
    }
});
