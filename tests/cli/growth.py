#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Computes the growth of time anew, from the definitions in etalon-fit(1) and with normal equations
instead of an orthogonal decomposition, and compares it with the output of `etalon fit --json`.
Usage: growth.py TABLE JSON   (sizes and times in seconds, one run per line)"""
import json, math, sys

def beta_inc(x, a, b):
    """Regularised incomplete beta function, by Lentz's continued fraction."""
    if x <= 0 or x >= 1:
        return float(x >= 1)
    if x > (a + 1) / (a + b + 2):
        return 1 - beta_inc(1 - x, b, a)
    front = math.exp(math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log(1 - x)) / a
    c, d, f = 1.0, 0.0, 1.0
    for i in range(400):
        m = i // 2
        if i == 0:
            k = 1.0
        elif i % 2 == 0:
            k = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        else:
            k = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        d = 1 / (1 + k * d)
        c = 1 + k / c
        f *= c * d
        if i and abs(1 - c * d) < 1e-15:
            break
    return front * (f - 1)

def f_upper(f, d1, d2):
    return beta_inc(d2 / (d2 + d1 * f), d2 / 2, d1 / 2)

def t_below(t, df):
    tail = beta_inc(df / (df + t * t), df / 2, 0.5) / 2
    return tail if t < 0 else 1 - tail

def solve(a, b):
    n = len(b)
    m = [row[:] + [v] for row, v in zip(a, b)]
    for i in range(n):
        p = max(range(i, n), key=lambda r: abs(m[r][i]))
        m[i], m[p] = m[p], m[i]
        for r in range(n):
            if r != i:
                q = m[r][i] / m[i][i]
                m[r] = [u - q * v for u, v in zip(m[r], m[i])]
    return [m[i][n] / m[i][i] for i in range(n)]

def least_squares(columns, y, sigma):
    """Coefficients, (X'WX)^-1, weighted residual sum of squares."""
    p = len(columns)
    a = [[sum(u * v / s / s for u, v, s in zip(columns[i], columns[k], sigma)) for k in range(p)] for i in range(p)]
    coef = solve(a, [sum(u * v / s / s for u, v, s in zip(c, y, sigma)) for c in columns])
    inverse = [solve(a, [float(i == k) for i in range(p)]) for k in range(p)]
    rss = sum(((v - sum(q * c[i] for q, c in zip(coef, columns))) / s) ** 2 for i, (v, s) in enumerate(zip(y, sigma)))
    return coef, inverse, rss

rows = [line.split() for line in open(sys.argv[1])]
found = json.load(open(sys.argv[2]))
by = {}
for size, time in rows:
    by.setdefault(float(size), []).append(1e9 * float(time))
x = sorted(by)
n = [len(by[v]) for v in x]
N, M = sum(n), len(x)
mean = [sum(by[v]) / len(by[v]) for v in x]
var = [sum((t - m) ** 2 for t in by[v]) / (len(by[v]) - 1) if len(by[v]) > 1 else 0 for v, m in zip(x, mean)]

# weights: a parabola in logarithms smooths the means; the variance is a power of them
relative = sum((k - 1) * v / m / m for k, v, m in zip(n, var, mean)) / (N - M)
lx = [math.log(v) - math.log(x[M // 2]) for v in x]
ly = [math.log(v) for v in mean]
coef, _, _ = least_squares([[1.0] * M, lx, [v * v for v in lx]], ly, [1.0] * M)
level = []
for v, l, k, m in zip(lx, ly, n, mean):
    at = coef[0] + coef[1] * v + coef[2] * v * v
    level.append(math.exp(at) if abs(l - at) < 3 * math.sqrt(relative / k) else m)
w = [(k - 1) / 2 for k in n]
mid = sum(a * math.log(b) for a, b in zip(w, level)) / sum(w)


def score(power):
    mean = sum(a * v / b ** power for a, v, b in zip(w, var, level)) / sum(w)
    return sum(a * (math.log(b) - mid) * v / b ** power / mean for a, v, b in zip(w, var, level))


power = 2
if abs(score(2)) > 2.575829303548901 * math.sqrt(sum(a * (math.log(b) - mid) ** 2 for a, b in zip(w, level))):
    lo, hi = 0, 3
    for _ in range(60):
        power = (lo + hi) / 2
        lo, hi = (power, hi) if score(power) > 0 else (lo, power)
factor = sum((k - 1) * v / b ** power for k, v, b in zip(n, var, level)) / (N - M)
trigamma = lambda h: 1 / h + 1 / (2 * h * h) + 1 / (6 * h ** 3)
usual = [factor * b ** power for b in level]
off = [math.log(max(v, 0.01 * relative * b * b) / u) + 1 / (2 * h) for v, b, u, h in zip(var, level, usual, w)]
centre = sum(a * b for a, b in zip(w, off)) / sum(w)
excess = sum(h * ((o - centre) ** 2 - trigamma(h)) for h, o in zip(w, off))
differ = sum(h * (v / u - 1) ** 2 - 1 for h, v, u in zip(w, var, usual)) > 4 * math.sqrt(sum(2 + 6 / h for h in w))
share = 1 / max(2 * sum(w) / excess, 4) if differ and excess > 0 else 0
sd = [math.sqrt((u + share * (k - 1) * v) / (1 + share * (k - 1))) for u, k, v in zip(usual, n, var)]
pure_ss = sum((k - 1) * v / s / s for k, v, s in zip(n, var, sd))
sigma = [s / math.sqrt(k) for s, k in zip(sd, n)]

curves = {
    "1": None, "log n": math.log, "n": lambda v: v, "n log n": lambda v: v * math.log(v), "n^2": lambda v: v * v,
    "n^2 log n": lambda v: v * v * math.log(v), "n^3": lambda v: v ** 3,
}
def near(got, want, rel, what):
    assert abs(got - want) <= rel * abs(want) + 1e-12, f"{what}: {got} is not {want}"

models = {m["name"]: m for m in found["models"]}
total_mean = sum(m / s / s for m, s in zip(mean, sigma)) / sum(1 / s / s for s in sigma)
total = pure_ss + sum(((m - total_mean) / s) ** 2 for m, s in zip(mean, sigma))
answers, aicc = {}, {}
power_c = models["n^c"]["coefficients"][2]
for name, f in list(curves.items()) + [("n^c", lambda v: v ** power_c)]:
    got = models[name]
    if got["excluded"]:
        continue
    one, fx = [1.0] * M, None
    if f:
        unit = f(x[-1])
        fx = [f(v) / unit for v in x]
        coef, inverse, rss = least_squares([one, fx], mean, sigma)
        free = 2
        if coef[0] < 0:
            (b,), _, rss = least_squares([fx], mean, sigma)
            coef, free = [0, b], 1
    else:
        unit, free = 1, 1
        coef, inverse, rss = least_squares([one], mean, sigma)
    k = {"1": 2, "n^c": 4}.get(name, 3)
    searched = name == "n^c" and got["exponent_error"] is not None # not at a bound
    df = M - free - searched
    lack = rss / df / (pure_ss / (N - M))
    p = f_upper(lack, df, N - M)
    near(got["coefficients"][0], coef[0], 1e-6, name + " a")
    if f:
        near(got["coefficients"][1], coef[1] / unit, 1e-6, name + " b")
    near(got["lack_of_fit_f"], lack, 1e-6, name + " F")
    near(got["lack_of_fit_p"], p, 1e-5, name + " p")
    assert (got["rejected_by"] == "lack-of-fit") == (p < 0.05), name
    near(got["r2"], 1 - (rss + pure_ss) / total, 1e-6, name + " R²")
    logs = sum(2 * q * math.log(s) for q, s in zip(n, sd))
    aicc[name] = N * (math.log(2 * math.pi) + 1 + math.log((rss + pure_ss) / N)) + logs + 2 * k + 2 * k * (k + 1) / (N - k - 1)
    near(got["aicc"], aicc[name], 1e-8, name + " AICc")
    fitted = [coef[0] + (coef[1] * v if f else 0) for v in (fx or one)]
    near(got["off"], max(abs(m - v) / v for m, v in zip(mean, fitted)), 1e-5, name + " off")
    used = M - df
    scale, sdf = ((rss + pure_ss) / (N - used), N - used) if p >= 0.05 else (rss / df, df)
    if searched: # the uncertainty of the exponent counts by the derivative
        slope = [coef[1] * u * math.log(v / x[-1]) for u, v in zip(fx, x)]
        _, inverse, _ = least_squares([one, fx, slope], mean, sigma)
        _, own, _ = least_squares([one, fx, slope] if free == 2 else [fx, slope], mean, sigma)
        near(got["exponent_error"], math.sqrt(scale * own[-1][-1]), 1e-3, "error of the exponent")
    answers[name] = (f, unit, coef, inverse, scale, sdf)
prior = {name: 0.05 if name == "n^c" else 1 for name in aicc}
least = min(v - 2 * math.log(prior[k]) for k, v in aicc.items())
weights = {k: prior[k] * math.exp((least - v) / 2) for k, v in aicc.items()}
for name in aicc:
    near(models[name]["weight"], weights[name] / sum(weights.values()), 1e-5, name + " weight")
best = max(weights, key=weights.get)
assert found["best"] == best, (found["best"], best)

# predictions: the mixture of the models' t distributions
def gradient(name, size):
    f, unit, coef, inverse, _, _ = answers[name]
    row = [1.0] + ([f(size) / unit] if f else [])
    return row + ([coef[1] * row[1] * math.log(size / x[-1])] if len(inverse) == 3 else [])

def value(name, size):
    return sum(c * g for c, g in zip(answers[name][2], gradient(name, size)))

def mixture(parts, p):
    """parts: name, value, gradient"""
    list_of = []
    for name, v, g in parts:
        _, _, _, inverse, scale, sdf = answers[name]
        variance = scale * sum(a * b * inverse[i][k] for i, a in enumerate(g) for k, b in enumerate(g))
        list_of.append((weights[name] / sum(weights.values()), v, math.sqrt(variance), sdf))
    lo, hi = min(v - 60 * e for _, v, e, _ in list_of), max(v + 60 * e for _, v, e, _ in list_of)
    for _ in range(200):
        middle = (lo + hi) / 2
        below = sum(w * (t_below((middle - v) / e, d) if e else middle >= v) for w, v, e, d in list_of)
        lo, hi = (middle, hi) if below < p else (lo, middle)
    return lo

tail = (1 - found["level"]) / 2
for pr in found["prediction"]:
    parts = [(name, value(name, pr["size"]), gradient(name, pr["size"])) for name in answers]
    near(pr["time_ns"], mixture(parts, 0.5), 1e-4, "prediction")
    near(pr["lo_ns"], max(mixture(parts, tail), 0), 1e-4, "lower bound")
    near(pr["hi_ns"], mixture(parts, 1 - tail), 1e-4, "upper bound")
parts = []
for name in answers:
    a, b = found["growth"]["from"], found["growth"]["to"]
    first, ratio = value(name, a), value(name, b) / value(name, a)
    parts.append((name, ratio, [(v - ratio * u) / first for u, v in zip(gradient(name, a), gradient(name, b))]))
near(found["growth"]["ratio"], mixture(parts, 0.5), 1e-4, "ratio")
near(found["growth"]["lo"], max(mixture(parts, tail), 0), 1e-4, "lower bound of the ratio")
near(found["growth"]["hi"], mixture(parts, 1 - tail), 1e-4, "upper bound of the ratio")
print(best)
