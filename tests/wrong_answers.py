"""Two wrong answers to each exercise of each lesson, with words that the check answers with."""

Wrong = tuple[str, str]

WRONG: dict[str, list[list[Wrong]]] = {
    "01_what_a_layout_is": [
        [("2 * 3 + 1", "it is not 7"), ("9", "one step along a dimension")],
        [
            ("make_naive_tensor_descriptor((4, 8), (8, 1))", "it should reach"),
            ("make_naive_tensor_descriptor((8, 4), (1, 8))", "the lengths are (8, 4); they should be (4, 8)"),
            ("(1, 4)", "strides alone; the whole layout is make_naive_tensor_descriptor((4, 8), (1, 4))"),
        ],
        [("5 * 16", "the last index is (4, 5)"), ("30", "it is not 30")],
        [("(0, 0), (1, 0)", "reaches offset 0, (1, 0) offset 4"), ("(0, 6), (1, 2)", "(0, 6) is outside")],
        [
            ("make_naive_tensor_descriptor((4, 6), (4, 1))", "offsets differ: not at"),
            ("make_naive_tensor_descriptor((4, 6), (6, 1))", "multiple"),
            ("make_naive_tensor_descriptor((2,), (1,))", "the lengths are (2,)"),
        ],
    ],
    "02_what_your_kernel_does": [
        [("1", "row 1 and column 0"), ("256", "it is not 256"), ("(0, 1)", "one number is asked for")],
        [('("in_bounds", False)', "the first part is wrong"), ('("race_free", True)', "the second part is wrong")],
        [("32", "bank_conflict_free"), ("31", "a number from 32 on"), ("(33, 1)", "a number from 32 on")],
        [('"V"', "in_bounds"), ('"N"', "in_bounds")],
    ],
    "03_transforms": [
        [("(1, 3, 2)", "it is not"), ("(0, 5, 3)", "each digit below its length")],
        [
            ("make_naive_tensor_descriptor_packed((4, 6))", "it should reach"),
            ("transform_tensor_descriptor(row, [PassThrough(6), Insert(4)], [[0], []], [[0], [1]])", "the lengths are"),
        ],
        [
            ("six", "offsets differ: not at"),
            ("make_naive_tensor_descriptor((6, 6), (5, 1))", "offsets differ: not at"),
            ("base", "row r is turned by r: not at index (1, "),
        ],
        [("(u // 7, u % 7)", "formula 1: at u = "), ("(u // 9, u % 7)", "formula 2: at u = ")],
    ],
    "04_descriptors_as_graphs": [
        [("3 * 64 * 128", "it is not 24576"), ("(3 + 1) * 64", "a row has 128 elements")],
        [
            (
                "transform_tensor_descriptor(base, [PassThrough(2), Unmerge((2, 3))], [[0], [1]], [[1], [0, 2]])",
                "the lengths are",
            ),
            ("make_naive_tensor_descriptor_packed((2, 3, 2))", "it should reach"),
            ("[[0], [2, 1]]", "is a list: a descriptor is asked for"),
        ],
        [("Xor((64, 12))", "not at"), ("XorNoModulo((64, 12))", "not at"), ("CyclicShift", "is a class")],
    ],
    "05_proving": [
        [("(0, 0), (0, 1)", "reaches offset 0"), ("(1, 1), (1, 1)", "one index"), ("(3, 2), (2, 5)", "shown already")],
        [
            ("edge", "not at"),
            ("make_naive_tensor_descriptor((4, 16), (8, 1))", "offsets differ: not at"),
        ],
        [("60000", "not at"), ("50000", "50001 will do as well")],
        [("8", "lanes"), ("16", "lanes")],
    ],
    "06_sizes_as_symbols": [
        [
            ("make_naive_tensor_descriptor((16, K), (K, 1))", "multiple"),
            ("make_naive_tensor_descriptor((16, K), (64, 1))", "offsets differ: not at"),
        ],
        [("65536", "not at"), ("16384", "16392 will do as well"), ("32764", "no multiple of 8"), ("32768", "not at")],
        [
            ("matrix", "the lengths are"),
            ("make_naive_tensor_descriptor((N, M), (M, 1))", "it should reach"),
        ],
    ],
    "07_lds_banks": [
        [("(128 * 8 * 2, 12)", "no gap after it"), ("(2032, 12.4)", "a whole number is asked for")],
        [("1", "lanes 0 and 23"), ("8", "it is not 8")],
        [
            ("packed(64, 64)", "want dwords"),
            ("swizzled(64, 64, layers=2)", "want dwords"),
            ("synthesize(sixteen)", "write .descriptor behind it"),
        ],
    ],
    "08_an_lds_access_by_phases": [
        [("32", "want dwords"), ("34", "want dwords"), ("5", "offsets differ: not at"), ("None", "no answer")],
        [("(0, 1, 2, 3, 4, 5, 6, 7)", "the lanes with the colour"), ("(4, 5, 6, 7)", "it is not (4, 5, 6, 7)")],
        [
            ("make_naive_tensor_descriptor((64, 32), (32, 1))", "want dwords"),
            ("make_naive_tensor_descriptor((64, 32), (40, 1))", "want dwords"),
        ],
    ],
    "09_tile_distributions": [
        [("(2, 1)", "17 is digits (2, 1)"), ("(3, 4)", "it is not (3, 4)")],
        [
            (
                "[], [[2, 2], [4, 2]], [[(1, 0)], [(2, 0), (1, 1)]], [(2, 1)]",
                "a lane has 2 registers; it should have 4",
            ),
            ("[2], [[4], [2, 4]], [[(0, 0)], [(1, 0), (2, 0)]], [(2, 1)]", "it should hold"),
            ("[], [2, 2], [[(1, 0)]], [(2, 1)]", "Hs, for each dimension its factors"),
        ],
        [
            ("[], [[16], [8, 4]], [[(1, 0), (2, 1)]], [(2, 0)]", "next to"),
            ("[], [[16], [8, 4]], [[(1, 0)]], [(2, 0), (2, 0)]", "owned by both Y0 and Y1"),
            ("[], [[8], [8]], [[(1, 0)]], [(2, 0)]", "the tile has (8, 8); it should be (16, 32)"),
            ("[], [[16], [4, 8]], [[(2, 0)]], [(1, 0), (2, 1)]", "these are not 64 lanes"),
            ("[2], [[8, 2], [4, 8]], [[(0, 0), (1, 0), (2, 0)]], [(1, 1), (2, 1)]", "hold elements twice"),
        ],
        [
            (
                '"tile_distribution_encoding<sequence<>, tuple<sequence<4, 2>, sequence<8, 2>>, '
                'tuple<sequence<1, 2>>, tuple<sequence<0, 0>>, sequence<1, 2>, sequence<1, 1>>{}"',
                "the tile has (8, 16); it should be (16, 16)",
            ),
            (
                '"tile_distribution_encoding<sequence<>, tuple<sequence<2, 4, 2>, sequence<8, 2>>, '
                "tuple<sequence<1>, sequence<2, 1>>, tuple<sequence<0>, sequence<0, 1>>, "
                'sequence<1, 2>, sequence<2, 1>>{}"',
                "it should hold",
            ),
        ],
    ],
    "10_data_behind_a_layout": [
        [("(4, 6)", "the next multiples of 3 and of 4"), ("(8, 6)", "it is not (8, 6)")],
        [("(18, 18)", "lane 9 begins at (2, 2)"), ("(2, 2)", "it is not (2, 2)")],
    ],
    "11_matrix_cores": [
        [("(4, 6)", "digits (1, 4)"), ("(2, 20)", "it is not (2, 20)")],
        [
            ("[], [[2, 16], [32]], [[(1, 0), (2, 0)]], [(1, 1)]", "it should hold"),
            ("[], [[4, 2, 4], [32]], [[(1, 1), (2, 0)]], [(1, 2), (1, 0)]", "it should hold"),
        ],
    ],
    "12_a_transposition": [
        [("1", "no race in lds"), ("4", "no race in lds"), ("'2'", "'2' is a text")],
        [
            ("make_naive_tensor_descriptor_packed((64, 64))", "what is read is what was written"),
            ("make_naive_tensor_descriptor((64, 64), (1, 64))", "what is read is what was written"),
        ],
        [("64 * 64 * 4", "the gaps are in"), ("64 * 68", "it is not 4352")],
    ],
    "13_contraction_as_gemm": [
        [('("k",)', "that b does not have"), ('("b", "h")', "it is not"), ('"q"', "such as ('q',)")],
        [
            (
                "transform_tensor_descriptor(lying, [PassThrough(I), Merge((K, J))], [[2], [0, 1]], [[0], [1]])",
                "it should reach",
            ),
            (
                "transform_tensor_descriptor(lying, [PassThrough(I), PassThrough(J), PassThrough(K)], "
                "[[2], [1], [0]], [[0], [1], [2]])",
                "the lengths are",
            ),
        ],
        [("64 * 8 * 64", "rows · contracted · columns"), ("64 * 32 * 32", "it is not 65536")],
    ],
    "14_convolution_without_im2col": [
        [
            ("make_naive_tensor_descriptor((3, 3, 2, 2), (6, 1, 6, 1))", "not at"),
            ("make_naive_tensor_descriptor((3, 3, 2, 2), (2, 12, 1, 4))", "not at"),
            ("make_naive_tensor_descriptor_packed((3, 3, 2, 2))", "row 2·i + y, column 2·j + x: not at"),
        ],
        [("5", "times 2"), ("18", "it is not 18")],
        [
            ("transform_tensor_descriptor(line, [Embed((3, 4), (1, 1))], [[0]], [[0, 1]])", "it should reach"),
            ("transform_tensor_descriptor(line, [Embed((3, 4), (2, 1))], [[0]], [[0, 1]])", "it should reach"),
        ],
    ],
    "15_coming_from_cute_or_triton": [
        [("1 * 8 + 1 * 1 + 1", "the first part is the fast one"), ("3 + 2", "it is not 5")],
        [
            ('"Sw<2,3,3> o 0 o (64,64):(64,1)"', "offsets are equal: not at"),
            ('"Sw<3,3,4> o 0 o (64,64):(64,1)"', "offsets are equal: not at"),
        ],
        [
            ("row * 32 + xor(column // 8, row // 2 % 4) * 8 + column % 8", "yours is"),
            ("row * 32 + column", "yours is"),
        ],
        [
            ("[], [[4, 8], [8, 4]], [[(1, 0)], [(2, 0), (1, 1)]], [(2, 1)]", "it should hold"),
            ("[], [[4, 8], [8, 4]], [[(1, 0)], [(1, 1), (2, 1)]], [(2, 0)]", "P has lengths (4, 32)"),
        ],
        [("(3, 2)", "bits 0, 2 and 3"), ("(1, 5)", "it is not (1, 5)")],
    ],
}
