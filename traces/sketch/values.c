/* Statements that give values names, and what is set from outside. */
#include "traces/sketch/parse.h"

#include "isa/base/nearest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

teg_status sketch_parse_let(struct sketch_parser *p)
{
    uint32_t name = p->at, after, node;

    if (sketch_peek(p)->kind != TOKEN_WORD)
        return sketch_expected(p, "a name");
    sketch_advance(p);
    TRY(sketch_expect_sign(p, '=', "= behind the name"));
    TRY(sketch_parse_expr(p, &node));
    after = p->at;
    p->at = name;
    TRY(sketch_declare(p, node));
    p->at = after;
    return TEG_OK;
}

/* The value options give to `name`; returns 0 if they give none, -1 if it is
 * no number. */
static int find_override(const struct sketch_parser *p, const char *name,
                         int64_t *value)
{
    size_t length = strlen(name);

    for (uint32_t i = p->options != NULL ? p->options->set_count : 0; i > 0;
         i--) {
        const char *set = p->options->set[i - 1];
        struct sketch_tokens t;
        const struct sketch_token *number;
        int negative, fits;

        if (strncmp(set, name, length) != 0 || set[length] != '=')
            continue;
        set += length + 1;
        if (sketch_tokens_init(&t, "", set, strlen(set), NULL) != TEG_OK)
            return -1;
        negative = sketch_is_sign(&t.token[0], '-');
        number = &t.token[negative];
        fits = number->kind == TOKEN_NUMBER && number[1].kind == TOKEN_LINE &&
               number[2].kind == TOKEN_END;
        *value =
            negative ? (int64_t)(0 - (uint64_t)number->number) : number->number;
        sketch_tokens_release(&t);
        return fits ? 1 : -1;
    }
    return 0;
}

static teg_status add_param(struct sketch_parser *p, const char *name,
                            int64_t fallback, int64_t value)
{
    struct sketch_plan *plan = p->plan;
    struct teg_sketch_param *grown =
        realloc(plan->param, (plan->params + 1) * sizeof *grown);

    if (grown == NULL)
        return teg_fail_memory(p->d);
    plan->param = grown;
    grown += plan->params++;
    *grown = (struct teg_sketch_param){.value = value, .fallback = fallback};
    snprintf(grown->name, sizeof grown->name, "%s", name);
    return TEG_OK;
}

teg_status sketch_parse_param(struct sketch_parser *p)
{
    const struct sketch_token *t = sketch_peek(p);
    char name[SKETCH_WORD_MAX + 1];
    int64_t value, fallback;
    uint32_t node;
    int found;

    if (p->nesting != 0)
        return sketch_fail(p, t->line,
                           "expected param outside of loops, ifs and repeats");
    TRY(sketch_exprs_const(&p->plan->exprs, 0, &node, p->d));
    TRY(sketch_declare(p, node));
    sketch_word(p, t, name);
    TRY(sketch_expect_sign(p, '=', "= behind the name"));
    TRY(sketch_parse_const(p, "a parameter", INT64_MIN, INT64_MAX, &fallback));
    value = fallback;
    found = find_override(p, name, &value);
    if (found < 0)
        return sketch_fail(p, t->line,
                           "expected %s=NUMBER for the parameter, found "
                           "something else",
                           name);
    TRY(sketch_exprs_const(&p->plan->exprs, value, &node, p->d));
    p->names[p->name_count - 1].node = node;
    return add_param(p, name, fallback, value);
}

teg_status sketch_parse_require(struct sketch_parser *p)
{
    const struct sketch_token *from = sketch_peek(p), *to;
    uint32_t length;
    int64_t holds;

    TRY(sketch_parse_const(p, "require", INT64_MIN, INT64_MAX, &holds));
    to = sketch_peek(p);
    if (p->dry || holds != 0)
        return TEG_OK;
    length = to->at - from->at;
    while (length > 0 && p->text[from->at + length - 1] == ' ')
        length--;
    return sketch_fail(p, from->line, "expected %.*s, which does not hold",
                       (int)(length < 200 ? length : 200), p->text + from->at);
}

teg_status sketch_check_overrides(const struct sketch_parser *p)
{
    const struct sketch_plan *plan = p->plan;

    for (uint32_t i = 0; p->options != NULL && i < p->options->set_count; i++) {
        const char *set = p->options->set[i];
        size_t length = strcspn(set, "=");
        char typed[SKETCH_WORD_MAX + 1];
        struct teg_nearest nearest;
        uint32_t found = 0;

        snprintf(typed, sizeof typed, "%.*s",
                 (int)(length < sizeof typed ? length : sizeof typed - 1), set);
        teg_nearest_init(&nearest, typed);
        for (uint32_t n = 0; n < plan->params; n++) {
            teg_nearest_offer(&nearest, plan->param[n].name);
            found +=
                set[length] == '=' && strcmp(plan->param[n].name, typed) == 0;
        }
        if (found == 0)
            return teg_fail(p->d, TEG_UNKNOWN, p->name,
                            "expected NAME=VALUE for a parameter of the "
                            "sketch, found '%s' (%s%s)",
                            set, nearest.best != NULL ? "nearest: " : "it has ",
                            nearest.best != NULL ? nearest.best : "none");
    }
    return TEG_OK;
}
