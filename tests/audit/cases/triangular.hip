// How often an inner loop runs is a matter of the outer one (own code).
#include <hip/hip_runtime.h>
#define KERNEL(name) extern "C" __global__ void name(const float* x, float* o, int n)
#define OVER(i, j) \
  { float v = 0; for (i) for (j) v += x[i_ * n + j_]; if (threadIdx.x == 0) o[blockIdx.x] = v; }

//: proved
KERNEL(below) OVER(int i_ = 0; i_ < n; i_++, int j_ = 0; j_ <= i_; j_++)
//: proved
KERNEL(above) OVER(int i_ = 0; i_ < n; i_++, int j_ = i_ + 1; j_ < n; j_++)
// one column more than there are, in the last row
//: unproved
KERNEL(one_too_far) OVER(int i_ = 0; i_ < n; i_++, int j_ = 0; j_ <= i_ + 1; j_++)
