#!/usr/bin/env bash
# Checks the laws of ARCHITECTURE.md that a grep can check.
set -u
cd "$(dirname "$0")/.."
failed=0

# Prints the lines that match, except comments, and records the failure.
forbid() { # reason, pattern, paths...
    local reason=$1 pattern=$2
    shift 2
    local found
    found=$(grep -rnE --include='*.rs' "$pattern" "$@" | grep -vE '^[^:]+:[0-9]+: *//')
    if [ -n "$found" ]; then
        printf 'laws: %s\n%s\n' "$reason" "$found"
        failed=1
    fi
}

kernels="crates/jostle-lanes/src crates/jostle-shape/src crates/jostle-broadphase/src crates/jostle-narrowphase/src crates/jostle/src"
# shellcheck disable=SC2086
forbid 'same bits everywhere: no fused multiply-add, no reciprocal estimates' \
    '\b(mul_add|recip|recip_sqrt|rsqrt|fmadd|_rcp[0-9]*_|_rsqrt)' $kernels
transcendental='sin|cos|tan|sin_cos|asin|acos|atan|atan2|exp|exp2|ln|log|log2|log10|powf|powi|cbrt|hypot|sinh|cosh|tanh'
# shellcheck disable=SC2086
forbid 'same bits everywhere: std transcendental functions differ between platforms (use libm)' \
    "(\.($transcendental)\(|\bf(32|64)::($transcendental)\b)" --exclude=tests.rs $kernels crates/jostle-scene/src
forbid 'unsafe belongs to jostle-lanes alone' '\bunsafe\b *(\{|fn|impl|extern)' \
    crates/jostle-{tasks,shape,broadphase,narrowphase,scene,picture,verify,cli}/src crates/jostle/src benches tests
# In a browser the clock of std panics.
forbid 'only clock.rs reads the clock' '\bInstant\b' --exclude=clock.rs $kernels crates/jostle-tasks/src
# It would prefetch the memory of the reference, which is on the stack.
forbid 'prefetch_at, or prefetch of a value; inspect passes a reference to it' 'inspect\(prefetch' crates
# (Except in files where only tests have such closures.)
forbid 'a closure with a name is called, not inlined, in some builds of users: #[inline(always)] does not go with it' \
    'let (mut )?\w+ = (move )?\|' --exclude={angle,isa}.rs crates/jostle-lanes/src
# The formatter ignores the length of comments.
long=$(grep -rnE --include='*.rs' '^.{121}' crates benches tests examples fuzz | grep -E '^[^:]+:[0-9]+: *//')
if [ -n "$long" ]; then
    printf 'laws: comments end at column 120\n%s\n' "$long"
    failed=1
fi
# A reader who opens any file learns first what it is for.
headless=$(find crates benches tests examples fuzz -name target -prune -o -name '*.rs' -exec awk 'FNR == 1 && !/^\/\/!/ { print FILENAME }' {} +)
if [ -n "$headless" ]; then
    printf 'laws: files begin with a comment that says what they are for (//!)\n%s\n' "$headless"
    failed=1
fi
# One type per name in a crate, so that a search for a name finds one place. (Associated types are indented. `portable.rs` and its likes each name their registers.)
for crate in crates/*; do
    twice=$(grep -rhoE --include='*.rs' --exclude={tests,portable,scalar,x86,avx2,avx512,each,absent}.rs \
        '^(pub(\([a-z]+\))? )?(struct|enum|union|trait|type) [A-Z][A-Za-z0-9]*' "$crate/src" | sed -E 's/.* //' | sort | uniq -d)
    if [ -n "$twice" ]; then
        printf 'laws: types of one name in %s\n%s\n' "$crate" "$twice"
        failed=1
    fi
done
for folder in crates/* benches tests examples; do
    for name in $(awk '/^\[/ { inside = /dependencies\]$/ } inside && match($0, /^[a-z][a-z0-9_-]*/) { print substr($0, 1, RLENGTH) }' "$folder/Cargo.toml"); do
        if ! grep -rqw --include='*.rs' "${name//-/_}" "$folder"; then
            printf 'laws: %s depends on %s, which no file of it names\n' "$folder" "$name"
            failed=1
        fi
    done
done
forbid 'nothing unfinished' '\b(todo!|unimplemented!|dbg!)' crates benches tests

exit $failed
