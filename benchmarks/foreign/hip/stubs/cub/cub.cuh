// CUB by its name of CUDA, as hipify has it.
#pragma once
#include <hipcub/hipcub.hpp>
namespace cub = hipcub;
