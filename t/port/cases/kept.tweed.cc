// A reference to what nobody changes is kept behind the loop: by a lambda, a member, a function.
#include <tweed.hpp>
#include <algorithm>
#include <cstdio>
#include <functional>
#include <vector>

struct pair_of {
    int i;
    const int &k;
};

struct view {
    const int *at;
    view() : at(nullptr) {}
    explicit view(const int &x) : at(&x) {}
};

static const int *where(const int &x) { return &x; }
static const double *const *where(const double *const &x) { return &x; }
static void add(volatile int &x) { x = x + 1; }
static const int &same_as(int i, const int &x) { return i < 0 ? *where(x) : x; }

int main(int argc, char **)
{
    int k = argc + 4, lo = argc, hi = argc + 9, mid = argc * 5, in = argc, scale = argc + 1, n = 40;
    int added = argc;
    double data[40], *base = data;
    const double *items = data;
    std::vector<std::function<double()>> calls(n);
    std::vector<pair_of *> pairs(n);
    std::vector<view> views(n);
    std::vector<const int *> most(n), places(n), same(n);
    std::vector<const double *const *> pointers(n);
    std::vector<std::reference_wrapper<const int>> wrapped(n, std::cref(lo));
    double sum = 0;
    int right = 0;

    for (int i = 0; i < n; i++)
        data[i] = i * 0.5;
    tweed::parallel_for<int>(0, n, [&, scale](int i) {
        calls[i] = [&, i] { return base[i] * k; };
        pairs[i] = new pair_of{ i, in };
        views[i] = view(hi);
        most[i] = &std::max(lo, hi);
        places[i] = where(mid);
        same[i] = &same_as(i, (mid));
        pointers[i] = where(items);
        wrapped[i] = std::cref(mid);
        data[i] *= scale;
        if (i == 7)
            add(added);
    });
    for (int i = 0; i < n; i++) {
        sum += calls[i]() + pairs[i]->k * pairs[i]->i;
        right += (*views[i].at == hi) + (most[i] == &std::max(lo, hi)) + (places[i] == &mid) +
                 (same[i] == &mid) + (pointers[i] == &items) + (&wrapped[i].get() == &mid);
        delete pairs[i];
    }
    std::printf("%g %d %d\n", sum, right, added);
    return 0;
}
