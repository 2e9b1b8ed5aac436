// Near-minimax polynomials, the lowest coefficient first: written by `python -m tests.device.polynomials`.
#pragma once

// (e^r - 1 - r - r^2/2) / r^3, on [-0.3466, 0.3466]: within 2^-56.8
constexpr double EXP[10] = {
    0x1.5555555555556p-3,
    0x1.5555555555555p-5,
    0x1.11111111109b4p-7,
    0x1.6c16c16c167e1p-10,
    0x1.a01a01a7c3d59p-13,
    0x1.a01a01a47adc4p-16,
    0x1.71de0daf7a6ccp-19,
    0x1.27e4e1f5246c7p-22,
    0x1.af38a71a18cb9p-26,
    0x1.1f66de051eb02p-29,
};

// (log((1 + s) / (1 - s)) - 2s - 2s^3/3) / s^5 of s^2, on [0, 0.02945]: within 2^-58.9
constexpr double LOG[8] = {
    0x1.999999999999ap-2,
    0x1.2492492492522p-2,
    0x1.c71c71c6ea871p-3,
    0x1.745d177aad02ap-3,
    0x1.3b1395c881220p-3,
    0x1.1118c9ee5b8a4p-3,
    0x1.df7c5bc7c7563p-4,
    0x1.e032e4d8436a1p-4,
};

// (sin r - r + r^3/6) / r^5 of r^2, on [0, 0.61701]: within 2^-63.5
constexpr double SIN[6] = {
    0x1.1111111111111p-7,
    -0x1.a01a01a019ed6p-13,
    0x1.71de3a550c9ccp-19,
    -0x1.ae645533e0c36p-26,
    0x1.61225af5715f7p-33,
    -0x1.ab93c94fc246dp-41,
};

// (cos r - 1 + r^2/2) / r^4 of r^2, on [0, 0.61701]: within 2^-59.4
constexpr double COS[6] = {
    0x1.5555555555555p-5,
    -0x1.6c16c16c16966p-10,
    0x1.a01a019f4e7a2p-16,
    -0x1.27e4fa17941a8p-22,
    0x1.1eeb68a05cf19p-29,
    -0x1.907d6ee97cd28p-37,
};

// (atan t - t) / t^3 of t^2, on [0, 0.171644]: within 2^-59.6
constexpr double ATAN[12] = {
    -0x1.5555555555555p-2,
    0x1.9999999999953p-3,
    -0x1.249249248d7a3p-3,
    0x1.c71c71c301242p-4,
    -0x1.745d165d42469p-4,
    0x1.3b1392c5d6c1fp-4,
    -0x1.110e86a228a04p-4,
    0x1.e199f35dd1917p-5,
    -0x1.ac79a54276a46p-5,
    0x1.74d9955076661p-5,
    -0x1.1b28cee495a7dp-5,
    0x1.0abb3a3829b05p-6,
};

// (sinh x - x) / x^3 of x^2, on [0, 1]: within 2^-61.3
constexpr double SINH[7] = {
    0x1.5555555555555p-3,
    0x1.11111111110fdp-7,
    0x1.a01a01a01ee70p-13,
    0x1.71de3a4e14f40p-19,
    0x1.ae6460fae3728p-26,
    0x1.611cb330c1fe8p-33,
    0x1.b41232cf9950fp-41,
};

// (erf x - 2x/sqrt(pi)) / x^3 of x^2, on [0, 0.5625]: within 2^-63.8
constexpr double ERF[11] = {
    -0x1.812746b0379e7p-2,
    0x1.ce2f21a042be0p-4,
    -0x1.b82ce31288918p-6,
    0x1.565bcd0e5ae8dp-8,
    -0x1.c02db3f962162p-11,
    0x1.f9a325301e95cp-14,
    -0x1.f4d211e538ae3p-17,
    0x1.b9df03093bec8p-20,
    -0x1.5eedd5a30f966p-23,
    0x1.f16a3eff084cdp-27,
    -0x1.0aeb7f8019892p-30,
};

// (1 + 2x) e^(x^2) erfc x of t = (x - 4) / (x + 4), on [-1, 0.7511]: within 2^-61.0
constexpr double ERFC[25] = {
    0x1.3ba5916e9fd7fp+0,
    -0x1.1df1ad154a28fp-3,
    0x1.f7f5df66fd7e5p-7,
    0x1.16ecefcfa5403p-4,
    -0x1.9ddb23c3e9242p-4,
    0x1.7fee004e11341p-4,
    -0x1.0fb06dfe46eccp-4,
    0x1.3079edf6aef34p-5,
    -0x1.0962388591060p-6,
    0x1.49c67276def9ep-8,
    -0x1.8d4a996c0ac31p-11,
    -0x1.a1df18581c12ep-13,
    0x1.3be033f37070cp-13,
    -0x1.995b16b0c3786p-16,
    -0x1.7882ea4be3771p-17,
    0x1.7f3e4f0714e63p-18,
    0x1.392d8d6f449e5p-22,
    -0x1.bc6586d109e10p-21,
    0x1.4ab80348534e1p-24,
    0x1.e6738daad807ep-24,
    -0x1.47da3f8f70587p-26,
    -0x1.1cf42a74033b2p-26,
    0x1.ceb8ac6435940p-30,
    0x1.1fc2d308bc8dcp-29,
    0x1.3d1e29c3d5364p-32,
};

// lgamma(2 + d) / d, on [-0.26, 0.26]: within 2^-62.9
constexpr double LGAMMA[15] = {
    0x1.b0ee6072093cep-2,
    0x1.4a34cc4a60fa6p-2,
    -0x1.13e001a557607p-4,
    0x1.51322ac7d80cep-6,
    -0x1.e404fc218eef6p-8,
    0x1.7add6eaededf1p-9,
    -0x1.38ac5c2d0f87dp-10,
    0x1.0b36ae40e1cb2p-11,
    -0x1.d3fd4a1281676p-13,
    0x1.a1291f7cb61d5p-14,
    -0x1.78dfb4c4737b6p-15,
    0x1.579f7cd180b6dp-16,
    -0x1.3c54c6e19b4e4p-17,
    0x1.3667b286b9b41p-18,
    -0x1.2184aa88db2e5p-19,
};

// the cube root, on [1, 8]: within 2^-8.2
constexpr double CBRT[5] = {
    0x1.4ecb7ee28e2bbp-1,
    0x1.a612e6bf7887cp-2,
    -0x1.166aa5a8ad33cp-4,
    0x1.ca0ace5bab84ep-8,
    -0x1.2e387317adddep-12,
};

// Stirling's series: B(2k) / (2k (2k - 1)).
constexpr double STIRLING[10] = {
    0x1.5555555555555p-4,
    -0x1.6c16c16c16c17p-9,
    0x1.a01a01a01a01ap-11,
    -0x1.3813813813814p-11,
    0x1.b951e2b18ff23p-11,
    -0x1.f6ab0d9993c7dp-10,
    0x1.a41a41a41a41ap-8,
    -0x1.e4286cb0f5398p-6,
    0x1.6fe96381e0680p-3,
    -0x1.6476701181f3ap+0,
};

constexpr double LN2_HIGH = 0x1.62e42fefa3800p-1, LN2_LOW = 0x1.ef35793c76730p-45;
constexpr double HALF_PI_1 = 0x1.921fb54400000p+0, HALF_PI_2 = 0x1.0b4611a600000p-34;
constexpr Pair HALF_PI_3{0x1.3198a2e037073p-69, 0x1.129024e088a68p-123};
constexpr Pair LN2{0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56};
constexpr Pair LN10{0x1.26bb1bbb55516p+1, -0x1.f48ad494ea3e9p-53};
constexpr Pair BY_LN2{0x1.71547652b82fep+0, 0x1.777d0ffda0d24p-56};
constexpr Pair BY_LN10{0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57};
constexpr Pair PI{0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53};
constexpr Pair HALF_PI{0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54};
constexpr Pair QUARTER_PI{0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55};
constexpr Pair TWO_BY_PI{0x1.45f306dc9c883p-1, -0x1.6b01ec5417056p-55};
constexpr Pair TWO_THIRDS{0x1.5555555555555p-1, 0x1.5555555555555p-55};
constexpr Pair SIXTH{0x1.5555555555555p-3, 0x1.5555555555555p-57};
constexpr Pair TAN_OF_EIGHTH{0x1.a827999fcef32p-2, 0x1.08b2fb1366ea9p-56};
constexpr Pair ROOT_OF_HALF{0x1.6a09e667f3bcdp-1, -0x1.bdd3413b26456p-55};
constexpr Pair ROOT_OF_TWO{0x1.6a09e667f3bcdp+0, -0x1.bdd3413b26456p-54};
constexpr Pair TWO_BY_ROOT_PI{0x1.20dd750429b6dp+0, 0x1.1ae3a914fed80p-56};
constexpr Pair BY_ROOT_PI{0x1.20dd750429b6dp-1, 0x1.1ae3a914fed80p-57};
constexpr Pair HALF_LOG_TWO_PI{0x1.d67f1c864beb5p-1, -0x1.65b5a1b7ff5dfp-55};

// The bits of 2/pi behind the point, 64 a word.
constexpr unsigned long long BITS[20] = {
    0xa2f9836e4e441529,
    0xfc2757d1f534ddc0,
    0xdb6295993c439041,
    0xfe5163abdebbc561,
    0xb7246e3a424dd2e0,
    0x06492eea09d1921c,
    0xfe1deb1cb129a73e,
    0xe88235f52ebb4484,
    0xe99c7026b45f7e41,
    0x3991d639835339f4,
    0x9c845f8bbdf9283b,
    0x1ff897ffde05980f,
    0xef2f118b5a0a6d1f,
    0x6d367ecf27cb09b7,
    0x4f463f669e5fea2d,
    0x7527bac7ebe5f17b,
    0x3d0739f78a5292ea,
    0x6bfb5fb11f8d5d08,
    0x56033046fc7b6bab,
    0xf0cfbc209af4361d,
};
