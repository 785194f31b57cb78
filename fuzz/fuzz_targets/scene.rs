//! Scenes, read or refused, and written again: see `jostle_tests::fuzz::scene`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| jostle_tests::fuzz::scene(bytes));
