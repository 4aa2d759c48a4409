#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A designed experiment of 2³ treatments and 3 replications on a Slurm cluster of two nodes, with a
# PostgreSQL server, all on loopback. While it runs, the controller, one node, the server and the
# submitting etalon are each killed with SIGKILL at a random moment and started again. At the end, the
# server must have exactly the planned samples: none twice, none missing.
#
# Each repetition is a new campaign. TORTURE is their number (1), SEED the first seed (the time); a
# repetition prints its seed and the moments of the kills. With an odd seed every machine makes all
# runs, with an even one any machine makes any. In some, the whole node dies with its jobs, not only slurmd.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/../cli/lib.sh"
# shellcheck source=tests/postgres.sh
. "$root/tests/postgres.sh"
# shellcheck source=tests/slurm.sh
. "$root/tests/slurm.sh"

times=${TORTURE:-1}
seed=${SEED:-$(date +%s)}
pg_available || { skip 'cluster: kills' "$pg_why"; done_testing; }
slurm_possible || { skip 'cluster: kills' "$why_not"; done_testing; }
pg_start fsync || exit 1
unset ETALON_STORE

cat >plan.yaml <<'END'
name: kills
programs:
  - name: inc
    command: etalon put inc --iterations {work}
factors:
  - { name: work, kind: parameter, levels: [100000000, 200000000] }
  - { name: pad, kind: environment-size, levels: [0, 512] }
  - { name: nice, kind: nice, levels: [0, 1] }
replications: 3
discard: 0
order: random
END

# random N: sets $drawn to a number from 0 to N - 1. bash seeds RANDOM anew in every subshell.
random()
{
	drawn=$((RANDOM % $1))
}

now_ms()
{
	echo $(($(date +%s%N) / 1000000))
}

# node_processes NODE: its jobs and what they started
node_processes()
{
	local pid
	for pid in $(slurm_processes); do
		grep -qzsFx "SLURMD_NODENAME=$1" "/proc/$pid/environ" && echo "$pid"
	done
}

# kill_node NODE: the daemon, the steps and the programs, as if the machine lost its power
kill_node()
{
	local pids parents
	slurm_kill "slurmd.$1"
	mapfile -t pids < <(node_processes "$1")
	[ ${#pids[@]} -eq 0 ] && return
	# The parent of a job is its slurmstepd.
	mapfile -t parents < <(ps -o ppid= -p "$(IFS=,; echo "${pids[*]}")" | sort -u)
	mapfile -t parents < <(ps -o pid=,comm= -p "$(IFS=,; echo "${parents[*]// /}")" |
		sed -n 's/^ *\([0-9]*\) slurmstepd$/\1/p')
	kill -9 "${parents[@]}" "${pids[@]}" 2>/dev/null
}

# sql SQL: what the database of this repetition has
sql()
{
	pg_sql "lab$rep" "SET search_path TO etalon; $1"
}

submitter=
# submit WORD…: starts the submitter, which begins the campaign or continues it
submit()
{
	etalon doe run "$@" --store "$url" >>"submit.$rep" 2>&1 &
	submitter=$!
}

# continue_campaign: as a user does after the submitter died; it may have died before it began
continue_campaign()
{
	# A server that was killed needs long to recover if the disk is slow.
	wait_until "sql 'SELECT 1' >/dev/null 2>&1" 180 || return
	if [ "$(sql 'SELECT count(*) FROM campaign')" = 0 ]; then
		submit plan.yaml "${options[@]}"
	else
		submit --attach
	fi
}

# strike VICTIM: kills it now
strike()
{
	case $1 in
	slurmctld) slurm_kill slurmctld ;;
	node) slurm_kill "slurmd.$node" ;;
	machine) kill_node "$node" ;;
	postgres) pg_kill ;;
	submitter) kill -9 "$submitter" 2>/dev/null; wait "$submitter" 2>/dev/null; submitter= ;;
	esac
}

# recover VICTIM: starts it again
recover()
{
	case $1 in
	slurmctld) slurm_start_controller ;;
	node | machine) slurm_start_node "$node" ;;
	# The server is no process of the cluster, which slurm_stop ends.
	postgres) export -n SLURM_CONF; pg_run; export SLURM_CONF ;;
	# The server may be down at this moment: then the submitter waits until it is back.
	submitter) waiting_submitter=1 ;;
	esac
}

# plan_kills: writes lines "MILLISECONDS strike|recover VICTIM" to the file kills, in the order of time
plan_kills()
{
	local victim at kills=()
	for victim in slurmctld "$kind" postgres submitter; do
		random 12000
		at=$((drawn + 200))
		random 4000
		kills+=("$at strike $victim" "$((at + 100 + drawn)) recover $victim")
	done
	printf '%s\n' "${kills[@]}" | sort -n >kills
}

# A controller that is killed forgets jobs of its last seconds and gives their numbers to others. A node
# that has seen such a number is drained until an operator resumes it: that is done here, and printed.
# shellcheck disable=SC2317 # finished calls it
operate()
{
	local drained
	[ "$SECONDS" -ge "$operated" ] || return
	operated=$((SECONDS + 2))
	for drained in $(sinfo -h -N -o '%N|%E' 2>/dev/null | sed -n 's/|Duplicate jobid$//p'); do
		echo "# the operator resumes $drained"
		scontrol update nodename="$drained" state=resume
	done
}

# finished: the submitter has ended by itself
# shellcheck disable=SC2317 # wait_until calls it
finished()
{
	operate
	[ -n "$submitter" ] && ! kill -0 "$submitter" 2>/dev/null
}

# repetition: one campaign with its kills
repetition()
{
	local begin at what victim status left
	url=$(pg_url "lab$rep")
	RANDOM=$((seed % 32768))
	random 2
	node=n$((drawn + 1))
	random 2
	kind=node
	[ $drawn -eq 0 ] || kind=machine
	options=(--engine slurm --part-rounds 1)
	planned=24
	[ $((seed % 2)) -eq 0 ] || { options+=(--per-machine); planned=48; }
	plan_kills
	echo "# repetition $rep: seed $seed, $node, $(tr '\n' ';' <kills)"
	pg_create "lab$rep"
	etalon sync --setup --store "$url" >/dev/null || return 1
	operated=0
	# A cluster of its own: jobs of the last one may be known to its controller as running.
	slurm_stop
	rm -rf "$slurm_dir"
	# shellcheck disable=SC2119 # no additional lines of slurm.conf
	slurm_start || { note "$(tail -n 20 "$slurm_dir/slurmctld.log")"; return 1; }
	waiting_submitter=
	begin=$(now_ms)
	submit plan.yaml "${options[@]}"
	while read -r at what victim; do
		left=$((begin + at - $(now_ms)))
		[ $left -le 0 ] || sleep "$((left / 1000)).$(printf %03d $((left % 1000)))"
		if [ "$what" = strike ]; then
			strike "$victim"
		else
			recover "$victim"
		fi
		if [ -n "$waiting_submitter" ] && [ -n "$pg_pid" ]; then
			waiting_submitter=
			continue_campaign
		fi
	done <kills
	# A submitter that began while the server or the controller was down has ended with an error.
	for _ in 1 2 3; do
		wait_until finished 150 || { note "$(tail -n 20 "submit.$rep")"; squeue -t all; return 1; }
		wait "$submitter"
		status=$?
		[ $status -ne 0 ] || break
		note "status $status: $(tail -n 5 "submit.$rep")"
		continue_campaign
	done
	echo "# repetition $rep: $(($(now_ms) - begin)) ms"
	return $status
}

# verify: what the server has
verify()
{
	local of='FROM sample s JOIN experiment e ON e.key = s.experiment'
	is "cluster: repetition $rep (seed $seed) has the planned samples" \
		"$(sql "SELECT count(*) $of")" "$planned"
	is "cluster: repetition $rep has no sample twice" \
		"$(sql "SELECT count(*) FROM (SELECT 1 $of
			GROUP BY CASE WHEN $planned = 48 THEN e.machine END, s.command, s.round HAVING count(*) > 1) x")" 0
	is "cluster: repetition $rep has one experiment per part, by its last attempt, and no other" \
		"$(sql "SELECT count(*) - count(e.id), count(*) - count(DISTINCT e.id),
			(SELECT count(*) FROM experiment) - count(*)
			FROM part p LEFT JOIN experiment e ON p.state = 'done' AND e.id = p.experiment
			AND e.member_part = p.number AND e.member_attempt = p.attempt")" '0|0|0'
	# Both nodes are on this machine, so that they share a spool; its outbox has the digest of each delivery.
	is "cluster: repetition $rep has the digests that the machines delivered" \
		"$(sql 'SELECT id, digest FROM experiment' | sort |
			comm -23 - <(sqlite3 "$HOME/.local/share/etalon/spool.db" 'SELECT experiment, digest FROM outbox' | sort))" ''
}

for ((rep = 1; rep <= times; rep++)); do
	repetition
	holds $? "cluster: repetition $rep (seed $seed) ends after all kills"
	verify
	# The files of every database are synced when a killed server recovers.
	pg_sql postgres "DROP DATABASE lab$rep WITH (FORCE)"
	seed=$((seed + 1))
done
done_testing
