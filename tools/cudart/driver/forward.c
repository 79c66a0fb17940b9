#include "tools/cudart/driver/forward.h"

#include "tools/cudart/driver/forward.def"
