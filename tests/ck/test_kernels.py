"""Named kernels of CK: each has its source and a launch file that loads, and a name that is none is refused."""

import pytest

from layoutalg.ck.kernels import KINDS, SOURCES, kernel_source, names
from layoutalg.errors import LayoutError
from layoutalg.formats import loads

NUMBERS = {"ROWSxCOLUMNS": "4x512", "EXPERTS": "8"}
ROWS = ("layernorm2d", "rmsnorm2d", "smoothquant")
NAMED = [f"{name}_{NUMBERS[kind.names]}" if kind.names else name for name, kind in KINDS.items()]


@pytest.mark.parametrize("name", NAMED)
def test_every_kernel_has_a_launch_file_that_loads_and_names_it(name):
    source = kernel_source(name)
    ((kernel, text),) = source.launches.items()
    launch = loads(text, name).launch
    assert launch.kernel == kernel
    assert f"{kernel}(" in source.text
    assert launch.writes


def test_all_sources_are_of_some_kernel():
    used = {f"{kind.source}.hip" for kind in KINDS.values()} | {f"{kind.launch}.toml" for kind in KINDS.values()}
    assert {path.name for path in SOURCES.iterdir()} == used | {"gemm.hip", "gemm.toml"}


def test_numbers_of_a_name_are_its_macros():
    text = kernel_source("layernorm2d_2x256").text
    assert "#define ROWS 2\n#define COLUMNS 256\n#define THREADS 32\n" in text
    assert kernel_source("topk_softmax_128").text.startswith("#define EXPERTS 128\n#define ROWS 8\n")


@pytest.mark.parametrize(("name", "why"), [
    ("softmax", "no kernel that is known: batched_transpose, "), ("layernorm2d", "write layernorm2d_ROWSxCOLUMNS"),
    ("layernorm2d_4", "write"), ("layernorm2d_4xx", "write"), ("layernorm2d_0x512", "write"),
    ("layernorm2d_4x100", "8 columns for each thread"), ("rmsnorm2d_64x512", "1 to 1024 threads"),
    ("topk_softmax_48", "48 experts"), ("reduce_8", "write reduce"), ("", "no kernel"),
])  # fmt: skip
def test_what_is_no_name_is_refused(name, why):
    with pytest.raises(LayoutError, match=why):
        kernel_source(name)


@pytest.mark.parametrize("name", ROWS)
def test_rows_are_longer_than_the_tile_in_two_passes_alone(name):
    for end, longest in (("", 1024), ("_two_pass", 32768)):
        (text,) = kernel_source(f"{name}{end}_1x1024").launches.values()
        sizes = loads(text).symbols
        assert sizes["N"].value.hi == longest
        assert sizes["M"].value.hi * longest * 2 < 1 << 31  # a buffer's offsets are of 32 bits


def test_names_are_listed_with_what_their_numbers_are():
    assert "topk_softmax_EXPERTS" in names()
    assert len(names()) == len(KINDS)
