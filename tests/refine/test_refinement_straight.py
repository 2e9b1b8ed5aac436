"""A product whose tiles go straight to LDS, its machine code for gfx950 beside its program, and twins of it.

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

BARRIER = "await_copies<0>();\n        __syncthreads();"
READ = "+ (k & 7);\n                const float16x8 v"
LANES = "((tx & 3) ^ ((tx >> 5) & 1) ^ ((tx >> 3) & 3)) * 8"

#: What is written, what is written instead, and at which of its places.
TWINS = {
    "no barrier before slot 0": (BARRIER, "await_copies<0>();", 0),
    "no barrier before slot 1": (BARRIER, "await_copies<0>();", 1),
    "no wait before slot 0": (BARRIER, "meet_under_way();", 0),
    "no wait before slot 1": (BARRIER, "meet_under_way();", 1),
    "a wait that leaves a load": (BARRIER, "await_copies<1>(); meet_under_way();", 0),
    "a wait behind the barrier": (BARRIER, "meet_under_way(); await_copies<0>();", 1),
    "tile 0 lands in slot 1": ("* 8 + (k & 7);", "* 8 + (k & 7) + 2048;", 0),
    "tile 1 lands in slot 0": ("* 8 + (k & 7) + 2048;", "* 8 + (k & 7);", 0),
    "slot 1 is read for slot 0": (READ, READ.replace(";", " + 2048;", 1), 0),
    "lanes load as they lie": (LANES, "(tx & 3) * 8", 2),
    "lanes are swizzled by half": (LANES, "((tx & 3) ^ ((tx >> 3) & 3)) * 8", 2),
    "lanes take another's row": ("const int m = tx >> 2;", "const int m = (tx ^ 4) >> 2;", 1),
    "the next tile again": ("const int k = (kt * 2 + 1) * 32;", "const int k = kt * 2 * 32;", 0),
    "a tile behind the last": ("(kt + 1 < (N_k + 63) >> 6 ? kt + 1 : kt)", "(kt + 1)", 0),
    "waves land on each other": ("landing_of(tx)", "landing_of(tx % 128)", 0),
}  # fmt: skip


INSIDE = " & (kt * 64 + (" + LANES.removesuffix(" * 8")[1:] + " * 8 + 32 < N_k)"
ROWS = "(bm * 64 + (tx >> 2) < N_m) & "

#: Of sizes that tiles do not divide.
RAGGED = {
    "what is behind the last k is loaded": (INSIDE, "", 0),
    "the guard is that of the tile before": (INSIDE, INSIDE.replace(" + 32", ""), 0),
    "one vector too many": (INSIDE, INSIDE.replace("+ 32 <", "+ 24 <"), 1),
    "rows are not guarded": (ROWS, "", 1),
    "another tile's rows": ("const int m = bm * 64;", "const int m = bm * 64 + 1;", 1),
    "what is outside is in range": ("inside ? lane : 0x80000000", "inside ? lane : 0x7ffffff0", 0),
    "the range is longer": ("0, 0x80000000, 0x00020000", "0, 0x80000010, 0x00020000", 0),
    "with the tile the sum begins anew at 0": ("inside ? lane : 0x80000000", "inside ? lane : -tile", 0),
    "some lanes do not load": ("copy_straight_ranged<16>(&a_lds", "if (tx < N_m) copy_straight_ranged<16>(&a_lds", 1),
    "no barrier before slot 0": (BARRIER, "await_copies<0>();", 0),
    "no wait before slot 1": (BARRIER, "meet_under_way();", 1),
}  # fmt: skip


@cache
def program(whole=True):
    plan = copied(plan_for("gfx950", "f16"), Cut((1, 1), (2, 2), 32, 2, whole=whole))
    return contraction(parse_einsum("mk,nk->mn"), "f16", plan=plan, widths=(8, 8, 8))


def compiled(text, whole=True):
    return decode_kernel(read_kernels(compile_source(text, "gfx950").payload)[program(whole).name])


def exact(code, whole, m, k, n):
    """Whether a run gives the product."""
    sizes = dict(zip(("N_m", "N_k", "N_n"), (m, k, n), strict=True))
    case = make_case(program(whole), {size: sizes[size.value.name] for size in program(whole).sizes})
    return attempt(code, program(whole), case).exact


@pytest.mark.slow
@pytest.mark.parametrize("whole", [True, False])
def test_its_machine_code_is_the_program(whole):
    code = compiled(emit_unverified(program(whole)), whole)
    assert sum(i.name == "BUFFER_LOAD_DWORDX4" and i.fields["lds"] for i in code.instructions) == 6
    found = prove_binary(code, program(whole))
    assert found.proved, found.failures[:2]
    assert exact(code, whole, 128, 192, 64)


def test_sizes_that_tiles_do_not_divide_give_the_product():
    code = compiled(emit_unverified(program(False)), False)
    assert all(exact(code, False, *sizes) for sizes in ((1, 8, 8), (50, 40, 72), (65, 200, 64)))


@pytest.mark.slow
@pytest.mark.parametrize("name", some(TWINS, 3))
def test_one_mistake_and_it_is_not_proved(name):
    assert not proved_with(*TWINS[name], whole=True)


@pytest.mark.slow
@pytest.mark.parametrize("name", some(RAGGED, 2))
def test_one_mistake_at_the_edges_and_it_is_not_proved(name):
    assert not proved_with(*RAGGED[name], whole=False)


def proved_with(old, new, place, whole):
    """Whether the text is proved with something else at one place."""
    parts = emit_unverified(program(whole)).split(old)
    assert len(parts) > place + 1
    text = old.join(parts[: place + 1]) + new + old.join(parts[place + 1 :])
    return prove_binary(compiled(text, whole), program(whole)).proved
