#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# `etalon daemons analyse`: it reproduces the tables of the papers and rejects damaged records.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

golden=$root/tests/golden/emp-daemons.json

exits 'daemons analyse: the record of the papers is accepted' 0 etalon daemons analyse "$golden"
is 'daemons analyse: the first line is the answer' "$(head -n 1 <<<"$out")" \
	'10 of 16 daemons get a cutoff; 15 of 800 short and 2 of 40 long samples spoilt'
like 'daemons analyse: the text lists the cutoffs with their periods and removals' "$out" 'rhn_check +281 +12828 from 12 min on +4 h +9'
unlike 'daemons analyse: the text does not list single samples' "$out" '104 186'
is 'daemons analyse: no line of the text is wider than 80 columns' "$(awk 'length > 80' <<<"$out")" ''
exits 'daemons analyse: -v succeeds for a record of L-samples' 0 etalon daemons analyse -v "$golden"
like 'daemons analyse: -v lists the removed samples' "$out" \
	'removed +75 104 186 216 298 328 366 410 439 522 551 634 663 746 775'
exits 'daemons analyse: --json succeeds' 0 etalon daemons analyse --json "$golden"
printf '%s' "$out" >found.json
ok 'daemons analyse: every figure agrees with those in the papers' python3 - "$golden" found.json <<'PY'
import json, math, sys
golden = json.load(open(sys.argv[1]))
found = json.load(open(sys.argv[2]))
want = golden["expected"]
up = lambda x: None if x is None else math.floor(x + 0.5)
got = [{"daemon": d["daemon"], "short": up(d["short"]), "long": up(d["long"]),
        "task_time_s": d["task_time_s"], "final": [up(x) for x in d["final"]]}
       for d in found["daemons"]]
assert got == want["cutoffs_ms"], got
periods = {d["daemon"]: d["period_hours"] for d in found["daemons"] if d["period_hours"]}
assert periods == want["period_hours"], periods
assert found["removed_short"] == want["removed_short"]
assert found["removed_long"] == want["removed_long"]
assert sorted(found["long_running_in_short_run"]) == sorted(want["long_running_in_short_run"])
assert found["only_in_l_samples_of_short_run"] == want["only_in_l_samples_of_short_run"]
assert found["l_samples"] == [s["sample"] for s in golden["short_run"]["l_samples"]]
assert found["central"] == golden["short_run"]["central"]
PY
ok 'daemons analyse: a record is read from standard input' bash -c 'etalon daemons analyse - <"$1" >/dev/null' - "$golden"

# A record of all 401 samples of ten seconds: one daemon in every 123rd, another in a third of them.
cat >make.py <<'PY'
import json, random, sys
r = random.Random(1)
samples = []
for i in range(1, 402):
    t, pt = r.lognormvariate(1, 0.7), [["java", 3]]
    if r.random() < 0.3:
        t += 100
        pt.append(["busyd", 100])
    if i in (77, 200, 323):
        t += 700
        pt.append(["cronjob", 700])
    samples.append({"sample": i, "et_ms": 10050 + t, "pt_ms": 10000 + t, "pt": pt})
json.dump({"short_run": {"samples": 401, "sample_seconds": 10, "all": samples}}, sys.stdout)
PY
python3 make.py >all.json
exits 'daemons analyse: a record with all samples is accepted' 0 etalon daemons analyse -v all.json
like 'daemons analyse: the L-shaped samples outside the cluster are listed' "$out" 'L-samples +77 200 323'
like 'daemons analyse: frequent daemons are listed' "$out" 'frequent +busyd java'
like 'daemons analyse: a plot of the samples is drawn' "$out" '(⠁|⠂|⠄|⡀)'
like 'daemons analyse: a plot of the central cluster alone is drawn' "$out" '\(b\): central cluster, 197 pairs'
unlike 'daemons analyse: the plot has no colour if the output is no terminal' "$out" $'\033'
exits 'daemons analyse: --color always succeeds' 0 etalon daemons analyse -v --color always all.json
like 'daemons analyse: --color always colours the plot' "$out" $'\033''\[33ma'
like 'daemons analyse: the plot marks the daemon on the arms and the frequent ones' "$out" 'a cronjob, f frequent daemons'
exits 'daemons analyse: a terminal of 30 columns is wide enough' 0 env COLUMNS=30 etalon daemons analyse -v all.json
exits 'daemons analyse: -v succeeds' 0 etalon daemons analyse -v all.json
like 'daemons analyse: -v lists the figures of the central cluster' "$out" 'busyd +100 +0.0'

# bad WHAT REGEX PYTHON: a record with WHAT, made by the Python, must be rejected with this error
cases=()
bad()
{
	cases+=("$@")
}

bad 'no short run' 'short_run: is missing' 'del g["short_run"]'
bad 'no number of samples' 'short_run.samples: is missing' 'del s["samples"]'
bad 'no length of samples' 'sample_seconds: is missing' 'del s["sample_seconds"]'
bad 'no cluster' 'short_run.central: is missing' 'del s["central"]'
bad 'no L-samples' 'l_samples: is missing' 'del s["l_samples"]'
bad 'neither a cluster nor all samples' 'has neither all nor central and l_samples' 'del s["central"], s["l_samples"]'
bad 'a list in place of a run' 'long_run: is not an object' 'g["long_run"] = []'
bad 'L-samples out of order' 'sample 75 after 104: not in ascending order' \
	's["l_samples"][0], s["l_samples"][1] = s["l_samples"][1], s["l_samples"][0]'
bad 'an L-sample twice' 'sample 75 occurs twice' 's["l_samples"].insert(0, s["l_samples"][0])'
bad 'an L-sample beyond the run' 'sample 801, but the run has only 800' \
	's["l_samples"][-1]["sample"] = 801'
bad 'a negative CPU time' 'l_samples\[0\].pt\[1\]\[1\]: is negative' \
	's["l_samples"][0]["pt"][1][1] = -1'
bad 'a negative maximum' 'central\[0\].max_ms: is negative' 's["central"][0]["max_ms"] = -1'
bad 'a sample length of zero' 'sample_seconds: is not from' 's["sample_seconds"] = 0'
bad 'half a sample' 'samples: is not a whole number' 's["samples"] = 800.5'
bad 'a string for a CPU time' 'is not a number' 's["l_samples"][0]["pt"][1][1] = "1"'
bad 'a daemon without a CPU time' 'is not a pair' 's["l_samples"][0]["pt"][1] = ["java"]'
bad 'no daemons of an L-sample' 'l_samples\[3\].pt: is missing' 'del s["l_samples"][3]["pt"]'
bad 'a daemon twice in the cluster' 'central\[9\].daemon: occurs twice' \
	's["central"].append(s["central"][0])'
bad 'a quotation mark in a name' 'holds a quotation mark' 's["central"][0]["daemon"] = "a\"b"'
bad 'a control character in a name' 'holds a control character' \
	's["l_samples"][0]["pt"][0][0] = "a\x1b[31mb"'
bad 'an empty name' 'daemon: is empty' 's["central"][0]["daemon"] = ""'
bad 'a million daemons in the cluster' 'more than 10000 daemons' \
	's["central"] = [{"daemon": "d%d" % i, "max_ms": 1, "sd_ms": 0} for i in range(10**6)]'
bad 'a million daemons in a sample' 'more than 10000 daemons' \
	's["l_samples"][0]["pt"] = [["d%d" % i, 1] for i in range(10**6)]'
bad 'too few samples' '4 samples are too few to see an L-shape; at least 10' \
	's["samples"] = 4; s["l_samples"] = []'
bad 'too few samples in the long run' 'long_run: 9 samples are too few' \
	'g["long_run"].update(samples=9, l_samples=[])'
bad 'fewer samples than it claims' '800 samples, but "samples" is 801' \
	'g["short_run"] = {"samples": 801, "sample_seconds": 1, "all": [{"sample": i, "et_ms": 2,
	"pt_ms": 1, "pt": []} for i in range(1, 801)]}'
bad 'a sample without its CPU time' 'all\[0\].pt_ms: is missing' \
	'g["short_run"] = {"samples": 1, "sample_seconds": 1, "all": [{"sample": 1, "et_ms": 2,
	"pt": []}]}'

# The same in a record of all samples, which are the list a.
all='a = [{"sample": i, "et_ms": 2 + i % 3, "pt_ms": 1, "pt": [["java", 1]]} for i in range(1, 21)]
g["short_run"] = {"samples": 20, "sample_seconds": 1, "all": a}
'
bad 'all samples out of order' 'all\[4\].sample: sample 4 after 5: not in ascending order' \
	"$all"'a[3], a[4] = a[4], a[3]'
bad 'all samples and one of them twice' 'all\[4\].sample: sample 5 occurs twice' "$all"'a[3] = a[4]'
bad 'all samples and a negative elapsed time' 'all\[2\].et_ms: is negative' "$all"'a[2]["et_ms"] = -1'
bad 'all samples and a negative CPU time' 'all\[2\].pt_ms: is negative' "$all"'a[2]["pt_ms"] = -1'
bad 'all samples and a negative time of a daemon' 'all\[2\].pt\[0\]\[1\]: is negative' \
	"$all"'a[2]["pt"][0][1] = -1'
bad 'all samples and an absurd time' 'et_ms: is not from 0' "$all"'a[2]["et_ms"] = 1e300'
bad 'all samples and a line break in a name' 'holds a control character' "$all"'a[2]["pt"][0][0] = "a\nb"'
bad 'all samples but too few' '9 samples are too few to see an L-shape; at least 10 are needed' \
	"$all"'del a[9:]; g["short_run"]["samples"] = 9'

# One Python makes all of them: starting one for each would take longer than the tests.
cat >spoil.py <<'PY'
import json, sys
text = open(sys.argv[1]).read()
for i, code in enumerate(sys.argv[4::3]):
    g = json.loads(text)
    s = g["short_run"]
    exec(code)
    json.dump(g, open("bad%d.json" % i, "w"))
PY
python3 spoil.py "$golden" "${cases[@]}"
for ((i = 0; i < ${#cases[@]}; i += 3)); do
	refuses "daemons analyse: a record with ${cases[i]} is rejected" 2 "${cases[i + 1]}" etalon daemons analyse "bad$((i / 3)).json"
done
for text in '' '{' '[]' 'nonsense' '{"short_run": 1}' '{"short_run": {}, "short_run": {}}'; do
	printf '%s' "$text" >bad.json
	refuses "daemons analyse: '$text' is rejected" 2 'bad.json: ' etalon daemons analyse bad.json
done
refuses 'daemons analyse: a word that is neither a file nor an experiment is rejected' 2 \
	"'nosuch.json' is neither a file nor a stored experiment" etalon daemons analyse nosuch.json
refuses 'daemons analyse: ./ begins the name of a file' 2 'No such file' etalon daemons analyse ./nosuch.json
refuses 'daemons learn: too few long runs are rejected' 2 'too few' etalon daemons learn --long-runs 4 --report new.html
ok 'daemons learn: a rejected plan leaves no report' test ! -e new.html
refuses 'daemons analyse: no file is rejected' 2 'name a file, or one or two experiments' etalon daemons analyse
refuses 'daemons analyse: three operands are rejected' 2 "daemons analyse: unexpected 'c'" etalon daemons analyse a b c
refuses 'daemons: no action is rejected' 2 'no action given' etalon daemons
refuses 'daemons: an unknown action is rejected' 2 "unknown action 'nosuch'" etalon daemons nosuch

# The sentences of the answer. 300 samples of 1 s with a daemon that is planted; the truth is known.
cat >plant.py <<'PY'
import json, random, sys
def plant(name, every, ms, harm, ledger=False, drift=0):
    r = random.Random(4); rows = []; k = 0
    for i in range(1, 301):
        pt = [["rcu_preempt", r.uniform(.3, .9)]]; ours = [["rcu_preempt", .1]]
        et = 1000 + drift * i / 300 + r.gauss(0, 2)
        if every and i % every == 3:
            k += 1; hit = harm(k); pt.append(["backupd", ms + r.gauss(0, ms / 50)])
            et += ms if hit else 0; ours += [["backupd", pt[-1][1]]] if hit else []
        row = {"sample": i, "et_ms": et, "pt_ms": 1000 + r.gauss(0, 1), "pt": pt}
        if ledger: row["on_our_cpu"] = ours
        rows.append(row)
    json.dump({"short_run": {"samples": 300, "sample_seconds": 1, "all": rows}}, open(name, "w"))
plant("quiet.json", 0, 0, None)
plant("elsewhere.json", 30, 300, lambda k: k > 1)
plant("ledger.json", 30, 300, lambda k: k > 1, ledger=True)
plant("often.json", 7, 120, lambda k: True)
plant("drift.json", 50, 30, lambda k: True, drift=50)
PY
python3 plant.py
# answer FILE: the text in one line
answer() { etalon daemons analyse "$1" | tr '\n' ' ' | tr -s ' '; }
like 'daemons analyse: a tight cluster without L-samples has no daemon' "$(answer quiet.json)" '^no daemon spoilt a sample short run'
like 'daemons analyse: samples that no daemon explains are counted, and the process in them is named' "$(answer elsewhere.json)" \
	'^9 samples are longer and no daemon explains it; backupd ran in 9 of them and in 1 of the other 291 short run'
like 'daemons analyse: a visit on another CPU does not hide the others if there is a ledger' "$(answer ledger.json)" \
	"^1 of 2 daemons gets a cutoff; 9 of 300 samples spoilt .* backupd +14[0-9] .* for which it had the program's CPU"
is 'daemons analyse: JSON says that the ledger is judged by, and what is removed' \
	"$(etalon daemons analyse --json ledger.json | jq -c '[.by_ledger, .unexplained, (.removed_short | length)]')" '[true,0,9]'
is 'daemons analyse: JSON has the unexplained samples and what they have in common' \
	"$(etalon daemons analyse --json elsewhere.json | jq -c '[.by_ledger, .unexplained, .in_common]')" '[false,9,"backupd"]'
like 'daemons analyse: a daemon that comes too often is named with the cure' "$(answer often.json)" \
	'^backupd spoils 43 of 300 samples and comes too often to remove them: stop it, or measure with duets short run'
is 'daemons analyse: JSON has the samples that a frequent daemon spoils' \
	"$(etalon daemons analyse --json often.json | jq -c .spoilt_by_frequent)" '[{"daemon":"backupd","samples":43}]'
like 'daemons analyse: where the baseline drifts, the pairs find the daemon' "$(answer drift.json)" \
	'^1 of 2 daemons gets a cutoff; 6 of 300 samples spoilt .* the baseline drifts, so differences within pairs were judged as well'
etalon daemons analyse -q --report often.html often.json >/dev/null
ok 'daemons analyse: the page has the sentence' grep -q 'backupd spoils 43 of 300 samples' often.html
jq '.short_run.all[20].on_our_cpu = [["backupd", -1]]' ledger.json >negative.json
refuses 'daemons analyse: a negative time on our CPU is rejected' 2 'all\[20\].on_our_cpu\[0\]\[1\]: is negative' etalon daemons analyse negative.json
jq '.short_run.all[20].on_our_cpu = 3' ledger.json >number.json
refuses 'daemons analyse: a time on our CPU without a name is rejected' 2 'all\[20\].on_our_cpu: is not a list' etalon daemons analyse number.json

done_testing
