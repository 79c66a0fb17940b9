/* Whose result it is and on which GPU, in every JSON. */
#include "tools/teg/report/report.h"

json_t *teg_json(void)
{
    return json_pack("{s:s, s:i}", "version", TEG_VERSION, "schema",
                     TEG_JSON_SCHEMA);
}

json_t *gpu_json(const struct teg_gpu *gpu)
{
    return json_pack("{s:s, s:s, s:i, s:f, s:i}", "name", gpu->name, "title",
                     gpu->title, "compute_capability",
                     (int)gpu->chip.compute_capability, "clock_mhz",
                     gpu->chip.sm_clock_mhz, "sms", (int)gpu->chip.sms);
}
