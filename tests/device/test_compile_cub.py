"""hipCUB's block and wave primitives, carried out and compared with numpy."""

from pathlib import Path

import numpy as np
import pytest

from layoutalg.device import CompileError, compile_source
from layoutalg.isa.container.binary import read_kernels
from layoutalg.isa.decode.code import decode_kernel
from layoutalg.isa.run.launch import execute
from tests.matrix import each

SOURCE = Path(__file__).parent / "features" / "cub.hip"
TARGETS = pytest.mark.parametrize(
    "target", each(["gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1201"], "gfx942", "gfx1100")
)


@pytest.fixture(scope="module")
def run():
    """The outputs of a kernel of these, by its name; each target is compiled for once."""
    compiled = {}

    def outputs(target, name, block, *arguments, grid=1):
        if target not in compiled:
            compiled[target] = read_kernels(compile_source(SOURCE.read_text(), target).payload)
        return execute(decode_kernel(compiled[target][name]), [grid], block, arguments).outputs

    return outputs


def numbers(many):
    return np.random.default_rng(2).integers(-500, 500, many).astype(np.int32)


@TARGETS
def test_reductions_over_a_block(run, target):
    x = numbers(3 * 160)
    o = run(target, "reductions", [160], x, np.zeros((3, 4), np.int32), 71, grid=3)[1]
    of = x.reshape(3, 160)
    assert o.T.tolist() == [
        of.sum(1).tolist(),
        of[:, :71].max(1).tolist(),
        (3 * of.sum(1)).tolist(),
        of.argmin(1).tolist(),
    ]


@TARGETS
def test_a_reduction_over_a_block_of_two_sides(run, target):
    x = np.arange(32.0) ** 2
    assert run(target, "two_sides", [8, 4], x, np.zeros(1))[1] == x.sum()


@TARGETS
def test_scans_over_a_block(run, target):
    x = numbers(160)
    o = run(target, "scans", [160], x, np.zeros(1920, np.int32))[1]
    sums, most = x.cumsum(), np.maximum.accumulate(np.append(-5, x))
    assert (o[:160] == sums).all()
    assert (o[160:320] == sums - x).all()
    assert (o[320:480] == sums[-1]).all()
    assert (o[480:640] == most[:-1]).all()
    assert (o[640:800] == x.max()).all()
    assert (o[800:960] == 1000 + sums[-1] + sums).all()
    items = np.stack([x, np.ones_like(x), x + 2], 1).ravel()
    assert (o[960:1440] == items.cumsum()).all()
    assert (o[1440:] == items.cumsum() - items).all()


@TARGETS
def test_an_operator_that_does_not_commute(run, target):
    x = numbers(128)
    by, plus, scanned = np.int32(1), np.int32(0), []
    with np.errstate(over="ignore"):
        for i, one in enumerate(x | 1):
            by, plus = by * one, plus * one + np.int32(i)
            scanned.append((by, plus))
    o = run(target, "in_order", [128], x, np.zeros(258, np.int32))[1]
    assert (o.reshape(-1, 2) == [scanned[-1], *scanned]).all()


@TARGETS
def test_waves_and_parts_of_them(run, target):
    x = numbers(64)
    o = run(target, "waves", [64], x, np.zeros((4, 16, 7), np.int32))[1]
    of = x.reshape(4, 16)
    assert (o[:, 0, 0] == of.sum(1)).all()
    assert (o[:, 0, 1] == of[:, :5].min(1)).all()
    assert (o[:, :, 2] == of.cumsum(1)).all()
    assert (o[:, :, 3] == of.sum(1)[:, None]).all()
    assert (o[:, :, 4] == of.cumsum(1) - of).all()
    assert (o[:, 0, 5] == 7).all()
    assert (o[:, 1:, 5] == np.maximum(np.maximum.accumulate(of, 1), 7)[:, :-1]).all()
    assert (o[:, :, 6] == of[:, 3:4]).all()


@TARGETS
def test_items_from_and_to_memory(run, target):
    """What is stored tells whose item it was: blocked, or striped."""
    x, valid, item = numbers(512), 300, np.arange(512)
    o = run(target, "memory", [128], x, np.zeros((5, 512), np.int32), valid)[1]
    loaded = np.where(item < valid, x, -1) * 1000
    blocked, striped = loaded + item // 4, loaded + item % 128
    assert (o == np.where(item <= valid, [*4 * [blocked], striped], 0)).all()


@TARGETS
def test_arrangements(run, target):
    ranks = np.random.default_rng(3).permutation(384).astype(np.int32)
    blocked, striped, scattered = run(target, "arrangements", [128], ranks, np.zeros((3, 384), np.int32))[1]
    assert (blocked == np.arange(384)).all()
    assert (striped == np.arange(384)).all()
    assert (scattered[ranks] == np.arange(384)).all()


@TARGETS
def test_neighbours(run, target):
    x = numbers(192)
    left, right = run(target, "neighbours", [96], x, np.zeros((2, 192), np.int32))[1]
    assert (left == np.diff(x, prepend=0)).all()
    assert (right == x - np.append(x[1:], 1000)).all()


@TARGETS
def test_sorting(run, target):
    """Keys that are alike keep their order."""
    x = np.random.default_rng(4).standard_normal(192).astype(np.float32)
    keys = np.random.default_rng(5).integers(0, 200, 128).astype(np.int32)
    floats, ints, values = run(target, "sorted", [64], x, keys, np.zeros(128, np.int32))
    assert (floats == np.sort(x)).all()
    assert (values == np.argsort(-keys, kind="stable")).all()
    assert (ints == keys[values]).all()


@TARGETS
def test_bits_and_iterators(run, target):
    o = run(target, "types", [64], np.zeros(64, np.uint32), -2.5)[0]
    bits = int(np.float32(-2.5).view(np.uint32))
    assert o.tolist() == [((5 + i) ** 2 + max(3, i) + bits) % (1 << 32) for i in range(64)]


@TARGETS
def test_rocprim_has_the_same(run, target):
    x = numbers(3 * 384 - 100)
    o = run(target, "_Z12rocprim_sumsILj96ELj4EEvPKiPij", [96], x, np.zeros((3, 98), np.int32), len(x), grid=3)[1]
    of = np.pad(x, (0, 100)).reshape(3, 96, 4)
    assert (o[:, 0] == of.sum((1, 2))).all()
    assert (o[:, 1] == of[:, :, 0].max(1)).all()
    assert (o[:, 2:] == 100 + of[:, :, 0].cumsum(1) - of[:, :, 0]).all()


def test_a_part_of_a_wave_is_a_power_of_two():
    source = "#include <hipcub/hipcub.hpp>\n__global__ void k() { hipcub::WarpReduce<int, 12>::TempStorage room; }\n"
    with pytest.raises(CompileError, match="a power of two of a wave's lanes"):
        compile_source(source, "gfx942")


def test_hipcub_itself_is_taken_where_a_folder_has_it(tmp_path):
    (tmp_path / "hipcub").mkdir()
    (tmp_path / "hipcub" / "hipcub.hpp").write_text("#define THEIRS 3\n")
    source = "#include <hip/hip_runtime.h>\n#include <hipcub/block/block_scan.hpp>\n"
    source += 'extern "C" __global__ void k(int* x) { *x = THEIRS; }\n'
    assert compile_source(source, "gfx942", include=[tmp_path]).kernels
