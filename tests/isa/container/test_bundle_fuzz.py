"""Bundles and libraries with bytes edited at random: each is refused in one line, or its code objects are within.

A long run is `LAYOUTALG_FUZZ=20 pytest tests/isa/container/test_bundle_fuzz.py`; a failure names its seed.
"""

import random
import struct

import pytest

from layoutalg.errors import CodeObjectError
from layoutalg.isa.container.bundle import code_objects
from tests.fuzzing import FIRST, KNOWN, count
from tests.isa.container.bundles import bundled, compressed, library
from tests.isa.edits import payload

CASES = count(400)

ENTRIES = [("host-x86_64-unknown-linux-gnu-", b""), ("hipv4-amdgcn-amd-amdhsa--gfx942", payload())]
BUNDLE = bundled(ENTRIES, alignment=64)
FILES = (
    BUNDLE,
    library(BUNDLE + bytes(64) + BUNDLE),
    *(compressed(BUNDLE, version, method) for version in (1, 2, 3) for method in (0, 1)),
)


def edited(rng):
    """One of the files with some bytes or numbers replaced, most near its start or its end."""
    file = bytearray(rng.choice(FILES))
    for _ in range(rng.choice((1, 1, 2, 5))):
        at = rng.choice(
            (rng.randrange(min(len(file), 300)), rng.randrange(len(file)), len(file) - 1 - rng.randrange(200))
        )
        if rng.random() < 0.5:
            file[at] = rng.randrange(256)
        else:
            number = rng.choice((0, 1, 24, 1 << 16, 1 << 31, 1 << 63, len(file), len(file) - at, rng.getrandbits(64)))
            struct.pack_into("<Q", file, min(at, len(file) - 8), number)
    return bytes(file[: rng.randrange(len(file))] if rng.random() < 0.1 else file)


@pytest.mark.fuzz
def test_an_edited_bundle_is_refused_or_read():
    outcomes = set()
    for seed in range(FIRST, FIRST + CASES):
        file = edited(random.Random(seed))
        try:
            objects = code_objects(file)
        except CodeObjectError as error:
            outcomes.add("refused in several lines" if "\n" in str(error) else "refused")
            continue
        assert all(len(one.payload) <= max(len(file), len(BUNDLE)) for one in objects), seed
        outcomes.add("read")
    if KNOWN:
        assert outcomes == {"refused", "read"}
