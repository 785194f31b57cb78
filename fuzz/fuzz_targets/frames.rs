//! Frames of a pipeline that is changed between them: see `jostle_tests::fuzz::frames`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    jostle_tests::fuzz::frames(bytes);
});
