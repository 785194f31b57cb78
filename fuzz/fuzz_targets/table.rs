//! Result tables, lists of pairs and recordings, read or refused: see `jostle_tests::fuzz::table`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| jostle_tests::fuzz::table(bytes));
