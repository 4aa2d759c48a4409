#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# `etalon task` and the options of engines: wrong input is refused before anything runs.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

cat >plan.yaml <<'END'
name: small
programs: [{ name: p, command: 'sleep {a}' }]
factors: [{ name: a, kind: parameter, levels: [0.01, 0.02] }]
replications: 3
END

refused() # refused LABEL STATUS PATTERN HINT COMMAND…
{
	local label=$1 want=$2 pattern=$3 hint=$4 status=0
	shift 4
	"$@" >out 2>err </dev/null || status=$?
	is "$label: the exit status" "$status" "$want"
	like "$label: the error" "$(cat err)" "$pattern"
	like "$label: the hint" "$(cat err)" "$hint"
}

# --- the job ---
task_with() { printf '%s' "$1" | etalon task --part 0; }
refused 'task: an empty job' 2 'the job on standard input: it is empty' 'hint: etalon writes jobs' \
	etalon task --part 0
for job in '[]' '{}' '{"etalon_job": 1}' 'x' '{"etalon_job": 1, "etalon_job": 1}' '"\ud800"'; do
	status=0
	task_with "$job" >/dev/null 2>err || status=$?
	is "task: the job $job is refused" "$status" 2
done
like 'task: help explains it' "$(etalon task --help)" 'Reads a job from standard input'
unlike 'task: the main help does not list it' "$(etalon --help)" '^  task '
like 'task: the probe is JSON about this machine' "$(etalon task --probe | jq -r 'has("machine")')" true

# --- options of engines ---
refused 'engine: a file is no central store' 2 'needs a store that they reach' 'hint: use --store postgresql' \
	etalon doe run plan.yaml --engine slurm
refused 'engine: a password is refused' 2 'password in the URL' 'hint: put it into ~/.pgpass' \
	etalon doe run plan.yaml --engine slurm --store postgresql://me:secret@localhost/db
unlike 'engine: the refused password is not shown' "$(cat err)" secret
refused 'engine: options without an engine' 2 '--partition needs --engine' 'hint: add --engine, or omit --partition' \
	etalon doe run plan.yaml --partition bench
refused 'engine: options of Slurm for ssh' 2 '--partition is an option of Slurm' 'hint: omit it' \
	etalon doe run plan.yaml --engine ssh:localhost --partition bench
refused 'engine: --copy for Slurm' 2 '--copy is an option of ssh' 'hint: omit it' \
	etalon doe run plan.yaml --engine slurm --copy
refused 'engine: attach and cancel' 2 'exclude each other' 'hint: omit one' \
	etalon doe run --attach --cancel
refused 'engine: attach with other options' 2 '--attach and --nodes exclude each other' 'hint: omit one' \
	etalon doe run --attach --nodes n1
refused 'engine: other actions' 2 'status takes no --engine' "hint: .*'doe run'" \
	etalon doe status plan.yaml --engine slurm
refused 'engine: --json' 2 '--json and --engine exclude each other' 'hint: omit one' \
	etalon doe run plan.yaml --engine slurm --json out.json
refused 'engine: no plan' 2 'doe run: name a plan file' 'hint:' etalon doe run --engine slurm

done_testing
