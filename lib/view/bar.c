/*
 * bar.c - progress for people: a bar on a terminal, lines elsewhere.
 *
 * SPDX-License-Identifier: MIT
 *
 *     smooth   42% [########............] 1.2M/s 0:17 left
 *
 * On a terminal the line is written over again and again.  A dumb terminal, a file and
 * a pipe get a line a second.  No colours, so NO_COLOR asks for nothing else.
 */
#include "config.h"

#include "view/bar.h"
#include "base/print.h"
#include "system/system.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define LINE_NS 950000000 /* between two lines: about a second */
#define WIDEST 160

void tweed__bar_init(struct tweed__bar *b, int fd)
{
    const char *term = getenv("TERM");

    memset(b, 0, sizeof *b);
    b->fd = fd;
    b->is_terminal = isatty(fd) && term && strcmp(term, "dumb") != 0;
}

/* Would a short write be done at once?  A pipe that nobody reads is full one day. */
static bool is_ready(int fd)
{
    struct pollfd p = { fd, POLLOUT, 0 };

    return poll(&p, 1, 0) == 1 && p.revents & POLLOUT;
}

static int width_of(int fd)
{
    struct winsize w;

    memset(&w, 0, sizeof w);
    if (ioctl(fd, TIOCGWINSZ, &w) != 0 || w.ws_col == 0)
        return 80;
    return w.ws_col < WIDEST ? w.ws_col : WIDEST;
}

/* "999", "1.2k", "34M": at most four characters. */
static void write_number(char *text, size_t size, double x)
{
    static const char units[] = " kMGTPE";
    int u = 0;

    for (; x >= 999.5 && u < 6; u++)
        x /= 1000;
    if (u == 0)
        snprintf(text, size, x < 9.95 && x > 0 ? "%.1f" : "%.0f", x);
    else
        snprintf(text, size, x < 9.95 ? "%.1f%c" : "%.0f%c", x, units[u]);
}

/* "0:17", "2:03:04", "9 days"; as long as the rate of so far lasts. */
static void write_left(char *text, size_t size, double seconds)
{
    if (!(seconds < 1e9)) {
        snprintf(text, size, "?");
        return;
    }
    unsigned s = (unsigned)(seconds + 0.5);

    if (s >= 2 * 86400)
        snprintf(text, size, "%u days", s / 86400);
    else if (s >= 3600)
        snprintf(text, size, "%u:%02u:%02u", s / 3600, s / 60 % 60, s % 60);
    else
        snprintf(text, size, "%u:%02u", s / 60, s % 60);
}

/* In front of the bar, and behind it. */
struct parts {
    char name[32], head[64], tail[96];
    double share;
};

/* Of 100, rounded down.  By whole numbers: a double of 29 / 100 is less. */
static int percent_of(const tweed_progress *p)
{
    uint64_t hundredth = p->total / 100;

    if (p->total == 0)
        return 100;
    return (int)(p->total > UINT64_MAX / 100 ? p->done / hundredth
                                             : p->done * 100 / p->total);
}

static void write_parts(struct parts *t, const char *name, const tweed_progress *p,
                        int others)
{
    double seconds = (double)p->elapsed_ns / 1e9;
    double rate = seconds > 0 ? (double)p->done / seconds : 0;
    char per_second[16], left[32], more[24] = "";

    t->share = p->total ? (double)p->done / (double)p->total : 1;
    write_number(per_second, sizeof per_second, rate);
    write_left(left, sizeof left,
               rate > 0 ? (double)(p->total - p->done) / rate : 1e9);
    if (others > 0)
        snprintf(more, sizeof more, ", %d more", others);
    (void)tweed__printable(t->name, sizeof t->name, name[0] ? name : "loop");
    snprintf(t->head, sizeof t->head, "%s %3d%%", t->name, percent_of(p));
    snprintf(t->tail, sizeof t->tail, "%s/s %s left%s", per_second, left, more);
}

static void draw_bar(struct tweed__bar *b, const struct parts *t)
{
    char marks[WIDEST + 1];
    int width = width_of(b->fd);
    int cells = width - 1 - (int)strlen(t->head) - (int)strlen(t->tail) - 4;
    int full = (int)(t->share * cells);

    if (cells < 5) { /* what there is room for */
        b->on_screen = tweed__print(b->fd, "\r\033[K%.*s", width - 1, t->head);
        return;
    }
    memset(marks, '.', (size_t)cells);
    memset(marks, '#', (size_t)full);
    marks[cells] = '\0';
    b->on_screen = tweed__print(b->fd, "\r\033[K%s [%s] %s", t->head, marks, t->tail);
}

void tweed__bar_draw(struct tweed__bar *b, const char *name, const tweed_progress *p,
                     int others)
{
    uint64_t now = tweed__clock();
    struct parts t;

    if ((!b->is_terminal && b->last_ns && now - b->last_ns < LINE_NS) ||
        !is_ready(b->fd))
        return;
    write_parts(&t, name, p, others);
    b->last_ns = now;
    if (b->is_terminal)
        draw_bar(b, &t);
    else
        (void)tweed__print(b->fd, "tweed: %s, %s\n", t.head, t.tail);
}

void tweed__bar_clear(struct tweed__bar *b)
{
    if (b->on_screen && is_ready(b->fd))
        (void)tweed__print(b->fd, "\r\033[K");
    b->on_screen = false;
}

void tweed__bar_end(struct tweed__bar *b, const char *name, uint64_t elapsed_ns)
{
    const tweed_progress none = { .size = sizeof none };
    struct parts t;

    if (!is_ready(b->fd))
        return;
    write_parts(&t, name, &none, 0);
    (void)tweed__print(b->fd, "%s%s%s ended after %.1f s\n",
                       b->on_screen ? "\r\033[K" : "", b->is_terminal ? "" : "tweed: ",
                       t.name, (double)elapsed_ns / 1e9);
    b->on_screen = false;
}
