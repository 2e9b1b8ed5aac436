#pragma once
#include <hip/driver_types.h>
