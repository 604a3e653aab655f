/*
 * cpus.c - a fuzzer of lists of CPUs.
 *
 * SPDX-License-Identifier: MIT
 */
#include "config.h"

#include "fuzz.h"
#include "system/cpus.h"
#include "system/topology.h"

/* What is in the list, counted in two ways. */
static void compare(const char *text)
{
    static const int looked_at[] = { 0, 1, 2, 3, 7, 64, 1023, 4096, TWEED__MOST_CPUS - 1 };

    for (size_t i = 0; i < sizeof looked_at / sizeof *looked_at; i++) {
        struct tweed__cpu_run run;
        const char *at = text;
        bool has = false;

        while (tweed__cpus_next(&at, &run)) {
            fuzz_must(run.first >= 0 && run.first <= run.last && run.step >= 1 &&
                      run.last < TWEED__MOST_CPUS);
            for (int64_t c = run.first; c <= run.last; c += run.step)
                has = has || c == looked_at[i];
        }
        fuzz_must(*at == '\0'); /* it is a list */
        fuzz_must(has == tweed__cpus_has(text, looked_at[i]));
    }
}

/* A machine keeps the CPUs of the list that it has. */
static void keep(const char *text)
{
    const char *wrong;
    struct tweed__topology *t = tweed__topology_parse("nodes:2,cpus:8,threads:2", &wrong);
    int common = 0;
    bool all;

    if (!t)
        return;
    for (int i = 0; i < t->num_cpus; i++)
        common += tweed__cpus_has(text, t->cpus[i].cpu);
    all = tweed__topology_has(t, text);
    fuzz_must(!all || common > 0);
    tweed__topology_keep(t, text);
    fuzz_must(t->num_cpus == (common ? common : 16));
    tweed__topology_free(t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = size <= 256 ? fuzz_text(data, size) : NULL;

    if (text && tweed__cpus_is_list(text)) {
        compare(text);
        keep(text);
    } else if (text) {
        (void)tweed__cpus_has(text, 1);
    }
    free(text);
    return 0;
}
