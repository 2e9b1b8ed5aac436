"""A product whose b lies along n, read by loads that transpose: its machine code for gfx950, and twins of it.

Each twin is the kernel's text with one mistake, compiled; none may be proved.
"""

from functools import cache

import pytest

from layoutalg.device.compile import compile_source
from layoutalg.isa.container.binary import read_kernels
from layoutalg.isa.decode.code import decode_kernel
from layoutalg.kernel.emit import emit_unverified
from layoutalg.kernel.library.contraction import contraction
from layoutalg.kernel.library.einsum import parse_einsum
from layoutalg.kernel.library.plans import Cut, copied, plan_for
from layoutalg.refine.refinement import prove_binary
from layoutalg.refine.trial import attempt, make_case
from tests.matrix import some

READ = "const float16x4 v = load_transposed(b_lds + word);"
SWIZZLED = "(((k >> 1) & 1) ^ (m >> 5)) * 32"
ROW = "const int k = ((y1 * 2 + (t2 >> 5)) * 2 + y2) * 4 + (t1 >> 4);"
LANE = "const int t2 = (tx & 63) - t0 + (t1 & 15);"
TAKEN = "b_held0[y0][y1][y2][y3] = v[y3];"

#: What is written, what is written instead, and at which of its places.
TWINS = {
    "eight bytes off": (READ, READ.replace("word", "word + 4"), 0),
    "eight bytes off in slot 1": (READ, READ.replace("word", "(word ^ 4)"), 2),
    "four rows on": (READ, READ.replace("word", "word + 4 * 64"), 1),
    "the other half's rows": (ROW, ROW.replace("+ y2)", "+ 1 - y2)"), 0),
    "halves of the wave": (ROW, ROW.replace("(t2 >> 5)", "1 - (t2 >> 5)"), 1),
    "a row of the next four lanes": (ROW, ROW.replace("(t1 >> 4)", "((t1 >> 4) ^ 1)"), 0),
    "another lane's piece": (LANE, LANE.replace("(t1 & 15)", "((t1 & 15) ^ 4)"), 0),
    "another sixteen lanes": (LANE, LANE.replace("- t0", "- t0 ^ 16"), 2),
    "a lane's own element": (LANE, "const int t2 = tx & 63;", 0),
    "a wrong stride": ("const int word = k * 64 + (((k", "const int word = k * 72 + (((k", 0),
    "rows that are not swizzled": (SWIZZLED, "(m >> 5) * 32", -1),
    "swizzled by k mod 2": (SWIZZLED, "((k & 1) ^ (m >> 5)) * 32", -1),
    "elements turned": (TAKEN, TAKEN.replace("v[y3]", "v[3 - y3]"), 0),
    "an element twice": (TAKEN, TAKEN.replace("v[y3]", "v[y3 | 1]"), 1),
    "a read that does not transpose": (READ, "const float16x4 v = *(const float16x4*)(b_lds + word);", 0),
    "half a wave reads": (READ, "float16x4 v = {}; if (tx & 32) v = load_transposed(b_lds + word);", 0),
    "lanes that are off in the last block": (
        READ, "float16x4 v = {}; if (tx < N_n) v = load_transposed(b_lds + word);", 0,
    ),
    "no wait before slot 1": ("await_copies<0>();\n        __syncthreads();", "meet_under_way();", 1),
    "no barrier before slot 0": ("await_copies<0>();\n        __syncthreads();", "await_copies<0>();", 0),
    "lanes load as they lie": (
        "((t0 >> 5) ^ ((((y0 * 4 + (tx >> 6)) * 8 + ((tx & 63) >> 3) + y1) >> 1) & 1)) * 32", "(t0 >> 5) * 32", 1,
    ),
}  # fmt: skip


@cache
def program():
    plan = copied(plan_for("gfx950", "f16"), Cut((1, 1), (2, 2), 32, 2))
    return contraction(parse_einsum("mk,kn->mn"), "f16", plan=plan, widths=(8, 8, 8))


def compiled(text):
    return decode_kernel(read_kernels(compile_source(text, "gfx950").payload)[program().name])


@pytest.mark.slow
def test_its_machine_code_is_the_program():
    code = compiled(emit_unverified(program()))
    assert sum(i.name == "DS_READ_B64_TR_B16" for i in code.instructions) == 8
    assert sum(i.name == "BUFFER_LOAD_DWORDX4" and i.fields["lds"] for i in code.instructions) == 6
    found = prove_binary(code, program())
    assert found.proved, found.failures[:2]
    assert not found.narrow
    sizes = dict(zip(("N_m", "N_k", "N_n"), (128, 192, 64), strict=True))
    case = make_case(program(), {size: sizes[size.value.name] for size in program().sizes})
    assert attempt(code, program(), case).exact


@pytest.mark.slow
@pytest.mark.parametrize("name", some(TWINS, 3))
def test_one_mistake_and_it_is_not_proved(name):
    old, new, place = TWINS[name]
    parts = emit_unverified(program()).split(old)
    assert len(parts) > max(1, place + 1)
    places = range(len(parts) - 1) if place < 0 else [place]
    text = parts[0]
    for n, part in enumerate(parts[1:]):
        text += (new if n in places else old) + part
    assert not prove_binary(compiled(text), program()).proved
