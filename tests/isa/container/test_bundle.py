"""The code objects of bundles, plain and compressed, in files of their own and in a host's library."""

import struct

import pytest

from layoutalg.errors import CodeObjectError
from layoutalg.isa.container import bundle
from layoutalg.isa.container.binary import read_kernels
from layoutalg.isa.container.bundle import code_objects
from tests.isa.container.bundles import PLAIN, bundled, compressed, library
from tests.isa.containers import Edited
from tests.isa.edits import NAME, payload

HOST = ("host-x86_64-unknown-linux-gnu-", b"")


def named(target, payload, kind="hipv4"):
    return f"{kind}-amdgcn-amd-amdhsa--{target}", payload


def with_xnack(sign):
    code = Edited(payload("gfx90a"))
    code.write_metadata(code.metadata | {"amdhsa.target": f"amdgcn-amd-amdhsa--gfx90a:xnack{sign}"})
    code.write(48, "<I", 0x53F & ~0x300 | (0x300 if sign == "+" else 0x200))
    return bytes(code.payload)


PLUS, MINUS = with_xnack("+"), with_xnack("-")
BUNDLE = bundled([HOST, named("gfx90a:xnack+", PLUS), named("gfx90a:xnack-", MINUS),
                  named("gfx942", payload())])  # fmt: skip
TARGETS = ["gfx90a:xnack+", "gfx90a:xnack-", "gfx942"]


def targets(objects):
    return [str(one.target) for one in objects]


@pytest.mark.parametrize(("version", "method"), [(0, 0), (1, 0), (2, 0), (3, 0), (1, 1), (2, 1), (3, 1)])
def test_a_bundle_has_a_code_object_for_each_target(version, method):
    objects = code_objects(compressed(BUNDLE, version, method) if version else BUNDLE)
    assert targets(objects) == TARGETS
    assert [one.payload for one in objects] == [PLUS, MINUS, payload()]
    assert all(list(read_kernels(one.payload)) == [NAME] for one in objects)


def test_a_code_object_is_one():
    (one,) = code_objects(PLUS)
    assert (str(one.target), one.payload) == ("gfx90a:xnack+", PLUS)


@pytest.mark.parametrize("section", [b".hip_fatbin", b".data"])
def test_a_library_has_a_bundle_for_each_source(section):
    second = bundled([HOST, named("gfx942", payload())])
    file = library(BUNDLE + bytes(100) + compressed(second) + bytes(1000), section)
    objects = code_objects(file)
    assert targets(objects) == [*TARGETS, "gfx942"]
    assert len({one.bundle for one in objects}) == 2
    assert file[objects[-1].bundle :].startswith(b"CCOB")


def test_a_bundle_anywhere_in_a_file_is_found():
    text = b"no bundle: __CLANG_OFFLOAD_BUNDLE__ CCOB and again CCOB\1\0"
    assert targets(code_objects(text + BUNDLE + text)) == TARGETS
    with pytest.raises(CodeObjectError, match="neither an AMD code object nor a bundle"):
        code_objects(text)
    with pytest.raises(CodeObjectError, match="none is within"):
        code_objects(library(b""))


@pytest.mark.parametrize(
    ("target", "taken"),
    [("gfx90a", TARGETS[:2]), ("gfx90a:xnack-", TARGETS[1:2]), ("gfx90a:sramecc+:xnack+", TARGETS[:1]),
     ("amdgcn-amd-amdhsa--gfx942", TARGETS[2:]), ("gfx942:xnack+", TARGETS[2:])],
)  # fmt: skip
def test_a_target_is_chosen(target, taken):
    assert targets(code_objects(BUNDLE, target)) == taken


def test_what_is_not_there_is_said():
    with pytest.raises(
        CodeObjectError, match=r"no code object for gfx1100: there are those for gfx90a:xnack[+], gfx90a:"
    ):
        code_objects(BUNDLE, "gfx1100")
    with pytest.raises(CodeObjectError, match="'mi300' is no AMD target: give one such as gfx942"):
        code_objects(BUNDLE, "mi300")


def test_names_before_version_4_do_not_say_features():
    assert targets(code_objects(bundled([HOST, named("gfx90a", PLUS, "hip")]))) == ["gfx90a:xnack+"]


def test_a_name_is_that_of_the_code():
    with pytest.raises(CodeObjectError, match="code for gfx942 under the name hipv4-amdgcn-amd-amdhsa--gfx90a"):
        code_objects(bundled([named("gfx90a", payload())]))
    with pytest.raises(CodeObjectError, match=r"code for gfx90a:xnack- under the name .*gfx90a:xnack[+]"):
        code_objects(bundled([named("gfx90a:xnack+", MINUS)]))


class Absent:
    """Stands for a module that is not installed."""

    def __getattr__(self, name):
        raise ModuleNotFoundError("No module named 'backports.zstd'")


def test_a_python_without_zstd_says_what_has_it(monkeypatch):
    monkeypatch.setattr(bundle, "zstd", Absent())
    file = compressed(BUNDLE)
    with pytest.raises(CodeObjectError, match=r"at 0x0 is compressed with zstd, .*: pip install backports.zstd"):
        code_objects(file[:6] + b"\1" + file[7:])


def entry(number, **fields):
    """The bundle with fields of an entry replaced, of those that are as long as the first GPU's."""
    at = len(PLAIN) + 8 + sum(24 + len(name) for name, _ in [HOST, named("gfx90a:xnack+", b"")][:number])
    changed = bytearray(BUNDLE)
    for name, value in fields.items():
        struct.pack_into("<Q", changed, at + {"offset": 0, "size": 8, "length": 16}[name], value)
    return bytes(changed)


@pytest.mark.parametrize(
    ("file", "why"),
    [
        (BUNDLE[:200], "is not as large"),
        (BUNDLE[:40], "has 4 entries"),
        (PLAIN + struct.pack("<Q", 1 << 60), "has 1152921504606846976 entries"),
        (entry(1, offset=1 << 40), "at 0x10000000000, and is not as large"),
        (entry(1, size=1 << 63), "and is not as large"),
        (entry(1, length=1 << 40), "and is not as large"),
        (compressed(BUNDLE)[:-9], "unpacked|is not one of"),
        (compressed(BUNDLE, 3)[:20], "has version 3 and method 0"),
        (compressed(BUNDLE)[:200] + bytes(3000), "unpacked|compressed bundle at 0x0"),
        (compressed(BUNDLE[:-1] + b"x")[:4] + b"\x09\0" + compressed(BUNDLE)[6:], "has version 9"),
        (compressed(compressed(BUNDLE)), "is not one of"),
        (compressed(BUNDLE, 3)[:6] + b"\1" + compressed(BUNDLE, 3)[7:], "compressed bundle at 0x0: .*zstd|Zstandard"),
        (compressed(BUNDLE, 3)[:6] + b"\2" + compressed(BUNDLE, 3)[7:], "has version 3 and method 2"),
        (library(BUNDLE[:-8]), "is not as large|section"),
    ],
)
def test_a_damaged_bundle_is_refused(file, why):
    with pytest.raises(CodeObjectError, match=why):
        code_objects(file)


@pytest.mark.parametrize("method", [0, 1])
def test_what_is_unpacked_is_no_larger_than_it_says(method):
    bomb = bytearray(compressed(bytes(1 << 24), method=method))
    struct.pack_into("<I", bomb, 12, 1000)
    with pytest.raises(CodeObjectError, match="is not one of 1000 bytes"):
        code_objects(bytes(bomb))
    struct.pack_into("<I", bomb, 12, 0xFFFFFFFF)
    with pytest.raises(CodeObjectError, match="4294967295 unpacked"):
        code_objects(bytes(bomb))
