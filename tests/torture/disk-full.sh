#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The disk becomes full at any moment of an experiment: while the store is created, between two samples,
# at the end, or while outputs are written. etalon says so; every recorded sample stays; no duet is
# recorded by half; and as soon as there is space, --resume continues the experiment.
#
# As root the disk is a small tmpfs in a mount namespace of its own, which another file fills until
# some space is left; otherwise it is RLIMIT_FSIZE.
if [ "$(id -u)" -eq 0 ] && [ -z "${DISK_FULL_NAMESPACE:-}" ] && unshare --mount true 2>/dev/null; then
	DISK_FULL_NAMESPACE=1 exec unshare --mount "$0" "$@"
fi
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/../cli/lib.sh"

: "${TORTURE:=1}"
mkdir disk
small=0
trap 'umount "$work/disk" 2>/dev/null; clean_up' EXIT
[ -n "${DISK_FULL_NAMESPACE:-}" ] && mount -t tmpfs -o size=16m,mode=700 small disk 2>/dev/null && small=1
unset DISK_FULL_NAMESPACE
store=$work/disk/store.db

# fill LEAVE: takes all space of the small disk but about LEAVE KiB
fill()
{
	local free
	rm -f disk/ballast
	free=$(df --output=avail -k disk | tail -n 1)
	[ "$free" -le "$1" ] || head -c $(((free - $1) * 1024)) /dev/zero >disk/ballast
}

# on_full_disk KIB COMMAND…: runs it with about that much space
on_full_disk()
{
	local kib=$1
	shift
	if [ $small -eq 1 ]; then
		fill "$kib"
		run timeout 120 "$@"
		rm -f disk/ballast
	else
		run timeout 120 bash -c "ulimit -f $kib; exec \"\$@\"" - "$@"
	fi
}

sql()
{
	sqlite3 "$store" "$1" 2>&1
}

# halves: the number of duets of which only one sample is recorded
halves()
{
	sql "SELECT count(*) FROM (SELECT 1 FROM sample WHERE arrangement = 'duet'
		GROUP BY experiment, \"order\" HAVING count(*) <> 2)"
}

# odd WHAT: counts and shows a result that must not be
odd=0
odd()
{
	odd=$((odd + 1))
	note "$trial: $1"
}

# resume: continues the experiment that the full disk ended; all its samples must be there afterwards
verb=run
resume()
{
	local before=$1 after
	run timeout 120 etalon $verb -q --store "sqlite:$store" --resume="$(sql 'SELECT id FROM experiment')"
	[ "$status" -eq 0 ] || odd "--resume exits with status $status: $err"
	after=$(sql 'SELECT count(*) FROM sample WHERE NOT warmup')
	[ "$after" -ge "$before" ] || odd "--resume lost samples: $before, then $after"
	[ "$after" -eq "$wanted" ] || odd "--resume leaves $after samples, not $wanted"
	[ "$(sql 'SELECT state FROM experiment')" = 'done' ] || odd "the resumed experiment is not done"
}

# examine: checks the store that a full disk has left
examine()
{
	local n
	n=$(sql 'SELECT count(*) FROM sample WHERE NOT warmup')
	[ "$(sql 'PRAGMA integrity_check')" = ok ] || odd "the store is damaged: $(sql 'PRAGMA integrity_check')"
	[ "$(halves)" = 0 ] || odd "$(halves) duets are recorded by half"
	if [ "$(sql 'SELECT count(*) FROM experiment')" = 1 ] && [ "$(sql 'SELECT state FROM experiment')" != 'done' ]; then
		interrupted=$((interrupted + 1))
		resume "$n"
		[ "$(halves)" = 0 ] || odd "$(halves) duets are recorded by half after --resume"
	fi
}

# try KIB SAMPLES COMMAND…: one experiment on a disk with that much space
try()
{
	local kib=$1
	trial="$kib KiB, ${*:3}"
	wanted=$2
	shift 2
	rm -f disk/store.db*
	on_full_disk "$kib" "$@"
	case $status in
	0) return ;;
	4) ;;
	*) odd "status $status: $err" ;;
	esac
	[[ $err == etalon:* ]] || odd "no error message: $err"
	[ ! -s "$store" ] || [ -z "$(sql .tables)" ] || examine
}

interrupted=0
for ((i = 0; i < TORTURE; i++)); do
	odd=0
	for kib in 4 64 200 $((RANDOM % 100 + 230)) $((RANDOM % 100 + 270)); do
		try "$kib" 600 etalon run -q --store "sqlite:$store" -r 600 --no-ledger -- true
	done
	is "disk full: experiments of single runs survive" "$odd" 0
	odd=0
	for kib in 40 240 $((RANDOM % 100 + 230)) $((RANDOM % 100 + 270)); do
		try "$kib" 600 etalon run -q --store "sqlite:$store" -r 300 --order duet --no-ledger true 'sleep 0'
	done
	is "disk full: experiments of duets survive" "$odd" 0
done
[ "$interrupted" -gt 0 ]
holds $? "disk full: $interrupted experiments were interrupted and resumed"

# A sample and its profile are recorded both, or none of them.
profile=(etalon profile -q --store "sqlite:$store" -w 0 -F 5000)
rm -f disk/store.db*
if run "${profile[@]}" -r 1 -- etalon put inc --seconds 5ms && [ "$status" -eq 0 ]; then
	odd=0 interrupted=0 verb=profile
	for kib in 230 $((RANDOM % 30 + 260)) $((RANDOM % 60 + 280)); do
		try "$kib" 40 "${profile[@]}" -r 40 -- etalon put inc --seconds 5ms
		[ ! -s "$store" ] || [ -z "$(sql .tables)" ] || [ "$(sql "SELECT count(*) FROM sample")" = "$(sql "SELECT count(*) FROM profile_run")" ] ||
			odd "there are samples without a profile"
	done
	is "disk full: profiles survive, $interrupted of them interrupted and resumed" "$odd" 0
else
	skip 'disk full: profiles survive' "$(head -n 1 <<<"$err")"
fi

# A learning that a full disk ends is continued by its own command.
if [ $small -eq 1 ]; then
	rm -rf disk/*
	etalon run -q -r 2 --store "sqlite:$store" true >/dev/null
	on_full_disk 100 etalon daemons learn -q --store "sqlite:$store" --short-runs 2000 --short-seconds 1ms --long-runs 0
	is 'disk full: a learning gives exit status 4' "$status" 4
	like 'disk full: the hint continues the learning' "$err" "run 'etalon daemons learn --resume' to continue"
else
	skip 'disk full: a learning gives exit status 4' 'needs a small disk'
fi

# Outputs: the old file stays as it was, and no temporary file is left.
rm -rf disk/*
etalon run -q -r 200 --label full -- true >/dev/null 2>&1
odd=0
for ((i = 0; i < 3 * TORTURE; i++)); do
	for command in 'etalon export --format json -o disk/out full' 'etalon report -o disk/out full' \
		'etalon run -q -r 20 --json disk/out -- true' 'etalon trace --duration 20ms --svg disk/out'; do
		trial=$command
		echo OLD >disk/out
		# shellcheck disable=SC2086 # a command of several words
		on_full_disk $((i ? RANDOM % 8 : 0)) $command
		[ "$status" -eq 0 ] || [ "$status" -eq 4 ] || odd "status $status: $err"
		[ "$status" -eq 0 ] || [ "$(cat disk/out)" = OLD ] || odd "the old file is destroyed"
		[ "$(ls disk)" = out ] || odd "there are other files: $(ls disk)"
	done
done
is "disk full: an output that cannot be written leaves the old file" "$odd" 0

done_testing
