/*
 * shown.c - names of loops and pools, and values of options, where a terminal shows them.
 *
 * SPDX-License-Identifier: MIT
 */
#define TWEED_CALLS_APART_ 1 /* each loop is published, and has its name in a dump */
#include "pools.h"
#include "rerun.h"

/* The 31st byte is the first one of a character. */
#define CUT "a name of thirty bytes, it is \303\251"
#define KEPT "a name of thirty bytes, it is "
#define NASTY "\033[31mred\nand more\302\233"
#define HARMLESS "?[31mred?and more?"

static int dumped;

static void body(int64_t i, void *arg)
{
    if (i == 0)
        dumped = tweed_pool_dump(arg, STDOUT_FILENO);
}

/* Two loops, each with a dump in it. */
static int role(void)
{
    tweed_pool *pool = pool_with((tweed_pool_options){ .num_workers = 2,
                                                       .name = "\033pool A\303\251" });
    tweed_loop_options o = TWEED_LOOP_OPTIONS_INIT;
    tweed_loop_stats s[2] = { TWEED_LOOP_STATS_INIT, TWEED_LOOP_STATS_INIT };

    o.name = NASTY;
    must(tweed_parallel_for_with(pool, &o, 0, 100, body, pool));
    o.name = CUT;
    must(tweed_parallel_for_with(pool, &o, 0, 100, body, pool));
    must(tweed_pool_destroy(pool));
    if (tweed_loop_stats_get(s, 2) != 2)
        return 1;
    return (strcmp(s[0].name, NASTY) && strcmp(s[1].name, NASTY)) ||
           (strcmp(s[0].name, KEPT) && strcmp(s[1].name, KEPT)) || dumped;
}

static int has(const char *text, const char *what)
{
    if (strstr(text, what))
        return 1;
    diag("no '%s'", what);
    return 0;
}

static int is_clean(const char *text)
{
    for (; *text; text++)
        if (((unsigned char)*text < ' ' && *text != '\n') || *text == 127 ||
            *text == '\302')
            return 0;
    return 1;
}

int main(int argc, char **argv)
{
    static const char *const env[] = { "TWEED_STATS=loops", "TWEED_BIND=\033[2J", NULL };
    struct rerun c;

    (void)argv;
    if (argc > 1)
        return role();
    plan(6);
    watchdog();
    rerun(&c, "role", env, NULL, NULL);
    ok(rerun_exited(&c, 0), "statistics have a name as it is, cut between characters");
    ok(is_clean(c.out) && is_clean(c.err), "nothing that moves a cursor");
    ok(has(c.out, "tweed: pool ?pool A: 2") && has(c.err, "tweed: pool ?pool A, 2"),
       "a pool, in a dump and in a table");
    ok(has(c.out, "  loop " HARMLESS " in slot") && has(c.out, "  loop " KEPT " in slot"),
       "loops in a dump");
    ok(has(c.err, "\n  " HARMLESS " ") && has(c.err, "\n  " KEPT " "), "and in a table");
    ok(has(c.err, "TWEED_BIND='?[2J' ignored"), "the value of an option");
    if (tap_failed)
        rerun_show(&c);
    return done_testing();
}
