#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# `etalon daemons --tables`: Tables VII to XIX of EMP, against those that the papers print and, where the
# papers do not print the samples, against the definitions.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

golden=$root/tests/golden

# --- the tables that the papers print ---

exits 'daemons --tables: the record of the papers is accepted' 0 etalon daemons analyse --tables "$golden/emp-daemons.json"
text=$out
is 'daemons --tables: no line of the text is wider than 80 columns' "$(awk 'length > 80' <<<"$text")" ''
is 'daemons --tables: every table has a title with its number' \
	"$(grep -oE '^Table [IVX]+:' <<<"$text" | tr -d '\n')" \
	'Table VII:Table VIII:Table IX:Table X:Table XI:Table XII:Table XIII:Table XIV:Table XV:Table XVI:Table XVII:Table XVIII:Table XIX:'
like 'daemons --tables: the title of Table XVI names that of SEDONA' "$(tr '\n' ' ' <<<"$text")" 'Table XVI: [^:]*Table 1 of SEDONA'
like 'daemons --tables: the text has a period with its doubt' "$text" $'\n''  flush-9:0 +1 +126 +20 h \(\?\) +2'$'\n'
like 'daemons --tables: the text has a cutoff for shorter and one for longer programs' "$text" \
	$'\n''  md0_raid1 +34.5 +– +< 1 h +34.5'$'\n'' +– +51 +≥ 1 h +51'$'\n'
like 'daemons --tables: the text lists all daemons of an L-sample' "$text" $'\n''  366 +bash 2, cifs 1, grep 1, java 3, proc_monitor 203, sshd 15, sshd 3'$'\n'
like 'daemons --tables: the text says why a record of L-samples has no times' "$text" \
	'Table VII: [^:]*'$'\n''  none: the record does not list the times of all samples'

exits 'daemons --tables: --csv succeeds' 0 etalon daemons analyse --tables --csv "$golden/emp-daemons.json"
printf '%s\n' "$out" >tables.csv
exits 'daemons --tables: --json succeeds' 0 etalon daemons analyse --tables --json "$golden/emp-daemons.json"
printf '%s' "$out" >tables.json
cat >compare.py <<'PY'
import csv, json, math, sys
want = json.load(open(sys.argv[1]))
def up(x):  # halves upwards, as the papers round
    return None if x is None else math.floor(x + 0.5)
def tenth(x):
    return math.floor(10 * x + 0.5) / 10
def rows_of_csv(path):
    tables = {}
    for block in open(path).read().split("\n\n"):
        rows = list(csv.DictReader(block.splitlines()))
        for r in rows:
            number = r.pop("table")
            tables.setdefault(number, []).append({k: num(v) for k, v in r.items()})
    return tables
def num(x):
    try:
        return float(x)
    except ValueError:
        return x or None
def span(seconds):
    return "%d h" % (seconds // 3600) if seconds >= 3600 else "%d min" % (seconds // 60)
def shown(r):
    return {"all": "all", "shorter": "< ", "longer": "≥ "}[r["program"]] + (span(r["task_time_s"]) if r["task_time_s"] else "")
def check(t):
    for n in "VIII", "XII":
        assert [[r["daemon"], up(r["max_ms"]), tenth(r["sd_ms"])] for r in t[n]] == want[n], n
    for n in "IX", "XIII":
        assert [[r["sample"], r["daemon"], up(r["ms"])] for r in t[n]] == want[n], n
    for n in "X", "XIV":
        assert [[r["daemon"], r["sample"], up(r["ms"])] for r in t[n]] == want[n], n
    got = [[r["daemon"], up(r["central_max_ms"]), up(r["l_min_ms"]), r["period_hours"],
            r["period_hours"] is not None and r["sightings"] == 2] for r in t["XI"]]
    assert got == want["XI"], got
    assert [[r["daemon"], up(r["central_max_ms"]), up(r["l_min_ms"]), r["period_hours"]] for r in t["XV"]] == want["XV"]
    got = [[r["daemon"], up(r["short_ms"]), up(r["long_ms"]), shown(r), up(r["final_ms"])] for r in t["XVI"]]
    assert got == want["XVI"], got
    assert [[r["run"], r["sample"]] for r in t["XVII"]] == want["XVII"]
check({k: v["rows"] for k, v in json.load(open("tables.json"))["tables"].items()})
check(rows_of_csv("tables.csv"))
PY
ok 'daemons --tables: JSON and CSV agree with Tables VIII to XVII of the papers' python3 compare.py "$golden/emp-tables.json"
ok 'daemons --tables: JSON keeps the keys of the analysis' jq -e 'has("central") and has("daemons") and has("removed_short")' tables.json

# --- the tables over times, against their definitions ---

# 300 samples of 1 s and 40 of 8 s: cronjob in four short ones and two long ones, and one of 60 ms that no
# daemon explains.
cat >make.py <<'PY'
import json, random
r = random.Random(5)
def run(n, seconds, hits, ms):
    rows = []
    for i in range(1, n + 1):
        pt = seconds * 1000 + r.gauss(0, 2)
        et = pt + 3 + abs(r.gauss(0, 1))
        ran = [["rcu_preempt", round(1 + r.random(), 3)]]
        if i in hits:
            et += ms
            ran.append(["cronjob", ms])
        if i == 17:
            et += 60
        rows.append({"sample": i, "et_ms": round(et, 6), "pt_ms": round(pt, 6), "pt": ran})
    return {"samples": n, "sample_seconds": seconds, "all": rows}
json.dump({"short_run": run(300, 1, [40, 110, 180, 250], 400.5), "long_run": run(40, 8, [9, 29], 1200.25)}, open("all.json", "w"))
PY
python3 make.py
exits 'daemons --tables: a record of all samples has the tables of times' 0 etalon daemons analyse --tables=VII,XVIII,XIX --json all.json
printf '%s' "$out" >times.json
ok 'daemons --tables: Tables VII, XVIII and XIX agree with their definitions' python3 - <<'PY'
import json, statistics as st
record, found = json.load(open("all.json")), json.load(open("times.json"))
cutoff = {d["daemon"]: d["final"] for d in found["daemons"]}
task = {d["daemon"]: d["task_time_s"] for d in found["daemons"]}
def over(s, seconds):
    for name, ms in s["pt"]:
        if name in cutoff:
            c = cutoff[name]
            if ms > (c[1] if len(c) > 1 and seconds >= task[name] else c[0]):
                return True
    return False
def figures(x):
    return {"min_ms": min(x), "max_ms": max(x), "mean_ms": st.mean(x), "sd_ms": st.stdev(x)}
def same(row, x):
    for k, v in figures(x).items():
        assert abs(row[k] - v) <= 1e-6 * max(1, abs(v)), (k, row, v)
    if "relative_error" in row:
        assert abs(row["relative_error"] - st.stdev(x) / st.mean(x)) < 1e-9
before, after, lengths = (found["tables"][n]["rows"] for n in ("VII", "XVIII", "XIX"))
at = 0
for name, key in ("short run", "short_run"), ("long run", "long_run"):
    run = record[key]
    for metric in "et", "pt":
        x = [s[metric + "_ms"] for s in run["all"]]
        kept = [s[metric + "_ms"] for s in run["all"] if not over(s, run["sample_seconds"])]
        m, sd = st.mean(kept), st.stdev(kept)
        left = [v for v in kept if abs(v - m) <= 2 * sd]
        b, a = before[at], after[at]
        assert (b["run"], b["metric"], b["samples"]) == (name, metric, len(x)), b
        same(b, x)
        assert (a["run"], a["metric"], a["samples"]) == (name, metric, len(x)), a
        assert (a["by_daemons"], a["by_value"]) == (len(x) - len(kept), len(kept) - len(left)), (a, len(kept), len(left))
        assert a["outliers"] == a["by_daemons"] + a["by_value"]
        same(a, left)
        if metric == "pt":
            c = lengths[at // 2]
            assert (c["run"], c["outliers"], c["samples"]) == (name, a["outliers"], len(x)), c
            same(c, left)
        at += 1
assert at == len(before) == len(after) and len(lengths) == 2
assert after[0]["by_daemons"] == 4 and after[0]["by_value"] >= 1, after[0]
PY
exits 'daemons --tables: a list chooses tables in any case' 0 etalon daemons analyse --tables=xviii all.json
like 'daemons --tables: the text breaks outliers down by check' "$out" '  short run +elapsed +[0-9]+ \(=4\+[0-9]+\) / 300 '
is 'daemons --tables: only the chosen table is printed' "$(grep -c '^Table' <<<"$out")" 1
exits 'daemons --tables: one table as CSV has one heading' 0 etalon daemons analyse --tables=XVI --csv all.json
is 'daemons --tables: the heading of Table XVI as CSV' "$(head -n 1 <<<"$out")" 'table,daemon,short_ms,long_ms,program,task_time_s,final_ms'

refuses 'daemons --tables: a number that is not there is rejected' 2 "there is no table 'XX'" etalon daemons analyse --tables=XVI,XX all.json
refuses 'daemons --tables: an empty list is rejected' 2 'the list is empty' etalon daemons analyse --tables= all.json
refuses 'daemons --csv: it needs --tables' 2 '--csv needs --tables' etalon daemons analyse --csv all.json
refuses 'daemons --csv: it excludes --json' 2 '--csv and --json exclude each other' etalon daemons analyse --tables --csv --json all.json
refuses 'daemons learn: --tables is rejected' 2 'daemons learn takes no --tables' etalon daemons learn --tables
refuses 'daemons show: experiments without --tables are rejected' 2 "unexpected 'a0'" etalon daemons show a0

# --- show --tables: from the stored experiments of a learning ---

python3 - <<'PY'
import json
for key, name in ("short_run", "a0"), ("long_run", "b0"):
    run = json.load(open("all.json"))[key]
    samples = [{"index": s["sample"], "order": s["sample"], "round": s["sample"], "arrangement": "solo", "warmup": False,
                "exit_code": 0, "started_wall_ns": (1767225600 + (s["sample"] - 1) * run["sample_seconds"]) * 10**9,
                "et_ns": round(s["et_ms"] * 1e6), "pt_ns": round(s["pt_ms"] * 1e6),
                "interference": [{"name": n, "pid": 9, "kernel_thread": False, "pt_ns": round(ms * 1e6)} for n, ms in s["pt"]]}
               for s in run["all"]]
    json.dump({"etalon": 1, "id": "20260101-000000-" + name, "label": name, "started": "2026-01-01T00:00:00Z",
               "image_source": "taskstats+proc",
               "commands": [{"name": name, "command": "true", "argv": ["true"], "samples": samples}]}, open(name + ".json", "w"))
PY
etalon import a0.json >import.out
etalon import b0.json >>import.out
exits 'daemons show --tables: cutoffs of a record can be stored' 0 etalon daemons analyse --keep all.json
refuses 'daemons show --tables: cutoffs from a file have no runs' 2 'the cutoffs come from a file' etalon daemons show --tables
like 'daemons show --tables: the hint for cutoffs from a file names the command' "$err" 'hint: run .etalon daemons analyse --tables FILE'
exits 'daemons show --tables: cutoffs of experiments can be stored' 0 etalon daemons analyse --keep a0 b0
exits 'daemons show: the text has the runs and what became of their samples' 0 etalon daemons show
like 'daemons show: the text counts removed samples' "$(tr '\n' ' ' <<<"$out" | tr -s ' ')" '300 samples, one every 1 s, 5 min in all: [0-9]+ outside of the central cluster, 4 removed'
exits 'daemons show --tables: the tables are made again from the experiments' 0 etalon daemons show --tables --json
ok 'daemons show --tables: they agree with those of the record' python3 - "$out" <<'PY'
import json, sys
shown, made = json.loads(sys.argv[1])["tables"], json.load(open("times.json"))["tables"]
for n in "VII", "XVIII", "XIX":
    assert len(shown[n]["rows"]) == len(made[n]["rows"])
    for a, b in zip(shown[n]["rows"], made[n]["rows"]):
        for k in b:
            assert a[k] == b[k] or abs(a[k] - b[k]) < 1e-5, (n, k, a, b)
PY
exits 'daemons show --tables: further experiments are accepted' 0 etalon daemons show --tables=XIX --csv a0 b0
is 'daemons show --tables: Table XIX has a row for each further experiment' "$(cut -d, -f2 <<<"$out" | tr '\n' ' ')" 'run short run long run a0 b0 '
is 'daemons show --tables: an experiment is judged as the run that it was' "$(sed -n '2s/short run//p' <<<"$out")" "$(sed -n '4s/a0//p' <<<"$out")"
refuses 'daemons show --tables: an experiment that is not there is rejected' 2 "id or label 'c0'" etalon daemons show --tables c0

# As if another version of etalon had found another cutoff.
python3 - <<'PY'
import json, sqlite3
db = sqlite3.connect("store.db")
key, value = db.execute("SELECT key, value FROM fact WHERE key LIKE 'daemon-cutoffs%'").fetchone()
d = json.loads(value)
d["daemons"][0]["final_ms"][0] += 1
db.execute("UPDATE fact SET value = ? WHERE key = ?", (json.dumps(d), key))
db.commit()
PY
exits 'daemons show --tables: stored cutoffs that differ are no error' 0 etalon daemons show --tables=XVI
like 'daemons show --tables: stored cutoffs that differ are named with the cure' "$err" \
	'the stored cutoffs differ .*hint: run .etalon daemons analyse --keep 20260101-000000-a0 20260101-000000-b0. to store these'

ok 'rm: the experiment of the long run is removed' etalon rm b0
refuses 'daemons show --tables: runs that were removed are named' 4 'not stored any more \(20260101-000000-a0, 20260101-000000-b0\)' etalon daemons show --tables
like 'daemons show --tables: the hint for removed runs says what remains and what to do' "$err" 'still valid; run .etalon daemons learn. for new tables'
exits 'daemons show: the cutoffs are shown without their runs' 0 etalon daemons show
like 'daemons show: without its runs, the text has their number and length' "$out" 'short run +300 samples, one every 1 s, 5 min in all'$'\n'

done_testing
