#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# `etalon lab emp-versions` on captured machines: each version's environment is applied and restored,
# the versions alternate, Python computes the printed figures again, and a killed study is resumed.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

# shellcheck source=tests/cli/machine.sh
. "$root/tests/cli/machine.sh"

# young_kernel: the captured machine's kernel was built last month
young_kernel()
{
	local built
	built=$(date -u -d '-1 month' '+%Y-%m-%d')
	sed -i "s/([0-9-]*)\$/($built)/" tree/proc/sys/kernel/version before/proc/sys/kernel/version
}
# words: the output without line breaks, as a paragraph of any width has it
words() { tr -s ' \n' ' ' <.out; }
# study: the label of the last study
study() { etalon list --json | jq -r '[.[].label | select(test("/v1|/as-is"))][0] | split("/")[:2] | join("/")'; }
# record ENV: the record of an environment of the last study, as ENV.json
record() { etalon show --json "$(study)/$1" >"$1.json"; }

cat >check.py <<'PY'
import json, math, statistics
def near(a, b): return abs(a - b) <= 1e-9 * abs(b) + 1e-6
def runs(env, name):
    c = [c for c in json.load(open(env + ".json"))["commands"] if c["name"] == name][0]
    return [s for s in c["samples"] if not s["warmup"] and s["arrangement"] == "solo"]
def same(p, x):
    assert p["n"] == len(x), (p, x)
    assert near(p["mean_ns"], statistics.fmean(x)) and near(p["sd_ns"], statistics.stdev(x)), (p, x)
    assert near(p["relative_error"], statistics.stdev(x) / statistics.fmean(x)), (p, x)
    assert (p["min_ns"], p["max_ns"]) == (min(x), max(x)), (p, x)
def second(x):  # the second check: what is within mean ± 2 sd
    m, s = statistics.fmean(x), statistics.stdev(x)
    return [v for v in x if abs(v - m) <= 2 * s]
def chi2(p, df):  # the quantile, by bisection of the regularised incomplete gamma function
    def below(x):
        a, x, k, t = df / 2, x / 2, df / 2, 2 / df
        s = t
        while t > 1e-16 * s: k += 1; t *= x / k; s += t
        return s * math.exp(-x + a * math.log(x) - math.lgamma(a)) if x > 0 else 0
    lo, hi = 0.0, 20 * df + 60
    for _ in range(200):
        mid = (lo + hi) / 2
        lo, hi = (mid, hi) if below(mid) < p else (lo, mid)
    return lo
def limits(x):  # of sd and relative error; the kurtosis takes degrees of freedom
    n, m, s = len(x), statistics.fmean(x), statistics.stdev(x)
    m2, m3, m4 = (statistics.fmean((v - m) ** k for v in x) for k in (2, 3, 4))
    least, e = 1 / (2 * (n - 1)), s / m
    sd = max((m4 / m2**2 - (n - 3) / (n - 1)) / (4 * n), least)
    error = max(sd + e * (e - m3 / m2**1.5) / n, least)
    return [v * math.sqrt(d / chi2(p, d)) for v, d in ((s, 0.5 / sd), (e, 0.5 / error)) for p in (0.975, 0.025)]
def same_limits(p, x):
    got = [p[k] for k in ("sd_lo_ns", "sd_hi_ns", "relative_error_lo", "relative_error_hi")]
    assert all(abs(a / b - 1) < 1e-6 for a, b in zip(got, limits(x))), (got, limits(x))
table = json.load(open("table.json"))
def version(task, name): return [v for v in task["versions"] if v["version"] == name][0]
PY

# --- a machine that can have every version
laptop
young_kernel
exits 'emp-versions: it succeeds' 0 etalon lab emp-versions --lengths 5ms,10ms --runs 6 --svg picture.svg
as_before 'emp-versions'
cp .out first
for name in 'INC0.005, elapsed time' 'INC0.005, CPU time' 'INC0.01, elapsed time' 'INC0.01, CPU time'; do
	like "emp-versions: there is a table '$name'" "$out" "$name"
done
is 'emp-versions: v1 to v4 and the machine as it is have a row of six runs in each' \
	"$(grep -cE '^(v[1-4]|as is) +6 +0 ' .out)" 20
is 'emp-versions: v5 and v6 are left empty if nothing was learned' "$(grep -cE '^v[56] +– ' .out)" 16
is 'emp-versions: standard deviations have intervals' \
	"$(grep -cE '^(v[1-4]|as is) .*[0-9.]+ [nµm]?s +[0-9.]+ [nµm]?s to [0-9.]+ [nµm]?s( |$)' .out)" 20
is 'emp-versions: relative errors have intervals' \
	"$(grep -cE '^(v[1-4]|as is) .*[0-9.]+ % +[0-9.]+ % to [0-9.]+ %$' .out)" 20
like 'emp-versions: the reason is printed' "$(words)" 'v5 [^;]*; left empty: no cutoffs were learned'
like 'emp-versions: daemons that cannot be stopped are named' "$(words)" 'v1 [^;]*; still running: postfix, tracker v2'
like 'emp-versions: v4 names the kernel' "$(words)" 'v4 the runs of v3, with an up-to-date kernel: [^ ]* (months|years)[^;]*6\.1\.0'
like 'emp-versions: the four pictures are drawn' "$out" '\(a\) standard.*\(b\) standard.*\(c\) relative.*\(d\) relative.*seconds'
like 'emp-versions: the text says where the study is stored' "$out" "stored as 'lab emp-versions/[0-9-]+' in sqlite:"
fits 'emp-versions: no line is longer than 80 columns'
is 'emp-versions: the text has no escape sequence if the output is no terminal' "$(tr -cd '\033' <.out)" ''
ok 'emp-versions: the picture is XML' python3 -c 'import xml.etree.ElementTree as E; E.parse("picture.svg")'
is 'emp-versions: the picture has four charts' "$(grep -c '<g transform="translate(' picture.svg)" 4

is 'emp-versions: each environment has an experiment' "$(etalon list --json | jq -r '.[].label' | sed 's,.*/,,' | sort | paste -sd' ')" \
	'as-is v1 v2 v3'
for env in as-is v1 v2 v3; do record $env; done
factor() { jq -r --arg f "$2" '.environment[] | select(.factor == $f) | .state' "$1.json"; }
is 'emp-versions: as is, turbo is on' "$(factor as-is turbo)" on
is 'emp-versions: v2 leaves turbo on' "$(factor v2 turbo)" on
is 'emp-versions: v3 turns turbo off' "$(factor v3 turbo)" off
is 'emp-versions: v1 stops daemons' "$(factor v1 daemons)" 'postfix, tracker'
is 'emp-versions: v1 stops the time daemon' "$(grep -c '^stop systemd-timesyncd' log)" \
	"$(grep -c '^start systemd-timesyncd' log)"
ok 'emp-versions: v1 stopped the time daemon for each block and once before' test "$(grep -c '^stop systemd-timesyncd' log)" -ge 7
ok 'emp-versions: the clock is synchronised in v2 and not in v1' test "$(factor v2 time-sync)" != "$(factor v1 time-sync)"
ok 'emp-versions: the versions alternate' python3 -c '
exec(open("check.py").read().split("table =")[0])
when = sorted((s["started_wall_ns"], env)
    for env in ("as-is", "v1", "v2", "v3") for n in ("INC0.005", "INC0.01") for s in runs(env, n))
blocks = 1 + sum(a[1] != b[1] for a, b in zip(when, when[1:]))
assert 15 <= blocks <= 24, blocks'

exits 'emp-versions: --from succeeds' 0 etalon lab emp-versions --from 'lab emp-versions'
ok 'emp-versions: --from prints the same tables' diff .out <(head -n -2 first)
exits 'emp-versions: --from takes an experiment of the study' 0 etalon lab emp-versions --from "$(study)/v2"
ok 'emp-versions: it prints the same tables' diff .out <(head -n -2 first)
# Records that an older version exported do not say that they belong together; only their labels do.
for env in as-is v1 v2 v3; do
	etalon export -f json "$(study)/$env" | jq 'del(.study)' | etalon import -q --store sqlite:older.db - >/dev/null
done
exits 'emp-versions: --from LABEL/TIME finds records of an older version' 0 \
	etalon lab emp-versions --store sqlite:older.db --from "$(study)"
ok 'emp-versions: it prints their tables' diff .out <(head -n -2 first)
exits 'emp-versions: a terminal of 40 columns is wide enough' 0 env COLUMNS=40 etalon lab emp-versions --from last

# --- v5 and v6, after a learning
cat >learned.json <<'J'
{"short_run": {"samples": 100, "sample_seconds": 10, "central": [], "l_samples": [{"sample": 5, "pt": [["nosuchd", 4]]}]}}
J
etalon daemons analyse --keep learned.json >/dev/null 2>&1
exits 'emp-versions: --from with --json succeeds' 0 etalon lab emp-versions --from last --json
cp .out table.json
json 'emp-versions: JSON has every version of every task' '[len(t["versions"]) for t in d["tasks"]] == [10, 10] and
	d["state"] == "done" and len(d["experiments"]) == 4'
json 'emp-versions: a learning fills v5 of a stored study' 'all(t["versions"][4]["runs"] == 6 for t in d["tasks"])'
json 'emp-versions: v6 needs ten runs' 'all(t["versions"][5]["et"] is None for t in d["tasks"])'
ok 'emp-versions: the figures are those of the samples in the records' python3 -c '
exec(open("check.py").read())
for t in table["tasks"]:
    for m in ("et", "pt"):
        for name, env in (("v1", "v1"), ("v2", "v2"), ("v3", "v3"), ("v4", "v3"), ("as is", "as-is")):
            same(version(t, name)[m], [s[m + "_ns"] for s in runs(env, t["name"])])
            same_limits(version(t, name)[m], [s[m + "_ns"] for s in runs(env, t["name"])])
        for name, env in (("v5", "v3"), ("as is, I+II", "as-is")):
            kept = second([s[m + "_ns"] for s in runs(env, t["name"])])
            same(version(t, name)[m], kept)
            same_limits(version(t, name)[m], kept)
            assert version(t, name)[m]["removed_second"] == 6 - len(kept)'
ok 'emp-versions: best is the version with the smallest error of CPU time, best_et that of elapsed time' python3 -c '
exec(open("check.py").read())
def mean(name, m): return statistics.fmean(version(t, name)[m]["relative_error"] for t in table["tasks"])
names = [v["version"] for v in table["tasks"][0]["versions"] if v["pt"]]
for key, m in (("best", "pt"), ("best_et", "et")):
    best, pairs = table[key], table["comparisons"][m]
    assert best["version"] == min(names, key=lambda name: mean(name, m)), best
    assert near(best["relative_error_" + m], mean(best["version"], m))
    assert near(best["relative_error_" + m + "_as_is"], mean("as is", m))
    assert best["relative_error_" + m + "_lo"] < best["relative_error_" + m] < best["relative_error_" + m + "_hi"]
    assert best["lengths"] == 2
    mine = {p["b"] if p["a"] == best["version"] else p["a"]: p for p in pairs if best["version"] in (p["a"], p["b"])}
    assert sorted(mine) == sorted(best["better_than"] + best["not_better_than"])
    assert all(mine[n]["p_holm"] <= 0.05 for n in best["better_than"]), (best, pairs)
    assert best["shown"] == (best["better_than"] != [] and best["not_better_than"] == [])
    assert all(0 < p["p"] <= p["p_holm"] <= 1 for p in pairs)
    runs_of = lambda name: {"v4": "v3"}.get(name, name)
    assert not any(runs_of(p["a"]) == runs_of(p["b"]) for p in pairs)
    assert {p["b"]: p["p"] for p in pairs if p["a"] == "v3"} == {p["b"]: p["p"] for p in pairs if p["a"] == "v4" or (p["a"], p["b"]) == ("v3", "v4")}
assert near(table["best"]["relative_error_et_as_is"], mean("as is", "et"))
assert [v["same_as"] for v in table["versions"]][:3] == [None] * 3'
exits 'emp-versions: --from succeeds with cutoffs' 0 etalon lab emp-versions --from last
percent='[0-9.]+ % \([0-9.]+ % to [0-9.]+ %\)'
claim="(none is shown to be better|[^:]* is shown to be better than [^:]*)\. Smallest relative error: [^:]* with $percent on average over 5 ms to 10 ms(; as is: $percent)?"
like 'emp-versions: the text begins with the answer for CPU time, then for elapsed time' "$(words)" \
	"^CPU time: $claim Elapsed time: $claim INC0.005"
like 'emp-versions: the text names the version of JSON' "$(words)" \
	"^CPU time: [^:]* error: $(jq -r .best.version table.json | sed s/+/.+/) with "
like 'emp-versions: the reason why v6 is empty' "$(words)" 'v6 [^;]*; left empty: it takes 10 runs or more, and 6 are there'
etalon daemons forget --yes >/dev/null 2>&1

# --- a learning whose samples are too short for one of the lengths
sed 's/"sample_seconds": 10/"sample_seconds": 0.1/' learned.json >short.json
etalon daemons analyse --keep short.json >/dev/null 2>&1
exits 'emp-versions: it succeeds with a learning that is too short' 0 etalon lab emp-versions --lengths 1ms,300ms --runs 2
for name in v5 'as is, I\+II'; do
	like "emp-versions: $name says where it is empty" "$(words)" \
		"$name [^;]*; INC0.3 left empty: the learning's samples are too short \(0.1 s\): run 'etalon daemons learn --long-seconds 8'"
	is "emp-versions: $name keeps its row" "$(sed -n '/^INC0.3, elapsed/,/^$/p' .out | grep -cE "^$name +– ")" 1
done
like 'emp-versions: v6 says it, too' "$(words)" \
	"v6 [^;]*; INC0.001 left empty: it takes 10 runs or more, and 2 are there; INC0.3 left empty: the learning's samples"
fits 'emp-versions: the reasons fit 80 columns'
etalon daemons forget --yes >/dev/null 2>&1

# --- a machine on which v3 has nothing to change
laptop
young_kernel
exits 'emp-versions: turbo and frequency scaling are turned off before' 0 etalon env apply --only turbo,frequency-limits,frequency-governor
exits 'emp-versions: it succeeds where they are off' 0 etalon lab emp-versions --lengths 5ms --runs 3
like 'emp-versions: v3 is v2 there' "$(words)" 'v3 [^;]*; (still running: [^;]*; )?v3 is v2: nothing had to be changed'
exits 'emp-versions: --from with --json succeeds for it' 0 etalon lab emp-versions --from last --json
json 'emp-versions: JSON has the version with the same environment' '[v["same_as"] for v in d["versions"]][:4] == [None, None, "v2", "v2"] and
	not any("v3" in (p["a"], p["b"]) for m in ("et", "pt") for p in d["comparisons"][m])'
json 'emp-versions: three runs show nothing' 'not d["best"]["shown"] and not d["best_et"]["shown"]'
exits 'emp-versions: the change before is restored' 0 etalon env restore

# --- machines that cannot have some versions
machine vm
exits 'emp-versions: it succeeds on a machine without control of its frequency' 0 etalon lab emp-versions --lengths 5ms --runs 2 --json
json 'emp-versions: v3 and v4 are named and left empty there' '[v["not_possible"] is not None for v in d["versions"]][2:4] == [True, True] and
	d["tasks"][0]["versions"][2]["runs"] == 0'
laptop
unset ETALON_SYSTEMCTL
exits 'emp-versions: it succeeds where no daemon can be stopped' 0 etalon lab emp-versions --lengths 5ms --runs 2
like 'emp-versions: v1 is then left empty' "$(words)" 'v1 [^;]*; left empty: nothing could be changed'
like 'emp-versions: v2 needs v1' "$(words)" 'v2 [^;]*; left empty: v1 is not possible'
is 'emp-versions: only the machine as it is was measured' "$(grep -cE '^(v[1-6]) +[0-9]' .out)" 0
cp .out first
exits 'emp-versions: --from succeeds for it' 0 etalon lab emp-versions --from 'lab emp-versions'
ok 'emp-versions: --from prints the same reasons' diff .out <(head -n -2 first)
unset ETALON_SYSROOT
exits 'emp-versions: --pace succeeds' 0 etalon lab emp-versions --lengths 20ms --runs 2 --pace --label mine --json
json 'emp-versions: paced runs have a row' 'd["tasks"][0]["versions"][9]["version"] == "ours, paced" and
	any(e["label"].startswith("mine/") and e["label"].endswith("/paced") for e in d["experiments"])'
etalon run -r 3 --label other -- "$ETALON" put inc --seconds 5ms >/dev/null
exits 'emp-versions: --from takes an experiment of run' 0 etalon lab emp-versions --from other --json
json 'emp-versions: it is the machine as it is' 'd["tasks"][0]["versions"][6]["runs"] == 3 and d["tasks"][0]["versions"][0]["runs"] == 0'

# --- another user
if can_drop_privileges; then
	laptop
	cp -a tree units systemctl "$public"
	exits 'emp-versions: it succeeds without privileges' 0 unprivileged ETALON_SYSROOT="$public/tree" \
		ETALON_SYSTEMCTL="$public/systemctl" etalon lab emp-versions --lengths 5ms --runs 2
	like 'emp-versions: a user without privileges can have no version' "$(words)" 'v1 [^;]*; left empty: '
	like 'emp-versions: this user gets the machine as it is' "$out" $'\nas is +2 +0 '
else
	skip 'emp-versions: a user without privileges' "$why_not"
fi

# --- signals
laptop
"$ETALON" lab emp-versions --lengths 20ms --runs 300 --label killed >/dev/null 2>&1 &
pid=$!
wait_until 'etalon list --json 2>/dev/null | jq -e "any(.[]; .label | test(\"^killed/.*/v\"))" >/dev/null'
wait_until '[ "$(cat units/irqbalance.service)" = inactive ]'
kill -9 $pid
wait $pid 2>/dev/null
is 'emp-versions: a killed study leaves changes' "$(cat units/irqbalance.service)" inactive
exits 'emp-versions: the next study succeeds' 0 etalon lab emp-versions --lengths 5ms --runs 2
like 'emp-versions: the next study restores them first' "$err" 'restored the changes of a killed run first'
as_before 'emp-versions, after kill -9'

"$ETALON" lab emp-versions --lengths 10ms,20ms --runs 4 --label cut --json >cut.json 2>cut.err &
pid=$!
wait_until 'etalon list --json 2>/dev/null | jq -e "[.[] | select(.label | startswith(\"cut/\")) | .samples] | add >= 6" >/dev/null'
kill -TERM $pid
wait $pid
is 'emp-versions: SIGTERM gives exit status 143' "$?" 143
as_before 'emp-versions, after SIGTERM'
cp cut.json .out
json 'emp-versions: after SIGTERM it prints the runs so far' 'd["state"] == "interrupted" and
	0 < sum(v["runs"] for t in d["tasks"] for v in t["versions"]) < 80'
like 'emp-versions: after SIGTERM a hint shows how to continue' "$(cat cut.err)" 'hint: run the same command with --resume'
refuses 'emp-versions: --resume with other lengths is rejected' 2 'other lengths or runs' etalon lab emp-versions --lengths 10ms --runs 4 --label cut --resume
refuses "emp-versions: 'run --resume' does not continue it in another environment" 2 'belongs to a study' \
	etalon run --resume "$(jq -r '[.experiments[] | select(.state != "done")][0].id' cut.json)"
exits 'emp-versions: --resume succeeds' 0 etalon lab emp-versions --lengths 10ms,20ms --runs 4 --label cut --resume --json
json 'emp-versions: the resumed study has every run once' 'd["state"] == "done" and len(d["experiments"]) == 4 and
	all(t["versions"][i]["runs"] == 4 for t in d["tasks"] for i in (0, 1, 2, 6))'
as_before 'emp-versions, resumed'

"$ETALON" lab emp-versions --preset paper >/dev/null 2>paper.err &
pid=$!
wait_until 'grep -q days paper.err'
like 'emp-versions: --preset paper says how long it takes' "$(cat paper.err)" 'the runs take about 41 days'
kill -TERM $pid
wait $pid
is 'emp-versions: SIGTERM ends it' "$?" 143

# --- bad input
refuses 'emp-versions: an unknown preset is rejected' 2 "--preset: unknown value 'book'" etalon lab emp-versions --preset book
refuses 'emp-versions: --preset and --lengths exclude each other' 2 'preset' etalon lab emp-versions --preset paper --lengths 1
refuses 'emp-versions: --resume without a study is rejected' 2 'nothing' etalon lab emp-versions --resume --label nothing
refuses 'emp-versions: --json and --svg - exclude each other' 2 'standard output' etalon lab emp-versions --json --svg -

done_testing
