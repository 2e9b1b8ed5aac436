"""The text of the statements on rows, and the device functions that it calls.

| function          | AMD                | NVIDIA                 | elsewhere        |
|-------------------|--------------------|------------------------|------------------|
| `power_of_two`    | v_exp_f32          | ex2.approx.ftz.f32     | exp2f            |
| `of_lane`         | ds_bpermute_b32    | shfl.sync.bfly.b32     | none             |
| `greater_of`      | as C has it        | max.NaN.f32            | as C has it      |

Powers are within an ulp or two; of −∞ they are 0.
"""

from __future__ import annotations

from layoutalg.index import TRUE, Expr
from layoutalg.index.c import c_code, c_expression
from layoutalg.kernel.access.rows import kept_at, row_index, source_index
from layoutalg.kernel.emit.conversions import F32, as_float, converted, neutral
from layoutalg.kernel.emit.registers import UNROLL, each_register, guarded, one_register, register_at, set_each
from layoutalg.kernel.program import FOLDS, Divide, Exponentiate, Fold, MaskScores, Move, Program, Reading, Rescale
from layoutalg.kernel.program.names import index_type

_HEAD = "static __device__ inline __attribute__((always_inline))"

ROW_FUNCTIONS = {
    "power_of_two": f"""\
// 2 to the x, within two ulps; 0 of what is far below 0.
{_HEAD} float power_of_two(float x) {{
#if defined(__AMDGCN__)
    return __builtin_amdgcn_exp2f(x);
#elif defined(__NVPTX__) || defined(__CUDA_ARCH__)
    float y;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
#else
    return __builtin_exp2f(x);
#endif
}}
""",
    "greater_of": f"""\
// The greater; what is no number, if one is none.
{_HEAD} float greater_of(float so_far, float x) {{
#if defined(__NVPTX__) || defined(__CUDA_ARCH__)
    float y;
    asm("max.NaN.f32 %0, %1, %2;" : "=f"(y) : "f"(so_far), "f"(x));
    return y;
#else
    return x > so_far || x != x ? x : so_far;
#endif
}}
""",
    "of_lane": f"""\
// What the lane whose number differs in these bits has.
{_HEAD} float of_lane(float x, int bits) {{
#if defined(__AMDGCN__)
    const int lane = (int)__builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0u));
    const int found = __builtin_amdgcn_ds_bpermute((lane ^ bits) << 2, __builtin_bit_cast(int, x));
    return __builtin_bit_cast(float, found);
#elif defined(__NVPTX__) || defined(__CUDA_ARCH__)
    float y;
    asm volatile("shfl.sync.bfly.b32 %0, %1, %2, 31, -1;" : "=f"(y) : "f"(x), "r"(bits));
    return y;
#else
    return __builtin_trap(), x;
#endif
}}
""",
}
"""The device functions, by name."""


class RowWriter(Reading[str]):
    """Writes the statements on rows of a program."""

    def __init__(self, program: Program) -> None:
        self.program, self.bits, self.index = program, program.index_bits, index_type(program)

    def text(self, e: Expr) -> str:
        """The expression in the index type; all of it is proved to fit."""
        return c_expression(e, bits=self.bits, proved=True)

    def read_move(self, s: Move) -> str:
        source = register_at(s.source, source_index(s))
        value = converted(source, s.source.dtype, s.registers.dtype)
        return f"// {s.registers.name} <- {s.source.name}\n{set_each(s.registers, value)}"

    def read_mask_scores(self, s: MaskScores) -> str:
        where = str(c_code({"kept": kept_at(self.program, s)}, bits=self.bits, proved=True))
        line = f"{one_register(s.registers)} = kept ? {one_register(s.registers)} : -__builtin_inff();"
        title = f"// {s.registers.name} <- the least, but where {s.keep}"
        masked = each_register(s.registers, f"{where}\n{line}")
        return f"{title}\n{guarded([] if s.only is TRUE else [self.text(s.only)], masked)}"

    def read_rescale(self, s: Rescale) -> str:
        """The powers of the rows first, then what takes them."""
        top, greatest, power = (
            one_register(s.shift),
            one_register(s.greatest),
            one_register(s.shift).replace(s.shift.name, "rescale", 1),
        )
        lines = [
            f"const float greater = {greatest} > {top} ? {greatest} : {top};",
            f"{power} = power_of_two(({top} - greater) * {number(s.factor)});",
            f"{top} = greater;",
        ]
        dimensions = "".join(f"[{n}]" for n in s.shift.distribution.ys) or "[1]"
        text = [f"float rescale{dimensions};", each_register(s.shift, "\n".join(lines))]
        for rows in s.totals:
            at = "rescale" + ("".join(f"[{self.text(y)}]" for y in row_index(rows)) or "[0]")
            text.append(each_register(rows.registers, f"{one_register(rows.registers)} *= {at};"))
        title = f"// {s.shift.name} <- the greater; {', '.join(r.name for r in s.accumulators)} follow"
        body = "\n".join(text).replace("\n", "\n    ")
        return f"{title}\n{{\n    {body}\n}}"

    def read_exponentiate(self, s: Exponentiate) -> str:
        top = register_at(s.shift, row_index(s.rows))
        value = (
            f"power_of_two(__builtin_fmaf({one_register(s.scores)}, {number(s.factor)}, -({top} * {number(s.factor)})))"
        )
        title = f"// {s.registers.name} <- 2^({s.factor:.6f} ({s.scores.name} - {s.shift.name}))"
        return f"{title}\n{set_each(s.registers, value)}"

    def read_divide(self, s: Divide) -> str:
        value = f"{one_register(s.registers)} / {register_at(s.by, row_index(s.rows))}"
        return f"// {s.registers.name} /= {s.by.name}\n{set_each(s.registers, value)}"

    def folded_over_lanes(self, s: Fold) -> str:
        """Lanes give each other what they have, bit by bit; then each takes it in."""
        take, tile, kept = taking(s), s.a.distribution, len(s.c.distribution.ys)
        one, steps = as_float(one_register(s.a), s.a.dtype), tuple(range(kept, len(tile.ys)))
        lines = [f"float v = {neutral(s.how, F32) if steps else one};"]
        lines += [f"{UNROLL}for (int {tile.y_index[n].value.name} = 0; {tile.y_index[n].value.name} < {tile.ys[n]}; "
                  f"++{tile.y_index[n].value.name})" for n in steps]  # fmt: skip
        lines += [f"    {take.format('v', one)}"] if steps else []
        for bits in s.lanes:
            lines += ["{", f"    const float there = of_lane(v, {bits});", f"    {take.format('v', 'there')}", "}"]
        c = register_at(s.c, tile.y_index[:kept])
        lines.append(take.format(c, "v"))
        return f"// {s.c.name} takes in {s.a.name}, over lanes\n{each_register(s.a, chr(10).join(lines), steps)}"


def taking(s: Fold) -> str:
    """How a fold takes in an element: f32 numbers by the hardware's own greater, where it has one."""
    return "{0} = greater_of({0}, {1});" if s.how == "max" and s.a.dtype == F32 else FOLDS[s.how].text


def number(x: float) -> str:
    """A number of f32 as C, to the bit.

    >>> number(0.125), number(-3.0)
    ('0x1.0000000000000p-3f', '-0x1.8000000000000p+1f')
    """
    return f"{x.hex()}f"


__all__ = ["ROW_FUNCTIONS", "RowWriter"]
