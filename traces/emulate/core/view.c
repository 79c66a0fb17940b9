#include "traces/emulate/core/view.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum {
    PAGE = 1024, /* bytes; smaller than the gap between buffers */
    WORDS = PAGE / 64,
    SLAB = 64, /* pages allocated at once: each by itself is a call of the
                * system's for every second one, in a thread's heap */
    TABLE_MIN = 64
};

enum turn {
    TURN_LATER,
    TURN_COME,
    TURN_NEVER
};

struct page {
    uint64_t number;
    uint8_t *home;           /* borrowed: where the page begins in the host */
    struct emu_usage *usage; /* borrowed: of its buffer */
    uint32_t begin, end;     /* the part of it that is a buffer's */
    uint32_t writable;       /* likewise, its end */
    uint8_t was[PAGE], is[PAGE];
    uint64_t read[WORDS], written[WORDS]; /* a bit per byte */
};

struct emu_view {
    const struct emu_device *device;
    pthread_rwlock_t *memory;
    uint64_t (*insts)(const void *self);
    const void *self;
    struct page **slab; /* owned, [slabs][SLAB]; the first `pages` are in use */
    size_t pages, slabs;
    uint32_t *table; /* owned, [slots]: 1 + index of a page, 0: none */
    size_t slots; /* a power of two */
    atomic_int turn;
    int looked, stale, failed;
};

teg_status emu_view_new(struct emu_view **v, const struct emu_device *device,
                        pthread_rwlock_t *memory,
                        uint64_t (*insts)(const void *self), const void *self,
                        struct teg_diag *d)
{
    *v = calloc(1, sizeof **v);
    if (*v == NULL)
        return teg_fail_memory(d);
    (*v)->device = device;
    (*v)->memory = memory;
    (*v)->insts = insts;
    (*v)->self = self;
    (*v)->slots = TABLE_MIN;
    (*v)->table = calloc(TABLE_MIN, sizeof *(*v)->table);
    return (*v)->table != NULL ? TEG_OK : teg_fail_memory(d);
}

void emu_view_free(struct emu_view *v)
{
    if (v == NULL)
        return;
    for (size_t i = 0; i < v->slabs; i++)
        free(v->slab[i]);
    free(v->slab);
    free(v->table);
    free(v);
}

void emu_view_begin(struct emu_view *v)
{
    memset(v->table, 0, v->slots * sizeof *v->table);
    v->pages = 0;
    v->looked = v->stale = v->failed = 0;
    atomic_store(&v->turn, TURN_LATER);
}

void emu_view_turn(struct emu_view *v)
{
    atomic_store(&v->turn, TURN_COME);
}

void emu_view_cancel(struct emu_view *v)
{
    atomic_store(&v->turn, TURN_NEVER);
}

void emu_view_give_up(struct emu_view *v)
{
    v->stale = 1;
}

/* ---- pages ---------------------------------------------------------------- */

static struct page *page_of(const struct emu_view *v, size_t i)
{
    return &v->slab[i / SLAB][i % SLAB];
}

static size_t slot_of(const struct emu_view *v, uint64_t number)
{
    const size_t last = v->slots - 1;
    size_t slot = (size_t)(number * 0x9e3779b97f4a7c15u >> 32) & last;

    while (v->table[slot] != 0 &&
           page_of(v, v->table[slot] - 1)->number != number)
        slot = (slot + 1) & last;
    return slot;
}

static int grow_table(struct emu_view *v)
{
    uint32_t *table = calloc(2 * v->slots, sizeof *table);

    if (table == NULL)
        return 0;
    free(v->table);
    v->table = table;
    v->slots *= 2;
    for (size_t i = 0; i < v->pages; i++)
        v->table[slot_of(v, page_of(v, i)->number)] = (uint32_t)i + 1;
    return 1;
}

static int grow_pages(struct emu_view *v)
{
    struct page **slab = realloc(v->slab, (v->slabs + 1) * sizeof *slab);

    if (slab == NULL)
        return 0;
    v->slab = slab;
    slab[v->slabs] = malloc(SLAB * sizeof **slab);
    if (slab[v->slabs] == NULL)
        return 0;
    v->slabs++;
    return 1;
}

/* Whether the pages take longer than what is done with them; looked at now and
 * then. */
static int is_crowded(const struct emu_view *v)
{
    return v->pages >= EMU_PAGES_MANY && v->pages % EMU_PAGES_MANY == 0 &&
           v->pages * EMU_PAGE_INSTS > v->insts(v->self);
}

/* Where a buffer of `bytes` ends in the page that begins at `first`. */
static uint32_t end_in(const struct emu_span *s, uint64_t first, uint64_t bytes)
{
    uint64_t end = s->address + bytes;

    return end <= first         ? 0
           : end < first + PAGE ? (uint32_t)(end - first)
                                : PAGE;
}

/* The page copied from what the buffer holds now; memory is held. */
static struct page *copy_page(struct emu_view *v, uint64_t number,
                              const struct emu_span *s)
{
    uint64_t first = number * PAGE;
    struct page *p;

    if ((v->pages == v->slabs * SLAB && !grow_pages(v)) ||
        (2 * v->pages >= v->slots && !grow_table(v))) {
        v->failed = 1;
        return NULL;
    }
    p = page_of(v, v->pages);
    p->number = number;
    p->begin = s->address > first ? (uint32_t)(s->address - first) : 0;
    p->end = end_in(s, first, s->readable);
    p->writable = end_in(s, first, s->writable);
    p->home = s->data + (int64_t)(first - s->address);
    p->usage = s->usage;
    memcpy(p->was + p->begin, p->home + p->begin, p->end - p->begin);
    memcpy(p->is + p->begin, p->was + p->begin, p->end - p->begin);
    memset(p->read, 0, sizeof p->read);
    memset(p->written, 0, sizeof p->written);
    v->table[slot_of(v, number)] = (uint32_t)++v->pages;
    v->stale |= is_crowded(v);
    return p;
}

static struct page *page_at(struct emu_view *v, uint64_t address)
{
    uint64_t number = address / PAGE;
    uint32_t index = v->table[slot_of(v, number)];
    struct page *p = NULL;
    struct emu_span s;

    if (index != 0)
        return page_of(v, index - 1);
    pthread_rwlock_rdlock(v->memory);
    if (emu_device_span(v->device, address, &s))
        p = copy_page(v, number, &s);
    pthread_rwlock_unlock(v->memory);
    return p;
}

/* Bits first .. end - 1 of word `w` of a page. */
static uint64_t ones(uint32_t w, uint32_t first, uint32_t end)
{
    uint32_t low = first > 64 * w ? first - 64 * w : 0;
    uint32_t high = end < 64 * w + 64 ? end - 64 * w : 64;
    uint64_t below = high == 64 ? UINT64_MAX : (UINT64_C(1) << high) - 1;

    return below & ~((UINT64_C(1) << low) - 1);
}

/* ---- what was read still holds ------------------------------------------------ */

static int page_holds(const struct page *p)
{
    for (uint32_t w = 0; w < WORDS; w++) {
        if (p->read[w] == 0)
            continue;
        if (p->read[w] == UINT64_MAX) {
            if (memcmp(p->was + 64 * w, p->home + 64 * w, 64) != 0)
                return 0;
            continue;
        }
        for (uint64_t rest = p->read[w]; rest != 0; rest &= rest - 1) {
            uint32_t i = 64 * w + (uint32_t)__builtin_ctzll(rest);

            if (p->was[i] != p->home[i])
                return 0;
        }
    }
    return 1;
}

static int holds(const struct emu_view *v)
{
    if (v->failed)
        return 0;
    for (size_t i = 0; i < v->pages; i++) {
        if (!page_holds(page_of(v, i)))
            return 0;
    }
    return 1;
}

/* Finds out, once, whether the block may go on when its turn has come. */
static void look(struct emu_view *v, int turn)
{
    v->stale |= turn == TURN_NEVER;
    if (turn == TURN_COME && !v->looked) {
        v->looked = 1; /* nobody writes memory before this block has */
        v->stale |= !holds(v);
    }
}

void *emu_view_at(struct emu_view *v, uint64_t address, uint64_t bytes,
                  enum emu_use use)
{
    uint32_t first = (uint32_t)(address % PAGE), end = first + (uint32_t)bytes;
    struct page *p;
    int turn = atomic_load_explicit(&v->turn, memory_order_acquire);

    if (turn != TURN_LATER)
        look(v, turn);
    if (v->stale || bytes > PAGE || end > PAGE)
        return NULL;
    p = page_at(v, address);
    if (p == NULL || first < p->begin ||
        end > (use == EMU_READ ? p->end : p->writable))
        return NULL;
    for (uint32_t w = first / 64; w <= (end - 1) / 64; w++) {
        if (use != EMU_WRITE)
            p->read[w] |= ones(w, first, end) & ~p->written[w];
        if (use != EMU_READ)
            p->written[w] |= ones(w, first, end);
    }
    return p->is + first;
}

/* What the block did with the page, for who wants to know. */
static void note_page(const struct page *p)
{
    uint8_t did = 0;

    for (uint32_t w = 0; w < WORDS; w++) {
        did |= p->read[w] != 0 ? EMU_PAGE_READ : 0;
        did |= p->written[w] != 0 ? EMU_PAGE_WRITTEN : 0;
    }
    p->usage
        ->page[(p->number * PAGE + p->begin - p->usage->first) / EMU_PAGE] |=
        did;
}

static void write_page(const struct page *p)
{
    if (p->usage->page != NULL)
        note_page(p);
    for (uint32_t w = 0; w < WORDS; w++) {
        p->usage->read |= p->read[w] != 0;
        p->usage->written |= p->written[w] != 0;
        if (p->written[w] == UINT64_MAX) {
            memcpy(p->home + 64 * w, p->is + 64 * w, 64);
            continue;
        }
        for (uint64_t rest = p->written[w]; rest != 0; rest &= rest - 1) {
            uint32_t i = 64 * w + (uint32_t)__builtin_ctzll(rest);

            p->home[i] = p->is[i];
        }
    }
}

size_t emu_view_pages(const struct emu_view *v)
{
    return v->pages;
}

int emu_view_commit(struct emu_view *v)
{
    if (v->stale || !holds(v))
        return 0;
    for (size_t i = 0; i < v->pages; i++)
        write_page(page_of(v, i));
    return 1;
}
