/*
 * trace.c - a fuzzer of tweed-trace: reads a trace, adds it up, draws it.
 *
 * SPDX-License-Identifier: MIT
 *
 * The input is a trace, a line an event, without the two lines that each trace begins with.
 * (An input that begins with "{\"displayTimeUnit\"" has lines of its own.)
 */
#include "config.h"

#include "fuzz.h"

static FILE *open_input(void);
#define fopen(path, mode) open_input()
#include "../tools/timeline.c"
#undef fopen
#include "../tools/picture.h"

static char *input;
static size_t input_size;

static FILE *open_input(void)
{
    return fmemopen(input, input_size, "r");
}

/* The two lines, and the input. */
static bool make_input(const uint8_t *data, size_t size)
{
    static const char first[] = "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n"
                                "{\"name\":\"tweed_trace\",\"ph\":\"M\",\"pid\":1,\"tid\":0,"
                                "\"args\":{\"format\":1,\"version\":\"1.0\"}},\n";
    size_t n = sizeof first - 1;

    if (size > 18 && memcmp(data, first, 18) == 0)
        n = 0;
    input_size = n + size;
    input = malloc(input_size ? input_size : 1);
    if (!input || !input_size)
        return false;
    memcpy(input, first, n);
    if (size)
        memcpy(input + n, data, size);
    return true;
}

static void draw(struct timeline *t, FILE *nowhere)
{
    if (t->from >= t->to && t->ns != 0)
        return;
    timeline_sum(t);
    picture_draw(t, "a title", nowhere);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static FILE *nowhere;
    struct timeline *t = make_input(data, size) ? timeline_read("input") : NULL;

    if (!nowhere)
        nowhere = fopen("/dev/null", "w");
    if (t && nowhere) {
        draw(t, nowhere);
        if (t->num_names && timeline_window(t, t->names[0], -1))
            draw(t, nowhere);
        if (timeline_window(t, NULL, 1))
            draw(t, nowhere);
    }
    timeline_free(t);
    free(input);
    input = NULL;
    return 0;
}
