// What AMD's device library asks of its user (ROCm-Device-Libs, doc/OCML.md, "Controls"): compiled as C to bitcode,
// which is linked with the library's. The answers are hipcc's defaults: nothing is given up for speed.
#pragma once

#define LAYOUTALG_OCLC(T, NAME, VALUE) const __attribute__((address_space(4))) T __oclc_##NAME = VALUE;

LAYOUTALG_OCLC(unsigned char, unsafe_math_opt, 0)
LAYOUTALG_OCLC(unsigned char, finite_only_opt, 0)
LAYOUTALG_OCLC(unsigned char, daz_opt, 0)
LAYOUTALG_OCLC(unsigned char, correctly_rounded_sqrt32, 1)
LAYOUTALG_OCLC(unsigned, ISA_version, LAYOUTALG_OCLC_ISA)
