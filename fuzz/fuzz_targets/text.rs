//! Any bytes as a text of the driver: read back from JSON they are the same bytes, and nothing of them steers
//! a terminal once they are cleaned.

#![no_main]

use libfuzzer_sys::fuzz_target;
use rsmi::driver::answers::Text;
use rsmi::format::terminal::{clean, clean_bytes};

fuzz_target!(|data: &[u8]| {
    let text = Text(data.to_vec());
    let json = serde_json::to_string(&text).expect("a text");
    let again: Text = serde_json::from_str(&json).expect("the same text");
    assert_eq!(again.0, data);

    let shown = text.lossy();
    let cleaned = clean(&shown);
    assert_eq!(cleaned.chars().count(), shown.chars().count());
    assert!(!cleaned.chars().any(char::is_control), "{cleaned:?}");
    assert_eq!(clean(&cleaned), cleaned);

    let mut bytes = b"before".to_vec();
    bytes.extend_from_slice(data);
    clean_bytes(6, &mut bytes);
    assert_eq!(&bytes[..6], b"before");
    assert_eq!(std::str::from_utf8(&bytes[6..]).expect("UTF-8"), cleaned);
});
