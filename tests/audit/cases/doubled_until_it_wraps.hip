// A counter that is doubled leaves its words where the limit is above 2³⁰: the loop does not end (own code).
#include <hip/hip_runtime.h>
extern "C" __global__ void doubled(float* o, unsigned n) {
  unsigned turns = 0;
  for (unsigned k = 1; k < n; k *= 2) turns += __builtin_amdgcn_readfirstlane(turns);
  if (threadIdx.x == 0) o[blockIdx.x] = turns;
}
