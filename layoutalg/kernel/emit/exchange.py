"""The text of an exchange: words of so many lanes, turned over bit by bit of the lane's number.

In turn for each bit, a lane keeps those words whose number has that bit as its own has, and gives the others for them;
so after all bits it has, in place j, the word of its own number of the lane of number j.
"""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import indent

from layoutalg.index import Expr, as_expr
from layoutalg.kernel.emit.conversions import converted
from layoutalg.kernel.emit.registers import UNROLL, each_register, register_at
from layoutalg.kernel.program import Exchange, Registers

EXCHANGE = """\
// Lanes whose numbers differ in a bit give each other words: each gets those whose number has the bit as its own has.
template <int lanes, int bit> static __device__ inline __attribute__((always_inline)) void turn_words(unsigned* words) {
#if defined(__AMDGCN__)
    const int lane = (int)__builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0u));
#elif defined(__NVPTX__) || defined(__CUDA_ARCH__)
    int lane;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
#else
    const int lane = (__builtin_trap(), 0);
#endif
    #pragma unroll
    for (int i = 0; i < lanes; ++i) {
        if (i & bit) continue;
        const unsigned given = lane & bit ? words[i] : words[i | bit];
        unsigned found = given;
#if defined(__AMDGCN__)
        found = (unsigned)__builtin_amdgcn_ds_bpermute((lane ^ bit) << 2, (int)given);
#elif defined(__NVPTX__) || defined(__CUDA_ARCH__)
        asm volatile("shfl.sync.bfly.b32 %0, %1, %2, 31, -1;" : "=r"(found) : "r"(given), "n"(bit));
#endif
        words[i] = lane & bit ? found : words[i];
        words[i | bit] = lane & bit ? words[i | bit] : found;
    }
}
"""
"""The device function of exchanges."""


def exchanged(s: Exchange) -> str:
    """Words are made of the source's elements, exchanged, and taken apart."""
    tile, own = s.registers.distribution, s.registers.dtype
    ys, inner, outer = tile.y_index, s.y + 1, (s.y + 1, *((len(tile.ys) - 1,) if s.each == 2 else ()))
    source = (*ys[: s.y], ys[s.y] * s.lanes + ys[inner], *ys[inner + 1 :])

    def elements(index: Sequence[Expr], registers: Registers) -> list[str]:
        parts = [(*index[:-1], as_expr(n)) for n in range(2)] if s.each == 2 else [tuple(index)]
        return [register_at(registers, at) for at in parts]

    word = ys[inner].value.name
    each = f"{UNROLL}for (int {word} = 0; {word} < {s.lanes}; ++{word})"
    given = [converted(e, s.source.dtype, own) for e in elements(source, s.source)]
    taken = [f"{e} = w.of[{n}];" for n, e in enumerate(elements(ys, s.registers))]
    body = [
        f"struct Word {{ {own.c} of[{s.each}]; }};",
        f"unsigned words[{s.lanes}];",
        f"{each}\n    words[{word}] = __builtin_bit_cast(unsigned, (Word){{{{{', '.join(given)}}}}});",
        *(f"turn_words<{s.lanes}, {1 << bit}>(words);" for bit in range(s.lanes.bit_length() - 1)),
        f"{each} {{\n    const Word w = __builtin_bit_cast(Word, words[{word}]);",
        *(indent(line, "    ") for line in taken),
        "}",
    ]
    title = f"// {s.registers.name} <- {s.source.name}, words exchanged by {s.lanes} lanes"
    return f"{title}\n{each_register(s.registers, chr(10).join(body), outer)}"


__all__ = ["EXCHANGE", "exchanged"]
