/* What queues.cc includes: a buffer for each thread, and some OpenMP that no thread calls. */
#ifndef QUEUES_H
#define QUEUES_H

#include <cstddef>

template <typename T, typename U> T fetch_and_add(T &x, U more)
{
    return __sync_fetch_and_add(&x, more);
}

template <typename T> bool compare_and_swap(T &x, const T &old, const T &given)
{
    return __sync_bool_compare_and_swap(&x, old, given);
}

template <typename T> class buffer;

template <typename T> class queue {
public:
    explicit queue(size_t room) : all(new T[room]), count(0) {}
    ~queue() { delete[] all; }
    size_t size() const { return count; }
    T operator[](size_t i) const { return all[i]; }

private:
    friend class buffer<T>;
    T *all;
    size_t count;
};

template <typename T> class buffer {
public:
    explicit buffer(queue<T> &to, size_t room = 16)
        : of(to), mine(new T[room]), count(0), most(room) {}
    ~buffer() { delete[] mine; }
    void push_back(T x)
    {
        if (count == most)
            flush();
        mine[count++] = x;
    }
    void flush()
    {
        size_t at = fetch_and_add(of.count, count);

        for (size_t i = 0; i < count; i++)
            of.all[at + i] = mine[i];
        count = 0;
    }

private:
    queue<T> &of;
    T *mine;
    size_t count, most;
};

/* Neighbours of an index, as an object to go through. */
template <typename T> class ring {
public:
    class near {
    public:
        near(T *first, T n) : a(first + n), b(first + n + 2) {}
        T *begin() { return a; }
        T *end() { return b; }

    private:
        T *a, *b;
    };
    explicit ring(T n) : all(new T[n + 2]) { for (T i = 0; i < n + 2; i++) all[i] = i % n; }
    ~ring() { delete[] all; }
    near of(T i) const { return near(all, i); }

private:
    T *all;
};

/* Ends where all threads have come. */
struct meeting {
    int *said;
    explicit meeting(int *of) : said(of) { ++*said; }
    ~meeting()
    {
#pragma omp barrier
    }
};

struct visit {
    int number;
    meeting at;
    explicit visit(int *of) : number(1), at(of) {}
};

inline int wait_for(int &flag)
{
    while (!compare_and_swap(flag, 1, 1))
        ;
    return flag;
}

inline int wait_again(int &flag)
{
    return compare_and_swap(flag, 1, 1) ? 1 : wait_again(flag);
}

inline int twice(const int *x, int n)
{
    int sum = 0;

#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < n; i++)
        sum += 2 * x[i];
    return sum;
}

#endif
