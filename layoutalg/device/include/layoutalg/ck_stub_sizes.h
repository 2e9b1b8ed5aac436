// CK's names with sizes that are not fixed: there `index_t` is what records.
#pragma once

#define LAYOUTALG_INDEX layoutalg::Size
#include "layoutalg/ck_stub.h"
