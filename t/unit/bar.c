/*
 * bar.c - progress for people: what is written on a terminal, and what elsewhere.
 *
 * SPDX-License-Identifier: MIT
 *
 * tweed__clock() is wrapped: what time it is is said here.
 */
#include "config.h"

#include "view/bar.h"
#include "system/system.h"
#include "tap.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

uint64_t __wrap_tweed__clock(void);

static uint64_t now = 1000000000;

uint64_t __wrap_tweed__clock(void)
{
    return now;
}

static char text[65536];

/* What has been written since the last call. */
static const char *said(int fd)
{
    ssize_t n = read(fd, text, sizeof text - 1);

    text[n > 0 ? n : 0] = '\0';
    return text;
}

static int says(int fd, const char *line)
{
    const char *got = said(fd);

    if (strcmp(got, line) == 0)
        return 1;
    diag("'%s' instead of '%s'", got, line);
    return 0;
}

static tweed_progress at(uint64_t done, uint64_t total, double seconds)
{
    return (tweed_progress){ .size = sizeof(tweed_progress),
                             .done = done,
                             .total = total,
                             .elapsed_ns = (uint64_t)(seconds * 1e9) };
}

static void draw(struct tweed__bar *b, const char *name, tweed_progress p, int others)
{
    tweed__bar_draw(b, name, &p, others);
}

/* ---- a pipe ---- */

static void test_lines(int from, int to)
{
    struct tweed__bar b;

    tweed__bar_init(&b, to);
    draw(&b, "smooth", at(42, 100, 2), 0);
    ok(says(from, "tweed: smooth  42%, 21/s 0:03 left\n"), "a pipe: a line");
    now += 100000000;
    draw(&b, "smooth", at(44, 100, 2.1), 0);
    ok(says(from, ""), "... and no other one soon");
    now += 900000000;
    draw(&b, "smooth", at(62, 100, 3), 2);
    ok(says(from, "tweed: smooth  62%, 21/s 0:02 left, 2 more\n"),
       "... but a second later, with the others");
    tweed__bar_clear(&b);
    ok(says(from, ""), "there is nothing to be cleared");
    tweed__bar_end(&b, "smooth", 3456789012);
    ok(says(from, "tweed: smooth ended after 3.5 s\n"), "the end");
}

struct sample {
    uint64_t done, total;
    double seconds;
    const char *line;
};

static void test_numbers(int from, int to)
{
    static const struct sample samples[] = {
        { 0, 100, 2, "tweed: n   0%, 0/s ? left\n" },
        { 1, 1000, 10, "tweed: n   0%, 0.1/s 2:46:30 left\n" },
        { 29, 100, 1, "tweed: n  29%, 29/s 0:02 left\n" },
        { 999, 1000, 1, "tweed: n  99%, 999/s 0:00 left\n" },
        { 1000, 1000, 1, "tweed: n 100%, 1.0k/s 0:00 left\n" },
        { 5, 5, 1, "tweed: n 100%, 5.0/s 0:00 left\n" },
        /* never five characters, "10.0" */
        { 994, 994, 100, "tweed: n 100%, 9.9/s 0:00 left\n" },
        { 997, 997, 100, "tweed: n 100%, 10/s 0:00 left\n" },
        { 9940, 9940, 1, "tweed: n 100%, 9.9k/s 0:00 left\n" },
        { 9970, 9970, 1, "tweed: n 100%, 10k/s 0:00 left\n" },
        { 999400, 999400, 1, "tweed: n 100%, 999k/s 0:00 left\n" },
        { 999600, 999600, 1, "tweed: n 100%, 1.0M/s 0:00 left\n" },
        { 0, 0, 1, "tweed: n 100%, 0/s ? left\n" },
        { 12345678, 123456780, 1, "tweed: n  10%, 12M/s 0:09 left\n" },
        { 1, 1000000, 1, "tweed: n   0%, 1.0/s 11 days left\n" },
        { 1, UINT64_MAX, 1, "tweed: n   0%, 1.0/s ? left\n" },
        { UINT64_MAX / 2, UINT64_MAX, 1, "tweed: n  50%, 9.2E/s 0:01 left\n" },
        { UINT64_MAX, UINT64_MAX, 1e-3, "tweed: n 100%, 18447E/s 0:00 left\n" },
    };
    int good = 1;

    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        const struct sample *s = &samples[i];
        struct tweed__bar b;

        tweed__bar_init(&b, to);
        draw(&b, "n", at(s->done, s->total, s->seconds), 0);
        good &= says(from, s->line);
    }
    ok(good, "percents, rates and times, from none to the most there are");
}

static void test_names(int from, int to)
{
    struct tweed__bar b;
    int good;

    tweed__bar_init(&b, to);
    draw(&b, "", at(1, 2, 1), 0);
    good = says(from, "tweed: loop  50%, 1.0/s 0:01 left\n");
    tweed__bar_init(&b, to);
    draw(&b, "a\033[2J\n\177%s", at(1, 2, 1), 0);
    good &= says(from, "tweed: a?[2J??%s  50%, 1.0/s 0:01 left\n");
    ok(good, "no name, and one that is no text");
}

/* Nobody reads: the line is left out, and nobody waits. */
static void test_full(int from, int to)
{
    struct tweed__bar b;
    int flags = fcntl(to, F_GETFL);
    char page[4096];

    memset(page, 'x', sizeof page);
    fcntl(to, F_SETFL, flags | O_NONBLOCK);
    while (write(to, page, sizeof page) > 0)
        ;
    fcntl(to, F_SETFL, flags);
    tweed__bar_init(&b, to);
    draw(&b, "n", at(1, 2, 1), 0);
    tweed__bar_end(&b, "n", 1);
    b.on_screen = true; /* as though it had been a terminal until now */
    tweed__bar_clear(&b);
    while (!strchr(said(from), 'n') && !strchr(text, '\r') && text[0])
        ;
    ok(!text[0] && !b.on_screen, "a pipe that is full gets nothing, and nobody waits");
    tweed__bar_init(&b, to);
    b.is_terminal = true; /* and does not say how wide it is */
    draw(&b, "n", at(1, 2, 1), 0);
    ok(strlen(said(from)) == 4 + 79, "a width that is not to be had is 80");
    tweed__bar_init(&b, -1);
    draw(&b, "n", at(1, 2, 1), 0);
    tweed__bar_end(&b, "n", 1);
    tweed__bar_init(&b, 1000);
    draw(&b, "n", at(1, 2, 1), 0);
    tweed__bar_end(&b, "n", 1);
    ok(!b.on_screen, "no file at all");
}

/* ---- a terminal ---- */

static int open_terminal(int *master)
{
    struct termios raw;
    int slave = -1;

    *master = posix_openpt(O_RDWR | O_NOCTTY);
    if (*master >= 0 && grantpt(*master) == 0 && unlockpt(*master) == 0)
        slave = open(ptsname(*master), O_RDWR | O_NOCTTY);
    if (slave < 0 || tcgetattr(slave, &raw) != 0)
        return -1;
    raw.c_oflag &= ~(tcflag_t)OPOST; /* what is written is what is read */
    tcsetattr(slave, TCSANOW, &raw);
    fcntl(*master, F_SETFL, O_NONBLOCK);
    return slave;
}

static void set_width(int fd, unsigned short columns)
{
    struct winsize w = { .ws_row = 24, .ws_col = columns };

    ioctl(fd, TIOCSWINSZ, &w);
}

static void test_terminal(void)
{
    struct tweed__bar b;
    int master, fd = open_terminal(&master), good = 1;

    if (fd < 0) {
        skip(5, "no terminal to be had");
        return;
    }
    setenv("TERM", "xterm", 1);
    set_width(fd, 50);
    tweed__bar_init(&b, fd);
    draw(&b, "smooth", at(50, 100, 2), 0);
    good = says(master, "\r\033[Ksmooth  50% [##########..........] 25/s 0:02 left");
    draw(&b, "smooth", at(100, 100, 2), 1);
    good &= says(master, "\r\033[Ksmooth 100% [############] 50/s 0:00 left, 1 more");
    ok(good, "a terminal: a bar, written over");
    good = 1;
    for (unsigned short columns = 1; columns <= 200; columns++) {
        set_width(fd, columns);
        draw(&b, "smooth", at(99, 100, 2), 3);
        good &= strlen(said(master)) <= 4 + (columns > 1 ? columns - 1u : 0u);
    }
    set_width(fd, 0);
    draw(&b, "smooth", at(99, 100, 2), 3);
    good &= strlen(said(master)) == 4 + 79;
    ok(good, "no line is wider than the terminal; an unknown width is 80");
    tweed__bar_end(&b, "smooth", 2000000000);
    good = says(master, "\r\033[Ksmooth ended after 2.0 s\n");
    tweed__bar_end(&b, "other", 2000000000);
    ok(good && says(master, "other ended after 2.0 s\n"), "the end, in place of the bar");
    set_width(fd, 10);
    draw(&b, "smooth", at(50, 100, 2), 0);
    said(master);
    tweed__bar_clear(&b);
    tweed__bar_clear(&b);
    ok(says(master, "\r\033[K"), "a bar is cleared once");
    setenv("TERM", "dumb", 1);
    tweed__bar_init(&b, fd);
    draw(&b, "smooth", at(50, 100, 2), 0);
    good = says(master, "tweed: smooth  50%, 25/s 0:02 left\n");
    unsetenv("TERM");
    tweed__bar_init(&b, fd);
    draw(&b, "smooth", at(50, 100, 2), 0);
    ok(good && says(master, "tweed: smooth  50%, 25/s 0:02 left\n"),
       "a terminal that is dumb, or of no known sort: lines");
    close(fd);
    close(master);
}

int main(void)
{
    int ends[2];

    plan(15);
    alarm(100);
    if (pipe(ends) != 0)
        return 1;
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    test_lines(ends[0], ends[1]);
    test_numbers(ends[0], ends[1]);
    test_names(ends[0], ends[1]);
    test_terminal();
    test_full(ends[0], ends[1]);
    return done_testing();
}
