/*
 * replay.c - each file of a fuzzer's corpus goes through its parser once more.
 *
 * SPDX-License-Identifier: MIT
 *
 * The corpus of t/fuzz/NAME.t is the folder t/fuzz/corpus/NAME.  A parser that crashes ends
 * the program; one that hangs is ended by the watchdog.
 */
#include "config.h"

#include "fuzz.h"
#include "tap.h"
#include "watchdog.h"

#include <dirent.h>
#include <limits.h>

/* The bytes of a file, in a block of just that size; NULL: it cannot be read. */
static uint8_t *read_input(const char *path, size_t *size)
{
    FILE *f = fopen(path, "rb");
    uint8_t *data = NULL;
    long length;

    if (!f)
        return NULL;
    if (fseek(f, 0, SEEK_END) == 0 && (length = ftell(f)) >= 0) {
        rewind(f);
        *size = (size_t)length;
        data = malloc(*size ? *size : 1);
        if (data && fread(data, 1, *size, f) != *size) {
            free(data);
            data = NULL;
        }
    }
    fclose(f);
    return data;
}

/* "t/fuzz/NAME.t", wherever it lies: the length of NAME. */
static int name_length(const char *name)
{
    return (int)strcspn(name, ".");
}

int main(int argc, char **argv)
{
    const char *source = getenv("top_srcdir"), *slash = strrchr(argv[0], '/');
    const char *name = slash ? slash + 1 : argv[0];
    char folder[PATH_MAX], path[2 * PATH_MAX];
    const struct dirent *entry;
    int inputs = 0, unread = 0;
    DIR *corpus;

    (void)argc;
    watchdog();
    plan(2);
    snprintf(folder, sizeof folder, "%s/t/fuzz/corpus/%.*s", source ? source : ".",
             name_length(name), name);
    corpus = opendir(folder);
    if (!corpus)
        bail_out("there is no corpus");
    while ((entry = readdir(corpus))) {
        size_t size = 0;
        uint8_t *data;

        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        data = read_input(path, &size);
        diag("%s", entry->d_name); /* names the one that crashes */
        if (data) {
            LLVMFuzzerTestOneInput(data, size);
            inputs++;
        } else {
            unread++;
        }
        free(data);
    }
    closedir(corpus);
    diag("%d inputs", inputs);
    ok(unread == 0, "all of the corpus can be read");
    ok(inputs > 0, "each input was parsed, and nothing broke");
    return done_testing();
}
