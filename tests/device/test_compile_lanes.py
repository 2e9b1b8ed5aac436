"""Functions of lanes, words and conversions, carried out: each is what Python or numpy makes of it."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from layoutalg.device import compile_source
from layoutalg.isa.container.binary import read_kernels
from layoutalg.isa.decode.code import decode_kernel
from layoutalg.isa.run.launch import execute
from tests.matrix import each

Array = npt.NDArray[Any]
TARGETS = ["gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1201"]
LANES = {"gfx90a": 64, "gfx942": 64, "gfx950": 64, "gfx1100": 32, "gfx1201": 32}
BITS = 0xFFFFFFFF


def carried_out(target: str, parameters: str, body: str, arrays: Sequence[Array], threads: int = 64) -> list[Array]:
    """What the arrays hold after one block whose threads are each `i`."""
    source = (
        f'#include <hip/hip_runtime.h>\nextern "C" __global__ void k({parameters}) {{ int i = threadIdx.x; {body} }}\n'
    )
    code = decode_kernel(read_kernels(compile_source(source, target).payload)["k"])
    return list(execute(code, [1], [threads], list(arrays)).outputs)


def _masks(lanes: int) -> tuple[int, int]:
    """Two masks that share a wave's lanes."""
    odd = 0x9249_6DB6_1234_5A5B & ((1 << lanes) - 1)
    return odd, ((1 << lanes) - 1) & ~odd


@pytest.mark.parametrize("target", each(TARGETS, "gfx942", "gfx1201"))
def test_a_reduction_is_of_the_lanes_of_its_mask(target: str) -> None:
    lanes = LANES[target]
    values = np.random.default_rng(0).integers(-100, 100, 64).astype(np.int32)
    names = {"add": np.add, "min": np.minimum, "max": np.maximum, "and": np.bitwise_and, "or": np.bitwise_or,
             "xor": np.bitwise_xor}  # fmt: skip
    one, other = _masks(lanes)
    body = f"unsigned long long m = {one}ull >> (i & {lanes - 1}) & 1 ? {one}ull : {other}ull; "
    calls = "".join(f"o[{64 * k} + i] = __reduce_{name}_sync(m, x[i]); " for k, name in enumerate(names))
    body += f"if (m & 1) {{ {calls} }} else {{ {calls} }}"
    found = carried_out(target, "const int* x, int* o", body, [values, np.zeros(6 * 64, np.int32)])[1].reshape(6, 64)
    for row, of in zip(found, names.values(), strict=True):
        for wave in range(0, 64, lanes):
            for mask in (one, other):
                chosen = [wave + lane for lane in range(lanes) if mask >> lane & 1]
                assert set(row[chosen]) == {of.reduce(values[chosen])}


@pytest.mark.parametrize("target", each(TARGETS, "gfx942", "gfx1201"))
def test_votes_and_matches_are_of_a_waves_lanes(target: str) -> None:
    lanes = LANES[target]
    values = np.random.default_rng(1).integers(0, 5, 64).astype(np.int32)
    waves = values.reshape(-1, lanes).repeat(lanes, 0)
    bits = 2 ** np.arange(lanes, dtype=np.uint64)
    same, large = ((chosen * bits).sum(1, dtype=np.uint64) for chosen in (waves == values[:, None], waves > 2))
    body = "unsigned long long all = ~(unsigned long long)(x[0] >> 8); int equal; unsigned long long* o = out + 6 * i; "
    body += "o[0] = __match_any(x[i]); "
    body += "o[1] = __match_any_sync(all, x[i]); o[2] = __ballot_sync(all, x[i] > 2); "
    body += "o[3] = 2 * __any_sync(all, x[i] > 9) + __all_sync(all, x[i] < 5); "
    body += "o[4] = __match_all_sync(all, x[i], &equal) != 0; "
    body += "o[5] = (__match_all_sync(all, 7, &equal) == __activemask()) + equal;"
    out = np.zeros((64, 6), np.uint64)
    found = carried_out(target, "const int* x, unsigned long long* out", body, [values, out])[1]
    for thread, row in enumerate(found.tolist()):
        assert row == [same[thread], same[thread], large[thread], 1, 0, 2]


@pytest.mark.parametrize("target", each(TARGETS, "gfx942"))
def test_blocks_are_counted_over(target: str) -> None:
    values = (np.arange(192) % 7).astype(np.int32)
    body = "o[i] = __syncthreads_count(x[i] == 3); o[192 + i] = __syncthreads_or(x[i] > 6); "
    body += "o[384 + i] = __syncthreads_and(x[i] < 7); o[576 + i] = __syncthreads_or(x[i] == 6);"
    found = carried_out(target, "const int* x, int* o", body, [values, np.zeros(768, np.int32)], 192)[1].reshape(4, 192)
    assert [set(row) for row in found] == [{int((values == 3).sum())}, {0}, {1}, {1}]


@pytest.mark.parametrize("target", each(TARGETS, "gfx942"))
def test_atomics_give_what_was_there(target: str) -> None:
    """Counters that begin anew, comparisons of two bytes, and the safe and unsafe sums."""
    body = "atomicInc(u, 9u); atomicDec(u + 1, 9u); atomicAdd_block(u + 2, 2u); atomicMax_system(u + 3, (unsigned)i); "
    body += "unsafeAtomicAdd(f, 1.0f); safeAtomicAdd(f + 1, 0.5f); unsafeAtomicMax(f + 2, (float)i); "
    body += "if (i == 5) { unsigned short seven = 7, one = 1, nine = 9; "
    body += "u[4] = atomicCAS(s, seven, nine); u[5] = atomicCAS(s + 1, seven, one); }"
    arrays = [np.zeros(6, np.uint32), np.zeros(3, np.float32), np.array([7, 8], np.uint16)]
    u, f, s = carried_out(target, "unsigned* u, float* f, unsigned short* s", body, arrays)
    assert u.tolist() == [64 % 10, (10 - 64 % 10) % 10, 128, 63, 7, 8]
    assert f.tolist() == [64, 32, 63]
    assert s.tolist() == [9, 8]


def _signed(x: int) -> int:
    return (x & BITS) - ((x & 0x80000000) << 1)


def _bytes_of(x: int, y: int, selector: int) -> int:
    eight = (y << 32 | x).to_bytes(8, "little")
    return sum(eight[selector >> 4 * k & 7] << 8 * k for k in range(4))


def _halves_sum(signed: bool) -> Callable[[int, int, int], int]:
    def total(x: int, y: int, z: int) -> int:
        a, b = (np.array([v], np.uint32).view(np.int8 if signed else np.uint8).astype(int) for v in (x, y))
        return int(a @ b) + z

    return total


WORDS: dict[str, Callable[[int, int, int], int]] = {
    "__byte_perm(x, y, z)": _bytes_of,
    "__funnelshift_l(x, y, z)": lambda x, y, z: (y << 32 | x) << (z & 31) >> 32,
    "__funnelshift_r(x, y, z)": lambda x, y, z: (y << 32 | x) >> (z & 31),
    "__funnelshift_lc(x, y, z & 63)": lambda x, y, z: (y << 32 | x) << min(z & 63, 32) >> 32,
    "__funnelshift_rc(x, y, z & 63)": lambda x, y, z: (y << 32 | x) >> min(z & 63, 32),
    "__usad(x, y, z)": lambda x, y, z: abs(x - y) + z,
    "__sad((int)x, (int)y, z)": lambda x, y, z: abs(_signed(x) - _signed(y)) + z,
    "__uhadd(x, y)": lambda x, y, z: x + y >> 1,
    "__urhadd(x, y)": lambda x, y, z: x + y + 1 >> 1,
    "__hadd((int)x, (int)y)": lambda x, y, z: _signed(x) + _signed(y) >> 1,
    "__rhadd((int)x, (int)y)": lambda x, y, z: _signed(x) + _signed(y) + 1 >> 1,
    "__umulhi(x, y)": lambda x, y, z: x * y >> 32,
    "__mulhi((int)x, (int)y)": lambda x, y, z: _signed(x) * _signed(y) >> 32,
    "__dp4a((int)x, (int)y, (int)z)": _halves_sum(signed=True),
    "__dp4a(x, y, z)": _halves_sum(signed=False),
    "__bitextract_u32(x, y & 31, z & 15)": lambda x, y, z: x >> (y & 31) & (1 << (z & 15)) - 1,
    "__bitinsert_u32(x, y, 5, 9)": lambda x, y, z: x & ~(511 << 5) | (y & 511) << 5,
    "__brev(x)": lambda x, y, z: int(f"{x:032b}"[::-1], 2),
    "__popc(x)": lambda x, y, z: x.bit_count(),
    "__clz((int)x)": lambda x, y, z: 32 - x.bit_length(),
    "__ffs(x)": lambda x, y, z: (x & -x).bit_length(),
}


@pytest.mark.parametrize("target", each(TARGETS, "gfx1201"))
def test_operations_on_words_are_those_of_integers(target: str) -> None:
    given = np.random.default_rng(2).integers(0, 1 << 32, (3, 64), dtype=np.uint32)
    given[:, :8] = np.resize(np.array([0, BITS, 1 << 31, (1 << 31) - 1, 1, 0, BITS], np.uint32), (3, 8))
    body = "unsigned x = a[i], y = a[64 + i], z = a[128 + i]; "
    body += "".join(f"o[{64 * k} + i] = (unsigned){call}; " for k, call in enumerate(WORDS))
    out = np.zeros((len(WORDS), 64), np.uint32)
    found = carried_out(target, "const unsigned* a, unsigned* o", body, [given, out])[1]
    for row, (call, of) in zip(found.tolist(), WORDS.items(), strict=True):
        assert row == [of(*(int(v) for v in column)) & BITS for column in given.T], call


def _directed(x: int | float, direction: str, kind: type) -> float:
    """The nearest number of numpy's kind that lies on the side of x that the direction names."""
    near = kind(x)
    if direction == "rn" or int(near) == x or float(near) == x:
        return float(near)
    up = {"ru": True, "rd": False, "rz": x < 0}[direction]
    exact = int(near) if isinstance(x, int) else float(near)
    if (exact < x) == up:
        near = np.nextafter(near, kind(np.inf if up else -np.inf))
    return float(near)


@pytest.mark.parametrize("target", each(TARGETS, "gfx942"))
def test_conversions_round_in_their_direction(target: str) -> None:
    random = np.random.default_rng(3)
    longs = (random.integers(-(1 << 62), 1 << 62, 64) >> random.integers(0, 60, 64)).astype(np.int64)
    longs[:5] = [0, -(1 << 63), (1 << 63) - 1, (1 << 24) + 1, -(1 << 24) - 1]
    doubles = random.standard_normal(64) * 10.0 ** random.integers(-50, 37, 64)
    doubles[:3] = [0, 1e300, -1e-300]
    ways = ("rn", "rz", "rd", "ru")
    body = "".join(f"f[{64 * k} + i] = __ll2float_{way}(l[i]); g[{64 * k} + i] = __double2float_{way}(d[i]); "
                   f"e[{64 * k} + i] = __ll2double_{way}(l[i]); n[{64 * k} + i] = __double2ll_{way}(r[i]); "
                   for k, way in enumerate(ways))  # fmt: skip
    small = random.uniform(-1e6, 1e6, 64)
    small[:4] = [0.5, 1.5, -0.5, -2.5]
    outs = [np.zeros((4, 64), kind) for kind in (np.float32, np.float32, np.float64, np.int64)]
    parameters = "const long long* l, const double* d, const double* r, float* f, float* g, double* e, long long* n"
    *_, floats, rounded, of_long, whole = carried_out(target, parameters, body, [longs, doubles, small, *outs])
    to_whole = {"rn": np.rint, "rz": np.trunc, "rd": np.floor, "ru": np.ceil}
    with np.errstate(over="ignore"):
        for k, way in enumerate(ways):
            assert floats[k].tolist() == [_directed(int(x), way, np.float32) for x in longs], way
            assert of_long[k].tolist() == [_directed(int(x), way, np.float64) for x in longs], way
            assert whole[k].tolist() == to_whole[way](small).tolist(), way
            expected = [_directed(float(x), way, np.float32) for x in doubles[3:]]
            assert rounded[k][3:].tolist() == expected, way
    assert rounded[:, 1].tolist() == [np.inf, 3.4028234663852886e38, 3.4028234663852886e38, np.inf]
    assert rounded[:, 2].tolist() == [0, 0, -1.401298464324817e-45, 0]
