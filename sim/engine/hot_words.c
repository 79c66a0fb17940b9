#include "sim/engine/hot_words.h"

#include "isa/base/minmax.h"
#include "sim/memory/atomic.h"

#define SEVERAL UINT64_MAX

static void add(struct sim_hot_bucket *b, uint64_t word, uint64_t lanes)
{
    if (word == 0)
        return;
    if (b->word != 0 && b->word != word)
        word = SEVERAL;
    b->word = word;
    b->lanes += lanes;
}

void sim_hot_words_add(struct sim_hot_words *h, const struct sim_places *p)
{
    for (uint32_t i = 0; i < p->count; i++) {
        uint64_t word = p->address[i] / SIM_ATOMIC_WORD_BYTES;

        add(&h->bucket[word % SIM_HOT_BUCKETS], word + 1, p->lanes[i]);
    }
}

void sim_hot_words_join(struct sim_hot_words *h,
                        const struct sim_hot_words *other)
{
    for (uint32_t i = 0; i < SIM_HOT_BUCKETS; i++)
        add(&h->bucket[i], other->bucket[i].word, other->bucket[i].lanes);
}

void sim_hot_words_count(const struct sim_hot_words *h, uint64_t *words,
                         uint64_t *most)
{
    *words = *most = 0;
    for (uint32_t i = 0; i < SIM_HOT_BUCKETS; i++) {
        const struct sim_hot_bucket *b = &h->bucket[i];

        *words += b->word == SEVERAL ? 2 : b->word != 0;
        if (b->word != SEVERAL)
            *most = teg_max(*most, b->lanes);
    }
}
