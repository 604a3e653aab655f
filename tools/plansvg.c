/*
 * plansvg.c - tweed-info --plan=svg: the machine and its workers as a picture.
 *
 * SPDX-License-Identifier: MIT
 *
 * Boxes in boxes: nodes, in these domains, cores, and a cell for each CPU.  What is in a
 * box flows: from left to right, and on below where there is no room.  Each box is gone
 * through twice, to learn its size and to draw it.
 */
#include "config.h"

#include "cpus.h"
#include "plantree.h"

#include <stdio.h>
#include <string.h>

#define CELL_HEIGHT 34.0
#define GAP 6.0         /* between boxes, and around what is in one */
#define HEAD 18.0       /* a line of text above that */
#define WIDEST 1240.0   /* of all nodes beside each other */
#define NARROWEST 150.0 /* of a domain: its head */
#define MOST_NODES 1024 /* the kernel's own limit */

struct picture {
    const struct tree *p;
    bool draws;      /* else it measures */
    double cell;     /* the width of one */
    uint32_t most;   /* the largest share */
};

struct size {
    double width, height;
};

/* ---- boxes that flow ---- */

struct flow {
    double left, limit; /* where a row begins, and may end */
    double x, y, row;   /* the next box; the height of its row */
    double right;       /* of all */
};

static struct flow flow_from(double x, double y, double limit)
{
    return (struct flow){ x, limit, x, y, 0, x };
}

/* Goes on below if a box is too wide for the row. */
static void make_room(struct flow *f, struct size box)
{
    if (f->x > f->left && f->x + box.width > f->limit) {
        f->x = f->left;
        f->y += f->row + GAP;
        f->row = 0;
    }
}

static void go_on(struct flow *f, struct size box)
{
    f->x += box.width;
    f->right = f->x > f->right ? f->x : f->right;
    f->x += GAP;
    f->row = box.height > f->row ? box.height : f->row;
}

/* The size of a box that begins at x, y and holds all of these. */
static struct size around(const struct flow *f, double x, double y)
{
    return (struct size){ f->right + GAP - x, f->y + f->row + GAP - y };
}

/* ---- drawing ---- */

static const char style[] =
    "<style>\n"
    "text { font: 11px system-ui, 'Segoe UI', Helvetica, Arial, sans-serif; }\n"
    ".title { font-size: 18px; font-weight: 600; } .head { font-weight: 600; }\n"
    ".small { font-size: 9px; } .middle { text-anchor: middle; }\n"
    ".worker { font-size: 12px; font-weight: 600; text-anchor: middle; }\n"
    "text { fill: #1f2328; } .small { fill: #57606a; }\n"
    ".paper { fill: #ffffff; } .node { fill: #f3f5f7; stroke: #afb8c1; }\n"
    ".domain { fill: #ffffff; stroke: #c8d1da; } .core { fill: #dfe5eb; }\n"
    ".cpu { fill: #ffffff; stroke: #8c959f; } .unused { stroke-dasharray: 3 2; }\n"
    ".share { fill: #a9cbf5; } .caller { fill: #f5c98b; } .memory { stroke-dasharray: 5 3; }\n"
    "@media (prefers-color-scheme: dark) {\n"
    "  text { fill: #e6edf3; } .small { fill: #a8b1bb; }\n"
    "  .paper { fill: #0d1117; } .node { fill: #151b23; stroke: #4d5661; }\n"
    "  .domain { fill: #0d1117; stroke: #3d444d; } .core { fill: #262d36; }\n"
    "  .cpu { fill: #0d1117; stroke: #6e7681; }\n"
    "  .share { fill: #1f4f8f; } .caller { fill: #7a4a12; }\n"
    "}\n"
    "</style>\n";

static void rect(double x, double y, double width, double height, const char *class)
{
    printf("<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>\n",
           class, x, y, width, height);
}

static void box(double x, double y, struct size s, const char *class)
{
    printf("<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" "
           "rx=\"4\"/>\n", class, x, y, s.width, s.height);
}

static void print_numbers(struct tweed__span s)
{
    if (s.end - s.begin > 1)
        printf("%d-%d", s.begin, s.end - 1);
    else
        printf("%d", s.begin);
}

/* What workers these are, and their shares. */
static void print_workers(const struct tree *p, struct tweed__span s, const char *between)
{
    if (s.begin == s.end) {
        printf("%sno worker", between);
        return;
    }
    printf("%s%s ", between, s.end - s.begin > 1 ? "workers" : "worker");
    print_numbers(s);
    printf(": [%u, %u)", tree_begin(p, s.begin), p->ends[s.end - 1]);
}

/* ---- a CPU ---- */

enum level { NODE, DOMAIN, CPU };

static bool is_at(const struct tweed__cpu *a, const struct tweed__cpu *b, enum level level)
{
    return a->node == b->node &&
           (level == NODE || (a->domain == b->domain &&
                              (level == DOMAIN || a->cpu == b->cpu)));
}

/* The workers on a CPU, in its domain, or on its node: they stand next to each other. */
static struct tweed__span workers_at(const struct tree *p, const struct tweed__cpu *cpu,
                                     enum level level)
{
    struct tweed__span s = { 0, 0 };
    int n = p->team->num_workers;

    while (s.begin < n && !is_at(p->cpus[s.begin], cpu, level))
        s.begin++;
    for (s.end = s.begin; s.end < n && is_at(p->cpus[s.end], cpu, level);)
        s.end++;
    return s;
}

static uint32_t share_at(const struct tree *p, struct tweed__span s)
{
    return s.begin < s.end ? p->ends[s.end - 1] - tree_begin(p, s.begin) : 0;
}

static void print_tip(const struct tree *p, const struct tweed__cpu *cpu,
                      struct tweed__span s)
{
    printf("<title>CPU %d", cpu->cpu);
    if (cpu->thread)
        printf(", thread %d of its core", cpu->thread);
    if (cpu->capacity && cpu->capacity != TWEED__CAPACITY)
        printf(", capacity %d", cpu->capacity);
    print_workers(p, s, ", ");
    if (s.begin == 0 && s.end > 0)
        printf(", the caller");
    printf("</title>\n");
}

/* The share is a bar: full for the largest one. */
static void draw_cpu(const struct picture *d, const struct tweed__cpu *cpu, double x,
                     double y)
{
    struct tweed__span s = workers_at(d->p, cpu, CPU);
    double bar = (CELL_HEIGHT - 2) * share_at(d->p, s) / d->most;

    printf("<g>\n");
    print_tip(d->p, cpu, s);
    rect(x + 1, y + 1, d->cell - 2, CELL_HEIGHT - 2,
         s.begin < s.end ? "cpu" : "cpu unused");
    if (s.begin < s.end) {
        rect(x + 1, y + CELL_HEIGHT - 1 - bar, d->cell - 2, bar,
             s.begin == 0 ? "share caller" : "share");
        printf("<text class=\"worker\" x=\"%.1f\" y=\"%.1f\">", x + d->cell / 2, y + 15);
        print_numbers(s);
        printf("</text>\n");
    }
    printf("<text class=\"small middle\" x=\"%.1f\" y=\"%.1f\">CPU %d</text>\n</g>\n",
           x + d->cell / 2, y + 28, cpu->cpu);
}

/* ---- cores and domains ---- */

/* Its CPUs lie beside each other; n of them. */
static struct size draw_core(const struct picture *d, const struct tweed__cpu *first,
                             double x, double y)
{
    const struct tweed__topology *t = d->p->machine;
    int n = 0;

    for (const struct tweed__cpu *c = first; c < t->cpus + t->num_cpus; c++)
        n += is_at(c, first, DOMAIN) && c->core == first->core;
    if (d->draws) {
        box(x, y, (struct size){ n * d->cell + 4, CELL_HEIGHT + 4 }, "core");
        n = 0;
        for (const struct tweed__cpu *c = first; c < t->cpus + t->num_cpus; c++)
            if (is_at(c, first, DOMAIN) && c->core == first->core)
                draw_cpu(d, c, x + 2 + d->cell * n++, y + 2);
    }
    return (struct size){ n * d->cell + 4, CELL_HEIGHT + 4 };
}

/* Is it the first of its core? */
static bool is_first(const struct tree *p, const struct tweed__cpu *cpu)
{
    const struct tweed__cpu *c = p->machine->cpus;

    while (c < cpu && !(is_at(c, cpu, DOMAIN) && c->core == cpu->core))
        c++;
    return c == cpu;
}

/* How wide a row of a domain of so many CPUs may be: there are more rows than one where
   there is more than one domain, mostly. */
static double row_of(const struct picture *d, ptrdiff_t cpus)
{
    int most = cpus <= 16 ? 8 : cpus <= 64 ? 16 : 32;

    return most * (d->cell + 4 + GAP);
}

static struct size draw_domain(const struct picture *d, const struct tweed__cpu *first,
                               const struct tweed__cpu *end, double x, double y)
{
    struct flow f = flow_from(x + GAP, y + 2 * HEAD, x + GAP + row_of(d, end - first));
    struct size s;

    if (d->draws) {
        struct picture measure = *d;

        measure.draws = false;
        box(x, y, draw_domain(&measure, first, end, x, y), "domain");
        printf("<text x=\"%.1f\" y=\"%.1f\">domain %d</text>\n", x + GAP, y + 14,
               first->domain);
        printf("<text class=\"small\" x=\"%.1f\" y=\"%.1f\">", x + GAP, y + 28);
        print_workers(d->p, workers_at(d->p, first, DOMAIN), "");
        printf("</text>\n");
    }
    for (const struct tweed__cpu *c = first; c < end; c++) {
        if (!is_first(d->p, c))
            continue;
        s = draw_core(&(struct picture){ d->p, false, d->cell, d->most }, c, 0, 0);
        make_room(&f, s);
        if (d->draws)
            (void)draw_core(d, c, f.x, f.y);
        go_on(&f, s);
    }
    s = around(&f, x, y);
    s.width = s.width > NARROWEST ? s.width : NARROWEST;
    return s;
}

/* ---- nodes ---- */

/* The CPUs from `first` on that are in the same domain, or on the same node. */
static const struct tweed__cpu *end_of(const struct tree *p, const struct tweed__cpu *first,
                                       enum level level)
{
    const struct tweed__cpu *c = first, *end = p->machine->cpus + p->machine->num_cpus;

    while (c < end && is_at(c, first, level))
        c++;
    return c;
}

static struct size draw_node(const struct picture *d, const struct tweed__cpu *first,
                             double x, double y)
{
    const struct tweed__cpu *end = end_of(d->p, first, NODE);
    struct flow f = flow_from(x + GAP, y + HEAD + GAP, x + WIDEST - GAP);
    struct picture measure = *d;
    struct size s;

    measure.draws = false;
    if (d->draws) {
        box(x, y, draw_node(&measure, first, x, y), "node");
        printf("<text class=\"head\" x=\"%.1f\" y=\"%.1f\">node %d", x + GAP, y + 16,
               d->p->machine->nodes[first->node]);
        print_workers(d->p, workers_at(d->p, first, NODE), ", ");
        printf("</text>\n");
    }
    for (const struct tweed__cpu *c = first, *next; c < end; c = next) {
        next = end_of(d->p, c, DOMAIN);
        s = draw_domain(&measure, c, next, 0, 0);
        make_room(&f, s);
        if (d->draws)
            (void)draw_domain(d, c, next, f.x, f.y);
        go_on(&f, s);
    }
    s = around(&f, x, y);
    s.width = s.width > 2 * NARROWEST ? s.width : 2 * NARROWEST;
    return s;
}

/* ---- nodes that have memory only ---- */

/* Is the node in one of the kernel's lists? */
static bool is_listed(const char *list, int node)
{
    char path[64], text[4096] = "";
    FILE *file;

    snprintf(path, sizeof path, "/sys/devices/system/node/%s", list);
    file = fopen(path, "r");
    if (!file)
        return false;
    if (!fgets(text, sizeof text, file))
        text[0] = '\0';
    fclose(file);
    text[strcspn(text, "\n")] = '\0';
    return tweed__cpus_has(text, node);
}

static struct size draw_memory(const struct picture *d, int node, double x, double y)
{
    struct size s = { 2 * NARROWEST, HEAD + 2 * GAP };

    if (d->draws) {
        box(x, y, s, "node memory");
        printf("<text class=\"head\" x=\"%.1f\" y=\"%.1f\">node %d, memory only</text>\n",
               x + GAP, y + 18, node);
    }
    return s;
}

/* ---- all of it ---- */

static struct size draw_machine(const struct picture *d, double x, double y)
{
    const struct tweed__topology *t = d->p->machine;
    struct picture measure = *d;
    struct flow f = flow_from(x, y, x + WIDEST);

    measure.draws = false;
    for (const struct tweed__cpu *c = t->cpus; c < t->cpus + t->num_cpus;
         c = end_of(d->p, c, NODE)) {
        struct size s = draw_node(&measure, c, 0, 0);

        make_room(&f, s);
        if (d->draws)
            (void)draw_node(d, c, f.x, f.y);
        go_on(&f, s);
    }
    for (int node = 0; node < MOST_NODES && !t->synthetic; node++) {
        struct size s = draw_memory(&measure, node, 0, 0);

        if (!is_listed("has_memory", node) || is_listed("has_cpu", node))
            continue;
        make_room(&f, s);
        if (d->draws)
            (void)draw_memory(d, node, f.x, f.y);
        go_on(&f, s);
    }
    return around(&f, x, y);
}

static void draw_legend(double x, double y)
{
    static const struct {
        const char *class, *text;
    } what[] = { { "share", "a worker; the bar is its share" },
                 { "share caller", "worker 0, the caller" },
                 { "cpu unused", "a CPU without a worker" } };

    for (size_t i = 0; i < sizeof what / sizeof *what; i++) {
        printf("<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"14\" height=\"12\"/>\n",
               what[i].class, x + 215 * (double)i, y);
        printf("<text x=\"%.1f\" y=\"%.1f\">%s</text>\n", x + 215 * (double)i + 20, y + 10,
               what[i].text);
    }
}

void tree_draw(const struct tree *p)
{
    struct picture d = { .p = p, .cell = 40 };
    int n = p->team->num_workers;
    struct size s;

    for (int i = 0; i < n; i++) {
        struct tweed__span at = workers_at(p, p->cpus[i], CPU);
        uint32_t share = share_at(p, at);

        d.most = share > d.most ? share : d.most;
        if (at.end - at.begin > 1)
            d.cell = 56;
    }
    for (int i = 0; i < p->machine->num_cpus; i++)
        if (p->machine->cpus[i].cpu > 99 && d.cell < 46)
            d.cell = 46;
    s = draw_machine(&d, 12, 72);
    s.width = s.width > 600 ? s.width : 600;
    printf("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" "
           "viewBox=\"0 0 %.0f %.0f\">\n%s", s.width + 24, s.height + 76, s.width + 24,
           s.height + 76, style);
    rect(0, 0, s.width + 24, s.height + 76, "paper");
    printf("<text class=\"title\" x=\"12\" y=\"28\">plan of %d worker%s for %u indices</text>\n",
           n, n == 1 ? "" : "s", p->indices);
    draw_legend(12, 44);
    d.draws = true;
    (void)draw_machine(&d, 12, 72);
    printf("</svg>\n");
}
