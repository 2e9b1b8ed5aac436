"""Claims as tests of pytest: what is collected, how it fails, and what the options do."""

import tomllib
from pathlib import Path

import numpy  # noqa: F401 (pytester forgets what a run imports, and numpy cannot be imported twice)
import pytest

import layoutalg.draw  # noqa: F401

ROOT = Path(__file__).parents[1]
TILE = """
[[descriptor]]
name = "{name}"
dtype = "f16"
base = {{ kind = "naive", lengths = [8, 64], strides = [{pitch}, 1] }}
claims = [{claims}]
"""
SOUND = TILE.format(name="a_lds", pitch=72, claims='"in_bounds", "injective"')
COLLIDES = TILE.format(name="b_lds", pitch=32, claims='"in_bounds", "injective"')
SWIZZLE = 'steps = [[{{ transform = "xor", lengths = [16, 64], lower = [{0}], upper = [{0}] }}]]'
STORED_AND_READ = """
[[descriptor]]
name = "stored"
base = {{ kind = "packed", lengths = [16, 64] }}
{}
[[descriptor]]
name = "read"
base = {{ kind = "packed", lengths = [16, 64] }}
{}
[[agree]]
name = "one_word"
left = "stored"
right = "read"
variables = {{ i = 16, j = 64 }}
left_index = ["i", "j"]
right_index = ["i", "j"]
"""

PLUGIN = ("-p", "layoutalg.pytest_plugin")


@pytest.fixture
def run(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch):
    """pytest in the test's own folder with this plugin, and with no other that is installed."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    return lambda *args: pytester.runpytest_inprocess(*PLUGIN, *args)


def test_the_package_declares_the_plugin():
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["entry-points"]["pytest11"]
    assert declared == {"layoutalg": "layoutalg.pytest_plugin"}


def test_files_of_the_ending_are_collected_and_others_where_they_are_given(pytester, run):
    pytester.makefile(".layout.toml", tile=SOUND)
    pytester.makefile(".toml", other=SOUND)
    run().assert_outcomes(passed=2)
    run("--layoutalg", "other.toml").assert_outcomes(passed=4)
    run("--layoutalg", ".").assert_outcomes(passed=4)
    run("-k", "injective").assert_outcomes(passed=1, deselected=1)
    run("tile.layout.toml::a_lds: injective").assert_outcomes(passed=1)


def test_a_failure_says_the_witness_and_where_its_picture_is(pytester, run):
    pytester.makefile(".layout.toml", tile=SOUND + COLLIDES)
    result = run()
    result.assert_outcomes(passed=3, failed=1)
    result.stdout.re_match_lines(
        [
            r"b_lds: injective: refuted, by .*",
            r"    offsets differ: not at index \(0, 32\), offset 32 and index \(1, 0\), offset 32",
        ]
    )
    # Where CI is set, pytest repeats the whole message in its summary.
    (picture,) = {line.split(": ")[1] for line in result.outlines if line.startswith("    picture: ")}
    assert Path(picture).read_text().startswith("<svg")
    run("-x").assert_outcomes(passed=3, failed=1)


def test_a_claim_that_is_to_be_refuted_passes_where_it_is_and_fails_where_it_holds(pytester, run):
    refuted = '{ claim = "injective", expect = "refuted" }'
    files = {str(pitch): TILE.format(name="t", pitch=pitch, claims=refuted) for pitch in (32, 72)}
    pytester.makefile(".layout.toml", **files)
    result = run()
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["t: injective: proved, by *", "    expected: refuted"])


@pytest.mark.parametrize(
    "text", ["", "symbols = { M = { max = 8 } }", "x = [", "[[descriptor]]\nname = 3", "[[descriptor]]\nname = 'a'"]
)
def test_a_file_that_is_none_is_an_error_of_one_line(pytester, run, text):
    pytester.makefile(".layout.toml", tile=text)
    result = run()
    result.assert_outcomes(errors=1)
    assert not any("Traceback" in line for line in result.outlines)


def test_a_path_that_is_not_there_is_said(run):
    result = run("--layoutalg", "nowhere")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*--layoutalg nowhere: there is no such file or folder*"])


@pytest.mark.parametrize("read", ["", SWIZZLE.format("1, 0").replace("[16, 64]", "[64, 16]")])
def test_a_swizzle_that_is_deleted_or_another_fails(pytester, run, read):
    """rocm-libraries#10845: both changes passed every test that there was."""
    stored = SWIZZLE.format("0, 1")
    pytester.makefile(".layout.toml", same=STORED_AND_READ.format(stored, stored))
    pytester.makefile(".layout.toml", other=STORED_AND_READ.format(stored, read))
    run("other.layout.toml", "-k", "agree").assert_outcomes(failed=1, deselected=6)
    run("same.layout.toml", "-k", "agree").assert_outcomes(passed=1, deselected=6)


def test_the_marker_and_the_option_limit_the_time(pytester, run):
    pytester.makepyfile(
        """
        import pytest
        from layoutalg.testing import LIMITS, assert_proved
        from layoutalg.layout import make_naive_tensor_descriptor
        from layoutalg.prove import Injective

        def test_option():
            assert LIMITS.get().seconds == 7

        @pytest.mark.layoutalg(seconds=3)
        def test_marker():
            assert LIMITS.get().seconds == 3
            assert_proved(Injective(make_naive_tensor_descriptor((8, 64), (72, 1))))

        def test_refuted():
            assert_proved(Injective(make_naive_tensor_descriptor((8, 64), (32, 1))))
        """
    )
    result = run("--strict-markers", "--layoutalg-seconds", "7")
    result.assert_outcomes(passed=2, failed=1)
    result.stdout.fnmatch_lines(["*different offsets: refuted: offsets differ: not at index (0, 32)*"])


@pytest.mark.slow
def test_claims_are_shared_out_by_xdist(pytester, monkeypatch):
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    pytester.makefile(".layout.toml", a=SOUND, b=COLLIDES)
    result = pytester.runpytest_subprocess(*PLUGIN, "-p", "xdist", "-n", "2", "--layoutalg", ".")
    result.assert_outcomes(passed=3, failed=1)
