#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    jostle_tests::fuzz::cast(bytes);
});
