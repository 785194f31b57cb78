//! The distances of two shapes: see `jostle_tests::fuzz::pair`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| jostle_tests::fuzz::pair(bytes, jostle_tests::fuzz::PairMinimum::Own));
