"""A code object that is not whole is refused in one line, whatever is wrong with it."""

from collections.abc import Callable
from random import Random

import pytest

from layoutalg.device import CodeObject, CodeObjectError, compile_source
from tests.matrix import each

SEED = 20250


@pytest.mark.parametrize("payload", [b"", b"\x7fELF", b"\0" * 4096])
def test_other_files_are_refused(payload: bytes) -> None:
    with pytest.raises(CodeObjectError, match=r"compile (the|its) source"):
        CodeObject.read(payload)


@pytest.mark.parametrize("begin", [b"__CLANG_OFFLOAD_BUNDLE__", b"CCOB"])
def test_a_bundle_is_refused_with_what_to_do(begin: bytes) -> None:
    with pytest.raises(CodeObjectError, match="compile with --no-gpu-bundle-output"):
        CodeObject.read(begin + bytes(64))


@pytest.mark.parametrize("target", each(["gfx942", "sm_90", "cpu"], "cpu"))
def test_damage_is_refused_or_harmless(source: Callable[[str], str], target: str) -> None:
    payload = compile_source(source("register_transpose"), target).payload
    random = Random(SEED)
    refused = 0
    for _ in range(150):
        damaged = bytearray(payload[: random.randrange(len(payload))] if random.random() < 0.5 else payload)
        for _ in range(random.choice((0, 1, 8))):
            if damaged:
                damaged[random.randrange(len(damaged))] = random.randrange(256)
        message = refusal(bytes(damaged))
        refused += bool(message)
        assert "\n" not in message, f"seed {SEED}"
    assert refused > 10


def refusal(payload: bytes) -> str:
    """What the reader says against a payload, or nothing."""
    try:
        CodeObject.read(payload)
    except CodeObjectError as error:
        return str(error)
    return ""
