/*
 * words.c - version, and the text of every result code.
 *
 * SPDX-License-Identifier: MIT
 */
#include "tap.h"

#include <limits.h>
#include <string.h>
#include <tweed.h>

static const struct {
    int value;
    const char *name, *text;
} codes[] = {
#define CODE(name, value, text) { name, #name, text },
    TWEED_ERRORS_(CODE)
#undef CODE
};
#define CODES ((int)(sizeof codes / sizeof *codes))

int main(void)
{
    static const int others[] = { 1, -CODES, INT_MIN, INT_MAX };
    char version[32];
    int distinct = 1;

    plan(3 + CODES + 4);
    ok(strcmp(tweed_version(), TWEED_VERSION) == 0, "library and header agree");
    snprintf(version, sizeof version, "%d.%d.%d", TWEED_VERSION_MAJOR,
             TWEED_VERSION_MINOR, TWEED_VERSION_PATCH);
    ok(strcmp(version, TWEED_VERSION) == 0, "the version's parts make it up");
    for (int k = 0; k < CODES; k++) {
        const char *text = tweed_strerror(codes[k].value);

        ok(codes[k].value == -k && strcmp(text, codes[k].text) == 0, "%s: %s",
           codes[k].name, text);
        for (int j = 0; j < k; j++)
            distinct &= strcmp(text, tweed_strerror(codes[j].value)) != 0;
    }
    ok(distinct, "no two texts are the same");
    for (int k = 0; k < 4; k++)
        ok(strstr(tweed_strerror(others[k]), "unknown") != NULL, "%d: %s",
           others[k], tweed_strerror(others[k]));
    return done_testing();
}
