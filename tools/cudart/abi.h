/*
 * What programs and the runtime library agree on, as nvcc 13 compiles it:
 * numbers and layouts, written down from the API's documentation and checked
 * against compiled programs.  Handles are pointers to structs of ours.
 */
#ifndef TEG_TOOLS_CUDART_ABI_H
#define TEG_TOOLS_CUDART_ABI_H

#include <stddef.h>
#include <stdint.h>

/* A visible entry point of the runtime, declared and begun. */
#define ENTRY(type, name, ...)                                     \
    __attribute__((visibility("default"))) type name(__VA_ARGS__); \
    type name(__VA_ARGS__)
/* The usual one: it returns an error number. */
#define CALL(name, ...) ENTRY(int, name, __VA_ARGS__)
/* Another name of an entry point: the variants for programs whose default
 * stream is the thread's (_ptsz, _ptds) do the same here. */
#define ALSO(name, as)         \
    extern __typeof__(name) as \
        __attribute__((alias(#name), visibility("default")))

enum cuda_error {
#define ERROR(name, number, text) name = number,
#include "tools/cudart/errors.def"
#undef ERROR
};

enum cuda_copy {
    COPY_HOST_TO_HOST,
    COPY_HOST_TO_DEVICE,
    COPY_DEVICE_TO_HOST,
    COPY_DEVICE_TO_DEVICE,
    COPY_DEFAULT,
};

enum cuda_memory {
    MEMORY_UNREGISTERED,
    MEMORY_HOST,
    MEMORY_DEVICE,
    MEMORY_MANAGED,
};

struct cuda_dim3 {
    uint32_t x, y, z;
};

struct cuda_extent {
    size_t width, height, depth; /* width in bytes */
};

struct cuda_pos {
    size_t x, y, z;
};

struct cuda_pitched {
    void *data;
    size_t pitch, width, height;
};

struct cuda_channel {
    int x, y, z, w; /* bits */
    int kind;
};

/* What a texture or surface looks into. */
struct cuda_resource {
    int type;
    union {
        void *array;
        struct {
            void *data;
            struct cuda_channel channel;
            size_t bytes;
        } linear;
        struct {
            void *data;
            struct cuda_channel channel;
            size_t width, height, pitch; /* elements, rows, bytes */
        } pitched;
        int reserved[32];
    };
    unsigned flags;
};

/* How a texture is read. */
struct cuda_texture {
    int mode[3], filter, fractions, srgb;
    float border[4];
    int relative;
    unsigned anisotropy;
    int mipmap_filter;
    float mipmap[3];
    int no_optimization, seamless;
};

struct cuda_copy3d {
    void *from_array;
    struct cuda_pos from_at;
    struct cuda_pitched from;
    void *to_array;
    struct cuda_pos to_at;
    struct cuda_pitched to;
    struct cuda_extent extent;
    int kind;
};

/* Elements of 1, 2 or 4 bytes, in rows. */
struct cuda_set {
    void *to;
    size_t pitch;
    unsigned value, element_bytes;
    size_t width, height; /* elements, rows */
};

/* A kernel as a node of a graph. */
struct cuda_kernel_node {
    const void *function;
    struct cuda_dim3 grid, block;
    unsigned shared;
    void **args;
    void **extra;
};

struct cuda_host_node {
    void (*call)(void *data);
    void *data;
};

/* Memory that a node allocates. */
struct cuda_allocation_node {
    uint8_t pool[88];
    const void *access;
    size_t accesses, bytes;
    void *address;
};

/* That runs one of `bodies` graphs, which are made with it. */
struct cuda_condition_node {
    uint64_t handle;
    int kind;
    uint32_t bodies;
    void *body; /* out: an array that is the node's */
};

/* Any node. */
struct cuda_node {
    int type;
    int reserved[3];
    union {
        int64_t room[29];
        struct cuda_kernel_node kernel;
        struct {
            int flags, reserved[3];
            struct cuda_copy3d copy;
        } copy;
        struct cuda_set set;
        struct cuda_host_node host;
        void *handle; /* a graph, an event, memory to be freed */
        struct cuda_allocation_node allocation;
        struct cuda_condition_node condition;
    };
    int64_t more;
};

struct cuda_pointer_attributes {
    int type, device;
    void *device_pointer, *host_pointer;
    long reserved[8];
};

struct cuda_function_attributes {
    size_t shared_bytes, const_bytes, local_bytes;
    int max_threads, registers, ptx_version, binary_version, cache_mode;
    int max_dynamic_shared, shared_carveout;
    int cluster[5];
    int cluster_free, reserved[17];
};

struct cuda_launch_config {
    struct cuda_dim3 grid, block;
    size_t shared;
    void *stream;
    const struct cuda_launch_attribute {
        int id;
        int pad;
        uint8_t value[64];
    } * attribute;
    uint32_t attributes;
};

/* The driver's. */
struct cu_launch_config {
    struct cuda_dim3 grid, block;
    uint32_t shared;
    void *stream;
    const struct cuda_launch_attribute *attribute;
    uint32_t attributes;
};

struct cuda_properties {
    char name[256];
    uint8_t uuid[16], luid[8];
    uint32_t luid_mask;
    size_t total_global;
    size_t shared_per_block;
    int registers_per_block, warp_size;
    size_t pitch_max;
    int threads_per_block, block_max[3], grid_max[3];
    size_t total_constant;
    int major, minor;
    size_t texture_alignment, texture_pitch_alignment;
    int sms, integrated, maps_host;
    int texture_1d, texture_1d_mipmap, texture_2d[2], texture_rest[37];
    int concurrent_kernels, ecc, pci_bus, pci_device, pci_domain, tcc;
    int async_engines, unified_addressing, bus_width, l2_bytes;
    int l2_persisting, threads_per_sm, stream_priorities;
    int global_l1, local_l1;
    size_t shared_per_sm;
    int registers_per_sm, managed, is_board, board_group;
    int host_atomics, pageable, concurrent_managed, preemption;
    int host_pointer_registered, cooperative;
    size_t shared_per_block_optin;
    int pageable_host_tables, direct_managed, blocks_per_sm, window_max;
    size_t shared_reserved;
    int host_register, sparse, host_register_readonly, semaphores;
    int memory_pools, direct_rdma, rest[5], clusters, rest2[64];
};

_Static_assert(sizeof(struct cuda_properties) == 1008, "CUDA 13 layout");
_Static_assert(offsetof(struct cuda_properties, sms) == 384, "layout");
_Static_assert(offsetof(struct cuda_properties, concurrent_kernels) == 560,
               "layout");
_Static_assert(offsetof(struct cuda_properties, shared_per_sm) == 624,
               "layout");
_Static_assert(offsetof(struct cuda_properties, shared_reserved) == 696,
               "layout");
_Static_assert(offsetof(struct cuda_properties, clusters) == 748, "layout");
_Static_assert(sizeof(struct cuda_function_attributes) == 144, "layout");
_Static_assert(sizeof(struct cuda_pointer_attributes) == 88, "layout");
_Static_assert(sizeof(struct cuda_copy3d) == 160, "layout");
_Static_assert(sizeof(struct cuda_launch_config) == 56, "layout");
_Static_assert(sizeof(struct cuda_kernel_node) == 56, "layout");
_Static_assert(sizeof(struct cuda_set) == 40, "layout");
_Static_assert(sizeof(struct cuda_allocation_node) == 120, "layout");
_Static_assert(sizeof(struct cuda_node) == 256, "layout");
_Static_assert(sizeof(struct cuda_resource) == 144, "layout");
_Static_assert(offsetof(struct cuda_resource, linear.bytes) == 40, "layout");
_Static_assert(offsetof(struct cuda_resource, pitched.width) == 40, "layout");
_Static_assert(sizeof(struct cuda_texture) == 72, "layout");
_Static_assert(offsetof(struct cuda_texture, relative) == 40, "layout");
_Static_assert(sizeof(struct cu_launch_config) == 56, "layout");

#endif
