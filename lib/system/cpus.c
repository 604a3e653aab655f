/*
 * cpus.c - lists of CPUs as text.
 *
 * SPDX-License-Identifier: MIT
 */
#include "config.h"

#include "system/cpus.h"
#include "base/options.h"

bool tweed__cpus_next(const char **at, struct tweed__cpu_run *run)
{
    const char *text = *at;

    if (!tweed__parse_number(text, &text, 0, TWEED__MOST_CPUS - 1, &run->first))
        return false;
    run->last = run->first;
    run->step = 1;
    if (*text == '-' &&
        (!tweed__parse_number(text + 1, &text, run->first, TWEED__MOST_CPUS - 1,
                              &run->last) ||
         (*text == ':' && !tweed__parse_number(text + 1, &text, 1,
                                               TWEED__MOST_CPUS, &run->step))))
        return false;
    if (*text == ',' && text[1] != '\0') /* and not at the end */
        text++;
    else if (*text != '\0')
        return false;
    *at = text;
    return true;
}

bool tweed__cpus_is_list(const char *text)
{
    struct tweed__cpu_run run;

    if (*text == '\0')
        return false;
    while (*text)
        if (!tweed__cpus_next(&text, &run))
            return false;
    return true;
}

bool tweed__cpus_has(const char *list, int cpu)
{
    struct tweed__cpu_run run;

    while (tweed__cpus_next(&list, &run))
        if (cpu_run_has(&run, cpu))
            return true;
    return false;
}
