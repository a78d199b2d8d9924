//! NVIDIA's private table, as nvidia-smi uses it.

#![allow(clippy::indexing_slicing, clippy::print_stdout, reason = "a test may panic, and talks to its parent")]

mod common;

use std::cell::Cell;

use common::{device, function, isolated, library};

type Entry = unsafe extern "C" fn(usize, usize, usize, usize, usize) -> u32;

const ID: [u8; 16] = [0xc4, 0xfe, 0x3e, 0x6c, 0xc9, 0x8f, 0x6c, 0x4e, 0xa3, 0x27, 0xee, 0x69, 0x6e, 0x12, 0xf7, 0xc4];

#[test]
fn the_entries_that_nvidia_smi_needs() {
    isolated("the_entries_that_nvidia_smi_needs", &[], || {
        let library = library();
        let device = device(&library, 1);
        let first = common::device(&library, 0);
        let mut table: *const usize = std::ptr::null();
        // SAFETY: the type was read off nvidia-smi; the table has as many words as its first one says.
        let table = unsafe {
            let get: unsafe extern "C" fn(*mut *const usize, *const u8) -> u32 =
                function(&library, "nvmlInternalGetExportTable");
            assert_eq!(get(&mut table, [0; 16].as_ptr()), 6);
            assert_eq!(get(&mut table, ID.as_ptr()), 0);
            assert_eq!(*table, 2160);
            std::slice::from_raw_parts(table, 270)
        };
        // SAFETY: every word but the first is a function that takes what it needs of these.
        let entry = |at: usize| unsafe { std::mem::transmute::<usize, Entry>(table[at]) };
        let address = |bytes: &mut [u8]| bytes.as_mut_ptr().expose_provenance();
        // SAFETY: buffers of the room that each entry was seen with.
        unsafe {
            assert_eq!(entry(26)(0, 0, 0, 0, 0), 3);
            let mut text = [0u8; 32];
            assert_eq!(entry(81)(1, address(&mut text), 32, 0, 0), 0);
            assert_eq!(&text[..17], b"00000000:1B:00.0\0");
            let numbers = [const { Cell::new(0u32) }; 4];
            let [a, b, c, d] = numbers.each_ref().map(|number| number.as_ptr().expose_provenance());
            assert_eq!(entry(12)(address(&mut text), a, b, c, d), 0);
            assert_eq!(numbers.each_ref().map(Cell::get), [0, 0x1b, 0, 0]);
            assert_eq!(entry(75)(0, a, b, c, 0), 0);
            assert_eq!(numbers.each_ref().map(Cell::get), [0, 0x1a, 0, 0]);
            assert_eq!((entry(72)(device, a, 0, 0, 0), numbers[0].get()), (0, 1));
            assert_eq!((entry(108)(device, a, 0, 0, 0), numbers[0].get()), (0, 700_000));

            let mut list = vec![0x5Au8; 4 * 4128];
            numbers[1].set(500);
            assert_eq!(entry(213)(device, b, address(&mut list), 0, 0), 0);
            assert_eq!(numbers[1].get(), 3);
            let second = &list[4128..2 * 4128];
            assert_eq!(second[..4], 5001u32.to_ne_bytes());
            assert_eq!(second[8..16], (1u64 << 20).to_ne_bytes());
            assert_eq!((&second[16..20], &second[20..24]), (&3u32.to_ne_bytes()[..], &1u32.to_ne_bytes()[..]));
            assert!(list[3 * 4128..].iter().all(|byte| *byte == 0x5A), "nothing beyond the list");
            assert_eq!(list[32..37], [b'b', b'a', b'd', 255, 254], "the recorded name where the host knew no words");

            numbers[1].set(1);
            assert_eq!(entry(213)(device, b, address(&mut list), 0, 0), 7);
            assert_eq!(entry(215)(device, b, address(&mut list), 0, 0), 3);
            numbers[1].set(500);
            assert_eq!(entry(213)(first, b, address(&mut list), 0, 0), 0);
            assert!(list[32..].starts_with(b"python3\0train.py\0--steps=9\0"));
        }
    });
}
