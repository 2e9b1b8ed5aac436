"""Reads of what nothing wrote: where a compiled wave says that it has made none, other noise changes no result."""

import ctypes
import tempfile
from pathlib import Path

import numpy as np
import pytest

from layoutalg.device.compile import compile_for_host
from layoutalg.device.plain import FLAGS
from layoutalg.isa.compiled.kernel import text_of
from layoutalg.isa.compiled.launch import CALL, called
from layoutalg.isa.decode.code import MachineCode
from layoutalg.isa.run.described import TakenForms
from layoutalg.isa.semantics.table import ALU
from tests.isa.compiled.sides import ENTRY, chunks, instructions_of, plain, registers

#: What the kernels read: vector registers, and scalar ones.
VECTORS, SCALARS = 34, 24

GIVEN = """
extern "C" int checked_wave(uint32_t *v, uint64_t *dv, uint32_t *s, uint64_t *ds, uint64_t *noise,
                            void (*call)(uint64_t, uint64_t, const uint64_t *, uint64_t *)) {
  Run run = {}; run.call = call; run.step_limit = 1 << 20; run.limit = 1;
  Wave *W = (Wave *)__builtin_malloc(sizeof(Wave));
  Block block = {&run, 0, 0, 0, 0, 0, W, ~0ull, 0, 0};
  __builtin_memcpy(W->v, v, sizeof W->v); __builtin_memcpy(W->s, s, sizeof W->s);
  __builtin_memcpy(W->dv, dv, sizeof W->dv); __builtin_memcpy(W->ds, ds, sizeof W->ds);
  W->m0 = 0; W->scc = 1; set_exec(W); W->pc = 0; W->steps = 0; W->until = 1 << 20; W->noise = 0;
  for (int k = 0; k < ACCUMULATORS; k++) for (int l = 0; l < LANES; l++) W->a[k][l] = k * l, W->da[k] = ~0ull;
  int ended = run_wave(&run, &block, W);
  __builtin_memcpy(v, W->v, sizeof W->v); __builtin_memcpy(s, W->s, sizeof W->s);
  __builtin_memcpy(dv, W->dv, sizeof W->dv); __builtin_memcpy(ds, W->ds, sizeof W->ds);
  *noise = W->noise;
  __builtin_free(W);
  return ended;
}
"""


class Wave:
    """One wave of instructions, compiled with checks."""

    def __init__(self, names, target, lanes):
        program = MachineCode(TakenForms(target, lanes).kernel, tuple(instructions_of(names, target)))
        text = text_of(program)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "one.so"
            path.write_bytes(compile_for_host(text.checked + ENTRY + GIVEN, FLAGS))
            self.run_wave = ctypes.CDLL(str(path)).checked_wave
        self.run_wave.argtypes = (*(ctypes.c_void_p,) * 5, CALL)
        self.call, self.lanes = CALL(called(text.calls)), lanes
        self.active = 0xF7FFFFFF_FFFFFFBF & (1 << lanes) - 1

    def run(self, undefined, noise, seed=1):
        """Whether what nothing wrote was read, and what is defined at last; `undefined`: a register's kind and number.

        Lanes that are not active are undefined, too.
        """
        vectors, scalars = registers(seed, self.lanes)
        other = np.random.default_rng(noise)
        mask = np.array([0 if ("v", k) == undefined else self.active for k in range(256)], np.uint64)
        shown = (mask[:, None] >> np.arange(self.lanes, dtype=np.uint64) & 1).astype(bool)
        state = np.where(shown, vectors, other.integers(0, 1 << 32, vectors.shape, np.uint32)).astype(np.uint32)
        known = [("s", k) != undefined for k in range(128)]
        given = np.where(known, scalars, other.integers(0, 1 << 32, 128, np.uint32)).astype(np.uint32)
        given[126:128] = self.active & 0xFFFFFFFF, self.active >> 32
        bits = sum(1 << k for k, one in enumerate(known) if one) | 3 << 126 | 3 << 128
        of_scalars = np.array([bits >> 64 * k & (1 << 64) - 1 for k in range(3)], np.uint64)
        found = np.zeros(1, np.uint64)
        ended = self.run_wave(
            state.ctypes.data, mask.ctypes.data, given.ctypes.data, of_scalars.ctypes.data, found.ctypes.data, self.call
        )
        assert ended == 0
        shown = (mask[:, None] >> np.arange(self.lanes, dtype=np.uint64) & 1).astype(bool)
        known = [bool(int(of_scalars[k // 64]) >> k % 64 & 1) for k in range(128)]
        return bool(found[0]), (mask, of_scalars, np.where(shown, state, 0), np.where(known, given, 0))


def assert_seen(names, target, lanes):
    """Each register in turn is undefined: results differ with the noise only where a read of it was told."""
    wave, told = Wave(names, target, lanes), 0
    assert wave.run(None, 1)[0] is False, names
    for one in (*(("v", k) for k in range(VECTORS)), *(("s", k) for k in range(SCALARS))):
        (noisy, results), (_, others) = (wave.run(one, noise) for noise in (1, 2))
        assert noisy or all(map(np.array_equal, results, others)), (one, names)
        told += noisy
    return told


def names_of(target, lanes, every, first=0):
    return chunks([name for name in ALU if plain(name)][first::every], target, lanes)[0]


@pytest.mark.parametrize(("target", "lanes"), [("gfx942", 64), pytest.param("gfx1201", 32, marks=pytest.mark.slow)])
def test_what_is_not_told_cannot_be_seen(target, lanes):
    assert assert_seen(names_of(target, lanes, every=19), target, lanes) > 15


@pytest.mark.parametrize("target", ["gfx942"])
def test_a_register_that_is_forgotten_is_seen(monkeypatch, target):
    from layoutalg.isa.compiled.defined import Definedness

    monkeypatch.setattr(Definedness, "read", lambda self, operand: None)
    with pytest.raises(AssertionError):
        assert_seen(["V_ADD_U32", "V_XOR_B32"], target, 64)
