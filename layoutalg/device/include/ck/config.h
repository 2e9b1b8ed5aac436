// What CK's build writes of its options (`ck/config.h.in`): of a checkout that was built, its own; else every element
// type, and nothing that is for one target only.
#pragma once

#if __has_include_next(<ck/config.h>)
#include_next <ck/config.h>
#else
#define CK_ENABLE_INT8 "ON"
#define CK_ENABLE_FP8 "ON"
#define CK_ENABLE_BF8 "ON"
#define CK_ENABLE_FP16 "ON"
#define CK_ENABLE_BF16 "ON"
#define CK_ENABLE_FP32 "ON"
#define CK_ENABLE_FP64 "ON"
#endif
