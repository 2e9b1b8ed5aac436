// The matrix transposition of AMD's GPU programming guide: M = 2560, K = 32, blocks of 8 × 8 threads, 4 × 4 elements in
// registers of each, read and written as float4, through CK's tensor descriptors in the guide's own spelling.
#include <hip/hip_runtime.h>

#include "ck/utility/common_header.hpp"
#include "ck/tensor_description/tensor_descriptor.hpp"
#include "ck/tensor_description/tensor_descriptor_helper.hpp"

constexpr int M = 2560, K = 32;

using Rows = ck::Embed<ck::Tuple<int, int>, ck::Tuple<int, int>>;
using Matrix = ck::TensorDescriptor<
    ck::Tuple<Rows>,
    ck::Tuple<ck::Sequence<0>>,
    ck::Tuple<ck::Sequence<1, 2>>,
    ck::Sequence<1, 2>,
    int>;

extern "C" __global__ __launch_bounds__(64) void transpose(const float* in, float* out) {
  const Matrix from{ck::Tuple<Rows>{Rows{ck::Tuple<int, int>{M, K}, ck::Tuple<int, int>{K, 1}}}, M * K};
  const Matrix to{ck::Tuple<Rows>{Rows{ck::Tuple<int, int>{K, M}, ck::Tuple<int, int>{M, 1}}}, M * K};
  const int x = (blockIdx.x * 8 + threadIdx.x) * 4, y = threadIdx.y * 4;
  float4 rows[4];
  for (int i = 0; i < 4; ++i)
    rows[i] = *reinterpret_cast<const float4*>(in + from.CalculateOffset(ck::make_tuple(x + i, y)));
  const float4 columns[4] = {
      {rows[0].x, rows[1].x, rows[2].x, rows[3].x},
      {rows[0].y, rows[1].y, rows[2].y, rows[3].y},
      {rows[0].z, rows[1].z, rows[2].z, rows[3].z},
      {rows[0].w, rows[1].w, rows[2].w, rows[3].w}};
  for (int i = 0; i < 4; ++i)
    *reinterpret_cast<float4*>(out + to.CalculateOffset(ck::make_tuple(y + i, x))) = columns[i];
}
