"""What clang and LLD say becomes errors at the user's own line: texts of theirs, and no compiler."""

from layoutalg.device.diagnostics import read_errors, refusal

UNDECLARED = """\
In file included from k.hip:1:
lib/warned.h:7:1: warning: odd
    7 | odd
      | ^
lib/warned.h:3:1: note: of the warning
k.hip:5:20: error: use of undeclared identifier 'foo'
    5 |   a[i] = foo;
      |          ^~~
k.hip:6:3: error: no matching function for call to 'there'
    6 |   there();
      |   ^~~~~
./beside.h:1:12: note: candidate function not viable: call to __host__ function from __global__ function
    1 | inline int there() { return 1; }
      |            ^
2 errors generated when compiling for gfx942.
"""
ASKED_FOR = """\
In file included from k.hip:2:
/ck/include/ck_tile/core.hpp:33:9: error: static assertion failed: wrong! tile
   33 |         static_assert(N > 3, "wrong! tile");
      |         ^
k.hip:4:8: note: in instantiation of template class 'Tile<2>' requested here
    4 |   Tile<2> x;
      |        ^
1 error generated when compiling for gfx942.
"""
INCLUDED = """\
In file included from k.hip:2:
In file included from /ck/outer.hpp:1:
/ck/inner.hpp:2:10: fatal error: 'cub/cub.cuh' file not found
    2 | #include <cub/cub.cuh>
      |          ^~~~~~~~~~~~~
"""
LINKED = """\
ld.lld: error: undefined hidden symbol: f(float)
>>> referenced by k.hip:2 (./k.hip:2)
>>>               kernel.o:(k(float*))
>>> referenced by k.hip:2 (./k.hip:2)
>>>               kernel.o:(k(float*))
ld.lld: error: undefined symbol: __ocml_tan_f64
>>> referenced by kernel.o:(k(float*))
"""


def test_the_first_error_with_its_caret_and_the_others_apart():
    first, below, others = refusal(UNDECLARED, "k.hip", "gfx942")
    assert first == "k.hip:5:20: error: use of undeclared identifier 'foo'"
    assert below == ["    5 |   a[i] = foo;", "      |          ^~~"]
    assert [lines[0] for lines in others] == [
        "k.hip:6:3: error: no matching function for call to 'there': "
        "candidate function not viable: call to __host__ function from __global__ function"
    ]
    assert "beside.h:1:12: note: candidate function not viable" in others[0][3]
    assert others[0][4] == "    1 | inline int there() { return 1; }"


def test_notes_of_a_warning_are_of_no_error():
    assert [len(error.notes) for error in read_errors(UNDECLARED)] == [0, 1]


def test_an_error_in_a_header_is_told_where_the_user_asks_for_it():
    first, below, _ = refusal(ASKED_FOR, "k.hip", "gfx942")
    assert first == "k.hip:4:8: error: static assertion failed: wrong! tile"
    assert below[0] == "    4 |   Tile<2> x;"
    assert below[2:4] == [
        "/ck/include/ck_tile/core.hpp:33:9: here",
        '   33 |         static_assert(N > 3, "wrong! tile");',
    ]


def test_an_error_in_a_header_beside_the_source_is_told_there():
    (error,) = read_errors("src/own.h:3:1: error: no")
    assert [error.told_at(source).file for source in ("src/k.hip", "k.hip", "other/k.hip")] == ["src/own.h"] * 3
    (error,) = read_errors("In file included from k.hip:2:\n../own.h:3:1: error: no")
    assert error.told_at("k.hip").place == "k.hip:2"


def test_a_header_that_a_header_misses_is_told_where_the_user_includes_it(tmp_path):
    (tmp_path / "k.hip").write_text("\n  #include <outer.hpp>\n")
    first, below, _ = refusal(INCLUDED, "k.hip", "gfx942", str(tmp_path))
    assert first.startswith("k.hip:2: error: 'cub/cub.cuh' file not found: it is CUDA's: ")
    assert below[:2] == ["    2 |   #include <outer.hpp>", "      |   ^"]
    assert below[2] == "/ck/inner.hpp:2:10: here"


def test_the_linker_says_lines_where_it_knows_them(tmp_path):
    (tmp_path / "k.hip").write_text("\n\ta[0] = f(1);\n")
    first, below, others = refusal(LINKED, "k.hip", "gfx942", str(tmp_path))
    assert first.startswith(
        "k.hip:2: error: undefined hidden symbol: f(float) in k(float*): it is declared and not def"
    )
    assert below == ["    2 | \ta[0] = f(1);", "      | \t^"]
    assert others[0][0].startswith("k.hip: error: undefined symbol: __ocml_tan_f64 in k(float*): ")


def test_what_is_no_error_is_told_as_it_is():
    assert refusal("Killed\n", "k.hip", "gfx942")[0] == "the compiler ended and named no error; it said: Killed"
    assert refusal("", "k.hip", "gfx942")[0].endswith("it said: nothing")
    assert refusal("clang: error: no such flag: '-x'\n", "k.hip", "gfx942")[0] == "k.hip: error: no such flag: '-x'"
