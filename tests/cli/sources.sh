#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Where experiments come from: every command that reads one finds it by each kind of operand.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
export ETALON_SPOOL=$work/spool.db
down=postgresql://127.0.0.1:1/x

cat >q.yaml <<'END'
name: nightly
programs: [{ name: loop, command: 'true {n}' }]
factors: [{ name: n, kind: parameter, levels: [1000, 2000, 4000, 8000] }]
replications: 12
discard: 0
run: { warmup: 0, no-ledger: true, no-probe: true }
END

# --- the experiments, with known times: a design, and a profile
etalon doe run -q q.yaml >/dev/null
etalon export -f json -o measured.json nightly
rm -f store.db*
python3 - <<'END'
import json
d = json.load(open("measured.json"))
for k, c in enumerate(d["commands"]):
    for i, s in enumerate(c["samples"]):
        s["et_ns"] = s["pt_ns"] = 1000000 * 2 ** k + 1000 * ((i * 7) % 5)
        s["interference"] = [{"name": "crond", "pid": 7, "cpu_ns": 1000}]
        s.pop("removed", None)
d["host"]["name"] = d["machine"] = "one"
json.dump(d, open("record.json", "w"))
d["id"] = d["id"][:-6] + "ffffff"
d["host"]["name"] = d["machine"] = "two"
json.dump(d, open("other.json", "w"))
runs = [{"command": 0, "order": i, "samples": 100, "period": 1e6, "counts": [[1, 100, 0]]} for i in range(1, 7)]
json.dump({"etalon": 1, "id": "20261116-110000-00aa11", "label": "shape", "protocol": "raw",
    "metric": "pt", "plan": {"runs": 6}, "commands": [{"name": "a", "argv": ["a"],
    "samples": [{"order": i, "et_ns": 10**8, "pt_ns": 10**8} for i in range(1, 7)]}],
    "profile": {"plan": {"rate_hz": 1000, "chains": "fp"}, "event": "cpu-clock", "way": "cgroup",
    "functions": [{"name": "work", "module": "/bin/a", "space": "user"}], "nodes": [[0, 0]], "runs": runs}},
    open("shape.json", "w"))
END
id=$(jq -r .id record.json)
for store in "$ETALON_STORE" "sqlite:$ETALON_SPOOL"; do
	for record in other record shape; do
		etalon import -q --store "$store" $record.json >/dev/null
	done
done

# Commands that take one experiment; those that read records, too; those that take plans and records.
# A word @ is the operand.
names=('show @' 'export @' 'report -o page.html @')
records=('describe @' 'samplesize @' 'compare @' 'fit --line @' 'daemons analyse --command 1 @')
plans=('doe analyse @' 'doe export @' 'doe status @')
profiles=('profile --from @' 'show @' 'export -f folded @' 'report -o page.html @')

# finds KIND OPERAND COMMAND…: each succeeds with the operand
finds()
{
	local kind=$1 operand=$2 command words
	shift 2
	for command; do
		read -ra words <<<"${command/@/$operand}"
		exits "$kind: ${command% @} finds the experiment" 0 etalon "${words[@]}" <"${input:-/dev/null}"
	done
}

# everywhere KIND: the operands that mean stored experiments
everywhere()
{
	finds "$1 by its id" "$id" "${names[@]}" "${records[@]}" "${plans[@]}"
	finds "$1 by its label" nightly "${names[@]}" "${records[@]}" "${plans[@]}" 'compare --by machine @'
	finds "$1 by its plan" q.yaml "${plans[@]}"
	input=q.yaml finds "$1 by a plan on standard input" - "${plans[@]}"
	finds "$1, a profile" shape "${profiles[@]}"
}

everywhere 'a stored experiment'
mkdir nightly shape
everywhere 'an experiment with a folder of its name'
rmdir nightly
echo 1.5 >nightly
finds 'an experiment with a file of its name that is no record' nightly "${names[@]}"
rm nightly
mkdir nightly
export ETALON_STORE=$down
everywhere 'a spooled experiment whose server is down'
exits 'spool: show reports that it is read from the spool' 0 etalon show "$id"
like 'spool: the line names the experiment and the reason' "$err" "^etalon: $id is read from the spool: .*no server answers"
exits 'spool: show --rejudge reads the cutoffs there, too' 0 etalon show --rejudge "$id"
like 'spool: it judges the samples again' "$out" 'judged again by .*not stored'
exits 'spool: report --rejudge reads it' 0 etalon report --rejudge -o rejudged.html "$id"
for action in analyse export status; do
	exits "spool: doe $action reads it" 0 etalon doe $action q.yaml
	like "spool: doe $action reports it" "$err" "^etalon: [^ ]* is read from the spool: .*no server answers"
	is "spool: doe $action reports it once" "$(grep -c 'from the spool' <<<"$err")" 1
done

# --- files need no store
finds 'a record' record.json "${names[@]}" "${records[@]}" "${plans[@]}"
finds 'a record by its path' "$work/record.json" "${names[@]}" "${records[@]}" "${plans[@]}"
input=record.json finds 'a record on standard input' - "${names[@]}" "${records[@]}" "${plans[@]}"
for command in "${names[@]}" "${records[@]}" "${plans[@]}"; do
	read -ra words <<<"${command% @}"
	exits "a record in a FIFO: ${command% @} reads it" 0 etalon "${words[@]}" <(cat record.json)
done

is 'a record: export writes it again' "$(etalon export record.json | jq -r .id)" "$id"
refuses 'a record: show --rejudge refuses it' 2 'a file' etalon show --rejudge record.json
like 'a record: the hint names import' "$err" 'etalon import'
refuses 'a record: report --rejudge refuses it' 2 'a file' etalon report --rejudge -o r.html record.json
refuses 'no record: show refuses a plan' 2 'q.yaml' etalon show ./q.yaml

# --- nothing
export ETALON_STORE=sqlite:$work/store.db
mkdir void
for command in "${records[@]}" "${plans[@]}" 'profile --from @'; do
	read -ra words <<<"${command% @}"
	refuses "a folder that is no label: ${command% @} refuses it" 2 'void: Is a directory' etalon "${words[@]}" void
	refuses "a path that leads nowhere: ${command% @} refuses it" 2 './nosuch: No such file' etalon "${words[@]}" ./nosuch
	refuses "a name of nothing: ${command% @} refuses it" 2 'nosuch' etalon "${words[@]}" nosuch
done
done_testing
