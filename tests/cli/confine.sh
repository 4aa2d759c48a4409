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
	grep -qF "$2" "/proc/$1/status"
}

# confined LABEL COMMAND…: the command, which waits for a FIFO, is confined meanwhile
confined()
{
	local label=$1 pid effective
	shift
	"$@" 2>/dev/null &
	pid=$!
	wait_until "status_has $pid NoNewPrivs:$'\t'1" 20
	holds $? "$label: no_new_privs is set"
	if [ $filtered -eq 1 ]; then
		wait_until "status_has $pid Seccomp:$'\t'2" 20
		holds $? "$label: system calls are filtered"
	else
		skip "$label: system calls are filtered" "$why"
	fi
	effective=$((0x$(sed -n 's/^CapEff:\t//p' "/proc/$pid/status")))
	is "$label: only capabilities for files are in effect" $((effective & ~allowed)) 0
	kill "$pid"
	wait "$pid" 2>/dev/null
}

mkfifo waiting
seq 1 50000 >numbers
etalon import --label big numbers >/dev/null
confined describe etalon describe waiting
confined import etalon import waiting
confined compare etalon compare waiting numbers
confined samplesize etalon samplesize waiting
confined fit etalon fit waiting
confined export etalon export -o waiting big
confined report etalon report -o waiting big
confined 'trace --from' etalon trace --from waiting
confined 'daemons analyse' etalon daemons analyse waiting
etalon trace --from waiting 2>/dev/null &
pid=$!
wait_until "[[ \$(sed -n 's/^SigCgt:\t//p' /proc/$pid/status) =~ [1-9a-f] ]]" 20
kill -TSTP "$pid"
ok "trace --from: the confined process stops on SIGTSTP" wait_until "[ \"\$(state_of $pid)\" = T ]" 20
kill -CONT "$pid"
kill "$pid"
wait "$pid" 2>/dev/null
# show blocks when the pipe is full; its reader is this script, which does not read.
exec 5<>waiting
confined show sh -c 'exec etalon show --json big >&5'
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
