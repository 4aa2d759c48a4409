#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A small store from elsewhere must not take all memory or time. Each case edits a store by hand;
# the figures are those of the kernel for the etalon that reads it.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

sanitized=0
grep -qa __asan_init "$ETALON" && sanitized=1

ok 'base: an experiment is stored' etalon run -q -r 2 --label base -- true
cp store.db base.db

# measured COMMAND…: runs it; prints its peak memory in MB, its CPU time in s, and its exit status
measured()
{
	python3 - "$@" <<-'PY'
		import os, resource, subprocess, sys
		status = subprocess.run(sys.argv[1:], stdout=open('out', 'wb'), stderr=open('err', 'wb')).returncode
		used = resource.getrusage(resource.RUSAGE_CHILDREN)
		print(used.ru_maxrss // 1024, int(used.ru_utime + used.ru_stime + 0.999), status)
	PY
}

# forge NAME SQL…: makes the store that SQL makes of the base, and reads it in several ways
forge()
{
	local name=$1 reading mb seconds code size
	shift
	cp base.db store.db
	rm -f store.db-wal store.db-shm
	sqlite3 store.db 'PRAGMA journal_mode=DELETE; PRAGMA synchronous=OFF;' "$@" 'VACUUM' >forge.log 2>&1 ||
		{ ok "$name: the store is forged" false; note "$(cat forge.log)"; return; }
	size=$(stat -c %s store.db)
	[ "$size" -le 320000 ] || [[ $name == *argv ]] || ok "$name: the store is small, not $size bytes" false
	for reading in list 'list --json' 'show last' 'show base' 'export last' 'run --resume'; do
		# shellcheck disable=SC2086
		read -r mb seconds code < <(measured etalon $reading)
		[[ $sanitized -eq 1 || $mb -lt 200 ]] && [ "$seconds" -le $((2 + 8 * sanitized)) ] && [ "$code" -lt 128 ]
		tap_report $? "$name: $reading ends after 2 s and 200 MB at most ($seconds s, $mb MB, status $code)"
	done
}

forge 'argv of 300 MB' 'ALTER TABLE command DROP COLUMN argv' \
	'ALTER TABLE command ADD COLUMN argv BLOB AS (zeroblob(300000000))'
forge 'label of 900 MB' 'DROP INDEX experiment_label' 'ALTER TABLE experiment DROP COLUMN label' \
	'ALTER TABLE experiment ADD COLUMN label TEXT AS (hex(zeroblob(450000000)))'

many="WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i <"
columns='finished_ns, state, protocol, metric, "order", seed, commands'
# Rows that a file has only once: the default value of a column is in none of them.
long=$(printf '%060000d' 7)
forge 'long labels by default' 'DROP INDEX experiment_label' 'DROP INDEX experiment_started' \
	'ALTER TABLE experiment DROP COLUMN label' \
	"$many 300) INSERT INTO experiment (id, started_ns, $columns)
	 SELECT 'x' || i, i, 1, 'done', 'raw', 'et', 'auto', 1, 1 FROM n" \
	"ALTER TABLE experiment ADD COLUMN label TEXT DEFAULT '$long'"
forge 'long commands by default' 'ALTER TABLE command DROP COLUMN text' \
	'DELETE FROM command' \
	"$many 8000) INSERT INTO command (experiment, number, name, argv) SELECT key, i - 1, '', x'' FROM n, experiment" \
	"UPDATE experiment SET commands = 8000" \
	"ALTER TABLE command ADD COLUMN text TEXT NOT NULL DEFAULT '$long'"
forge 'long argv' 'UPDATE command SET argv = zeroblob(900000)'
forge 'deep expressions' "CREATE INDEX deep ON sample (et_ns$(printf ' + et_ns%.0s' {1..200}))"

# hot STORE FILE: puts a journal beside the store that SQLite would roll back, with FILE as its
# super-journal, which SQLite would delete afterwards
hot()
{
	python3 - "$@" <<-'PY'
		import os, struct, sys
		store, name = sys.argv[1], os.path.abspath(sys.argv[2]).encode()
		page = struct.unpack('>H', open(store, 'rb').read(18)[16:])[0]
		magic = bytes.fromhex('d9d505f920a163d7')
		head = magic + struct.pack('>5I', 0, 1, os.path.getsize(store) // page, 512, page)
		end = struct.pack('>2I', len(name), sum(name)) + magic
		open(store + '-journal', 'wb').write(head.ljust(512, b'\0') + struct.pack('>I', 1) + name + end)
	PY
}

# no_deletion NAME: no way to use store.db deletes the file that a journal beside it names
no_deletion()
{
	local use
	for use in list 'show last' 'export last' 'rm last' 'run -q -r 1 true'; do
		cp base.db store.db
		rm -f store.db-*
		echo precious >precious
		hot store.db precious
		[ -z "$2" ] || chown -R "$2" store.db store.db-journal .
		# shellcheck disable=SC2086
		timeout -s KILL 20 etalon $use >out 2>err
		ok "$1: $use does not delete the file that it names ($?)" test -e precious
		[ -z "$2" ] || chown "$(id -u)" .
	done
}

no_deletion 'journal of this user' ''
if [ "$(id -u)" -eq 0 ]; then
	no_deletion 'journal of another user' 65534
	hot store.db precious
	chown -R 65534 store.db store.db-journal .
	refuses 'journal of another user: it is not rolled back' 4 'interrupted' etalon list
	ok 'journal of another user: it is not removed' test -e store.db-journal
	chown 0 .
else
	skip 'journal of another user: it is not rolled back' 'only root can make files of others'
fi

# Its owner has a store open, with a sample of the log, and truncates the file that SQLite maps.
if can_drop_privileges; then
	cp base.db "$public/live.db"
	chown 65534:65534 "$public/live.db"
	cat >"$public/owner.py" <<-'PY'
		import os, sqlite3
		c = sqlite3.connect('live.db')
		c.execute('PRAGMA journal_mode=WAL')
		c.execute("UPDATE experiment SET label = 'in the log'")
		c.commit()
		open('open', 'w').close()
		while os.path.exists('open'):
		    os.truncate('live.db-shm', 0)
	PY
	chmod 644 "$public/owner.py"
	unprivileged python3 owner.py 2>owner.err &
	if wait_until '[ -e "$public/open" ]' 20; then
		for ((i = 0; i < 20; i++)); do
			etalon list --store "sqlite:$public/live.db" >>listed 2>>err
			echo "status $?" >>listed
		done
		is 'store of another user: reading does not crash if the owner truncates -shm' \
			"$(grep -c 'status 0' listed)" 20
		is 'store of another user: what is in its log is read' "$(grep -c 'in the log' listed)" 20
		is 'store of another user: no copy is left' "$(find /tmp -maxdepth 1 -name 'etalon-copy-*' | wc -l)" 0
	else
		note "$(cat owner.err)"
		skip 'store of another user: reading does not crash if the owner truncates -shm' 'Python cannot use SQLite'
	fi
	rm -f "$public/open"
	wait
else
	skip 'store of another user: reading does not crash if the owner truncates -shm' "$why_not"
fi

# A pipe has no end that opens: each use of the store must fail or continue, but not wait for it.
for suffix in journal wal shm claims; do
	for use in list 'show last' 'export last' 'rm last' 'run -q -r 1 true'; do
		cp base.db store.db
		rm -f store.db-*
		mkfifo store.db-$suffix
		# shellcheck disable=SC2086
		timeout -s KILL 20 etalon $use >out 2>err
		[ $? -ne 137 ]
		tap_report $? "pipe as -$suffix: $use does not wait for it"
	done
done
rm -f store.db-*

done_testing
