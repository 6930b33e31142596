#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz::match_count(data));
