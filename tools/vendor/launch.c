#define _GNU_SOURCE /* dlopen's RTLD_NOLOAD */
#include "tools/vendor/launch.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

#include "tools/cudart/abi.h"
#include "tools/cudart/say.h"

enum {
    ATTRIBUTE_SMS = 16,
    ATTRIBUTE_MAJOR = 75,
    ATTRIBUTE_MINOR = 76,
    ATTRIBUTE_SHARED_MOST = 97,
    OLDEST = 75, /* generation with kernels */
    FUNCTION_SHARED_MOST = 8,
    LAUNCH_CLUSTER = 4,
    SHARED_DEFAULT = 49152,
};

/* What such a call needs of the runtime and driver; both are teg's. */
int cudaDeviceGetAttribute(int *value, int attribute, int device);
int cuModuleLoadData(void **module, const void *image);
int cuModuleGetFunction(void **function, void *module, const char *name);
int cuFuncSetAttribute(void *function, int attribute, int value);
int cuLaunchKernelEx(const struct cu_launch_config *config, void *function,
                     void **args, void **extra);

static struct vendor_device device;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void find_device(void)
{
    int major = 0, minor = 0;

    cudaDeviceGetAttribute(&device.sms, ATTRIBUTE_SMS, 0);
    cudaDeviceGetAttribute(&device.shared, ATTRIBUTE_SHARED_MOST, 0);
    cudaDeviceGetAttribute(&major, ATTRIBUTE_MAJOR, 0);
    cudaDeviceGetAttribute(&minor, ATTRIBUTE_MINOR, 0);
    device.generation = major * 10 + minor;
}

const struct vendor_device *vendor_device(void)
{
    pthread_once(&once, find_device);
    return &device;
}

static void *module_of(struct vendor_file *file)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    void *module;

    if (vendor_device()->generation < OLDEST)
        return NULL;
    pthread_mutex_lock(&lock);
    if (!file->tried && cuModuleLoadData(&file->module, file->fatbin) != 0)
        file->module = NULL;
    file->tried = 1;
    module = file->module;
    pthread_mutex_unlock(&lock);
    return module;
}

static void say_once(const char *library, const char *whose)
{
    static int said;

    if (!said)
        runtime_say("", "%s: %s", library, whose);
    said = 1;
}

enum vendor_status vendor_launch(struct vendor_file *file, const char *whose,
                                 const char *name,
                                 const struct vendor_grid *grid, void *stream,
                                 void *args)
{
    const uint32_t cluster[] = {1, 1, grid->cluster};
    struct cuda_launch_attribute attribute = {.id = LAUNCH_CLUSTER};
    const struct cu_launch_config config = {
        .grid = {grid->x, grid->y, grid->z},
        .block = {grid->threads, 1, 1},
        .shared = grid->shared,
        .stream = stream,
        .attribute = &attribute,
        .attributes = grid->cluster > 1,
    };
    void *function = NULL, *module = module_of(file);

    if (module == NULL || cuModuleGetFunction(&function, module, name) != 0) {
        runtime_say("",
                    "%s: there are no kernels for sm_%d: sm_%d is the oldest",
                    file->library, vendor_device()->generation, OLDEST);
        return VENDOR_NO_CODE;
    }
    say_once(file->library, whose);
    memcpy(attribute.value, cluster, sizeof cluster);
    if (grid->shared > SHARED_DEFAULT &&
        cuFuncSetAttribute(function, FUNCTION_SHARED_MOST, (int)grid->shared) !=
            0)
        return VENDOR_FAILED;
    return cuLaunchKernelEx(&config, function, &args, NULL) == 0
               ? VENDOR_OK
               : VENDOR_FAILED;
}

const int *vendor_version(const char *file_of_12, const int of_12[VENDOR_PARTS],
                          const int of_13[VENDOR_PARTS])
{
    void *twelve = dlopen(file_of_12, RTLD_LAZY | RTLD_NOLOAD);

    if (twelve != NULL)
        dlclose(twelve);
    return twelve != NULL ? of_12 : of_13;
}
