#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# daemons analyse: the papers' tables come out exactly; what is not a record is refused.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

golden=$root/tests/golden/emp-daemons.json

exits 'the papers record is analysed' 0 etalon daemons analyse "$golden"
like 'with the samples that are removed' "$out" \
	'removed +75 104 186 216 298 328 366 410 439 522 551 634 663 746 775'
like 'and the cutoffs' "$out" 'rhn_check +281 +12828 +4 h +281 +12828 from 12 min on'
exits 'as JSON' 0 etalon daemons analyse --json "$golden"
printf '%s' "$out" >found.json
ok 'every figure agrees with what the papers print' python3 - "$golden" found.json <<'PY'
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
ok 'from the standard input, too' bash -c 'etalon daemons analyse - <"$1" >/dev/null' - "$golden"

# Every sample is there: 401 of ten seconds, one daemon every 123, another in a third of them all.
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
exits 'the cluster is found among all samples' 0 etalon daemons analyse all.json
like 'with its arms' "$out" 'L-samples +77 200 323'
like 'a frequent daemon is told' "$out" 'frequent +busyd java'
like 'the plot is drawn' "$out" '(⠁|⠂|⠄|⡀)'
like 'and the cluster alone' "$out" 'the central cluster alone'
unlike 'without colour where there is none' "$out" $'\033'
exits 'in colour' 0 etalon daemons analyse --color always all.json
like 'when asked for' "$out" $'\033''\[33m(⠁|⠂|⠄|⡀)'
exits 'in a narrow terminal' 0 env COLUMNS=30 etalon daemons analyse all.json
exits 'with the central figures' 0 etalon daemons analyse -v all.json
like 'which are there' "$out" 'busyd +100 +0.0'

# bad NAME REGEX PYTHON: the record changed by a piece of Python is to be refused
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
bad 'neither' 'has neither all nor central and l_samples' 'del s["central"], s["l_samples"]'
bad 'a list in place of a run' 'long_run: is not an object' 'g["long_run"] = []'
bad 'samples not in order' 'sample 75 after 104: not in ascending order' \
	's["l_samples"][0], s["l_samples"][1] = s["l_samples"][1], s["l_samples"][0]'
bad 'a sample twice' 'sample 75 occurs twice' 's["l_samples"].insert(0, s["l_samples"][0])'
bad 'a sample beyond the run' 'sample 801, but the run has only 800' \
	's["l_samples"][-1]["sample"] = 801'
bad 'a time below zero' 'l_samples\[0\].pt\[1\]\[1\]: is negative' \
	's["l_samples"][0]["pt"][1][1] = -1'
bad 'a maximum below zero' 'central\[0\].max_ms: is negative' 's["central"][0]["max_ms"] = -1'
bad 'a length of zero' 'sample_seconds: is not from' 's["sample_seconds"] = 0'
bad 'half a sample' 'samples: is not a whole number' 's["samples"] = 800.5'
bad 'a text for a time' 'is not a number' 's["l_samples"][0]["pt"][1][1] = "1"'
bad 'a time that is not there' 'is not a pair' 's["l_samples"][0]["pt"][1] = ["java"]'
bad 'no executions' 'l_samples\[3\].pt: is missing' 'del s["l_samples"][3]["pt"]'
bad 'a daemon twice in the cluster' 'central\[9\].daemon: occurs twice' \
	's["central"].append(s["central"][0])'
bad 'a name with a quote' 'holds a quotation mark' 's["central"][0]["daemon"] = "a\"b"'
bad 'a name with a control character' 'holds a control character' \
	's["l_samples"][0]["pt"][0][0] = "a\x1b[31mb"'
bad 'an empty name' 'daemon: is empty' 's["central"][0]["daemon"] = ""'
bad 'a million daemons in the cluster' 'more than 10000 daemons' \
	's["central"] = [{"daemon": "d%d" % i, "max_ms": 1, "sd_ms": 0} for i in range(10**6)]'
bad 'a million daemons in a sample' 'more than 10000 daemons' \
	's["l_samples"][0]["pt"] = [["d%d" % i, 1] for i in range(10**6)]'
bad 'too few samples' '4 samples are too few to see an L-shape; at least 10' \
	's["samples"] = 4; s["l_samples"] = []'
bad 'too few in the long run' 'long_run: 9 samples are too few' \
	'g["long_run"].update(samples=9, l_samples=[])'
bad 'samples that are not all there' '800 samples, but "samples" is 801' \
	'g["short_run"] = {"samples": 801, "sample_seconds": 1, "all": [{"sample": i, "et_ms": 2,
	"pt_ms": 1, "pt": []} for i in range(1, 801)]}'
bad 'a sample without its time' 'all\[0\].pt_ms: is missing' \
	'g["short_run"] = {"samples": 1, "sample_seconds": 1, "all": [{"sample": 1, "et_ms": 2,
	"pt": []}]}'

# The same in a run whose samples are all there; a is that list.
all='a = [{"sample": i, "et_ms": 2 + i % 3, "pt_ms": 1, "pt": [["java", 1]]} for i in range(1, 21)]
g["short_run"] = {"samples": 20, "sample_seconds": 1, "all": a}
'
bad 'all samples, not in order' 'all\[4\].sample: sample 4 after 5: not in ascending order' \
	"$all"'a[3], a[4] = a[4], a[3]'
bad 'all samples, one twice' 'all\[4\].sample: sample 5 occurs twice' "$all"'a[3] = a[4]'
bad 'all samples, an elapsed time below zero' 'all\[2\].et_ms: is negative' "$all"'a[2]["et_ms"] = -1'
bad 'all samples, a CPU time below zero' 'all\[2\].pt_ms: is negative' "$all"'a[2]["pt_ms"] = -1'
bad 'all samples, a daemon below zero' 'all\[2\].pt\[0\]\[1\]: is negative' \
	"$all"'a[2]["pt"][0][1] = -1'
bad 'all samples, an absurd time' 'et_ms: is not from 0' "$all"'a[2]["et_ms"] = 1e300'
bad 'all samples, a line within a name' 'holds a control character' "$all"'a[2]["pt"][0][0] = "a\nb"'
bad 'all samples, too few' '9 samples are too few to see an L-shape; at least 10 are needed' \
	"$all"'del a[9:]; g["short_run"]["samples"] = 9'

# All of them made at once: a Python for each would take longer than the tests.
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
	refuses "${cases[i]}" 2 "${cases[i + 1]}" etalon daemons analyse "bad$((i / 3)).json"
done
for text in '' '{' '[]' 'nonsense' '{"short_run": 1}' '{"short_run": {}, "short_run": {}}'; do
	printf '%s' "$text" >bad.json
	refuses "'$text'" 2 'bad.json: ' etalon daemons analyse bad.json
done
refuses 'no such file' 2 'No such file' etalon daemons analyse nosuch.json
refuses 'too few' 2 'too few' etalon daemons learn --long-runs 4 --report new.html
ok 'which leaves no page' test ! -e new.html
refuses 'no file' 2 'name one file' etalon daemons analyse
refuses 'nothing to do' 2 'say what to do' etalon daemons
refuses 'an unknown thing to do' 2 "what is 'forget'" etalon daemons forget

done_testing
