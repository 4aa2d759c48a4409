# SPDX-License-Identifier: GPL-3.0-or-later
# Compares the newest experiment of a store with the completions that tests/torture/stamp.c logged.
# Usage: account.py STORE lost LOG NAMED | account.py STORE turns ROUNDS | account.py STORE profiles 0
#   lost   prints the runs that the log has and the store has not, beyond NAMED that were lost before,
#          and how old the group was, in milliseconds, when the last of them began: from the end of the
#          first to the end of the last but one
#   turns  prints what is wrong with the turns of every experiment: missing ones, doubled ones, half
#          pairs, a damaged store, a state that is not done; nothing if all is well
#   profiles  prints samples without a profile, and counts of functions that are not stored
import os
import sqlite3
import sys

store, what, argument = sys.argv[1:4]


def lost(log, named):
    lines = [line.split() for line in open(log)] if os.path.exists(log) else []
    stored = 0
    if os.path.exists(store):
        with sqlite3.connect("file:%s?mode=ro" % store, uri=True) as c:
            if c.execute("select count(*) from sqlite_schema where name = 'sample'").fetchone()[0]:
                stored = c.execute(
                    "select count(*) from sample where experiment ="
                    " (select max(key) from experiment)").fetchone()[0]
    n = len(lines) - stored - named
    gone = lines[len(lines) - n:] if n > 0 else []
    span = (int(gone[-2][2]) - int(gone[0][2])) / 1e6 if n > 1 else 0
    print(n, max(0, round(span)))


def turns(rounds):
    c = sqlite3.connect(store)
    answer = c.execute("pragma integrity_check").fetchone()[0]
    if answer != "ok":
        print("integrity:", answer)
    for key, name, state in c.execute("select key, id, state from experiment").fetchall():
        seen = {}
        rows = c.execute(
            'select round, position, "order", arrangement from sample'
            " where experiment = ? and not warmup", (key,)).fetchall()
        for round_, position, order, arrangement in rows:
            seen.setdefault((round_, position), []).append((order, arrangement))
        positions = {position for _, position in seen}
        for turn, runs in sorted(seen.items()):
            if len({order for order, _ in runs}) > 1:
                print(name, "turn", turn, "was run twice")
            if len(runs) != (2 if runs[0][1] == "duet" else 1):
                print(name, "turn", turn, "has", len(runs), "samples")
        for round_ in range(1, rounds + 1):
            for position in positions:
                if (round_, position) not in seen:
                    print(name, "turn", (round_, position), "is missing")
        if state != "done":
            print(name, "is", state)


def numbers(blob):
    value = shift = 0
    for byte in blob:
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            yield value
            value = shift = 0


def profiles():
    c = sqlite3.connect(store)
    for key, name in c.execute("select key, id from experiment").fetchall():
        nodes = c.execute("select count(*) from profile_node where experiment = ?", (key,)).fetchone()[0]
        runs = c.execute(
            "select r.samples, r.counts from sample s left join profile_run r on r.experiment = s.experiment"
            ' and r."order" = s."order" and r.command = s.command where s.experiment = ?', (key,)).fetchall()
        for samples, counts in runs:
            if counts is None:
                print(name, "has a sample without a profile")
                continue
            all_ = list(numbers(counts))
            if sum(all_[1::3]) != samples or sum(all_[0::3]) > nodes:
                print(name, "has counts of contexts that are not stored")


if what == "lost":
    lost(argument, int(sys.argv[4]))
elif what == "profiles":
    profiles()
else:
    turns(int(argument))
