/*
 * picture.c - a trace as SVG: a lane a worker, nodes apart, steals as arrows.
 *
 * SPDX-License-Identifier: MIT
 *
 * What is less than a pixel long is not drawn by itself: each column of a lane is filled
 * as much as it is busy there.  So the size of the picture does not depend on the
 * number of events.
 */
#include "config.h"

#include "picture.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define WIDTH 1200
#define LEFT 116    /* of the lanes' beginning: their names stand there */
#define RIGHT 64    /* how busy each is */
#define COLUMNS (WIDTH - LEFT - RIGHT)
#define COLOURS 7   /* of loops; all others have one more */
#define MOST_ARROWS 1500
#define FEW_ARROWS 400 /* so many have heads */

enum { SPINNING = COLOURS + 1, ASLEEP, NUM_CLASSES };

struct picture {
    const struct timeline *t;
    FILE *f;
    double lane_height, lane_gap, top, bottom;
    double key_x, key_y; /* where the legend goes on */
    bool measures;       /* it is not drawn yet */
    double *tops;    /* of the lanes */
    int *colours;    /* of the names */
    int legend[COLOURS]; /* whose each colour is; -1: nobody's */
    bool has_others;
    /* Of a lane: how much of each column is what. */
    float filled[COLUMNS][NUM_CLASSES];
    double y;
};

/* Without variables of CSS, which not every viewer knows. */
static const char style[] =
    "<style>\n"
    "text { font: 12px system-ui, 'Segoe UI', Helvetica, Arial, sans-serif; }\n"
    ".title { font-size: 18px; font-weight: 600; } .group { font-weight: 600; }\n"
    ".faint, .group { font-size: 11px; } .small, .on { font-size: 10px; }\n"
    ".end { text-anchor: end; } .middle { text-anchor: middle; }\n"
    ".near, .far { fill: none; stroke-width: 1.1; } .grid { fill: none; }\n"
    ".halo { fill: none; stroke-width: 3; opacity: .65; }\n"
    "text, .title { fill: #1f2328; } .faint, .group, .small { fill: #6a737d; }\n"
    ".paper, .on { fill: #ffffff; } .idle { fill: #eceff2; } .grid { stroke: #d8dee4; }\n"
    ".near { stroke: #24292f; } .far { stroke: #d1242f; } .halo { stroke: #ffffff; }\n"
    ".dot { fill: #24292f; } .fardot { fill: #d1242f; }\n"
    ".c0 { fill: #3b7dd8; } .c1 { fill: #2da58e; } .c2 { fill: #8f6bd1; }\n"
    ".c3 { fill: #d0679d; } .c4 { fill: #7a9a36; } .c5 { fill: #c98a2b; }\n"
    ".c6 { fill: #4aa3c0; } .c7 { fill: #98a1ab; } .c8 { fill: #f2c879; }\n"
    ".c9 { fill: #cfd8e3; }\n"
    "@media (prefers-color-scheme: dark) {\n"
    "  text, .title { fill: #e6edf3; } .faint, .group, .small { fill: #8d96a0; }\n"
    "  .paper, .on { fill: #0d1117; } .idle { fill: #1b2129; } .grid { stroke: #30363d; }\n"
    "  .near { stroke: #f0f6fc; } .far { stroke: #ff7b72; } .halo { stroke: #0d1117; }\n"
    "  .dot { fill: #f0f6fc; } .fardot { fill: #ff7b72; }\n"
    "  .c0 { fill: #4f8fe6; } .c1 { fill: #34b39a; } .c2 { fill: #a382e0; }\n"
    "  .c3 { fill: #db7fae; } .c4 { fill: #91b34b; } .c5 { fill: #d99a3c; }\n"
    "  .c6 { fill: #5bb4d1; } .c7 { fill: #6e7681; } .c8 { fill: #8a6a2c; }\n"
    "  .c9 { fill: #323c49; }\n"
    "}\n"
    "</style>\n";

/* ---- text ---- */

/* U+FFFE or U+FFFF. */
static bool is_no_character(const char *text)
{
    return strncmp(text, "\357\277\276", 3) == 0 || strncmp(text, "\357\277\277", 3) == 0;
}

/* What XML does not allow, not even as a reference, becomes a question mark. */
static void put_text(FILE *f, const char *text)
{
    for (; *text; text++)
        switch (*text) {
        case '\357':
            fputc(is_no_character(text) ? '?' : *text, f);
            text += is_no_character(text) ? 2 : 0;
            break;
        case '<': fputs("&lt;", f); break;
        case '>': fputs("&gt;", f); break;
        case '&': fputs("&amp;", f); break;
        case '"': fputs("&quot;", f); break;
        default:
            fputc((unsigned char)*text < 0x20 ? '?' : *text, f);
        }
}

static void put_at(const struct picture *p, double x, double y, const char *class,
                   const char *text)
{
    fprintf(p->f, "<text x=\"%.1f\" y=\"%.1f\" class=\"%s\">", x, y, class);
    put_text(p->f, text);
    fputs("</text>\n", p->f);
}

struct unit {
    const char *name;
    double ns;
};

/* In which so many ns are best told. */
static struct unit unit_of(int64_t ns)
{
    static const struct unit units[] = { { "s", 1e9 }, { "ms", 1e6 }, { "us", 1e3 },
                                         { "ns", 1 } };
    int u = 0;

    while (u < 3 && (double)ns < 2 * units[u].ns)
        u++;
    return units[u];
}

/* Three figures and the unit. */
static const char *duration(int64_t ns, char *text, size_t size)
{
    struct unit u = unit_of(ns);
    double value = (double)ns / u.ns;

    snprintf(text, size, "%.*f %s", value < 10 ? 2 : value < 100 ? 1 : 0, value,
             u.name);
    return text;
}

/* ---- places ---- */

static double x_of(const struct picture *p, int64_t ns)
{
    double all = (double)(p->t->to - p->t->from);

    return LEFT + COLUMNS * ((double)(ns - p->t->from) / (all > 0 ? all : 1));
}

/* The names that are busiest in the window have colours of their own. */
struct share {
    int name;
    double busy;
};

static int by_busy(const void *a, const void *b)
{
    const struct share *x = a, *y = b;

    return x->busy == y->busy ? x->name - y->name : x->busy < y->busy ? 1 : -1;
}

static void add_share(void *arg, const struct span *s, int64_t begin, int64_t end)
{
    struct share *shares = arg;

    if (s->kind == SPAN_RUN)
        shares[s->name].busy += (double)(end - begin);
}

static bool choose_colours(struct picture *p)
{
    size_t n = p->t->num_names;
    struct share *shares = calloc(n + 1, sizeof *shares);

    p->colours = calloc(n + 1, sizeof *p->colours);
    if (!shares || !p->colours) {
        free(shares);
        return false;
    }
    for (size_t i = 0; i < n; i++)
        shares[i].name = (int)i;
    for (size_t i = 0; i < p->t->num_lanes; i++)
        timeline_pieces(p->t, &p->t->lanes[i], add_share, shares);
    qsort(shares, n, sizeof *shares, by_busy);
    for (size_t i = 0; i < COLOURS; i++)
        p->legend[i] = i < n && shares[i].busy > 0 ? shares[i].name : -1;
    for (size_t i = 0; i < n; i++)
        p->colours[shares[i].name] = i < COLOURS ? (int)i : COLOURS;
    p->has_others = n > COLOURS && shares[COLOURS].busy > 0;
    free(shares);
    return true;
}

static bool begins_group(const struct timeline *t, size_t lane)
{
    return lane == 0 || t->lanes[lane - 1].process != t->lanes[lane].process;
}

/* ---- what stands around the lanes ---- */

#define DOT "  \302\267  "

/* Every which steal has an arrow. */
static size_t arrows_apart(const struct timeline *t)
{
    return (t->near + t->far + MOST_ARROWS - 1) / MOST_ARROWS;
}

static void put_figures(const struct picture *p)
{
    const struct timeline *t = p->t;
    double lanes = t->num_lanes ? (double)t->num_lanes : 1, mean = (double)t->busy / lanes;
    char text[440], took[32], in[64] = "", ideal[32], dropped[64] = "", arrows[64] = "",
         submitted[48] = "";

    if (t->looping < t->to - t->from - (t->to - t->from) / 50)
        snprintf(in, sizeof in, ", %s of it in loops%s",
                 duration(t->looping, ideal, sizeof ideal), t->has_jobs ? " or tasks" : "");
    if (t->calls)
        snprintf(submitted, sizeof submitted, DOT "submitted %" PRId64 " tasks",
                 t->submitted);
    if (arrows_apart(t) > 1)
        snprintf(arrows, sizeof arrows, " (an arrow for one in %zu)", arrows_apart(t));
    if (t->dropped)
        snprintf(dropped, sizeof dropped, DOT "%" PRId64 " events dropped", t->dropped);
    snprintf(text, sizeof text,
             "%s%s" DOT "%zu threads" DOT "busy %.1f %%" DOT "ideal %s" DOT
             "imbalance %.2f" DOT "steals %zu near, %zu far%s%s%s",
             duration(t->to - t->from, took, sizeof took), in, t->num_lanes,
             t->looping ? 100 * mean / (double)t->looping : 0,
             duration((int64_t)mean, ideal, sizeof ideal),
             mean > 0 ? (double)t->most_busy / mean : 0, t->near, t->far, arrows,
             submitted, dropped);
    put_at(p, 24, 58, "figures", text);
}

/* A text of the legend, right of what is drawn at key_x; in the next line if there is
   no room.  False: nothing is to be drawn now. */
static bool put_key(struct picture *p, const char *text)
{
    double width = 18 + 6.4 * (double)strlen(text) + 18;
    bool draws = !p->measures;

    if (p->key_x + width > WIDTH - 24) {
        p->key_x = 24;
        p->key_y += 20;
    }
    if (draws)
        put_at(p, p->key_x + 18, p->key_y + 10, "faint", text);
    p->key_x += width;
    return draws;
}

static void put_box(struct picture *p, const char *class, const char *text)
{
    if (put_key(p, text))
        fprintf(p->f, "<rect x=\"%.1f\" y=\"%.1f\" width=\"12\" height=\"12\" rx=\"2\" "
                      "class=\"%s\"/>\n",
                p->key_x - 36 - 6.4 * (double)strlen(text), p->key_y, class);
}

static void put_legend_arrow(struct picture *p, const char *line, const char *dot,
                             const char *text)
{
    double x;

    if (!put_key(p, text))
        return;
    x = p->key_x - 30 - 6.4 * (double)strlen(text);
    fprintf(p->f, "<path class=\"%s\" d=\"M%.1f %.1fv12\"/>"
                  "<circle class=\"%s\" cx=\"%.1f\" cy=\"%.1f\" r=\"2\"/>"
                  "<path class=\"%s\" d=\"M%.1f %.1fl-3 -5h6z\"/>\n",
            line, x, p->key_y, dot, x, p->key_y + 0.5, dot, x, p->key_y + 13);
}

static void put_submission(const struct picture *p, double x, double y)
{
    fprintf(p->f, "<path class=\"dot\" d=\"M%.1f %.1fl-3.5 -5h7z\"/>\n", x, y);
}

static void put_legend(struct picture *p, bool measures)
{
    char class[8];

    p->measures = measures;
    p->key_x = 24;
    p->key_y = 72;
    for (int i = 0; i < COLOURS && p->legend[i] >= 0; i++) {
        snprintf(class, sizeof class, "c%d", i);
        put_box(p, class, p->t->names[p->legend[i]]);
    }
    if (p->has_others)
        put_box(p, "c7", "other loops");
    put_box(p, "c8", "looks for work");
    put_box(p, "c9", "sleeps");
    put_box(p, "idle", "neither");
    put_legend_arrow(p, "near", "dot", "steal, from victim to thief");
    if (p->t->far)
        put_legend_arrow(p, "far", "fardot", "from another node");
    if (p->t->calls && put_key(p, "submits tasks"))
        put_submission(p, p->key_x - 30 - 6.4 * 13, p->key_y + 9);
}

static bool place_lanes(struct picture *p)
{
    size_t n = p->t->num_lanes;
    double y;

    put_legend(p, true);
    y = p->top = p->key_y + 48;
    p->lane_height = n <= 10 ? 26 : n <= 24 ? 16 : n <= 80 ? 8 : 4;
    p->lane_gap = n <= 10 ? 8 : n <= 24 ? 4 : n <= 80 ? 2 : 0.5;
    p->tops = calloc(n + 1, sizeof *p->tops);
    if (!p->tops)
        return false;
    for (size_t i = 0; i < n; i++) {
        if (begins_group(p->t, i))
            y += 26;
        p->tops[i] = y;
        y += p->lane_height + p->lane_gap;
    }
    p->bottom = y + 4;
    return true;
}

/* Ticks at round times since the trace began. */
static void put_axis(const struct picture *p)
{
    const struct timeline *t = p->t;
    double all = (double)(t->to - t->from), step = 1;
    struct unit u = unit_of((int64_t)all / 2);
    int decimals = 0;
    char text[32];

    if (all <= 0)
        return;
    while (step * 10 <= all / 10)
        step *= 10;
    while (all / step > 11)
        step *= step * 5 <= all / 4 && all / (step * 2) > 11 ? 5 : 2;
    for (double v = step / u.ns; v < 0.999 && decimals < 3; v *= 10)
        decimals++;
    for (double at = ceil((double)t->from / step) * step; at <= (double)t->to;
         at += step) {
        double x = x_of(p, (int64_t)at);

        fprintf(p->f, "<path class=\"grid\" d=\"M%.1f %.1f V%.1f\"/>\n", x, p->top + 14,
                p->bottom);
        snprintf(text, sizeof text, "%.*f", decimals, at / u.ns);
        put_at(p, x, p->bottom + 15, "faint middle", text);
    }
    put_at(p, WIDTH - RIGHT + 22, p->bottom + 15, "faint", u.name);
}

/* The calls that are in no body, over the lanes. */
static void put_loops(const struct picture *p)
{
    const struct timeline *t = p->t;
    double last = 0;

    put_at(p, LEFT - 10, p->top - 2, "faint end", "loops");
    for (size_t i = 0; i < t->num_lanes; i++)
        for (size_t k = 0; k < t->lanes[i].num_spans; k++) {
            const struct span *s = &t->lanes[i].spans[k];
            int64_t begin = s->begin > t->from ? s->begin : t->from;
            int64_t end = s->end < t->to ? s->end : t->to;
            double x = x_of(p, begin), width = x_of(p, end) - x;

            if (s->kind != SPAN_LOOP || s->inner || end < begin ||
                x + width < last + 0.5)
                continue; /* there is something already */
            last = x + width;
            fprintf(p->f, "<rect x=\"%.2f\" y=\"%.1f\" width=\"%.2f\" height=\"14\" "
                          "class=\"c%d\" opacity=\".85\"/>\n", x, p->top - 12,
                    width > 1.2 ? width - 0.6 : 0.6, p->colours[s->name]);
            if (width > 6.0 * (double)strlen(t->names[s->name]) + 6)
                put_at(p, x + 4, p->top - 2, "on", t->names[s->name]);
        }
}

static const char *process_name(const struct timeline *t, int64_t id, char *text,
                                size_t size)
{
    for (size_t i = 0; i < t->num_processes; i++) {
        const struct process *q = &t->processes[i];

        if (q->id != id)
            continue;
        if (q->node >= 0)
            snprintf(text, size, "pool %s, node %" PRId64, q->name, q->node);
        else
            snprintf(text, size, "%s", q->name);
        return text;
    }
    return "";
}

static void put_names(const struct picture *p)
{
    const struct timeline *t = p->t;
    bool all_names = p->lane_height >= 8;

    for (size_t i = 0; i < t->num_lanes; i++) {
        double y = p->tops[i] + p->lane_height / 2 + (all_names ? 4 : 2);
        char text[64];

        if (begins_group(t, i))
            put_at(p, 24, p->tops[i] - 6, "group",
                   process_name(t, t->lanes[i].process, text, sizeof text));
        if (!all_names && i % 8)
            continue;
        put_at(p, LEFT - 10, y, p->lane_height >= 12 ? "end" : "small end",
               t->lanes[i].name);
        if (!t->looping || !all_names)
            continue;
        snprintf(text, sizeof text, "%.0f %%",
                 100 * (double)t->lanes[i].busy / (double)t->looping);
        put_at(p, WIDTH - RIGHT + 8, y, p->lane_height >= 12 ? "faint" : "small", text);
    }
}

/* ---- lanes ---- */

static int class_of(const struct picture *p, const struct span *s)
{
    return s->kind == SPAN_RUN ? p->colours[s->name]
           : s->kind == SPAN_SLEEP ? ASLEEP : SPINNING;
}

/* Bodies fill the lane, waiting a strip in its middle. */
static void put_rect(const struct picture *p, double x, double width, int class,
                     double opacity)
{
    double inset = class >= SPINNING ? p->lane_height * 0.3 : 0;

    fprintf(p->f, "<rect x=\"%.2f\" y=\"%.1f\" width=\"%.2f\" height=\"%.1f\" "
                  "class=\"c%d\"", x, p->y + inset, width,
            p->lane_height - 2 * inset, class);
    if (opacity < 1)
        fprintf(p->f, " opacity=\"%.2f\"", opacity);
    fputs("/>\n", p->f);
}

static void put_piece(void *arg, const struct span *s, int64_t begin, int64_t end)
{
    struct picture *p = arg;
    double x = x_of(p, begin), right = x_of(p, end);
    int class = class_of(p, s);

    if (right - x >= 1) { /* what follows on it is seen to be another one */
        put_rect(p, x, right - x - (right - x > 3 ? 0.5 : 0), class, 1);
        return;
    }
    for (int c = (int)(x - LEFT); c < COLUMNS && LEFT + c < right; c++) {
        double from = x > LEFT + c ? x : LEFT + c;
        double to = right < LEFT + c + 1 ? right : LEFT + c + 1;

        p->filled[c][class] += (float)(to - from);
    }
}

/* What most of a column is, and how much of it is anything, in quarters. */
static int level_of(const struct picture *p, int column, int *class)
{
    const float *filled = p->filled[column];
    float sum = 0;

    *class = 0;
    for (int k = 0; k < NUM_CLASSES; k++) {
        sum += filled[k];
        if (filled[k] > filled[*class])
            *class = k;
    }
    return sum >= 1 ? 4 : (int)ceilf(sum * 4);
}

static void put_columns(const struct picture *p)
{
    int class, next_class;

    for (int c = 0, end; c < COLUMNS; c = end) {
        int level = level_of(p, c, &class);

        for (end = c + 1; end < COLUMNS; end++)
            if (level_of(p, end, &next_class) != level || next_class != class)
                break;
        if (level)
            put_rect(p, LEFT + c, end - c, class, level / 4.0);
    }
}

static void put_lanes(struct picture *p)
{
    for (size_t i = 0; i < p->t->num_lanes; i++) {
        p->y = p->tops[i];
        memset(p->filled, 0, sizeof p->filled);
        fprintf(p->f, "<rect x=\"%d\" y=\"%.1f\" width=\"%d\" height=\"%.1f\" "
                      "class=\"idle\"/>\n", LEFT, p->y, COLUMNS, p->lane_height);
        timeline_pieces(p->t, &p->t->lanes[i], put_piece, p);
        put_columns(p);
    }
}

/* ---- steals ---- */

static void put_arrow(const struct picture *p, const struct steal *s, bool whole)
{
    double x = x_of(p, s->at), h = p->lane_height, middle = h / 2;
    double from = p->tops[s->victim] + middle, to = p->tops[s->thief];
    double tip = s->thief > s->victim ? to : to + h;
    double back = s->thief > s->victim ? -5 : 5;

    if (whole)
        fprintf(p->f, "<path class=\"halo\" d=\"M%.1f %.1fV%.1f\"/>", x, from, tip);
    fprintf(p->f, "<path class=\"%s\" d=\"M%.1f %.1fV%.1f\"%s/>", s->far ? "far" : "near",
            x, from, tip, whole ? "" : " stroke-opacity=\".25\"");
    if (whole)
        fprintf(p->f, "<circle class=\"%s\" cx=\"%.1f\" cy=\"%.1f\" r=\"2\"/>"
                      "<path class=\"%s\" d=\"M%.1f %.1fl-3 %.1fh6z\"/>",
                s->far ? "fardot" : "dot", x, from, s->far ? "fardot" : "dot", x, tip,
                back);
    fputs("\n", p->f);
}

static void put_steals(const struct picture *p)
{
    const struct timeline *t = p->t;
    size_t seen = 0, apart = arrows_apart(t);

    for (size_t i = 0; i < t->num_steals; i++) {
        const struct steal *s = &t->steals[i];

        if (s->at < t->from || s->at >= t->to || s->victim < 0 || s->thief < 0)
            continue;
        if (seen++ % apart == 0)
            put_arrow(p, s, t->near + t->far <= FEW_ARROWS);
    }
}

/* A mark over the lane. */
static void put_submissions(const struct picture *p)
{
    const struct timeline *t = p->t;
    size_t seen = 0, apart = (t->calls + MOST_ARROWS - 1) / MOST_ARROWS;

    for (size_t i = 0; i < t->num_submissions; i++) {
        const struct submission *s = &t->submissions[i];

        if (s->at >= t->from && s->at < t->to && s->lane >= 0 && seen++ % apart == 0)
            put_submission(p, x_of(p, s->at), p->tops[s->lane] + 2);
    }
}

void picture_draw(const struct timeline *t, const char *title, FILE *f)
{
    struct picture *p = calloc(1, sizeof *p);
    double height;

    if (!p || !(p->t = t, p->f = f, choose_colours(p)) || !place_lanes(p)) {
        fprintf(stderr, "tweed-trace: out of memory\n");
        exit(1);
    }
    height = p->bottom + 28;
    fprintf(f, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%.0f\" "
               "viewBox=\"0 0 %d %.0f\">\n%s", WIDTH, height, WIDTH, height, style);
    fprintf(f, "<rect width=\"%d\" height=\"%.0f\" class=\"paper\"/>\n", WIDTH, height);
    put_at(p, 24, 34, "title", title);
    put_figures(p);
    put_legend(p, false);
    put_axis(p);
    put_loops(p);
    put_names(p);
    put_lanes(p);
    put_steals(p);
    put_submissions(p);
    fputs("</svg>\n", f);
    free(p->tops);
    free(p->colours);
    free(p);
}
