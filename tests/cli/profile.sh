#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# `etalon profile`: figures of profiles that are read, output files, and errors on bad input.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

# Twelve runs of a program: two functions with a stable share, and a third that some runs see.
python3 - <<'PY'
import random
r = random.Random(3)
for i in range(12):
    with open(f"a{i:02}.folded", "w") as f:
        f.write(f"main;fn2 {800 + r.randrange(30)}\nmain;fn1 {200 + r.randrange(12)}\n")
        if i % 4 == 0:
            f.write(f"main;io;read {1 + r.randrange(3)}\n")
    with open(f"b{i:02}.folded", "w") as f:
        f.write(f"main;fn2 {800 + r.randrange(30)}\nmain;fn1 {300 + r.randrange(12)}\n")
PY

if etalon --version | grep -q 'no libdw'; then
	for option in --inlines '-g dwarf'; do
		# shellcheck disable=SC2086 # two words
		refuses "profile: $option is refused without libdw" 3 "$option needs libdw" etalon profile $option -- true
		like "profile: the hint for $option is to build with it" "$err" 'hint: .*libdw-dev'
	done
else
	skip 'profile: options that need libdw are refused without it' 'it is built with libdw'
fi

exits 'profile: files of folded stacks are read' 0 etalon profile --from a*.folded
like 'profile: the answer is the first line' "$(head -1 .out)" '^fn2 has (79|80)\.[0-9]+ % of the samples \([0-9.]+ … [0-9.]+, 95 %\), then fn1 [0-9.]+ %$'
like 'profile: it shows in how many runs a function was seen' "$out" 'read .*3 of 12'
like 'profile: it says that the intervals hold together' "$(tr '\n' ' ' <.out)" '± of self % holds for all 3 functions together at 95 % \(k = [0-9.]+, 3 statements\)'
COLUMNS=80 run etalon profile -v --from a*.folded
fits 'profile: the verbose text fits 80 columns'
COLUMNS=44 run etalon profile --from a*.folded
is 'profile: the table fits a narrow terminal' "$(grep -E '^.{45,}' .out)" ''

exits 'profile: --json writes the result' 0 etalon profile --json found.json --from a*.folded
ok 'profile: means, spreads and shares are those of the files' python3 - <<'PY'
import glob, json, math, statistics
runs = []
for name in sorted(glob.glob("a*.folded")):
    runs.append({l.split()[0].split(";")[-1]: int(l.split()[1]) for l in open(name)})
f = json.load(open("found.json"))
assert f["runs"] == 12 and f["way"] == "imported"
totals = [sum(r.values()) for r in runs]
assert abs(f["samples_total"]["mean"] - statistics.mean(totals)) < 1e-9
for fn in f["functions"]:
    x = [r.get(fn["name"], 0) for r in runs]
    mean, sd = statistics.mean(x), statistics.stdev(x)
    assert abs(fn["mean_samples"] - mean) < 1e-9 and abs(fn["sd"] - sd) < 1e-9, fn["name"]
    assert fn["seen_in_runs"] == sum(v > 0 for v in x), fn["name"]
    share = statistics.mean(v / t for v, t in zip(x, totals))
    assert abs(fn["share"] - share) < 1e-12, fn["name"]
    assert abs(fn["predicted_sd"]["gprof"] - math.sqrt(mean)) < 1e-9
    pooled, n = sum(x) / sum(totals), statistics.mean(totals)
    assert abs(fn["predicted_sd"]["multinomial"] - math.sqrt(n * pooled * (1 - pooled))) < 1e-9
    if fn["name"] == "main":
        assert fn["mean_samples"] == 0 and abs(fn["total_share"] - 1) < 1e-12
# main and io have no samples of their own
assert f["statements"] == 3 and abs(f["row_level"] - 0.95 ** (1 / 3)) < 1e-12
PY
# 12 runs: k of Student's t at 0.95^(1/15876), 11 degrees of freedom, by scipy
exits 'profile: --statements sets the level of each row' 0 etalon profile --statements 15876 --json found.json --from a*.folded
ok 'profile: the level of 126² statements is the published one' python3 - <<'PY'
import json
f = json.load(open("found.json"))
assert f["statements"] == 15876 and abs(f["row_level"] - 0.999996769) < 5e-10, f["row_level"]
PY
exits 'profile: --each judges each row by itself' 0 etalon profile --each --from a*.folded
like 'profile: --each says so' "$(tr '\n' ' ' <.out)" 'for each row by itself at 95 % \(k = 2\.20\)'
exits 'profile: --top hides rows' 0 etalon profile --top 1 --from a*.folded
like 'profile: --top says how many rows are hidden' "$(tr '\n' ' ' <.out)" '… 4 more functions, each at most 20 % and together 20 %; --top 0 shows all'
exits 'profile: --by module' 0 etalon profile --by module --from a*.folded
exits 'profile: --total sorts by total time' 0 etalon profile --total --from a*.folded
like 'profile: --total judges all functions on stacks' "$(tr '\n' ' ' <.out)" '± of total % holds for all 5 functions together at 95 %'
like 'profile: --total puts the outermost function first' "$(head -1 .out)" '^main has 100'
exits 'profile: known calls feed the quantisation model' 0 etalon profile --calls=fn1=10 --json found.json --from a*.folded
ok 'profile: the quantisation model is I q (1 - q)' python3 - <<'PY'
import json, math
fn1 = next(f for f in json.load(open("found.json"))["functions"] if f["name"] == "fn1")
q = fn1["mean_samples"] / 10 % 1
assert abs(fn1["predicted_sd"]["quantization"] - math.sqrt(10 * q * (1 - q))) < 1e-9
PY

exits 'profile: --compare reads files after --' 0 etalon profile --compare --json diff.json --flame diff.svg --report diff.html --from a*.folded -- b*.folded
like 'profile: the functions that changed are in the answer' "$(tr '\n' ' ' <.out)" '^1 of [0-9]+ functions changed, relative to the samples of \[1\]: fn1 \+[0-9.]+ ± [0-9.]+ %'
like 'profile: the page of a comparison begins with the same answer' "$(grep -A4 '<h2>Changes' diff.html | tr '\n' ' ')" '<h2>Changes from \[1\] to \[2\]</h2>.*functions changed, relative to the samples of \[1\]: fn1 .*<p>\[1\] .*<p>\[2\] '
like 'profile: a small p is not zero' "$(grep -m1 -A8 '<td>fn1</td>' diff.html | tr '\n' ' ')" '&#60; 0\.01'
like 'profile: the change of the others is bounded' "$(tr '\n' ' ' <.out)" 'no other function changed by more than [0-9.]+ %'
ok 'profile: the comparison has the difference of the means' python3 - <<'PY'
import glob, json, statistics
def mean(kind):
    return statistics.mean(int(l.split()[1]) for n in glob.glob(kind) for l in open(n) if ";fn1 " in l)
c = json.load(open("diff.json"))["comparison"]
fn1 = c["functions"][0]
assert fn1["name"] == "fn1" and fn1["significant"], fn1
assert abs(fn1["difference"] - (mean("b*.folded") - mean("a*.folded"))) < 1e-9
assert not any(f["significant"] for f in c["functions"][1:])
PY
# Of c and d only `inner` differs. The long names are templates whose arguments would fill pages.
python3 - <<'PY'
import random
r = random.Random(7)
long = "void std::sort_all<std::vector<std::pair<int, std::string> >, %s>(std::vector<int>&, int) const"
for i in range(10):
    for kind, more in ("c", 0), ("d", 200):
        with open(f"{kind}{i:02}.folded", "w") as f:
            f.write(f"main;outer;inner {400 + more + r.randrange(9)}\nmain;outer {50 + r.randrange(9)}\n")
            f.write(f"main;{long % 'less<int>'} {300 + r.randrange(9)}\nmain;{long % 'more<int>'} {200 + r.randrange(9)}\n")
            f.write(f"main;ns::(anonymous namespace)::operator<<<char, traits<char> >(std::ostream&, very_long_name) {90 + r.randrange(9)}\n")
PY
exits 'profile: --compare --total succeeds' 0 etalon profile --compare --total --json total.json --from c*.folded -- d*.folded
like 'profile: --compare --total says that callees count' "$(tr '\n' ' ' <.out)" '^3 of [0-9]+ functions changed with their callees'
ok 'profile: --compare --total has the functions with what they called' python3 - <<'PY'
import json
c = json.load(open("total.json"))["comparison"]
changed = {f["name"]: f["difference"] for f in c["functions"] if f["significant"]}
assert c["with_callees"] and set(changed) == {"main", "outer", "inner"}, changed
assert all(190 < d < 210 for d in changed.values()), changed
PY
exits 'profile: --compare --by module succeeds' 0 etalon profile --compare --by module --json module.json --flame module.svg --from c*.folded -- d*.folded
ok 'profile: --compare --by module compares modules' python3 - <<'PY'
import json
c = json.load(open("module.json"))["comparison"]
assert c["by"] == "module" and c["family"] == 1 and "name" not in c["functions"][0], c
assert c["functions"][0]["significant"] and 190 < c["functions"][0]["difference"] < 210
PY
like 'profile: --compare --by module prints modules' "$(tr '\n' ' ' <.out)" '^1 of 1 modules changed, .*module +\[1\] samples +\[2\] samples'
ok 'profile: --by module colours all functions of a module' test "$(grep -o 'hsl(8 ' module.svg | wc -l)" -ge 4
exits 'profile: -q prints the answer' 0 etalon profile -q --from a*.folded
is 'profile: -q prints the answer alone' "$(wc -l <.out)" 1
exits 'profile: templates are printed' 0 etalon profile --from c*.folded
is 'profile: no line in a pipe is longer than 120 columns' "$(grep -E '^.{121,}' .out)" ''
like 'profile: long names that would be equal can be told apart' "$out" '…less….*…more…'
like 'profile: a long name has no arguments in the table' "$out" 'ns::\(anonymous namespace\)::operator<<<> '
ok 'profile: the flame graph colours the functions that the table says changed' python3 - <<'PY'
import json, xml.dom.minidom
verdicts = {f["name"]: f["difference"] * f["significant"] for f in json.load(open("diff.json"))["comparison"]["functions"]}
seen = set()
for g in xml.dom.minidom.parse("diff.svg").getElementsByTagName("g"):
    name = g.getElementsByTagName("title")[0].firstChild.data.split(" ")[0]
    fill = g.getElementsByTagName("rect")[0].getAttribute("style")
    change = verdicts.get(name, 0)
    assert ("hsl(8 " if change > 0 else "hsl(212 " if change < 0 else "hsl(0 0%") in fill, (name, fill)
    seen.add(name)
assert {"main", "fn1", "fn2"} <= seen, seen
PY

exits 'profile: all files are written' 0 etalon profile --export-csv p.csv --folded p.folded --speedscope p.json --flame p.svg --report p.html --from a*.folded
ok 'profile: the files are what they claim to be' python3 - <<'PY'
import csv, json, xml.dom.minidom
rows = list(csv.DictReader(open("p.csv")))
assert rows[0]["function"] == "fn2" and float(rows[0]["share"]) > 0.7
lines = dict(l.rsplit(" ", 1) for l in open("p.folded"))
assert abs(float(lines["main;fn2"]) - float(rows[0]["mean_samples"])) < 0.006
s = json.load(open("p.json"))
assert s["shared"]["frames"][0]["name"] == "main" and len(s["profiles"]) == 1
for name in ("p.svg", "diff.svg"):
    svg = xml.dom.minidom.parse(name)
    titles = [t.firstChild.data for t in svg.getElementsByTagName("title")]
    assert any(t.startswith("fn2 ") and "±" in t for t in titles), titles
    assert not svg.getElementsByTagName("script")
page = open("p.html").read()
assert "Autocorrelation, dithered" in page and "Density" in page and "<script" not in page
PY
exits 'profile: one file is one run' 0 etalon profile --from a00.folded
unlike 'profile: notes on files name no option of running' "$out" '--(runs|frequency|warmup)'
like 'profile: one run has no uncertainty' "$(tr '\n' ' ' <.out)" 'one run shows no uncertainty'

for i in 1 2 3; do printf 'main;x 1\n' >one$i.folded; done
exits 'profile: a file with one sample is read' 0 etalon profile -v --json found.json --from one?.folded
like 'profile: few samples are no answer' "$(tr '\n' ' ' <.out)" '^3 samples in 3 runs: too few to show where the time goes; record more of them, or profile a longer run'
like 'profile: one sample is singular' "$(tr '\n' ' ' <.out)" '3 runs of 1 sample \('
unlike 'profile: files of one run are not measured again' "$out" '--(runs|frequency|warmup)'

# Means of --folded are read back.
printf 'main;x 40\nmain;y 3\n' >h1.folded
printf 'main;x 41\nmain;y 2\nmain;z 1\n' >h2.folded
is 'profile: files without addresses do not know the entry' "$(jq -c '[.functions[].at_entry] | unique' found.json)" '[null]'
run etalon profile --folded half.folded --from h1.folded h2.folded
is 'profile: --folded writes means' "$(cat half.folded)" $'main;x 40.5\nmain;y 2.5\nmain;z 0.5'
exits 'profile: --from reads what --folded writes' 0 etalon profile --json half.json --from half.folded
is 'profile: means become whole samples' "$(jq -c '[.functions[] | select(.mean_samples > 0) | [.name, .mean_samples]]' half.json)" '[["x",41],["y",3],["z",1]]'

printf 'main;ev\033[2Jil<b> 5\n' >hostile.folded
run etalon profile --flame h.svg --from hostile.folded
unlike 'profile: escape sequences in names do not reach the terminal' "$out" $'\033'
ok 'profile: names cannot add markup to a flame graph' python3 -c 'import xml.dom.minidom as m; m.parse("h.svg")'

# --- live ---

program='etalon put fragment --calls 1000 --seconds 0.1'
etalon put inc --iterations 1
etalon put inc --seconds 1ms # calibrates
run etalon profile -w 0 -r 4 --label live --json live.json "$program"
if [ "$status" = 3 ]; then
	skip 'profile: a program is sampled' 'the kernel allows no sampling here'
	like 'profile: the error says what the kernel would have to allow' "$err" 'perf_event_paranoid|perf'
else
	is 'profile: a program is sampled' "$status" 0
	if etalon --version | grep -q 'no libdw'; then
		skip 'profile: the function with four fifths of the calls comes first' 'this etalon has no libdw'
		skip 'profile: the shares are those of the program, roughly' 'this etalon has no libdw'
		like 'profile: the note says that etalon has no libdw' "$(tr '\n' ' ' <.out)" 'built +without symbols; install libdw-dev'
	else
		like 'profile: the function with four fifths of the calls comes first' "$(head -1 .out)" '^fn2 (has|and [^ ]+ lead with) [0-9.]+ %'
		ok 'profile: the shares are those of the program, roughly' python3 - <<'PY'
import json
f = json.load(open("live.json"))
share = {x["name"]: x["share"] for x in f["functions"]}
assert f["runs"] + f["invalid_runs"] == 4 and f["event"] in ("cycles", "cpu-clock"), f["runs"]
# of the two, because the start of a program with sanitizers may take as long as both
of_two = share["fn2"] / (share["fn1"] + share["fn2"])
assert 0.65 < of_two < 0.93 and share["fn1"] + share["fn2"] > 0.3, share
assert abs(sum(share.values()) - 1) < 1e-9
PY
	fi
	exits 'profile: a program that is shorter than the period is refused' 2 etalon profile -q -w 0 -r 2 -F 1 --fixed true
	like 'profile: it says how to get samples' "$err" 'higher --frequency'
	# profile-slowdown
	run etalon profile -w 0 -r 1 -F 20000 true
	like 'profile: a rate that slows the program down is named before' "$err" '20,?000 samples per second slow the program down by about 26 %'
	exits 'profile: a period that is too short is refused' 2 etalon profile -r 1 --period 1 true
	like 'profile: the shortest period is named' "$err" 'use a period of at least [0-9]+'
	exits 'profile: --until is bounded by --max-runs' 0 etalon profile -w 0 --until 0.01% -m 2 -M 3 "$program"
	like 'profile: a note says that --until was missed' "$(tr '\n' ' ' <.out)" 'until 0\.010 % was not reached'
	exits 'profile: two commands are compared' 0 etalon profile -w 0 -r 3 --compare --json two.json "$program" 'etalon put triangle --seconds 0.05'
	is 'profile: both commands have their runs' "$(jq -c '[.commands[].runs]' two.json)" '[3,3]'
	exits 'profile: a program that fails ends it with status 1' 1 etalon profile -r 2 false
fi

# --- bad input ---

refuses() # refuses NAME HINT OPTION…
{
	local name=$1 hint=$2
	shift 2
	exits "profile: $name is refused" 2 etalon profile "$@"
	like "profile: $name has a cure" "$err" "$hint"
}

refuses 'no command' 'name a command: etalon profile'
refuses 'two commands without --compare' 'use --compare' true false
refuses '--compare of one command' 'quote each of them' --compare true
refuses '--frequency with --period' 'omit one of them' -F 100 --period 1000000 true
refuses '--total without a call graph' 'add -g fp' --total true
refuses '--each with --statements' 'omit one of them' --each --statements 3 true
refuses '--max-runs without --until' 'add --until, or omit --max-runs' -M 5 true
refuses '--runs with --until' 'omit one of them' --runs 5 --until 1% true
refuses 'an unknown event' 'auto, cycles or cpu-clock' --event nothing true
refuses 'a strange call graph' 'none' -g maybe true
refuses 'calls without a number' '--calls=fn1=1000' --calls=fn1 true
refuses 'calls of an unknown function' '' --calls=nothing=3 --from a00.folded
refuses '--from with --runs' '--from and --[a-z-]+ exclude each other' -r 5 --from a00.folded
refuses '--from with --runs and --label' '--from and --[a-z-]+ exclude each other' -r 5 --label x --from a00.folded
refuses '--from with -g and --event' '--from and --[a-z-]+ exclude each other' -g fp --event samples --from a00.folded
refuses '--from with --until and --compare' '--from and --[a-z-]+ exclude each other' --compare --until 1% --from a00.folded -- b00.folded
refuses '--from with --resume' 'omit one of them' --resume --from a00.folded
exits 'profile: a missing file is reported' 2 etalon profile --from missing.folded
exits 'profile: a folder that does not exist is reported before anything runs' 4 etalon profile --flame no/where.svg -r 3 true

done_testing
