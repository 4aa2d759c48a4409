# shellcheck shell=bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A PostgreSQL server for tests, from Debian's package, as an ordinary user in a temporary folder.
#
#	. "$(dirname "$0")/lib.sh"                  # of tests/cli, for its trap; other scripts may omit it
#	. "$root/tests/postgres.sh"
#	pg_available || { skip 'the tests of a server' "$pg_why"; done_testing; }
#	pg_start                                    # Unix socket only, fsync off: about 1.5 s
#	pg_create lab                               # a new, empty database
#	etalon list --store "$(pg_url lab)"
#
# pg_start [tcp] [fsync] [NAME=VALUE…]  starts it; tcp: also on 127.0.0.1 with a free port ($pg_port);
#	fsync: as in production; NAME=VALUE: a setting of postgresql.conf. Folder: $pg_dir, log: $pg_dir/log.
# pg_url DATABASE [USER]       the URL by the Unix socket; the user postgres may do anything, without password
# pg_tcp_url DATABASE [USER[:PASSWORD]]    the URL by 127.0.0.1
# pg_sql DATABASE SQL…         runs SQL as postgres and prints the rows without decoration
# pg_create NAME               makes a database
# pg_hba LINE…                 replaces pg_hba.conf and reloads it
# pg_stop, pg_kill, pg_restart ends it (fast), kills it with -9, starts it again with the same settings
# The server is ended and its folder removed when the script exits. A script that sets its own EXIT trap
# after sourcing this file calls pg_clean in it.

pg_dir=
pg_port=5432
pg_pid=
pg_settings=()

# The newest server of Debian's packages, else of the PATH.
pg_bin()
{
	local newest
	newest=$(printf '%s\n' /usr/lib/postgresql/*/bin | sort -V | tail -n 1)
	if [ -x "$newest/initdb" ]; then
		echo "$newest"
	else
		dirname "$(command -v initdb 2>/dev/null || echo /nonexistent/initdb)"
	fi
}

# The server refuses to run as root: the command that begins with these words runs as another user.
pg_as=()
if [ "$(id -u)" -eq 0 ] && id postgres >/dev/null 2>&1; then
	pg_as=(setpriv --reuid postgres --regid postgres --clear-groups --)
elif [ "$(id -u)" -eq 0 ]; then
	pg_as=(setpriv --reuid nobody --regid "$(id -g nobody)" --clear-groups --)
fi

pg_available()
{
	# shellcheck disable=SC2034 # scripts print it
	pg_why=
	if [ ! -x "$(pg_bin)/initdb" ]; then
		pg_why='there is no PostgreSQL server (Debian: postgresql)'
	elif [ "$(id -u)" -eq 0 ] && ! command -v setpriv >/dev/null; then
		pg_why='root cannot run PostgreSQL without setpriv (Debian: util-linux)'
	elif [ "${ETALON:-}" ] && ! "$ETALON" --version | grep -q 'PostgreSQL [0-9]'; then
		pg_why='this build has no PostgreSQL store'
	fi
	[ -z "$pg_why" ]
}

pg_free_port()
{
	python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

# Starts the server in its folder, and waits until it answers. The last one may still be ending.
pg_run()
{
	local end=$((SECONDS + 30)) arguments=() setting bin
	bin=$(pg_bin)
	for setting in "${pg_settings[@]}"; do
		arguments+=(-c "$setting")
	done
	while [ "$SECONDS" -lt "$end" ]; do
		"${pg_as[@]}" "$bin/postgres" -D "$pg_dir/data" -k "$pg_dir" "${arguments[@]}" \
			</dev/null >>"$pg_dir/log" 2>&1 &
		pg_pid=$!
		while kill -0 "$pg_pid" 2>/dev/null; do
			"$bin/pg_isready" -q -h "$pg_dir" -p "$pg_port" && return 0
			[ "$SECONDS" -lt "$end" ] || break
			sleep 0.02
		done
		sleep 0.1
	done
	tail -n 20 "$pg_dir/log" | sed 's/^/# /'
	return 1
}

pg_start()
{
	local word listen="" fsync=off
	# Not below TMPDIR: the path of a Unix socket has at most 107 bytes.
	pg_dir=$(mktemp -d /tmp/etalon-pg.XXXXXX) || return 1
	[ "$(id -u)" -ne 0 ] || chown "$("${pg_as[@]}" id -u)" "$pg_dir"
	chmod 711 "$pg_dir"
	pg_settings=()
	for word; do
		case $word in
		tcp) listen=127.0.0.1 pg_port=$(pg_free_port) ;;
		fsync) fsync=on ;;
		*) pg_settings+=("$word") ;;
		esac
	done
	pg_settings=("port=$pg_port" "listen_addresses=$listen" "fsync=$fsync" shared_buffers=32MB
		logging_collector=off "${pg_settings[@]}")
	(cd "$pg_dir" && "${pg_as[@]}" "$(pg_bin)/initdb" -D "$pg_dir/data" -U postgres -A trust --encoding=UTF8 \
		--locale=C --no-sync >"$pg_dir/initdb.log" 2>&1) ||
		{ sed 's/^/# /' "$pg_dir/initdb.log"; return 1; }
	pg_run
}

# pg_end SIGNAL: ends the server by the signal and waits for it
pg_end()
{
	[ -n "$pg_pid" ] || return 0
	kill "-$1" "$pg_pid" 2>/dev/null
	wait "$pg_pid" 2>/dev/null
	pg_pid=
}

pg_stop() { pg_end INT; }
pg_kill() { pg_end KILL; }

pg_restart()
{
	pg_stop
	pg_run
}

pg_clean()
{
	pg_end QUIT
	[ -z "$pg_dir" ] || rm -rf "$pg_dir"
}

pg_url()
{
	echo "postgresql://${2:-postgres}@/$1?host=$pg_dir&port=$pg_port"
}

pg_tcp_url()
{
	echo "postgresql://${2:-postgres}@127.0.0.1:$pg_port/$1"
}

pg_sql()
{
	local database=$1
	shift
	PGOPTIONS='-c client_min_messages=warning' "$(pg_bin)/psql" -X -q -A -t -v ON_ERROR_STOP=1 \
		-h "$pg_dir" -p "$pg_port" -U postgres -d "$database" -c "$*"
}

pg_create()
{
	pg_sql postgres "CREATE DATABASE \"$1\" TEMPLATE template0"
}

pg_hba()
{
	printf '%s\n' "$@" | "${pg_as[@]}" tee "$pg_dir/data/pg_hba.conf" >/dev/null
	kill -HUP "$pg_pid"
}

# An EXIT trap that is there already runs, too.
if declare -F clean_up >/dev/null; then
	trap 'pg_clean; clean_up' EXIT
else
	trap pg_clean EXIT
fi
