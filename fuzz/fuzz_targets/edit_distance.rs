#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz::edit_distance(data));
