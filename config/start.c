#include "config/start.h"

double teg_start_us(const struct teg_gpu *gpu, enum teg_measured_by by,
                    int first)
{
    switch (by) {
    case TEG_MEASURED_BY_NCU:
        return gpu->start.ncu_cycles / gpu->chip.sm_clock_mhz;
    case TEG_MEASURED_BY_NSYS:
        return gpu->start.nsys_us;
    case TEG_MEASURED_BY_EVENTS:
        return first ? gpu->start.events_first_us : gpu->start.events_us;
    case TEG_MEASURED_BY_NOBODY:
        break;
    }
    return 0;
}
