#!/usr/bin/env bash
# Disassembles the kernels in a release build and fails on every call that should have been inlined.
#
#   .ci/no-calls.sh BINARY [ALLOWED...]
#
# BINARY is an executable, a shared library, an rlib or an object file for x86-64. Each ALLOWED is one more extended
# regular expression of callees to let pass.
#
# A kernel runs inside one of four wrappers of jostle-lanes, avx2_kernel_f32, avx2_kernel_f64, avx512_kernel_f32 and
# avx512_kernel_f64, and the parts that it keeps out of line (Lanes::enter) in avx2::enter or avx512::enter: the only
# functions compiled for those instruction sets. A helper that is not inlined into them is compiled for the baseline
# target, and is 3 to 50 times slower, silently. So these functions may only call:
#
# - cold: panics and the cleanup after them;
# - once: what a kernel may do before or after its loop (clear, copy, grow or free a buffer), and the parts out of line.
#   Whether it happens once cannot be seen here, so these calls are counted in the summary; STRICT=1 refuses them too.
#
# Exit status: 0 if all is well, 1 if a call was found, 2 if nothing could be checked.
set -euo pipefail

cold='^(core::panicking::|core::slice::index::slice_.*fail|core::slice::.*::len_mismatch_fail|core::str::slice_error_fail'
cold+='|core::option::(unwrap|expect)_failed|core::result::unwrap_failed|core::cell::panic_already'
cold+='|core::num::.*::panic_|alloc::raw_vec::(handle_error|capacity_overflow)|alloc::alloc::handle_alloc_error'
cold+='|std::panicking::|std::process::abort|_Unwind_Resume|__rust_start_panic)'
once='^(memcpy|memmove|memset|memcmp|bcmp|__rust_(de|re)?alloc|__rust_alloc_zeroed|__rust_no_alloc_shim_is_unstable'
once+='|jostle_lanes::avx(2|512)::enter|__rustc::__rust|alloc::raw_vec::|<?alloc::vec::Vec<.*::reserve|core::ptr::drop_in_place)'
[[ ${STRICT:-} ]] && once='^$'

if (($# == 0)); then
    sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' "$0"
    exit 2
fi
binary=$1
shift
allowed="($cold)"
for pattern in "$@"; do once+="|$pattern"; done
if ! command -v objdump >/dev/null; then
    echo "no-calls: objdump (binutils) is not installed, nothing was checked" >&2
    exit 2
fi
if [[ ! -r $binary ]]; then
    echo "no-calls: cannot read $binary" >&2
    exit 2
fi

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
# -R fails on objects that are not linked, -r shows nothing for those that are.
objdump -R -C "$binary" >"$scratch/dynamic" 2>/dev/null || true
objdump -d -r -C --no-show-raw-insn "$binary" >"$scratch/code"

# Two passes over the code: the first collects where each function starts, the second reads the wrappers.
awk -v cold="$allowed" -v once="($once)" -v found="$scratch/found" '
    function hexless(text) { sub(/^0x/, "", text); sub(/^0+/, "", text); return text }
    function plain(name) { sub(/[-+]0x[0-9a-f]+$/, "", name); sub(/@.*$/, "", name); return name }
    # The name behind "call *0x4e2e0(%rip)  # 65ea0 <...>": what the loader writes there.
    function behind(slot) { return slot in loaded ? loaded[slot] : "an unknown address" }
    function judge(callee, at) {
        if (callee ~ cold) { colds++; return }
        if (callee ~ once) { tally[callee]++; return }
        bad++
        print at, wrapper, callee > found
    }
    function settle() {
        if (pending != "") judge(pending, pending_at)
        pending = ""
    }
    FILENAME ~ /dynamic$/ {
        if ($2 ~ /^R_X86_64_/) {
            value = $0
            sub(/^[0-9a-f]+ +R_X86_64_[A-Z0-9_]+ +/, "", value)
            loaded[hexless($1)] = value
        }
        next
    }
    FNR == 1 { pass++ }
    pass == 1 {
        if (/^[0-9a-f]+ <.*>:$/) {
            name = $0
            sub(/^[0-9a-f]+ </, "", name); sub(/>:$/, "", name)
            names[hexless($1)] = name
        }
        next
    }
    pass == 2 && FNR == 1 {
        for (slot in loaded) {
            value = loaded[slot]
            if (value ~ /^\*ABS\*\+0x/) {
                sub(/^\*ABS\*\+/, "", value)
                value = hexless(value)
                loaded[slot] = value in names ? names[value] : "address 0x" value
            } else {
                loaded[slot] = plain(value)
            }
        }
    }
    /^[0-9a-f]+ <.*>:$/ {
        settle()
        wrapper = $0
        sub(/^[0-9a-f]+ </, "", wrapper); sub(/>:$/, "", wrapper)
        apart = wrapper ~ /avx(2|512)::enter(::<|$)/
        inside = apart || wrapper ~ /avx(2|512)_kernel_f(32|64)/ && wrapper !~ /closure/
        if (inside) wrappers++
        if (apart) aparts++
        next
    }
    !inside { next }
    # In objects that are not linked, a relocation names the callee of the instruction above it.
    /^[ \t]+[0-9a-f]+: R_X86_64_/ {
        if (pending != "") {
            name = $0
            sub(/^[ \t]+[0-9a-f]+: R_X86_64_[A-Z0-9_]+[ \t]+/, "", name)
            pending = plain(name)
        }
        next
    }
    /^ *[0-9a-f]+:\t/ {
        settle()
        instructions++
        at = $1
        sub(/:$/, "", at)
        if ($0 ~ /%zmm/) zmm++
        else if ($0 ~ /%ymm/) ymm++
        operation = $2
        if (operation == "notrack" || operation == "bnd") operation = $3
        if (operation !~ /^(call|jmp)q?$/) next
        target = $0
        sub(/^.*\t(notrack |bnd )?(call|jmp)q? +/, "", target)
        if (target ~ /^\*.*\(%rip\)/) {
            slot = target
            sub(/^.*# +/, "", slot); sub(/ .*$/, "", slot)
            pending = behind(slot)
        } else if (target ~ /^\*/) {
            # A jump through a register is a switch; a call through one is a function pointer.
            if (operation ~ /^jmp/) next
            pending = "a function pointer (" target ")"
        } else {
            name = target
            sub(/^[0-9a-f]+ </, "", name); sub(/>$/, "", name)
            offset = name ~ /\+0x[0-9a-f]+$/
            name = plain(name)
            # Within the wrapper: a loop or a branch.
            if (operation ~ /^jmp/ && name == wrapper) next
            pending = name
        }
        pending_at = at
    }
    END {
        settle()
        printf "no-calls: %d wrappers, %d instructions (%d with zmm, %d with ymm), %d cold calls, %d others\n",
            wrappers, instructions, zmm, ymm, colds, bad
        for (callee in tally) printf "no-calls: let pass, %d times: %s\n", tally[callee], callee
        if (!wrappers) exit 2
        # If a part out of line is called but not found, it was not checked.
        for (callee in tally) if (callee ~ /avx(2|512)::enter/ && !aparts) exit 2
    }
' "$scratch/dynamic" "$scratch/code" "$scratch/code" || {
    echo "no-calls: $binary holds no kernel, or lacks a part of one that is out of line: not everything was checked" >&2
    exit 2
}

[[ -s $scratch/found ]] || exit 0
while read -r at call; do
    echo "no-calls: at $at in $call"
    # The source lines, from the innermost inlined function to the wrapper.
    if command -v addr2line >/dev/null; then
        addr2line -Cfipe "$binary" "0x$at" 2>/dev/null | sed 's/^/    /' | head -6
    fi
done <"$scratch/found"
echo "no-calls: for lines of the source, build with CARGO_PROFILE_RELEASE_DEBUG=line-tables-only" >&2
echo "no-calls: a helper misses #[inline(always)], or a closure was not inlined (see jostle-lanes, dispatch.rs)" >&2
exit 1
