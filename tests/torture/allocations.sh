#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Allocations fail, one per trial or many, in every command: none ends by a signal or hangs, an error
# names memory and has the status of the contract, an output with status 0 is whole, the store is
# undamaged, and the machine is restored. With enough trials every allocation of a command fails once.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/../cli/lib.sh"
# shellcheck source=tests/cli/machine.sh
. "$root/tests/cli/machine.sh"

if [ -z "${FAILING_ALLOC:=}" ]; then
	skip 'allocations: a command survives failed allocations' 'a sanitizer replaces the allocator'
	done_testing
fi
# The long form has 20,000 trials if TORTURE is 50.
times=$((${TORTURE:-1} > 1 ? 7 * TORTURE : 1))
RANDOM=${SEED:=$((RANDOM % 10000))}
note "SEED=$SEED TORTURE=${TORTURE:-1}"
trials_wanted=0
trials_done=0
errors=0

# failing AT EVERY COMMAND…: runs it; allocation AT fails, and every EVERYth one after it (0: none)
failing()
{
	local at=$1 every=$2
	shift 2
	LD_PRELOAD=$FAILING_ALLOC FAIL_SECONDS=60 FAIL_AT=$at FAIL_EVERY=$every "$@" >.out 2>.err
	status=$?
	trials_done=$((trials_done + 1))
	[ $status -eq 0 ] || errors=$((errors + 1))
}

# allocations_of COMMAND…: sets $allocations to their number in an undisturbed run, leaves .whole
allocations_of()
{
	LD_PRELOAD=$FAILING_ALLOC FAIL_COUNT=$work/.count "$@" >.whole 2>.err
	status=$?
	allocations=$(cat .count)
	rm -f .count
}

# points N TRIALS: one `AT EVERY` per trial. At least N trials fail each of the N allocations alone;
# fewer are spread over them from a random start. Further ones let several fail in one run.
points()
{
	local n=$1 trials=$2 i alone
	alone=$((trials < n ? trials : n))
	local start=$((RANDOM % (n / alone)))
	for ((i = 0; i < alone; i++)); do
		echo "$((1 + (start + i * n / alone) % n)) 0"
	done
	for ((i = alone; i < trials; i++)); do
		echo "$((1 + RANDOM % n)) $((2 + RANDOM % 60))"
	done
}

# wrong KIND: remembers the trial, with the last line of its error
wrong()
{
	eval "$1=\"\$$1 \$at/\$every:\$status(\$(head -c 300 .err | tr '\n' '|'))\""
}

# judge: sorts the result of a trial
# shellcheck disable=SC2034 # wrong sets them
judge()
{
	if [ "$status" -gt 5 ]; then
		wrong crashed
	elif [ "$status" -ne 0 ] && [[ $status != [34] || ! $(<.err) =~ $known ]]; then
		wrong unnamed
	elif [ "$status" -eq 0 ] && [ -n "$compare" ] && ! cmp -s .out .whole; then
		wrong cut
	fi
}

known='out of memory|[Cc]annot allocate memory'

# before_trial and after_trial may be replaced by a campaign; after_trial fails if it finds damage
before_trial() { :; }
after_trial() { :; }
compare=
fine=0

# campaign NAME TRIALS COMMAND…: reports on that many trials. With compare=1, status 0 means that the
# output equals that of an undisturbed run, whose status is $fine.
campaign()
{
	local name=$1 trials=$(($2 * times)) crashed='' unnamed='' cut='' damaged='' at every
	shift 2
	trials_wanted=$((trials_wanted + trials))
	before_trial
	allocations_of "$@"
	is "allocations: $name: its status if none fails" "$status" "$fine" || note "$(cat .err)"
	after_trial
	while read -r at every; do
		before_trial
		failing "$at" "$every" "$@"
		judge
		after_trial || wrong damaged
	done < <(points "$allocations" "$trials")
	is "allocations: $name: no signal and no hang, $trials trials of $allocations allocations" "$crashed" ''
	is "allocations: $name: every error names memory" "$unnamed" ''
	[ -z "$compare" ] || is "allocations: $name: an output with status 0 is whole" "$cut" ''
	is "allocations: $name: nothing is damaged" "$damaged" ''
}

intact() { [ "$(sqlite3 "$1" 'PRAGMA integrity_check' 2>&1)" = ok ]; }

# --- readers
etalon run -q --runs 6 -w 0 --label pair 'true' 'sleep 0.001' >/dev/null 2>&1
etalon export -f json last >native.json
etalon export -f hyperfine last >hyperfine.json
seq 1 20 >one
seq 3 25 >two
seq 1 20 | awk '{ print $1, $1 * $1 + $1 % 3 }' >sizes
compare=1
campaign list 4 etalon list
campaign show 4 etalon show -v last
campaign 'show --json' 2 etalon show --json last
campaign report 4 etalon report --output - last
campaign export 3 etalon export -f csv last
campaign describe 4 etalon describe one
campaign compare 4 etalon compare one two
campaign samplesize 2 etalon samplesize one
campaign fit 2 etalon fit sizes
campaign 'daemons analyse' 2 etalon daemons analyse --json "$root/tests/golden/emp-daemons.json"
ok 'allocations: the store is undamaged after reading' intact store.db

# --- writers of the store
compare=
before_trial() { cp store.db copy.db; }
after_trial() { intact copy.db; }
export ETALON_STORE=sqlite:$work/copy.db
campaign rm 4 etalon rm last
before_trial() { rm -f copy.db*; }
after_trial() { [ ! -e copy.db ] || intact copy.db; }
campaign import 4 etalon import native.json
campaign 'import of hyperfine' 3 etalon import hyperfine.json
after_trial() { :; }
before_trial() { :; }
campaign run 6 etalon run -q --no-ledger --runs 2 -w 0 true
campaign 'run with the ledger' 3 etalon run -q --runs 2 -w 0 true 'sleep 0.001'
campaign 'daemons learn' 1 etalon daemons learn --busy -q --short-runs 10 --short-seconds 2ms --long-runs 0
ok 'allocations: the store is undamaged after runs' intact copy.db
ok 'allocations: the experiments of failed runs can be listed' etalon list

# --- the environment
# The captured machine has a process that cannot be held; apply reports it with status 3.
known="$known|could not be made"
# unrestored: prints what differs from the captured machine
unrestored()
{
	diff -rq --no-dereference -x enabled before tree
	tr -d '[]' <tree/sys/kernel/mm/transparent_hugepage/enabled | grep -v '^always'
	grep -Lx active units/*.service units/*.timer units/*.socket
	find . -maxdepth 1 -name "$(basename "$journal")*"
}

laptop
compare=1
campaign 'env check' 4 etalon env check --json
compare=
# after_trial: whatever was changed is restored now, or by the next etalon
after_trial()
{
	local left
	[ ! -e "$journal" ] || later=$((later + 1))
	etalon env restore -q >.restore 2>&1
	unrestored >.left 2>&1
	[ -s .left ] || return 0
	left=$(head -n 3 .left)
	note "trial $at/$every, status $status: $left"
	laptop
	return 1
}
later=0
fine=3
campaign 'env apply' 4 etalon env apply -q
note "after $later of the trials the next restore had something to restore"
later=0
before_trial() { etalon env apply -q >/dev/null 2>&1; }
fine=0
campaign 'env restore' 3 etalon env restore -q
note "after $later of the trials the next restore had something to restore"
later=0
before_trial() { :; }
campaign 'run --env' 3 etalon run -q --env --no-ledger --runs 2 -w 0 true
note "after $later of the trials the next restore had something to restore"

# --- memory that really runs out, by a limit of the address space
if ! command -v prlimit >/dev/null; then
	skip 'allocations: run --env restores the machine at a limit of memory' 'prlimit is missing'
else
	laptop
	# The thread that scouted leaves address space of its own, in which there would be room for minutes.
	MALLOC_ARENA_MAX=1 MALLOC_TOP_PAD_=4096 etalon run -q --env --no-ledger --runs 1000000 true >.out 2>.err &
	pid=$!
	wait_until 'grep -qx 0 tree/proc/sys/kernel/randomize_va_space'
	# shellcheck disable=SC2016 # wait_until evaluates it
	wait_until '[ "0$(etalon list --json | jq "[.[].samples] | max")" -ge 20 ]'
	prlimit --pid $pid --as="$(sed -n 's/^VmSize:[^0-9]*\([0-9]*\) kB/\1/p' /proc/$pid/status)000"
	wait $pid
	is 'allocations: run --env: a limit of memory ends it with status 4' $? 4
	like 'allocations: run --env: the error names memory' "$(cat .err)" "$known"
	unrestored >.left 2>&1
	is 'allocations: run --env: at the limit of memory it restores the machine' "$(cat .left)" ''
fi

note "$trials_done trials, $errors of them ended with an error"
ok 'allocations: at least a quarter of the trials end with an error' test $((4 * errors)) -ge $trials_done
is 'allocations: every trial was made' "$trials_done" "$trials_wanted"
done_testing
