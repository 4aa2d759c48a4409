#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A run of very many samples: memory grows by at most 100 bytes per sample, the number of open files
# does not grow, and the store takes a bounded number of bytes per sample. 5,000 samples;
# in the long form 10^6 if TORTURE is 50.
# A hundred bytes suffice for two culprits per sample; on a machine that runs tests at the same time
# there may be twenty.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/../cli/lib.sh"

: "${TORTURE:=1}"
samples=$((TORTURE > 1 ? 20000 * TORTURE : 5000))
each=100               # bytes that a sample with two culprits may take in memory
cache=$((2200 * 1024)) # SQLite's page cache holds what was written until it has 2,000 KiB
slack=$((512 * 1024))  # pages of the heap that are not full, buffers as large as the largest run
wal_most=$((16 << 20)) # the log restarts after every 1,000 pages
command -v sqlite3 >/dev/null || {
	skip "endurance" "sqlite3 is not installed"
	done_testing
}

# recorded: the number of samples in the store
recorded()
{
	sqlite3 -readonly store.db 'SELECT coalesce(max("order"), 0) FROM sample' 2>/dev/null || echo 0
}

# wait_for N: until that many samples are recorded, or the program has ended
wait_for()
{
	local rest
	while rest=$(($1 - $(recorded))) && [ $rest -gt 0 ] && [ -d "/proc/$pid" ]; do
		# A sample takes about a millisecond.
		sleep "$((rest / 2000)).2"
	done
}

# culprits: the number of culprits in the store
culprits()
{
	sqlite3 -readonly store.db 'SELECT count(*) FROM interference'
}

# look: sets n, others (culprits), bytes (of memory), files and size (of the store)
look()
{
	bytes=$(($(sed -n 's/^RssAnon:[^0-9]*\([0-9]*\) kB/\1/p' "/proc/$pid/status") * 1024))
	n=$(recorded)
	others=$(culprits)
	# Some are open during a run only, so the least of several looks counts.
	files=$(for ((i = 0; i < 20; i++)); do find "/proc/$pid/fd" -mindepth 1 | wc -l; done | sort -n | head -n 1)
	size=$(sqlite3 -readonly store.db 'PRAGMA page_count; PRAGMA page_size' | tr '\n' '*')
	size=$((${size%\*}))
}

cached()
{
	echo $(($1 < cache ? $1 : cache))
}

# remember: keeps the present look for grows
remember()
{
	n0=$n others0=$others bytes0=$bytes size0=$size
}

# grows NAME: from the look that was remembered to the present one
grows()
{
	local most=$((each * (n - n0))) many=$((60 * (n - n0) + 20 * (others - others0)))
	most=$(((most > many ? most : many) + $(cached "$size") - $(cached "$size0") + slack))
	note "samples $n0 to $n, $((others - others0)) culprits:" \
		"$((bytes - bytes0)) bytes of memory, at most $most"
	[ $((bytes - bytes0)) -le $most ]
	tap_report $? "$1"
}

etalon run -q -r 100000000 -- true >out 2>err &
pid=$!
sanitized=0
! grep -q __asan_init "$ETALON" || sanitized=1
wait_for $((samples / 5))
look
remember
files0=$files
wait_for $((samples / 2))
look
if [ $sanitized -eq 1 ]; then
	skip "endurance: memory" "the address sanitizer keeps freed memory"
else
	grows "endurance: memory grows by at most $each bytes per sample in the first half"
fi
remember
wait_for $samples
look
[ $sanitized -eq 1 ] || grows "endurance: memory grows by at most $each bytes per sample in the second half"
is "endurance: no open files are added" "$files" "$files0"
note "$size bytes in the store, $(stat -c %s store.db-wal) in its log"
ok "endurance: the store takes at most 200 bytes per sample and 60 per culprit" \
	[ $size -le $((200 * n + 60 * others + slack)) ]
ok "endurance: the log of the store is restarted" [ "$(stat -c %s store.db-wal)" -le $wal_most ]
ok "endurance: the run does not end by itself" kill -TERM $pid
wait $pid
is "endurance: a run that is ended by a signal reports so" $? 143
ok "endurance: it keeps all samples" [ "$(recorded)" -ge "$n" ]
exits "endurance: its results can be shown" 0 etalon show last
done_testing
