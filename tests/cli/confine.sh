#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Commands that only read and write files give up their privileges before they read anything; the
# programs that etalon measures keep those of the caller.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

filtered=1
why=
if grep -q __asan_init "$ETALON"; then
	filtered=0 why='a build with sanitizers has no filter'
elif ! grep -q '^Seccomp:' /proc/self/status || [[ $(uname -m) != @(x86_64|aarch64) ]]; then
	filtered=0 why='no seccomp filters here'
fi
# Capabilities for files: CAP_CHOWN, CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH, CAP_FOWNER.
allowed=$((0xf))

# status_has PID TEXT: it is in the status of the process
# shellcheck disable=SC2317 # wait_until calls it
status_has()
{
	grep -qsF "$2" "/proc/$1/status"
}

# confined LABEL COMMAND…: the command, which waits for a FIFO, is confined meanwhile
confined()
{
	local label=$1 pid effective
	shift
	"$@" >/dev/null 2>&1 </dev/null &
	pid=$!
	wait_until "status_has $pid NoNewPrivs:$'\t'1" 20
	holds $? "$label: no_new_privs is set"
	if [ $filtered -eq 1 ]; then
		wait_until "status_has $pid Seccomp:$'\t'2" 20
		holds $? "$label: system calls are filtered"
	else
		skip "$label: system calls are filtered" "$why"
	fi
	effective=$(sed -n 's/^CapEff:\t//p' "/proc/$pid/status")
	is "$label: only capabilities for files are in effect" "${effective:+$((0x$effective & ~allowed))}" 0
	kill -KILL "$pid" # a store that is locked may hold it for 30 s
	wait "$pid" 2>/dev/null
}

mkfifo waiting
seq 1 50000 >numbers
etalon import --label big numbers >/dev/null

# Each command, and each action of those that have several: what it reads while it is looked at. FIFO
# stands for a file, LOCKED for a store that another process keeps locked, and MACHINE for commands that
# measure, change the machine or are measured; those read the user's own words, plans and journal.
# A command without a row reads a file: it is looked at as if its row were NAME FIFO waiting.
table='
run MACHINE
show LOCKED last
list LOCKED
compare FIFO waiting numbers
report LOCKED last
export LOCKED last
rm LOCKED last
sync LOCKED --from sqlite:locked.db
env MACHINE
daemons learn MACHINE
daemons show LOCKED
daemons analyse FIFO waiting
daemons forget LOCKED
emp MACHINE
profile MACHINE
profile --from FIFO waiting
doe init MACHINE
doe plan MACHINE
doe run MACHINE
doe status LOCKED last
doe analyse LOCKED last
doe import FIFO waiting
doe export LOCKED last
trace MACHINE
trace --from FIFO waiting
clock MACHINE
lab MACHINE
lab --from LOCKED last emp-versions
put MACHINE
hyperfine MACHINE
completion MACHINE
'
for command in $(commands); do
	[[ $table == *$'\n'"$command "* ]] || table+="$command FIFO waiting"$'\n'
	# An option that reads instead of measuring has a row of its own.
	options "$command" | grep -qx from || continue
	case $command in
	doe | sync) ;; # of doe it is a command; sync always reads
	*) like "table: it has $command --from" "$table" $'\n'"$command --from " ;;
	esac
done
for command in daemons doe; do
	for action in $(etalon "$command" --help | sed -nE "s/^(usage:|      ) etalon $command ([a-z]+).*/\2/p"); do
		like "table: it has $command $action" "$table" $'\n'"$command $action "
	done
done

cp store.db locked.db
python3 - <<-'EOF' &
	import sqlite3, time
	db = sqlite3.connect("locked.db", isolation_level=None)
	db.execute("PRAGMA locking_mode=EXCLUSIVE")
	db.execute("BEGIN EXCLUSIVE")
	open("held", "w").close()
	time.sleep(3600)
EOF
holder=$!
wait_until '[ -e held ]'
while read -r line; do
	read -ra words <<<"$line"
	for ((i = 0; i < ${#words[@]}; i++)); do
		rest=("${words[@]:i+1}")
		case ${words[i]} in
		FIFO) confined "${words[*]:0:i}" etalon "${words[@]:0:i}" "${rest[@]}" ;;
		LOCKED) confined "${words[*]:0:i}" env ETALON_STORE="sqlite:$work/locked.db" "$ETALON" "${words[@]:0:i}" "${rest[@]}" ;;
		esac
	done
done <<<"$table"
kill "$holder"
wait "$holder" 2>/dev/null
confined 'export to a pipe' etalon export -o waiting big
confined 'report to a pipe' etalon report -o waiting big

# perf reads perf.data for etalon, with the rights of etalon after it has given up the others.
mkdir helpers
cat >helpers/perf <<-'EOF'
	#!/bin/sh
	cp /proc/self/status perf.status
	exit 1
EOF
chmod +x helpers/perf
printf 'PERFILE2\0' >stacks.folded
run env PATH="$work/helpers:$PATH" etalon profile --from stacks.folded
like 'profile --from: a file of perf record is given to perf' "$status $err" '^2 etalon: perf script failed'
# CAP_SYSLOG shows it the addresses in /proc/kallsyms.
is "profile --from: perf has only capabilities for files and for the kernel's names" \
	$((0x$(sed -n 's/^CapPrm:\t//p' perf.status) & ~allowed & ~(1 << 34))) 0
is 'profile --from: perf can get no others' "$(sed -n 's/^NoNewPrivs:\t//p' perf.status)" 1
[ $filtered -eq 0 ] || is 'profile --from: the system calls of perf are filtered' "$(sed -n 's/^Seccomp:\t//p' perf.status)" 2

etalon trace --from waiting 2>/dev/null &
pid=$!
# Before etalon handles it, the kernel may discard it. The shell and a sanitizer handle other signals.
# catches PID SIGNAL: whether the process has a handler for that signal
# shellcheck disable=SC2317 # wait_until calls it
catches() { ((0x$(sed -n 's/^SigCgt:\t//p' "/proc/$1/status") >> ($(kill -l "$2") - 1) & 1)); }
wait_until "catches $pid TSTP" 20
kill -TSTP "$pid"
ok "trace --from: the confined process stops on SIGTSTP" wait_until "[ \"\$(state_of $pid)\" = T ]" 20
kill -CONT "$pid"
kill "$pid" 2>/dev/null
wait "$pid" 2>/dev/null
# show blocks when the pipe is full; its reader is this script, which does not read.
exec 5<>waiting
confined 'show to a pipe' sh -c 'exec etalon show --json big >&5'
exec 5<&-

# A program finds the capabilities, no_new_privs and the filter of the caller.
look="grep -E '^(Cap|NoNewPrivs|Seccomp:)' /proc/self/status"
caller=$(bash -c "$look")
for options in '' '--no-ledger' '--nice 1' '--pace'; do
	# shellcheck disable=SC2086 # several options
	run etalon run -q -r 1 -w 0 $options --output seen --shell sh "$look"
	is "run $options: the program has the caller's capabilities" "$(cat seen)" "$caller"
done
run etalon run -q -r 1 -w 0 --prepare "sh -c \"$look >hook\"" -- true
is "run --prepare: a hook has the caller's capabilities" "$(cat hook)" "$caller"
with_ambient()
{
	setpriv --inh-caps=+chown,+net_raw --ambient-caps=+chown,+net_raw "$@"
}
if with_ambient true 2>/dev/null; then
	run with_ambient etalon run -q -r 1 -w 0 --output seen --shell sh "$look"
	is "run: the program has the caller's ambient capabilities" "$(cat seen)" "$(with_ambient sh -c "$look")"
else
	skip "run: the program has the caller's ambient capabilities" "needs root"
fi

# A set-user-ID etalon would act for root with the options of anybody.
if can_drop_privileges; then
	cp "$(command -v id)" "$public/bin/set-id"
	cp "$ETALON" "$public/bin/set-etalon"
	chown 0:0 "$public/bin/set-id" "$public/bin/set-etalon"
	chmod 4755 "$public/bin/set-id" "$public/bin/set-etalon"
	why_not='the temporary folder is mounted with nosuid'
fi
if [ -n "${public:-}" ] && [ "$(unprivileged set-id -u)" -eq 0 ]; then
	refuses "set-user-ID: etalon refuses to run" 3 'is set-user-ID' unprivileged set-etalon list
else
	skip "set-user-ID: etalon refuses to run" "${why_not:?}"
fi

done_testing
