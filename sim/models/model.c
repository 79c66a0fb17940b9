#include "sim/models/model.h"

#include <string.h>

static const struct teg_model *const models[] = {
#define MODEL(name) &name##_model,
#include "sim/models/models.def"
#undef MODEL
};

const struct teg_model *const *teg_models(uint32_t *count)
{
    *count = sizeof models / sizeof *models;
    return models;
}

const struct teg_model *teg_model_find(const char *name)
{
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        if (strcmp(models[i]->name, name) == 0)
            return models[i];
    }
    return NULL;
}
