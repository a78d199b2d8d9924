//! Any list of fields, for every query: the fields that it names, in their order, or the first that is none.

#![no_main]

use libfuzzer_sys::fuzz_target;
use rsmi::fields::{self, Query, Registry};

fn look_up<Q: Query>(registry: &Registry<Q>, list: &str) {
    match registry.parse(list) {
        Ok(fields) => {
            let names: Vec<&str> = list.split(',').filter(|name| !name.is_empty()).collect();
            assert!(fields.len() <= names.len().max(1), "{list:?}");
        }
        Err(unknown) => {
            assert!(registry.find(&unknown.0).is_none(), "{list:?}");
        }
    }
}

fuzz_target!(|list: &str| {
    look_up(&fields::gpu::REGISTRY, list);
    look_up(&fields::compute_apps::REGISTRY, list);
    look_up(&fields::accounted_apps::REGISTRY, list);
    look_up(&fields::supported_clocks::REGISTRY, list);
    look_up(&fields::retired_pages::REGISTRY, list);
    look_up(&fields::remapped_rows::REGISTRY, list);
});
