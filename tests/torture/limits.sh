#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Low resource limits (setrlimit(2)). Below every limit etalon ends, and ends by itself, with a result
# or with an error that names a cause; it does not crash or hang, and the store stays whole.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/../cli/lib.sh"

: "${TORTURE:=1}"
sanitized=0
! grep -q __asan_init "$ETALON" || sanitized=1

etalon run -q -r 2 --label before -- true >/dev/null 2>&1
seq 1 2000 >numbers
trials=0
odd=0

# limited ULIMIT COMMAND…: runs it below the limits; counts a crash, a hang and an error without cause
limited()
{
	local limit=$1 status
	shift
	trials=$((trials + 1))
	# The limit is for etalon alone. Its messages go through a pipe, which RLIMIT_FSIZE does not limit.
	timeout -k 5 60 bash -c "ulimit $limit || exit 99; exec \"\$@\"" - "$@" 2>&1 >out </dev/null | cat >err
	status=${PIPESTATUS[0]}
	case $status in
	0 | 1 | 2 | 3 | 4) ;;
	99) return ;; # the limit cannot be set here
	*)
		# RLIMIT_CPU ends etalon by SIGXCPU or SIGKILL, as it is meant to; ld.so ends with 127. The
		# kernel refuses to start a program of a user who has too many processes elsewhere.
		if [[ $limit == *-t* && $status -ge 128 && $status -ne 124 && $status -ne 139 ]] ||
			[[ $status -eq 127 && $(cat err) == *'shared libraries'* ]] ||
			[[ $status -eq 126 && $(cat err) == 'setpriv: failed to execute'* ]]; then
			return
		fi
		odd=$((odd + 1))
		note "ulimit $limit, $*: status $status: $(head -c 300 err)"
		return
		;;
	esac
	# A failure of etalon's own names its cause.
	if [ "$status" -ne 0 ] && ! grep -q '^etalon: ..*' err; then
		odd=$((odd + 1))
		note "ulimit $limit, $*: status $status without an error message: $(head -c 300 err)"
	fi
}

# all_commands LIMIT: what is tried below each limit
all_commands()
{
	limited "$1" etalon run -r 3 --label limited -- true
	limited "$1" etalon run -r 2 --label limited true 'sleep 0'
	limited "$1" etalon show before
	limited "$1" etalon describe numbers
}

# finish LABEL: reports what was odd since the last call
finish()
{
	is "$1: $trials commands below low limits neither crash nor hang" "$odd" 0
	is "$1: the store is whole" "$(sqlite3 store.db 'PRAGMA integrity_check')" ok
	ok "$1: the store can be read and written afterwards" etalon run -q -r 1 -- true
	trials=0
	odd=0
}

for ((i = 0; i < TORTURE; i++)); do
	for n in 4 6 9 12 $((RANDOM % 28 + 5)); do
		all_commands "-n $n"
	done
	finish "RLIMIT_NOFILE"
	if [ $sanitized -eq 0 ]; then
		for mb in 8 24 $((RANDOM % 110 + 10)); do
			all_commands "-v $((mb * 1024))"
		done
		finish "RLIMIT_AS"
	else
		skip "RLIMIT_AS: commands neither crash nor hang" "sanitizers reserve terabytes"
	fi
	for kb in 0 1 16 $((RANDOM % 200)); do
		all_commands "-f $kb"
		limited "-f $kb" etalon run -q -r 2 --export-json "limited-$kb.json" -- true
		limited "-f $kb" etalon export -o "exported-$kb.json" --format json before
	done
	finish "RLIMIT_FSIZE"
	# etalon needs 80 KiB; without them the kernel ends it by SIGSEGV.
	for kb in 128 200 $((RANDOM % 1000 + 128)); do
		limited "-s $kb" etalon run -r 2 -- true
		limited "-s $kb" etalon describe numbers
	done
	finish "RLIMIT_STACK"
	for kb in 0 64 $((RANDOM % 500)); do
		all_commands "-l $kb"
	done
	finish "RLIMIT_MEMLOCK"
	limited "-t 1" etalon run --label limited -r 1000000 --time-limit 5s -- true
	limited "-t 1" etalon run -r 3 -- sh -c 'while :; do :; done'
	finish "RLIMIT_CPU"
	for n in 0 1 $((RANDOM % 3 + 1)); do
		if can_drop_privileges; then
			cp numbers "$public/"
			limited "-u $n" setpriv --reuid 65534 --regid 65534 --clear-groups env -C "$public" \
				HOME="$public" ETALON_STORE="sqlite:$public/store.db" "$public/bin/etalon" run -r 3 -- true
			limited "-u $n" setpriv --reuid 65534 --regid 65534 --clear-groups env -C "$public" \
				HOME="$public" "$public/bin/etalon" describe numbers
		elif [ "$(id -u)" -ne 0 ]; then
			all_commands "-u $n"
		fi
	done
	finish "RLIMIT_NPROC"
done

# A user who has no other process reaches the limit with etalon and its keeper, until another process
# of that user ends.
if can_drop_privileges; then
	user=$((1000000 + $$))
	mkdir other
	chown $user other
	chmod 755 "$public" "$public/bin"
	setpriv --reuid $user --regid $user --clear-groups sleep 1 &
	exits "RLIMIT_NPROC: a run continues when the limit is no longer reached" 0 setpriv --reuid $user --regid $user \
		--clear-groups env -C other HOME="$work/other" ETALON_STORE="sqlite:$work/other/store.db" \
		prlimit --nproc=3 "$public/bin/etalon" run -q -w 0 -r 2 -- true
	wait
else
	skip "RLIMIT_NPROC: a run continues when the limit is no longer reached" "$why_not"
fi

done_testing
