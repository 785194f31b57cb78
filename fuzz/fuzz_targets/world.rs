//! Every question about a few bodies: see `jostle_tests::fuzz::world`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    jostle_tests::fuzz::world(bytes);
});
