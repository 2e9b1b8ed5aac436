#!/bin/sh
# build_remu.sh REMU HALF NUM_TRAITS CFG_IF OUT: libremu.so of checkouts, without cargo and its registry.
set -eu
remu=$1 half=$2 num_traits=$3 cfg_if=$4 out=$5
mkdir -p "$out"
build() { # NAME EDITION SOURCE ARGUMENTS…
    name=$1 edition=$2 source=$3
    shift 3
    rustc --crate-name "$name" --edition "$edition" -O --cap-lints allow --out-dir "$out" -L "$out" "$source" "$@"
}
build cfg_if 2018 "$cfg_if/src/lib.rs" --crate-type rlib
build num_traits 2018 "$num_traits/src/lib.rs" --crate-type rlib --cfg 'feature="std"' \
    --cfg has_to_int_unchecked --cfg has_reverse_bits --cfg has_leading_trailing_ones --cfg has_div_euclid \
    --cfg has_copysign --cfg has_is_subnormal --cfg has_int_to_from_bytes --cfg has_float_to_from_bytes
build half 2021 "$half/src/lib.rs" --crate-type rlib --cfg 'feature="std"' --cfg 'feature="alloc"' \
    --cfg 'feature="num-traits"' \
    --extern cfg_if="$out/libcfg_if.rlib" --extern num_traits="$out/libnum_traits.rlib"
build remu 2021 "$remu/src/lib.rs" --crate-type cdylib \
    --extern half="$out/libhalf.rlib" --extern num_traits="$out/libnum_traits.rlib"
