// Functions between the loops of a region: those that write nothing are called once.
#include <tweed.hpp>
#include <algorithm>
#include <cstdio>
#include <cmath>
#include <map>
#include <vector>

class domain {
public:
    domain(int n) : m_n(n), m_x(n, 1.0), calls(0) {}
    int n() const { return m_n; }
    bool empty() { return m_x.empty(); }
    double &x(int i) { return m_x[i]; }
    int half() const { int h = n() / 2; return h > 1 ? h : 1; }
    int counted() { calls++; return m_n; }
    virtual int shape() const { return m_n; }
    virtual ~domain() {}
    std::vector<double> &all() { return m_x; }
    int touched() { return calls; }
private:
    int m_n;
    std::vector<double> m_x;
    int calls;
};

static void a(domain &d, std::vector<double> &y, int limit)
{
    {
        int n = std::min(d.half(), limit);
        if (!d.empty() && d.n() > 3) {
            tweed::parallel_for<int>(0, n, [&](int i) {
                d.x(i) = i;
            });
        }
        if (y.size() > 10 && std::fabs(y[3]) < 5) {
            tweed::parallel_for<int>(0, (int)y.size(), [&](int i) {
                y[i] += i;
            });
        }
    }
}

static void b(domain &d, std::vector<double> &y)
{
    #pragma omp parallel
    {
        if (d.counted() > 3) { /* writes */
            #pragma omp for
            for (int i = 0; i < (int)y.size(); i++)
                y[i] += i;
        }
    }
}

static void c(domain &d, std::map<int, int> &m, std::vector<double> &y)
{
    #pragma omp parallel
    {
        if (d.shape() > 3) { /* virtual */
            #pragma omp for
            for (int i = 0; i < (int)y.size(); i++)
                y[i] += i;
        }
    }
    #pragma omp parallel
    {
        if (m.size() > 3) {
            #pragma omp for
            for (int i = 0; i < (int)y.size(); i++)
                y[i] += i;
        }
    }
}

int main()
{
    domain d(100);
    std::vector<double> y(50);
    std::map<int, int> m;
    m[1] = m[2] = m[3] = m[4] = 5;
    a(d, y, 30);
    b(d, y);
    c(d, m, y);
    double s = 0;
    for (double v : y)
        s = s * 1.1 + v;
    for (double v : d.all())
        s = s * 1.01 + v;
    std::printf("%.6g %d\n", s, d.touched() > 0);
}
