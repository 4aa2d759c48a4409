#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A designed experiment on a real Slurm cluster with a real PostgreSQL server: from the plan to the
# analysis, detaching and returning, and what is refused.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/../cli/lib.sh"
# shellcheck source=tests/postgres.sh
. "$root/tests/postgres.sh"
# shellcheck source=tests/slurm.sh
. "$root/tests/slurm.sh"
pg_available || { skip 'cluster: a server' "$pg_why"; done_testing; }
slurm_possible || { skip 'cluster: a scheduler' "$why_not"; done_testing; }
pg_start || exit 1
slurm_start MaxJobCount=20 || { tail -n 20 "$slurm_dir"/*.log; exit 1; }
pg_create lab
ETALON_STORE=$(pg_url lab)
export ETALON_STORE PGPASSFILE=$work/pgpass
ok 'sync: the store is made' etalon sync --setup

# plan NAME REPLICATIONS COMMAND
plan()
{
	cat <<-END
		name: $1
		programs:
		  - { name: p, command: "$3" }
		factors:
		  - { name: work, kind: parameter, levels: [1000000, 2000000] }
		  - { name: pad, kind: environment-size, levels: [0, 512] }
		replications: $2
		discard: 0
		order: random
		seed: 5
	END
}
plan whole 2 'etalon put inc --iterations {work}' >whole.yaml
plan many 30 'etalon put inc --iterations {work}' >many.yaml
plan waits 2 "$work/waits {work}" >waits.yaml
cat >waits <<-END
	#!/bin/sh
	env >>$work/variables
	until [ -e $work/go ]; do sleep 0.05; done
END
chmod +x waits
sql() { pg_sql lab "SET search_path TO etalon; $1"; }

exits 'doe run: an experiment runs on the cluster' 0 \
	etalon doe run whole.yaml --engine slurm --part-rounds 1 --per-machine
like 'doe run: all parts are done' "$err" '4 of 4 parts'
like 'doe run: it ends with a table of the machines' "$out" 'machine +time +against'
is 'store: both machines have all runs of the plan' \
	"$(sql 'SELECT e.machine, s.round, count(*) FROM sample s JOIN experiment e ON e.key = s.experiment
		GROUP BY 1, 2 ORDER BY 1, 2' | tr '\n' ' ')" 'n1|1|4 n1|2|4 n2|1|4 n2|2|4 '
is 'doe run: no log of a job is left' "$(find . -maxdepth 1 -name 'etalon-*.log')" ''
exits 'doe status: the campaign is done' 0 etalon doe status whole.yaml
exits 'list --campaigns: it succeeds' 0 etalon list --campaigns
like 'list --campaigns: one line per campaign' "$out" '[0-9a-f]  done +4/4 +2  doe +slurm +whole'
is 'list --campaigns: JSON' "$(etalon list --campaigns --json | jq -r '.[] | "\(.label) \(.state) \(.parts) \(.machines)"')" 'whole done 4 2'
exits 'doe analyse: the machines are analysed together' 0 etalon doe analyse whole.yaml

refuses 'doe run: an unknown partition is refused' 2 'no such partition' \
	etalon doe run many.yaml --engine slurm --partition nosuch
like 'doe run: the partitions are listed' "$err" 'bench'
refuses 'doe run: more parts than the cluster allows are refused' 2 'more jobs than the cluster allows' \
	etalon doe run many.yaml --engine slurm --part-rounds 1
like 'doe run: more parts than the cluster allows have a cure' "$err" '--part-rounds'
run etalon doe run many.yaml --engine slurm --etalon-path "$work/nosuch"
is 'doe run: nodes without etalon are refused' "$status" 4
like 'doe run: nodes without etalon have a cure' "$err" 'hint: .*--etalon-path'
is 'store: a refused experiment leaves nothing' "$(sql 'SELECT count(*) FROM campaign')" 1

# Ctrl-C detaches: the parts wait for a file, and run to their end without the submitter.
# A background job of a script ignores SIGINT; env undoes that.
env --default-signal=INT etalon doe run waits.yaml --engine slurm --part-rounds 1 >detached 2>&1 &
submitter=$!
wait_until '[ "$(sql "SELECT count(*) FROM part WHERE state = '"'running'"'")" = 2 ]'
kill -INT $submitter
wait $submitter
is 'doe run: Ctrl-C detaches' $? 130
is 'doe run: jobs continue after Ctrl-C' "$(squeue -h -t R | wc -l)" 2
exits 'doe status: parts that run are listed' 0 etalon doe status waits.yaml
like 'doe status: the machines of running parts are named' "$out" 'n[12]'
touch go
exits 'doe run --attach: it returns to the campaign' 0 etalon doe run --attach waits.yaml
like 'task: the programs have an environment' "$(cat variables)" '(^|[[:space:]])PATH='
unlike 'task: the programs see neither variables of Slurm nor files of passwords' "$(cat variables)" 'SLURM|PGPASS'
is 'store: the parts of the second campaign are done' \
	"$(sql "SELECT count(*) FROM part WHERE state = 'done'")" 6

slurm_kill slurmctld
refuses 'doe run: a controller that is down is named' 4 'does not answer' \
	etalon doe run many.yaml --engine slurm
done_testing
