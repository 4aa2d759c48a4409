#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# `doe run --engine slurm` with a real scheduler and a real server: progress, a killed submitter, a
# server that goes away, failing programs, cancelling. tests/torture has the long form.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/postgres.sh
. "$root/tests/postgres.sh"
# shellcheck source=tests/slurm.sh
. "$root/tests/slurm.sh"

pg_available || { skip 'campaigns' "$pg_why"; done_testing; }
slurm_possible || { skip 'campaigns' "$why_not"; done_testing; }
trap 'slurm_stop; pg_clean; clean_up' EXIT
pg_start
pg_create lab
# shellcheck disable=SC2119 # it takes options
slurm_start
ETALON_STORE=$(pg_url lab)
export ETALON_STORE
etalon sync --setup >/dev/null

plan() # plan NAME COMMAND: 2 treatments, 4 rounds that count
{
	cat >"$1.yaml" <<END
name: $1
programs: [{ name: p, command: '$2' }]
factors: [{ name: a, kind: parameter, levels: [0.01, 0.02] }]
replications: 5
discard: 1
END
}

rows() { pg_sql lab "SET search_path = etalon; $1"; }

# complete NAME LABEL: exactly the planned samples of the campaign are in the store, none twice
complete()
{
	is "$2: every planned run is there once" "$(rows "
		SELECT count(*), count(DISTINCT (s.command, s.round)), min(s.round), max(s.round)
		FROM part p JOIN campaign c ON c.key = p.campaign
		JOIN experiment e ON e.id = p.experiment JOIN sample s ON s.experiment = e.key
		WHERE c.label = '$1' AND p.state = 'done' AND NOT coalesce(s.warmup, 0) = 1")" '8|8|1|4'
}

# parts LABEL STATE: how many of them
# shellcheck disable=SC2317 # wait_until calls it
parts()
{
	rows "SELECT count(*) FROM part p JOIN campaign c ON c.key = p.campaign
		WHERE c.label = '$1' AND p.state = '$2'"
}

# --- a whole campaign ---
# Each machine builds the program for itself.
plan whole "{build}/prog {a}', build: 'cp /bin/sleep {build}/prog"
run etalon doe run whole.yaml --engine slurm --part-rounds 1
is 'campaign: it ends' $status 0
like 'campaign: it says how it is divided' "$out" 'campaign [0-9a-f-]*: 4 parts on slurm'
like 'campaign: it prints the findings' "$out" 'fastest: a=0.0'
like 'campaign: it is kept' "$out" 'kept as .*: etalon doe analyse'
complete whole campaign
is 'campaign: each machine measured its own build' "$(rows "SELECT count(DISTINCT c.text) FROM command c
	JOIN experiment e ON e.key = c.experiment WHERE c.number = 0 AND e.member_campaign IS NOT NULL")" 2
is 'campaign: both nodes took part' "$(rows "SELECT count(DISTINCT ran_on) FROM part")" 2
like 'campaign: the same plan again has nothing to do' \
	"$(etalon doe run whole.yaml --engine slurm)" '4 of 4 parts are done'
like 'status: text' "$(etalon doe status whole.yaml)" '4 of 4 parts are done'
is 'status: JSON' "$(etalon doe status whole.yaml --json | jq -c '[.done, .failed, (.parts | length)]')" '[4,0,4]'
is 'analyse: all parts are analysed, with both machines as blocks' "$(etalon doe analyse whole.yaml --json |
	jq -c '[.programs[0].n, .programs[0].blocks_df, .effects_of, .missing]')" '[8,1,"these machines",null]'
sed -i 's/replications: 5/replications: 6/' whole.yaml
run etalon doe run whole.yaml --engine slurm
is 'campaign: a changed plan is refused' "$status" 2
like 'campaign: the difference is shown' "$err" 'replications: 5, now 6'

# --- the submitter and the server are killed ---
plan killed 'sleep 0.3 {a}'
etalon doe run killed.yaml --engine slurm --part-rounds 1 >out 2>err &
submitter=$!
wait_until "[ 0\$(parts killed running) -gt 0 ]"
kill -9 $submitter
wait $submitter 2>/dev/null
pg_kill
pg_restart
run etalon doe run --attach killed.yaml
is 'killed: attach continues' $status 0
complete killed killed

# --- a program that fails ---
plan failing 'false {a}'
run etalon doe run failing.yaml --engine slurm --part-rounds 4
is 'failing: the exit status is 1' "$status" 1
like 'failing: the part and the reason are printed' "$err" 'part 0 .*failed with exit status 1'
like 'failing: status has the reason' "$(etalon doe status failing.yaml)" 'failed with exit status 1'

ok 'failing: the hint names the command that repeats it' \
	grep -q "hint: mend the cause; then 'etalon doe run --attach [0-9a-f-]*' repeats them" .err
run etalon doe run --attach failing.yaml
is 'failing: to attach tries it again' "$status $(rows "SELECT max(generation) FROM part p
	JOIN campaign c ON c.key = p.campaign WHERE c.label = 'failing'")" '1 2'

# --- jobs that the scheduler refuses ---
plan refused 'sleep {a}'
run etalon doe run refused.yaml --engine slurm --sbatch-option=--nosuch
is 'refused: it ends at once' "$status" 2
like 'refused: the line of sbatch is printed' "$err" "unrecognized option '--nosuch'"
is 'refused: no campaign is left' "$(rows "SELECT count(*) FROM campaign WHERE label = 'refused'")" 0

# --- a campaign of somebody else ---
rows "UPDATE campaign SET owner = 'mallory' WHERE label = 'failing'"
run etalon doe run --attach failing
is 'foreign: a label of another user is not found' "$status" 2
id=$(rows "SELECT id FROM campaign WHERE label = 'failing'")
run etalon doe run --attach "$id"
is 'foreign: an id of another user is refused' "$status" 4
like 'foreign: the owner is named' "$err" 'belongs to mallory'
run etalon doe run --attach whole --store "${ETALON_STORE/\?/?p%61ssword=x&}"
is 'password: one with an encoded keyword is refused' "$status" 2

# --- an id of a campaign where an experiment is expected ---
run etalon show "$(rows "SELECT id FROM campaign WHERE label = 'whole'")"
is 'show: a campaign is no experiment' "$status" 2
like 'show: the cure is named' "$err" "hint: use 'etalon compare --by machine"

# --- detaching and cancelling ---
plan long 'sleep 5 {a}'
etalon doe run long.yaml --engine slurm >out 2>err &
submitter=$!
wait_until "[ 0\$(parts long running) -gt 0 ]"
kill -TERM $submitter
status=0
wait $submitter || status=$?
is 'detach: the exit status is that of SIGTERM' "$status" 143
like 'detach: it says how to return' "$(cat err)" 'doe run --attach .*--cancel'
ok 'detach: the jobs continue' test -n "$(squeue -h)"
run etalon doe run --cancel long.yaml
is 'cancel: it ends the jobs' $status 0
like 'cancel: it says so' "$out" 'is cancelled: 0 of'
# shellcheck disable=SC2016 # wait_until expands it
wait_until 'test -z "$(squeue -h)"'
ok 'cancel: the queue is empty' test -z "$(squeue -h)"

done_testing
