#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The machines of a store: list --machines, compare --by machine, report --machines, ETALON_MACHINE.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

# record NAME TIME_MS ID [DAY]: the record of two programs on that machine, of 12 samples each
record()
{
	python3 - "$@" <<'PY'
import json, random, sys
name, ms, ident = sys.argv[1], float(sys.argv[2]), sys.argv[3]
day = sys.argv[4] if len(sys.argv) > 4 else "14"
rng = random.Random(ident)
def samples(scale):
    # The spread is that of the list; the mean of the logarithms is exact.
    z = [rng.gauss(0, 0.004) for _ in range(12)]
    z = [x - sum(z) / len(z) for x in z]
    import math
    return [{"index": i + 1, "order": i + 1, "round": i + 1, "arrangement": "solo", "warmup": False, "exit_code": 0,
             "et_ns": round(scale * ms * 1e6 * math.exp(x)), "pt_ns": round(scale * ms * 1e6 * math.exp(x) * 0.99)}
            for i, x in enumerate(z)]
commands = [{"name": n, "command": n, "argv": [n], "samples": samples(k)} for n, k in (("sort", 1), ("grep", 3))]
for c in commands[1:]:
    for s in c["samples"]:
        s["order"] += 12
print(json.dumps({"etalon": 1, "id": "202611%s-120000-%s" % (day, ident), "label": "nightly",
    "started": "2026-11-%sT12:00:00Z" % day, "protocol": "raw", "metric": "pt", "order": "sequential", "seed": 1,
    "host": {"name": name, "kernel": "6.1.0", "cpu": "CPU", "cpus": 4, "virtual": "none", "clocksource": "tsc"},
    "environment": [{"factor": "governor", "state": "powersave", "wanted": "performance", "ok": name != "n3"},
                    {"factor": "aslr", "state": "0", "wanted": "0", "ok": True}],
    "commands": commands}))
PY
}

# shellcheck disable=SC2317 # ok calls it
lacks() { ! grep -qiE "$1" "$2"; }

exits 'list --machines: without a store it succeeds' 0 etalon list --machines
like 'list --machines: without a store it says what to do' "$err" 'hint: measure a program'
is 'list --machines --json: without a store it is an empty array' "$(etalon list --machines --json | jq -c .)" '[]'

hostile='<b>&"x'
i=0
for spec in n1=100 n2=100.05 n3=99.97 n4=100.03 n5=99.96 n7=106.2 "$hostile=100"; do
	record "${spec%=*}" "${spec##*=}" "$(printf 'aaaaa%d' $i)" >"in$i.json"
	etalon import "in$i.json" >/dev/null
	i=$((i + 1))
done

# --- one session of each machine
exits 'one session: it succeeds' 0 etalon compare --by machine --json once.json nightly
is 'one session: there is no verdict' "$(head -n 1 <<<"$out")" 'no machine was measured twice: whether they differ is not known'
# The middle three of seven are 100, 100 and 100.03 ms: n7 takes 6.189 % longer; computed with Python.
is 'one session: the ratio has no interval, and whether it differs is not known' \
	"$(jq -c '[.machines[] | select(.name == "n7") | .speed | (.ratio - 1.0619 | fabs < 0.0005), .lo, .hi, .p_holm, .differs]' once.json)" \
	'[true,null,null,null,null]'
like 'one session: the warning says what to do' "$(tr -s ' \n' ' ' <<<"$out")" 'warning: no machine was measured twice.* measure each again later'
is 'one session: JSON has the warning' "$(jq -c '[.between_sessions, .warnings[].code]' once.json)" '[false,"measured-once"]'
etalon report --machines -o once.html >/dev/null
unlike 'one session: the page explains no interval' "$(tr -s ' \n' ' ' <once.html)" 'is its interval'
like 'one session: list --machines has the warning' "$(etalon list --machines)" 'warning: no machine was measured twice'
exits 'two machines: it succeeds' 0 etalon compare --by machine 20261114-120000-aaaaa0 20261114-120000-aaaaa5
is 'two machines: one session of each gives no verdict' "$(head -n 1 <<<"$out")" 'no machine was measured twice: whether they differ is not known'
exits 'one session: the gate passes' 0 etalon compare --by machine --fail-on-regression=2 nightly
like 'one session: the gate says that nothing was decided' "$err" '^etalon: undecided: no machine was measured twice, limit 2\.0 %$'

# A second session of each, the day before.
i=0
for spec in n1=100.4 n2=100 n3=100.2 n4=99.7 n5=100.3 n7=107 "$hostile=99.6"; do
	record "${spec%=*}" "${spec##*=}" "$(printf 'bbbbb%d' $i)" 13 >"in$i.json"
	etalon import "in$i.json" >/dev/null
	i=$((i + 1))
done

# --- list
exits 'list --machines: it succeeds' 0 etalon list --machines
is 'list --machines: one line per machine, and a heading' "$(wc -l <<<"$out")" 8
etalon list --machines --json >machines.json
is 'list --machines --json: names, experiments, samples' \
	"$(jq -c '[.[] | select(.name == "n7") | .experiments, .samples, .here, .host.cpus]' machines.json)" '[2,48,false,4]'
# Python, of the logarithms of both sessions: n7 over the middle three machines, and Student's interval
# with the variance between the sessions of all machines, of 7 degrees of freedom.
is 'list --machines --json: the ratio to the middle of the fleet' \
	"$(jq '.[] | select(.name == "n7") | (.speed.ratio - 1.065141) | fabs < 0.00001' machines.json)" true
is 'list --machines --json: the interval has the variation between sessions' \
	"$(jq '.[] | select(.name == "n7") | .speed | (.lo - 1.059230 | fabs < 0.00005) and (.hi - 1.071085 | fabs < 0.00005)' machines.json)" true
is 'list --machines --json: two sessions of each' \
	"$(jq -c '[.[] | .speed | .sessions, .between_sessions] | unique' machines.json)" '[true,2]'
is 'list --machines --json: the interval contains the ratio' \
	"$(jq -c '[.[] | .speed | .lo < .ratio and .ratio < .hi] | unique' machines.json)" '[true]'
is 'list --machines --json: the noise is the relative sd' \
	"$(jq -c '[.[] | .noise | . > 0.002 and . < 0.007] | unique' machines.json)" '[true]'
is 'list --machines --json: deviations of the environment' \
	"$(jq -c '[.[] | select(.name == "n3" or .name == "n1") | .deviations | length]' machines.json)" '[0,1]'
COLUMNS=80 etalon list --machines >narrow.txt
is 'list --machines: no line is wider than 80 columns' "$(awk '{ if (length($0) > 80) n++ } END { print n + 0 }' narrow.txt)" 0
refuses 'list --machines: --limit is refused' 2 '--machines and --limit exclude each other' etalon list --machines -n 3

# --- compare
exits 'compare --by machine: it succeeds' 0 etalon compare --by machine nightly
like 'compare --by machine: the answer names the slow machine' "$out" '^n7 is slower than the fleet by 6\.[3-6][0-9]* % \('
like 'compare --by machine: the basis' "$out" 'CPU time of 2 programs, 95 %'
exits 'compare --by machine: with a reference' 0 etalon compare --by machine --reference n1 --json by.json nightly
is 'compare --by machine: the ratio to the reference' \
	"$(jq '.machines[] | select(.name == "n7") | (.speed.ratio - 1.063867) | fabs < 0.0001' by.json)" true
like 'compare --by machine: against a reference the others do not differ' "$(jq -r .verdict by.json)" \
	'^n7 is slower than n1 by 6\.[3-6][0-9]* % \(.*\); the other 5 machines differ by less than'
is 'compare --by machine: the time is the geometric mean of the programs' \
	"$(jq '.machines[] | select(.name == "n1") | (.time_ns / (0.99e6 * (3 * 100 * 100.4 | sqrt)) - 1) | fabs < 0.0001' by.json)" true
exits 'compare --by machine: --metric et is elapsed time' 0 etalon compare --by machine --metric et --json et.json nightly
is 'compare --by machine: the elapsed time' \
	"$(jq '.machines[] | select(.name == "n1") | (.time_ns / (1e6 * (3 * 100 * 100.4 | sqrt)) - 1) | fabs < 0.0001' et.json)" true
exits 'compare --by machine: a machine slower by more than 2 % fails' 5 etalon compare --by machine --fail-on-regression=2 nightly
like 'compare --by machine: the gate names the machine' "$err" 'REGRESSION: n7 is slower than the fleet by'
exits 'compare --by machine: none is slower by more than 9 %' 0 etalon compare --by machine --fail-on-regression=9 nightly
exits 'two machines: two sessions of each' 0 etalon compare --by machine 20261114-120000-aaaaa0 20261113-120000-bbbbb0 \
	20261114-120000-aaaaa5 20261113-120000-bbbbb5
like 'two machines: one statement, about one of them' "$(head -n 1 <<<"$out")" '^n7 is slower than n1 by 6\.[34][0-9]* % \([^;]*$'
exits 'two machines: equal ones' 0 etalon compare --by machine 20261114-120000-aaaaa0 20261113-120000-bbbbb0 \
	20261114-120000-aaaaa3 20261113-120000-bbbbb3
like 'two machines: equal ones are not called different' "$(head -n 1 <<<"$out")" "^n[14] is not shown to differ from n[14], and not by more than [0-9.]+ %$"
exits 'equal machines: they are compared' 0 etalon compare --by machine 2026111{4-120000-aaaaa,3-120000-bbbbb}{0,1,2,3,4}
like 'equal machines: none is shown to differ' "$(head -n 1 <<<"$out")" \
	'^no machine is shown to differ from the fleet; none differs by more than [0-9.]+ %$'
refuses 'compare --by machine: an unknown label is refused' 2 'nosuch' etalon compare --by machine nosuch
refuses 'compare --by machine: an unknown machine is refused with the names' 2 "no machine 'n9'" \
	etalon compare --by machine --reference n9 nightly
like 'compare --by machine: the hint has the names' "$err" 'hint: use one of these: .*n1'
refuses 'compare --by machine: one machine is not enough' 2 'at least two machines' etalon compare --by machine 20261113-120000-bbbbb0
refuses 'compare --by machine: --ratio is refused' 2 'not valid with --by machine' etalon compare --by machine --ratio bootstrap nightly
refuses 'compare --by: another word is refused' 2 "'cpu'" etalon compare --by cpu nightly

# --- the page
exits 'report --machines: it succeeds' 0 etalon report --machines -o fleet.html
ok 'report --machines: the name of a machine is escaped' grep -q '&#60;b&#62;&#38;&#34;x' fleet.html
ok 'report --machines: no name is markup' lacks '<b>' fleet.html
ok 'report --machines: the page has no script and fetches nothing' lacks '<script|src=|href=|url\(' fleet.html
ok 'report --machines: a content security policy' grep -q "default-src 'none'" fleet.html
is 'report --machines: one row per machine in both tables' "$(grep -c '<th scope="row">' fleet.html)" 14
ok 'report --machines: the answer is on the page' grep -q 'n7 is slower than the fleet by 6.[3-6]' fleet.html
refuses 'report --machines: an operand is refused' 2 'takes no operands' etalon report --machines -o x.html last

# --- one estimator: five sessions of one busy machine under five names, whose times vary by a third
agree() # agree LABEL: list, report and compare say the same about the machines
{
	etalon compare --by machine --json by.json nightly >/dev/null
	etalon list --machines --json >list.json
	etalon report --machines -o fleet.html
	is "$1: list and compare have the same ratios, intervals and p" "$(python3 - <<'PY'
import json
def figures(machines):
    return {m["name"]: [m["noise"]] + [m["speed"][k] for k in ("ratio", "lo", "hi", "p_holm", "differs", "samples")] for m in machines}
def same(x, y):
    return x is None and y is None or x is not None and y is not None and abs(x - y) <= 1e-9 * abs(x)
a, b = figures(json.load(open("list.json"))), figures(json.load(open("by.json"))["machines"])
print(len(a), a.keys() == b.keys() and all(same(x, y) for m in a for x, y in zip(a[m], b[m])))
PY
	)" '5 True'
	ok "$1: the page has the verdict of compare" grep -qF "$(jq -r .verdict by.json)" fleet.html
}
mv store.db store.before
for i in 1 2 3 4 5; do
	etalon import "$root/tests/data/fleet/n$i.json" >/dev/null
done
agree 'busy machine, one session'
is 'busy machine, one session: there is no verdict' "$(jq -r .verdict by.json)" \
	'no machine was measured twice: whether they differ is not known'
for i in 1 2 3 4 5; do # the next day, each as slow as its neighbour was
	sed 's/20261117/20261118/; s/2026-11-17/2026-11-18/; s/"machine": "n'$i'"/"machine": "n'$((i % 5 + 1))'"/' "$root/tests/data/fleet/n$i.json" >next.json
	etalon import next.json >/dev/null
done
agree 'busy machine, two sessions'
like 'busy machine, two sessions: no machine differs' "$(jq -r .verdict by.json)" \
	'^no machine is shown to differ from the fleet; none differs by more than [0-9]+ %$'
mv store.before store.db

# --- a machine of its own name
refuses 'ETALON_MACHINE: a name with a space is refused' 2 "ETALON_MACHINE: 'a b'" env ETALON_MACHINE='a b' etalon list
exits 'ETALON_MACHINE: a run succeeds' 0 env ETALON_MACHINE=rack-2 etalon run -q -r 3 -w 0 --label own true
is 'ETALON_MACHINE: the run is on that machine, and it is here' \
	"$(ETALON_MACHINE=rack-2 etalon list --machines --json | jq -c '.[] | select(.machine == "rack-2") | [.name, .here, .experiments]')" \
	'["rack-2",true,1]'
is 'ETALON_MACHINE: another machine is not here' \
	"$(ETALON_MACHINE=rack-3 etalon list --machines --json | jq -c '[.[] | select(.here)]')" '[]'
is 'ETALON_MACHINE: the row has the version, the host and the deviations' \
	"$(etalon list --machines --json | jq -c '.[] | select(.machine == "rack-2") | [.etalon, .host.name, (.deviations | type)]')" \
	"[\"$(etalon --version | sed -n 's/^etalon //p')\",\"$(uname -n)\",\"array\"]"
exits 'ETALON_MACHINE: the program does not get it' 0 \
	env ETALON_MACHINE=rack-2 etalon run -q -r 1 -w 0 --output seen.txt env
ok 'ETALON_MACHINE: it is not in the environment of the program' lacks ETALON_MACHINE seen.txt

# --- records have the identity
ETALON_MACHINE=rack-2 etalon run -q -r 2 -w 0 --label record --json record.json true >/dev/null
is 'record: it has the identity of the machine' "$(jq -r .machine record.json)" rack-2
is 'record: so has what export writes' "$(etalon export last | jq -r .machine)" rack-2
jq '.id = "20261115-120000-cccccc" | .machine = "rack-9"' record.json >other.json
exits 'record: it is imported' 0 etalon import other.json
is 'record: the import keeps the identity' \
	"$(etalon list --machines --json | jq -c '[.[] | select(.machine == "rack-9") | .name, .experiments, .here]')" '["rack-9",1,false]'
jq '.id = "20261115-120000-cccccd" | .machine = "a/../b"' record.json >hostile.json
refuses 'record: another text is refused' 2 'is not the identity of a machine' etalon import hostile.json
etalon rm 20261115-120000-cccccc last >/dev/null 2>&1

# --- clones, and machines that were renamed
etalon run -q -r 2 -w 0 true >/dev/null
set_hosts() # set_hosts START_A START_B: of the two newest experiments, on one machine-id
{
	sqlite3 store.db "UPDATE experiment SET machine = '0123456789abcdef', host_name = 'a', started_ns = $1
		WHERE key = (SELECT max(key) FROM experiment);
		UPDATE experiment SET machine = '0123456789abcdef', host_name = 'b', started_ns = $2
		WHERE key = (SELECT max(key) - 1 FROM experiment)"
}
names() { etalon list --machines --json | jq -c '[.[] | select(.machine == "0123456789abcdef") | .name]'; }
set_hosts 1000000000 2000000000
is 'machines: two names of a machine-id, one after the other, are one machine' "$(names)" '["b"]'
sqlite3 store.db "UPDATE experiment SET machine = '0123456789abcdef', host_name = 'a', started_ns = 3000000000
	WHERE key = (SELECT max(key) - 2 FROM experiment)"
is 'machines: two names of a machine-id at the same time are two machines' "$(names)" '["a","b"]'
like 'machines: clones are mentioned' "$(etalon list --machines)" 'a and b have the same machine-id'
sqlite3 store.db "UPDATE experiment SET machine = 'a 0123456789abcdef' WHERE host_name = 'a' AND started_ns = 1000000000"
is 'machines: an earlier identity, with the name of the host, is the same machine' \
	"$(etalon list --machines --json | jq -c '[.[] | select(.host.name == "a") | .experiments]')" '[2]'

done_testing
