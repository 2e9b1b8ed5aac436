// Where older sources include what hip_runtime.h has.
#pragma once

#include <hip/hip_runtime.h>
