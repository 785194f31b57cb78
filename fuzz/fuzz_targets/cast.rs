//! The cast of two moving bodies, held against bisection: see `jostle_tests::fuzz::cast`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    jostle_tests::fuzz::cast(bytes);
});
