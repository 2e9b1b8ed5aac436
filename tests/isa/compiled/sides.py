"""Instructions carried out by the numpy machine and by compiled text, from the same registers, and what differs."""

import ctypes
import tempfile
from pathlib import Path

import numpy as np

from layoutalg.device.compile import compile_for_host
from layoutalg.device.plain import FLAGS
from layoutalg.errors import UnsupportedInstructionError
from layoutalg.isa.compiled.kernel import text_of
from layoutalg.isa.compiled.launch import CALL, called
from layoutalg.isa.decode.code import MachineCode
from layoutalg.isa.decode.instructions import Instruction, Operand
from layoutalg.isa.interpreter.operands import UNSAID
from layoutalg.isa.run.described import TakenForms
from layoutalg.isa.semantics.table import ALU

#: What numbers are worth trying: of integers, f16, f32 and f64 halves.
WORDS = [
    0, 1, 2, 31, 32, 0x7FFF, 0x8000, 0xFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0x3C003C00, 0x3F800000, 0xBF800000,
    0x7F800000, 0xFF800000, 0x7FC00000, 0x00000001, 0x807FFFFF, 0x00800000, 0x7BFF0001, 0xFC007C01, 0x4F000000,
    0x3FF00000, 0x7FF00000, 0x34000000, 0x47800000, 0x477FF000, 0x33800000, 0x0C000380,
]  # fmt: skip

ENTRY = """
extern "C" int one_wave(uint32_t *v, uint32_t *a, uint32_t *s, uint32_t *rest,
                        void (*call)(uint64_t, uint64_t, const uint64_t *, uint64_t *), char *why) {
  Run run = {}; run.call = call; run.step_limit = 1 << 20; run.limit = 1;
  Wave *W = (Wave *)__builtin_malloc(sizeof(Wave));
  Block block = {&run, 0, 0, 0, 0, 0, W, ~0ull, 0, 0};
  __builtin_memcpy(W->v, v, sizeof W->v); __builtin_memcpy(W->a, a, sizeof W->a);
  __builtin_memcpy(W->s, s, sizeof W->s);
  W->m0 = rest[0]; W->scc = rest[1] & 1; set_exec(W); W->pc = 0; W->steps = 0; W->until = 1 << 20;
  int ended = run_wave(&run, &block, W);
  __builtin_memcpy(v, W->v, sizeof W->v); __builtin_memcpy(a, W->a, sizeof W->a);
  __builtin_memcpy(s, W->s, sizeof W->s);
  rest[0] = W->m0; rest[1] = W->scc;
  if (run.why) for (int k = 0; k < 200 && (why[k] = run.why[k]); k++) {}
  __builtin_free(W);
  return ended;
}
"""


def instructions_of(names, target):
    """One of each name with vector or scalar registers of its own as results, then an end."""
    made, vectors, scalars = [], 40, 20
    for name in names:
        alu, operands = ALU[name], {}
        of_scalars = name.startswith("S_")
        for place, token in enumerate(dict.fromkeys((*alu.reads, *alu.writes))):
            role = token[0]
            if token in ("scc", "lane", "k") or token.startswith("exec") or role in operands:
                continue
            if role in "mn":
                operands[role] = Operand("s", scalars)
                scalars += 2
            elif of_scalars:
                operands[role] = Operand("s", 2 * place if role in "abc" else scalars)
                scalars += 0 if role in "abc" else 2
            else:
                operands[role] = Operand("v", (4 * len(made) + 2 * place) % 30 if role in "abc" else vectors)
                vectors += 0 if role in "abc" else 2
        fields = {"simm16": 0xFFF3} if "k" in alu.reads else {}
        made.append((name, operands, fields))
    found = [Instruction(8 * k, 8, name, "VOP3", operands, fields) for k, (name, operands, fields) in enumerate(made)]
    return [*found, Instruction(8 * len(found), 4, "S_ENDPGM", "SOPP", {}, {})]


def registers(seed, lanes):
    """Registers with numbers that are worth trying, beside random ones."""
    rng = np.random.default_rng(seed)
    random = rng.integers(0, 1 << 32, (256 + 128, lanes), np.uint32)
    chosen = np.array(WORDS, np.uint32)[rng.integers(0, len(WORDS), random.shape)]
    mixed = np.where(rng.random(random.shape) < 0.6, chosen, random)
    return mixed[:256].copy(), mixed[256:, 0].copy()


def numpy_side(program, vectors, scalars, lanes, target):
    """The numpy machine's registers after the instructions."""
    machine = TakenForms(target, lanes)._machine()
    held = machine.registers
    held.vectors = {("v", k): vectors[k].reshape(1, 1, 1, lanes) for k in range(256)}
    held.vectors |= {("a", k): vectors[k].reshape(1, 1, 1, lanes) for k in range(256)}
    held.scalars |= {("s", k): scalars[k].reshape(1, 1, 1, 1) for k in range(126)} | {
        ("m0", 0): scalars[5].reshape(1, 1, 1, 1)
    }
    held.scc = np.ones((1, 1, 1, 1), np.bool_)
    word = held.w.pair(scalars[126].reshape(1, 1, 1, 1), scalars[127].reshape(1, 1, 1, 1))
    held.write_scalar(Operand("s", 126), 64, word)
    for instruction in program.instructions[:-1]:
        held.where = instruction.place
        machine.step(instruction)
    after = [np.broadcast_to(held.vectors[kind, k], (1, 1, 1, lanes)).ravel() for kind in "va" for k in range(256)]
    return np.array(after), np.array([held.scalars["s", k].ravel()[0] for k in range(126)])


def compiled_side(program, vectors, scalars, lanes):
    """The same of compiled text; raises `UnsupportedInstructionError` where it comes to what has no text."""
    text = text_of(program)
    source = text.source + ENTRY
    both = np.concatenate([vectors, vectors[: 256 if program.kernel.accumulators else 1]])
    state, given, rest = both.copy(), scalars.copy(), np.array([scalars[5], 1], np.uint32)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "one.so"
        path.write_bytes(compile_for_host(source, FLAGS))
        library = ctypes.CDLL(str(path))
    why = ctypes.create_string_buffer(201)
    library.one_wave.argtypes = (ctypes.c_void_p,) * 4 + (CALL, ctypes.c_char_p)
    at = state.ctypes.data
    ended = library.one_wave(
        at, at + 256 * lanes * 4, given.ctypes.data, rest.ctypes.data, CALL(called(text.calls)), why
    )
    if ended:
        raise UnsupportedInstructionError(why.value.decode())
    return state, given[:126]


def alike(one, other):
    """Whether words are the same, or hold no number in the same places: of f32, of halves that are f16, of f64."""
    same = one == other
    for kind, width in ((np.float32, 1), (np.float16, 2)):
        both = np.isnan(one.view(kind)) & np.isnan(other.view(kind))
        equal = (one.view(kind).view(np.uint32 if width == 1 else np.uint16) == other.view(kind).view(
            np.uint32 if width == 1 else np.uint16)) | both  # fmt: skip
        same |= equal.reshape(*one.shape, width).all(axis=-1)
    return same


def differences(names, target, lanes, seed=1, exec_mask=0xF7FFFFFF_FFFFFFBF):
    """The names of instructions whose results differ between the two machines."""
    kernel = TakenForms(target, lanes).kernel
    instructions = instructions_of(names, target)
    program = MachineCode(kernel, tuple(instructions))
    vectors, scalars = registers(seed, lanes)
    scalars[126:128] = exec_mask & 0xFFFFFFFF, exec_mask >> 32 if lanes == 64 else 0
    expected, expected_scalars = numpy_side(program, vectors, scalars, lanes, target)
    found, found_scalars = compiled_side(program, vectors, scalars, lanes)
    wrong = set()
    expected = expected[: len(found)]
    same = alike(expected, found).all(axis=1)
    high = np.isnan(_doubles(expected)) & np.isnan(_doubles(found))
    pair = (high | (_doubles(expected) == _doubles(found))).all(axis=1)
    for instruction in instructions[:-1]:
        for operand in instruction.operands.values():
            if operand.kind == "v" and operand.index >= 40:
                k = operand.index
                if not (same[k] and same[k + 1]) and not pair[k]:
                    wrong.add(instruction.name)
            if operand.kind == "s" and operand.index >= 20:
                k = slice(operand.index, operand.index + 2)
                if not alike(expected_scalars[k], found_scalars[k]).all():
                    wrong.add(instruction.name)
    return wrong


def _doubles(words):
    """Each register with the next, as f64."""
    upper = np.concatenate([words[1:], words[:1]])
    return (words.astype(np.uint64) | upper.astype(np.uint64) << np.uint64(32)).view(np.float64)


def plain(name):
    """Whether an entry writes nothing that others stand on: EXEC."""
    alu = ALU[name]
    return not name.startswith("V_CMPX") and not any("exec" in token for token in (*alu.reads, *alu.writes))


def chunks(names, target, lanes):
    """Names that the numpy machine takes, and of whose results all is said, so many that they fit the registers."""
    forms, found, chunk, used = TakenForms(target, lanes), [], [], 0
    for name in names:
        first = instructions_of([name], target)[0]
        noise = ALU[name].limits or (name in UNSAID and not forms.kernel.architecture.halves)
        if noise or forms.refused(first):
            continue
        scalars = 2 * sum(o.kind == "s" and o.index >= 20 for o in first.operands.values())
        if used + scalars > 80 or len(chunk) == 100:
            found.append(chunk)
            chunk, used = [], 0
        chunk.append(name)
        used += scalars
    return [*found, chunk]
