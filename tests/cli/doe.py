#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Compares `etalon doe analyse --json` with R: cases of the oracle, or what a script of
`doe export --r` prints.

doe.py cases ORACLE: writes case-NAME.csv for every factorial of the oracle, and prints the names.
doe.py oracle ORACLE NAME FOUND: effects, F and p of FOUND are those of R within 1e-6.
doe.py r PRINTED FOUND: the same of what the script printed, and the pairs.
doe.py same A B: two analyses have the same figures.
"""
import csv
import itertools
import json
import math
import sys


def near(got, want, what):
    if (got is None) != (want is None) or \
            (want is not None and not math.isclose(got, want, rel_tol=1e-6, abs_tol=1e-12)):
        sys.exit(f'{what}: {got}, not {want}')


def cases(path):
    for line in open(path):
        d = json.loads(line)
        if d['kind'] == 'factorial':
            yield d


def write(case):
    k, n = case['input']['k'], case['input']['replicates']
    levels = '12' if case['family'] == 'two_level' else '123'
    names = 'ABCDEF'[:k]
    with open(f"case-{case['id']}.csv", 'w') as out:
        out.write(','.join(names) + ',y\n')
        y = iter(case['input']['y'])
        # The first factor is fastest, replicates are consecutive.
        for t in itertools.product(levels, repeat=k):
            for _ in range(n):
                out.write(','.join(reversed(t)) + f',{next(y):.9f}\n')


def oracle(path, name, found):
    case = next(c for c in cases(path) if c['id'] == name)
    effects = {e['term'].replace(':', ''): e for e in json.load(open(found))['effects']}
    want = case['expect']
    if 'labels' in want:
        for i, label in enumerate(want['labels'][1:]):
            e = effects[label]
            near(e['effect_ns'] / 1e9, want['effects'][i + 1], f'effect of {label}')
            near(e['sum_of_squares'] / 1e18, want['ss'][i], f'sum of squares of {label}')
            near(e['f'], want['F'][i], f'F of {label}')
            near(e['p'], want['p'][i], f'p of {label}')
            half = (e['interval_ns'][1] - e['interval_ns'][0]) / 2e9
            assert half > want['se_effect'], label
        return
    for i, term in enumerate(want['terms']):
        e = effects.get(term.strip().replace(':', ''))
        if e:
            near(e['df'], want['df'][i], f'df of {term}')
            near(e['f'], want['F'][i], f'F of {term}')
            near(e['p'], want['p'][i], f'p of {term}')
    assert len(effects) == len([t for t in want['terms'] if 'esid' not in t])


def number(text):
    return None if text == 'NA' else float(text)


def r(printed, found):
    d = json.load(open(found))
    rows = list(csv.reader(open(printed)))
    effects = [row for row in rows if row[0] == 'effect' and row[1] != 'program']
    pairs = [row for row in rows if row[0] == 'pair' and row[1] != 'program']
    assert len(effects) == len(d['effects']), 'number of effects'
    for row in effects:
        e = next(e for e in d['effects'] if (e['program'], e['term']) == (row[1], row[2]))
        what = ' '.join(row[1:3])
        if row[3] != 'NA':
            near(e.get('effect_ns'), number(row[3]), f'effect of {what}')
        near(e['df'], number(row[4]), f'df of {what}')
        near(e['sum_of_squares'], number(row[5]), f'sum of squares of {what}')
        near(e['f'], number(row[6]), f'F of {what}')
        near(e['p'], number(row[7]), f'p of {what}')
    assert len(pairs) == len(d['pairs']), 'number of pairs'
    for row in pairs:
        a, b = (name.replace(' ', ',') for name in row[2:4])
        p = next(p for p in d['pairs'] if (p['program'], p['a'], p['b']) == (row[1], a, b))
        assert p['test'] == row[4], f'{a} {b}: {p["test"]}, not {row[4]}'
        near(p['p'], number(row[5]), f'p of {a} and {b}')


def same(a, b):
    x, y = json.load(open(a)), json.load(open(b))
    for d in (x, y):
        for key in ('name', 'experiments', 'replications', 'discard', 'factors'):
            d['design'].pop(key)
    assert x == y, [k for k in x if x[k] != y[k]]


if sys.argv[1] == 'cases':
    for c in cases(sys.argv[2]):
        write(c)
        print(c['id'])
else:
    {'oracle': oracle, 'r': r, 'same': same}[sys.argv[1]](*sys.argv[2:])
