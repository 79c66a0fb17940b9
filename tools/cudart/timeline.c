#define _GNU_SOURCE /* RTLD_DEFAULT, syscall */
#include "tools/cudart/timeline.h"
#include "isa/base/array.h"
#include "tools/cudart/program_time.h"

#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum way {
    WAY_TO_DEVICE,
    WAY_FROM_DEVICE,
    WAY_ON_DEVICE,
    WAYS
};

struct lane {
    double end; /* of its last operation */
    int idle;   /* which is an event that found nothing to wait for */
    int detached;
};

/* A launch that may not have ended. */
struct resident {
    double end, share;
};

struct timeline {
    const struct teg_gpu *gpu;
    struct teg_program_time *shown; /* to the program; NULL: to nobody */
    int depth;                      /* calls in calls */
    int host_counts;
    double left;       /* real time when the last call ended */
    double host;       /* microseconds, as all of these */
    double work;       /* of the host's own, besides */
    struct lane *lane; /* owned, [lanes], by the streams' numbers */
    uint64_t lanes;
    double *event; /* owned, [events], by their numbers; -1: not recorded */
    uint64_t events;
    struct resident *resident; /* owned, [residents] */
    size_t residents, resident_capacity;
    double started;    /* the latest launch */
    double busy[WAYS]; /* until then copies that way */
};

/* The machine's own clock, which the program does not see. */
static double real_us(void)
{
    struct timespec t = {0};

    syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

struct timeline *timeline_new(const struct teg_gpu *gpu)
{
    struct timeline *t = calloc(1, sizeof *t);

    if (t == NULL)
        return NULL;
    *t = (struct timeline){.gpu = gpu, .left = real_us()};
    t->work = t->left;
    t->shown = dlsym(RTLD_DEFAULT, TEG_PROGRAM_TIME);
    return t;
}

void timeline_count_host(struct timeline *t)
{
    if (t != NULL)
        t->host_counts = 1;
}

static int64_t shown_ns(const struct timeline *t)
{
    return (int64_t)((t->host + t->work) * 1e3);
}

void timeline_enter(struct timeline *t)
{
    if (t == NULL || t->depth++ > 0)
        return;
    *(t->host_counts ? &t->host : &t->work) += real_us() - t->left;
    if (t->shown != NULL)
        atomic_store(&t->shown->frozen_ns, shown_ns(t));
}

void timeline_leave(struct timeline *t)
{
    if (t == NULL || --t->depth > 0)
        return;
    t->left = real_us();
    if (t->shown == NULL)
        return;
    atomic_store(&t->shown->shift_ns, shown_ns(t) - (int64_t)(t->left * 1e3));
    atomic_store(&t->shown->frozen_ns, 0);
}

/* ---- streams ---------------------------------------------------------------- */

static double later(double a, double b)
{
    return a > b ? a : b;
}

/* Room for number `at`; 0: no memory, and it is not kept. */
static int grow(void **array, uint64_t *count, uint64_t at, size_t size)
{
    uint64_t more = at < *count ? *count : 2 * at + 16;
    void *larger;

    if (at < *count)
        return 1;
    larger = at < SIZE_MAX / size / 4 ? realloc(*array, more * size) : NULL;
    if (larger == NULL)
        return 0;
    memset((char *)larger + *count * size, 0, (more - *count) * size);
    *array = larger;
    *count = more;
    return 1;
}

static struct lane *lane_of(struct timeline *t, uint64_t stream)
{
    static struct lane none;
    void *lanes = t->lane;
    int grown = grow(&lanes, &t->lanes, stream, sizeof *t->lane);

    t->lane = lanes;
    return grown ? &t->lane[stream] : &none;
}

void timeline_detach(struct timeline *t, uint64_t stream)
{
    if (t != NULL)
        lane_of(t, stream)->detached = 1;
}

/* When what an operation of the stream comes after is done. */
static double ready(struct timeline *t, uint64_t stream)
{
    double at = lane_of(t, stream)->end;

    if (stream != 0)
        return lane_of(t, stream)->detached ? at
                                            : later(at, lane_of(t, 0)->end);
    for (uint64_t i = 1; i < t->lanes; i++) {
        if (!t->lane[i].detached)
            at = later(at, t->lane[i].end);
    }
    return at;
}

static double all_done(const struct timeline *t)
{
    double at = 0;

    for (uint64_t i = 0; i < t->lanes; i++)
        at = later(at, t->lane[i].end);
    return at;
}

/* The host waits for what is done at `end`. */
static void hold(struct timeline *t, double end)
{
    t->host = later(t->host, end + t->gpu->launch.sync_us);
}

/* ---- launches ----------------------------------------------------------------- */

/* The first moment from `at` on when launches under way leave `share`. */
static double find_room(struct timeline *t, double at, double share)
{
    size_t kept = 0;
    double taken = 0, first = HUGE_VAL;

    for (size_t i = 0; i < t->residents; i++) {
        if (t->resident[i].end <= at)
            continue;
        t->resident[kept++] = t->resident[i];
        taken += t->resident[i].share;
        first = fmin(first, t->resident[i].end);
    }
    t->residents = kept;
    /* a hundredth: shares are rounded to whole blocks */
    return kept == 0 || taken + share <= 1.01 ? at : find_room(t, first, share);
}

static void add_resident(struct timeline *t, double end, double share)
{
    struct resident *room = teg_array_room(t->resident, t->residents,
                                           &t->resident_capacity, sizeof *room);

    if (room == NULL)
        return;
    t->resident = room;
    t->resident[t->residents++] = (struct resident){end, share};
}

static double gap(struct timeline *t, const struct timeline_place *at)
{
    if (lane_of(t, at->stream)->idle)
        return 0;
    return at->dependent  ? t->gpu->launch.dependent_gap_us
           : at->in_graph ? t->gpu->launch.graph_gap_us
                          : t->gpu->launch.gap_us;
}

/* The stream's latest operation takes until then. */
static void end_at(struct timeline *t, uint64_t stream, double end)
{
    struct lane *lane = lane_of(t, stream);

    lane->end = end;
    lane->idle = 0;
}

void timeline_run(struct timeline *t, const struct timeline_place *at,
                  const struct timeline_launch *launch)
{
    double after, begin;

    if (t == NULL)
        return;
    after = ready(t, at->stream);
    begin = later(t->host + t->gpu->launch.latency_us, after + gap(t, at));
    begin = find_room(t, later(begin, t->started), launch->share);
    t->started = begin;
    add_resident(t, begin + launch->us, launch->share);
    end_at(t, at->stream, begin + launch->us);
    if (!at->in_graph)
        t->host += t->gpu->launch.host_us;
}

/* ---- copies ------------------------------------------------------------------- */

static double us_of(double bytes, double gbs)
{
    return gbs > 0 ? bytes / (gbs * 1e3) : 0;
}

static double dram_gbs(const struct teg_gpu *g)
{
    return g->dram.reached_gbs > 0 ? g->dram.reached_gbs
                                   : g->dram.bandwidth_gbs;
}

/* What takes time, and how much. */
static double touch_us(const struct teg_gpu *g, const char *what, double bytes,
                       int pinned, enum way *way)
{
    double link;

    *way = WAY_ON_DEVICE;
    if (strcmp(what, "set") == 0)
        return us_of(bytes, dram_gbs(g)) + g->link.set_us;
    if (strcmp(what, "device-to-device") == 0)
        return us_of(2 * bytes, dram_gbs(g)) + g->link.latency_us;
    *way =
        strcmp(what, "host-to-device") == 0 ? WAY_TO_DEVICE : WAY_FROM_DEVICE;
    link = !pinned                 ? g->link.pageable_gbs
           : *way == WAY_TO_DEVICE ? g->link.to_device_gbs
                                   : g->link.from_device_gbs;
    return us_of(bytes, link) + g->link.latency_us;
}

static int is_copy(const char *what)
{
    return strcmp(what, "set") == 0 || strstr(what, "-to-") != NULL;
}

void timeline_touch(struct timeline *t, const struct timeline_place *at,
                    const char *what, uint64_t bytes, int pinned, int part)
{
    double begin, end, us;
    enum way way;

    if (t == NULL)
        return;
    if (strcmp(what, "free") == 0)
        hold(t, all_done(t));
    if (!is_copy(what))
        return;
    us = touch_us(t->gpu, what, (double)bytes, pinned, &way);
    if (part)
        us -= way == WAY_ON_DEVICE ? 0 : t->gpu->link.latency_us;
    begin = later(t->host, ready(t, at->stream));
    end = later(begin, t->busy[way]) + us;
    t->busy[way] = end;
    end_at(t, at->stream, end);
    if (way != WAY_ON_DEVICE && !(at->async && pinned))
        hold(t, end);
    else if (!part && !at->in_graph)
        t->host += t->gpu->launch.host_us;
}

/* ---- events ------------------------------------------------------------------- */

/* Where a stream is idle, an event is recorded so long before a launch that is
 * called next begins as start.events_us says. */
static double idle_record(const struct timeline *t)
{
    const struct teg_gpu *g = t->gpu;
    double before =
        g->start.events_us > 0 ? g->start.events_us : g->launch.host_us;

    return t->host + g->launch.latency_us - before;
}

static void record(struct timeline *t, uint64_t stream, uint64_t event)
{
    double idle = idle_record(t), after = ready(t, stream);
    void *events = t->event;
    uint64_t had = t->events;
    int grown = grow(&events, &t->events, event, sizeof *t->event);

    t->event = events;
    for (uint64_t i = had; i < t->events; i++)
        t->event[i] = -1;
    if (!grown)
        return;
    t->event[event] = later(idle, after);
    lane_of(t, stream)->end = t->event[event];
    lane_of(t, stream)->idle |= idle > after;
}

double timeline_event(const struct timeline *t, uint64_t event)
{
    return event < t->events ? t->event[event] : -1;
}

void timeline_say(struct timeline *t, const struct timeline_place *at,
                  const char *what, uint64_t event)
{
    if (t == NULL)
        return;
    if (strcmp(what, "record") == 0) {
        record(t, at->stream, event);
    } else if (strcmp(what, "wait") == 0) {
        struct lane *lane = lane_of(t, at->stream);

        lane->end = later(lane->end, timeline_event(t, event));
    } else if (strcmp(what, "synchronize") == 0) {
        hold(t, event != 0 ? timeline_event(t, event) : all_done(t));
    } else if (strcmp(what, "host") == 0) {
        end_at(t, at->stream, later(t->host, ready(t, at->stream)));
    } else if (strcmp(what, "graph-begin") == 0) {
        t->host += t->gpu->launch.graph_host_us;
    }
}

void timeline_synchronize(struct timeline *t, uint64_t stream)
{
    if (t != NULL)
        hold(t, ready(t, stream));
}
