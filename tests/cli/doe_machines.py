#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Experiments of a plan on several machines, without the machines.

doe_machines.py records RECORD MACHINES [KEY=VALUE …]: writes machine-N.json, copies of a record of
    `doe run`, whose times are simulated: log time = effect of work + machine + noise.
    effect=0.05: of work; steps=0: added to the effect per machine; sd=0.08 between machines;
    noise=0.01; parts=N: N parts of a campaign, part i on machine i % MACHINES; kernels=a,b: by machine;
    lacks=N: machine N has no run of the last treatment; whole=1: every part is the whole design
doe_machines.py campaign STORE RECORD PARTS DONE: adds the campaign of these parts to a store
doe_machines.py r PRINTED FOUND: components that R printed are those of `doe analyse --json`
"""
import csv
import json
import math
import random
import sqlite3
import sys

CAMPAIGN = '20260102-030405-campaign'


def part_id(i):
    return f'20260102-0304{i:02}-part'


def records(path, machines, *options):
    o = {'effect': 0.05, 'steps': 0, 'sd': 0.08, 'noise': 0.01, 'parts': 0, 'kernels': '', 'lacks': -1, 'whole': 0}
    o.update((k, v if k == 'kernels' else float(v)) for k, v in (s.split('=') for s in options))
    machines, parts = int(machines), int(o['parts'])
    r = random.Random(17)
    levels = [o['sd'] * r.gauss(0, 1) for _ in range(machines)]
    for i in range(parts or machines):
        m = i % machines
        e = json.load(open(path))
        e['id'] = part_id(i)
        e['host']['name'] = f'host{m}'
        e['machine'] = f'{m + 1:032x}'
        e['started_wall_ns'] += i * 10 ** 9
        if o['kernels']:
            names = o['kernels'].split(',')
            e['host']['kernel'] = names[m % len(names)]
        if parts:
            if not o['whole']:
                e['plan']['first_round'] = 1 + i * len(e['commands'][0]['samples'])
            e['campaign'] = {'campaign': CAMPAIGN, 'part': i, 'attempt': 1, 'node': f'node{m}'}
        for c in e['commands']:
            effect = o['effect'] + o['steps'] * m if c['parameters']['work'] == '20' else 0
            for s in c['samples']:
                s['pt_ns'] = s['et_ns'] = round(
                    1e8 * math.exp(levels[m] + effect + o['noise'] * r.gauss(0, 1)))
                s['user_ns'], s['system_ns'] = s['pt_ns'], 0
        if m == o['lacks']:
            e['commands'][-1]['samples'] = []
        json.dump(e, open(f'machine-{i}.json', 'w'))


def campaign(store, path, parts, done):
    e = json.load(open(path))
    db = sqlite3.connect(store)
    db.execute('INSERT INTO campaign (id, label, kind, engine, created_ns, record)'
               " VALUES (?, ?, 'doe', 'slurm', ?, '{}')", (CAMPAIGN, e['label'], e['started_wall_ns']))
    key = db.execute('SELECT key FROM campaign WHERE id = ?', (CAMPAIGN,)).fetchone()[0]
    rounds = len(e['commands'][0]['samples'])
    for i in range(int(parts)):
        state = 'done' if i < int(done) else 'running'
        db.execute('INSERT INTO part (campaign, number, first_round, rounds, state, attempt, generation, failures,'
                   ' experiment, changed_ns) VALUES (?, ?, ?, ?, ?, 1, 1, 0, ?, 0)',
                   (key, i, 1 + i * rounds, rounds, state, part_id(i) if state == 'done' else ''))
    db.commit()


def r(printed, found):
    d = json.load(open(found))
    rows = [row for row in csv.reader(open(printed)) if row[0] == 'component' and row[1] != 'program']
    assert len(rows) == 3 * len(d['programs']), rows
    for row in rows:
        program = next(p for p in d['programs'] if p['name'] == row[1])
        c = program['variance_components'][row[2]]
        assert math.isclose(c['sd_percent'], float(row[3]), rel_tol=1e-6, abs_tol=1e-9), (row, c)
        assert math.isclose(c['percent_of_variance'], float(row[4]), rel_tol=1e-6, abs_tol=1e-9), (row, c)


{'records': records, 'campaign': campaign, 'r': r}[sys.argv[1]](*sys.argv[2:])
