#!/usr/bin/env bash
# Runs the tests of the only crate with `unsafe` under the memory checkers that are installed:
#
# - valgrind (memcheck): reads of uninitialised memory, accesses outside of heap blocks, leaks. Version 3.19 supports AVX2
#   but not AVX-512; it hides what it does not support from the programs it runs, so the tests skip that by themselves.
# - AddressSanitizer, with a nightly toolchain on Linux: accesses outside of heap, stack and static memory, under every
#   instruction set. The standard library is not instrumented.
#
# Run from the root of the workspace; prints a message if neither is there. Exit status: 0 unless a check failed.
set -euo pipefail

# With line numbers, so that reports name places in the source.
export CARGO_PROFILE_DEV_DEBUG=line-tables-only
package=jostle-lanes
tests=(bits access)
target=${CARGO_TARGET_DIR:-target}
checked=0

if command -v valgrind >/dev/null; then
    echo "memory-check: valgrind over the tests of $package"
    for test in "${tests[@]}"; do
        binary=$(cargo test -p "$package" --test "$test" --no-run --message-format=json 2>/dev/null |
            sed -n 's/.*"executable":"\([^"]*\)".*/\1/p' | tail -1)
        [[ -x $binary ]] || { echo "memory-check: the tests do not build" >&2; exit 1; }
        # Only definite leaks: the test harness itself has possible ones.
        RUST_BACKTRACE=0 valgrind -q --error-exitcode=99 --leak-check=full \
            --show-leak-kinds=definite --errors-for-leak-kinds=definite \
            "$binary" --test-threads=1
    done
    checked=1
else
    echo "memory-check: valgrind is not installed, skipped"
fi

# By rustup, because `cargo +nightly` would install a toolchain.
nightly=
if rustc --version | grep -q nightly; then
    nightly=$(rustc --version)
    toolchain=()
elif command -v rustup >/dev/null && nightly=$(rustup toolchain list | grep -m1 -o '^nightly[^ ]*'); then
    toolchain=("+$nightly")
fi
host=$(rustc -vV | sed -n 's/^host: //p')
if [[ $nightly && $host == *-linux-gnu ]]; then
    echo "memory-check: AddressSanitizer over the tests of $package"
    # A target given by name keeps the sanitizer out of build scripts.
    CARGO_TARGET_DIR="$target/address-sanitizer" RUSTFLAGS="-Zsanitizer=address" RUST_BACKTRACE=0 \
        cargo "${toolchain[@]}" test -p "$package" "${tests[@]/#/--test=}" --target "$host"
    checked=1
else
    echo "memory-check: no nightly toolchain for Linux, AddressSanitizer skipped"
fi

if ((checked)); then
    echo "memory-check: all is well"
else
    echo "memory-check: nothing was checked: neither valgrind nor a nightly toolchain is installed"
fi
