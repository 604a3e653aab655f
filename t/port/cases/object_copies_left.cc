/*
 * Copies for each thread: of objects that a function changes though it is const, and of variables
 * that change by another name.  An object of each thread in a region with loops alone.
 */
#include <cstdio>
#include <functional>
#include <vector>

struct work {
    mutable std::vector<double> buf;
    explicit work(int n) : buf(n) {}
    double solve(double x) const
    {
        double s = 0;

        for (size_t k = 0; k < buf.size(); k++)
            buf[k] = x + k;
        for (double v : buf)
            s += v;
        return s;
    }
};

struct finder {
    const double *t;
    mutable int last;
    int at(double x) const
    {
        for (last = 0; t[last + 1] < x; last++)
            ;
        return last;
    }
};

struct tick {
    int *n;
    ~tick()
    {
#pragma omp atomic
        ++*n;
    }
};

struct params {
    double &dt;
    explicit params(double &d) : dt(d) {}
    void halve() { dt *= 0.5; }
};

struct counter {
    int &n;
    explicit counter(int &of) : n(of) {}
    void next() { ++n; }
};

/* Left alone. */
static double objects(int n)
{
    work w(20);
    std::vector<double> scratch(16);
    std::function<double(int)> f = [scratch](int i) mutable {
        scratch[i % 16] = i;
        return scratch[i % 16];
    };
    double total = 0, other = 0;

#pragma omp parallel firstprivate(w)
    {
        double mine = 0;
#pragma omp for
        for (int i = 0; i < n; i++)
            mine += w.solve(i % 10);
#pragma omp critical
        total += mine;
    }
#pragma omp parallel for firstprivate(w) reduction(+ : other)
    for (int i = 0; i < n; i++)
        other += w.solve(i % 10);
#pragma omp parallel for firstprivate(f) reduction(+ : other)
    for (int i = 0; i < n; i++)
        other += f(i);
    return total + other;
}

static long threads_objects(int n)
{
    std::vector<double> table(200);
    std::vector<int> y(n);
    int ended = 0;
    long sum = 0;

    for (int i = 0; i < 200; i++)
        table[i] = i * 1.5;
    const double *t = &table[0];
#pragma omp parallel
    {
        finder f = { t, 0 };
#pragma omp for
        for (int i = 0; i < n; i++)
            y[i] = f.at(i * 7919 % 290);
    }
#pragma omp parallel num_threads(3)
    {
        tick t = { &ended };
#pragma omp for
        for (int i = 0; i < n; i++)
            y[i]++;
    }
    for (int i = 0; i < n; i++)
        sum += y[i] * (i % 7);
    return sum * 10 + ended;
}

/* By a reference, a member that is one, a lambda. */
static double other_names(int n)
{
    int size = n, &by_reference = size, limit = 10;
    double dt = 1, sum = 0;
    params p(dt);
    auto raise = [&] { limit = 99; };
    std::vector<double> x(2 * n, 0.0);

#pragma omp parallel firstprivate(size)
    {
#pragma omp single
        by_reference = 2 * n;
#pragma omp for
        for (int i = 0; i < size; i++)
            x[i] += 1;
    }
#pragma omp parallel firstprivate(dt)
    {
#pragma omp for
        for (int i = 0; i < n; i++)
            x[i] += dt;
#pragma omp single
        p.halve();
#pragma omp for
        for (int i = 0; i < n; i++)
            x[i] += dt;
    }
#pragma omp parallel firstprivate(limit) num_threads(2)
    {
        double mine = 0;
#pragma omp single
        raise();
        for (int k = 0; k < limit; k++)
            mine += 0.5;
#pragma omp critical
        sum += mine;
    }
    for (double v : x)
        sum += v;
    return sum + dt + size + limit;
}

/* What a template's argument makes of a variable. */
template <class C> static long distinct(int n)
{
    std::vector<int> place(n);
    std::vector<char> seen(n, 0);
    int count = 0;
    long all = 0;
    C c(count);

#pragma omp parallel for
    for (int i = 0; i < n; i++) {
#pragma omp critical
        {
            place[i] = count;
            c.next();
        }
    }
    for (int i = 0; i < n; i++)
        all += !seen[place[i]]++;
    return all;
}

int main()
{
    std::printf("%g %ld %g %ld\n", objects(500), threads_objects(500), other_names(100),
                distinct<counter>(500));
    return 0;
}
