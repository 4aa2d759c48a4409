#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# `etalon daemons analyse` of experiments: stored ones, exported ones, and some that cannot be analysed.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

# Three experiments as native records. Samples are 1 s long, or 8 s; cronjob uses 0.4 s of every 60th short
# sample and of two long ones.
cat >make.py <<'PY'
import json, random

def sample(r, i, command, seconds, hit, each):
    noise = int(abs(r.gauss(0, 1e6)))
    extra = 400_000_000 if hit else 0
    return {"index": i, "order": (i - 1) * each + command + 1, "round": i, "arrangement": "solo", "warmup": False,
            "exit_code": 0, "started_wall_ns": (1767225600 + (i - 1) * seconds) * 10**9,
            "et_ns": int(seconds * 1e9) + noise + extra, "pt_ns": int(seconds * 1e9) + noise,
            "interference": [{"name": "rcu_preempt", "pid": 7, "kernel_thread": True, "pt_ns": 1_000_000}] +
            ([{"name": "cronjob", "pid": 99, "kernel_thread": False, "pt_ns": extra}] if hit else [])}

def record(name, commands, n, seconds, hits):
    r = random.Random(3)
    return {"etalon": 1, "id": "20260101-000000-" + name, "label": name, "started": "2026-01-01T00:00:00Z",
            "image_source": "taskstats+proc", "commands": [{"name": "c%d" % (k + 1), "command": "true", "argv": ["true"],
            "samples": [sample(r, i, k, seconds, i in hits and k == 0, commands) for i in range(1, n + 1)]}
            for k in range(commands)]}

for name, commands, n, seconds, hits in [("a0", 1, 200, 1, range(30, 200, 60)), ("b0", 1, 40, 8, [5, 25]),
                                         ("two", 2, 40, 1, [7])]:
    json.dump(record(name, commands, n, seconds, list(hits)), open(name + ".json", "w"))
PY
python3 make.py
for name in a0 b0 two; do
	ok "import: the made record $name is accepted" etalon import "$name.json"
done

exits 'daemons analyse: a stored experiment is accepted by its label' 0 etalon daemons analyse a0 --json
short=$out
is 'daemons analyse: the L-samples of a stored experiment are those that were made' "$(jq -c .l_samples <<<"$short")" '[30,90,150]'
is 'daemons analyse: the daemon of a stored experiment has the midpoint as its cutoff' \
	"$(jq -c '[.daemons[] | [.daemon, .final]]' <<<"$short")" '[["cronjob",[200]]]'
mv a0.json kept.json
exits 'daemons analyse: a stored experiment is accepted by its id' 0 etalon daemons analyse 20260101-000000-a0 --json
is 'daemons analyse: id and label give the same' "$out" "$short"
exits 'daemons analyse: an exported experiment is accepted' 0 etalon daemons analyse kept.json --json
is 'daemons analyse: the exported experiment gives the same as the stored one' "$out" "$short"
ok 'daemons analyse: an exported experiment is read from standard input' bash -c \
	'[ "$(etalon daemons analyse - --json <kept.json)" = "$1" ]' - "$short"

exits 'daemons analyse: a short and a long experiment are accepted' 0 etalon daemons analyse a0 b0 --json
ok 'daemons analyse: two experiments are the short and the long run' jq -e \
	'.l_samples == [30, 90, 150] and .long_l_samples == [5, 25]' <<<"$out"
exits 'daemons analyse: an exported short run and a stored long one are accepted' 0 etalon daemons analyse ./kept.json b0
refuses 'daemons analyse: a long run before a short one is rejected' 2 \
	"the samples of 'a0' are not longer than those of 'b0'" etalon daemons analyse b0 a0
refuses 'daemons analyse: the same experiment twice is rejected' 2 'are the same experiment' etalon daemons analyse a0 20260101-000000-a0
refuses 'daemons analyse: a record of daemons beside an experiment is rejected' 2 'is a record of daemons' \
	etalon daemons analyse "$root/tests/golden/emp-daemons.json" b0

# A file wins over an experiment of the same name.
cp "$root/tests/golden/emp-daemons.json" b0
exits 'daemons analyse: an existing file wins over an experiment of that name' 0 etalon daemons analyse b0
like 'daemons analyse: the file and not the experiment is analysed' "$out" '15 of 800 short'
rm b0

refuses 'daemons analyse: an experiment of two commands needs a choice' 2 "'two' has 2 commands" etalon daemons analyse two
like 'daemons analyse: the hint for two commands names the option' "$err" 'hint: choose one of them: --command N'
exits 'daemons analyse: --command takes a number' 0 etalon daemons analyse two --command 2
exits 'daemons analyse: --command takes a name' 0 etalon daemons analyse two --command c1
refuses 'daemons analyse: --command rejects a name that is not there' 2 "'two' has no command 'c3'" etalon daemons analyse two --command c3
refuses 'daemons analyse: --command rejects a number that is not there' 2 "'two' has no command '3'" etalon daemons analyse two --command 3
refuses 'daemons analyse: --command is not for records of daemons' 2 'is a record of daemons' \
	etalon daemons analyse --command 1 "$root/tests/golden/emp-daemons.json"
refuses 'daemons learn: --command is rejected' 2 'daemons learn takes no --command' etalon daemons learn --command 1

# Experiments in which no daemon can be found.
seq 100 130 | etalon import --label numbers - >import.out
refuses 'daemons analyse: an experiment without other processes is rejected' 2 "'numbers' does not record which other processes ran" \
	etalon daemons analyse numbers
like 'daemons analyse: the hint names experiments that can be analysed' "$err" 'hint: analyse an experiment that etalon itself has measured'
python3 - <<'PY'
import json
g = json.load(open("kept.json"))
g["id"], g["label"] = "20260101-000000-one", "one"
del g["commands"][0]["samples"][1:]
json.dump(g, open("one.json", "w"))
PY
refuses 'daemons analyse: an experiment of one sample is rejected' 2 '1 sample is too few to see an L-shape' etalon daemons analyse one.json
refuses 'daemons analyse: a long run of one sample is rejected' 2 'long_run: 1 sample is too few' etalon daemons analyse a0 one.json

# The cutoffs remember which experiments they were learned from.
exits 'daemons analyse: --keep stores the cutoffs of experiments' 0 etalon daemons analyse --keep a0 b0
ok 'daemons analyse: --keep remembers the experiments' python3 - <<'PY'
import json, sqlite3
value, = sqlite3.connect("store.db").execute("SELECT value FROM fact WHERE key LIKE 'daemon-cutoffs%'").fetchone()
d = json.loads(value)
assert (d["short_id"], d["long_id"]) == ("20260101-000000-a0", "20260101-000000-b0"), d
PY

done_testing
