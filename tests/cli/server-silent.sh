#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Every wait for a server has an end: if it is down, silent, slow or full, commands end with a message,
# and a signal ends them before.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
etalon --version | grep -q 'PostgreSQL [0-9]' ||
	{ skip 'waiting for a server' 'this build has no PostgreSQL store'; done_testing; }
unset PGHOST PGPORT PGUSER PGDATABASE PGPASSWORD PGPASSFILE PGSERVICE PGCONNECT_TIMEOUT PGSSLMODE
export ETALON_SPOOL=$work/spool.db
most=60 # a command that takes longer does not end, also on a busy machine

# serve MODE: begins a server of that mode; sets $server, its process, $dir, its folder, and $url
serve()
{
	dir=$(mktemp -d "$work/$1.XXXXXX")
	python3 "$root/tests/cli/bad-server.py" "$dir" "$1" &
	server=$!
	wait_until "[ -s $dir/port ]" || return 1
	url="postgresql://nobody@127.0.0.1:$(cat "$dir/port")/lab?sslmode=disable&gssencmode=disable&password=x"
}

end_server()
{
	kill "$server"
	wait "$server" 2>/dev/null
}

# ends LABEL STATUS REGEX COMMAND…: it ends with that status and message within the time
ends()
{
	local label=$1 want=$2 regex=$3
	shift 3
	run timeout -k 5 "$most" "$@"
	is "$label: it ends with exit status $want" "$status" "$want"
	like "$label: the message says why" "$err" "$regex"
}

# --- limits ---

serve silent
export ETALON_SERVER_LIMIT=2
silence='the server has not answered for 2 s'
ends 'silent: list' 4 "$silence" etalon list --store "$url"
ends 'silent: show' 4 "$silence" etalon show --store "$url"
ends 'silent: rm' 4 "$silence" etalon rm --store "$url" some
ends 'silent: sync --setup' 4 "$silence" etalon sync --setup --store "$url"
ends 'silent: run --baseline' 4 "$silence" etalon run -q -r 2 --baseline some --store "$url" true
like 'silent: the hint names the variable' "$err" 'hint: .*ETALON_SERVER_LIMIT=SECONDS'
etalon run -q -r 2 -w 0 true >/dev/null
ends 'silent: sync --all' 4 "$silence" etalon sync --all --store "$url"
ends 'silent: sync --from' 4 "$silence" etalon sync --from "$url"
ends 'silent: a command that measures' 0 "not delivered: .*$silence" etalon run -q -r 2 --store "$url" true
end_server
ends 'down: list' 4 'no server answers there' etalon list --store "$url"
ends 'down: run --baseline' 4 'no server answers there' etalon run -q -r 2 --baseline some --store "$url" true

serve drip
ends 'a byte per second: list' 4 'the server (has not answered for 5 s|answers by fewer than 1,000 bytes per second)' \
	env ETALON_SERVER_LIMIT=5 etalon list --store "$url"
end_server

# Answers without an end: by time, and by bytes, of which etalon keeps few.
serve rows
most=600 ends 'rows: list' 4 'the server answers, but has not finished after 40 s' etalon list --store "$url"
end_server
# flood MODE REGEX: it ends by the number of bytes, with little memory, also if sanitizers add theirs
flood()
{
	serve "$1"
	most=600 ends "$1: list" 4 "$2" env ETALON_SERVER_LIMIT=3600 python3 -c 'import resource, subprocess, sys
status = subprocess.call(sys.argv[1:])
print("kilobytes", resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
sys.exit(status)' etalon list --store "$url&connect_timeout=3600"
	[[ $out =~ kilobytes\ ([0-9]+) ]] && [ "${BASH_REMATCH[1]}" -lt 700000 ]
	holds $? "$1: it takes little memory"
	end_server
}
flood notify 'the server sends more than 1 GiB for one answer'
flood notify-login 'the server sends too much for a login'

late='the server does not answer in time'
for mode in full silent-login drip-login; do
	serve $mode
	ends "$mode: list" 4 "$late" etalon list --store "$url&connect_timeout=2"
	ends "$mode: run --baseline" 4 "$late" \
		etalon run -q -r 2 --baseline some --store "$url&connect_timeout=2" true
	end_server
done

# A call of libpq that computes for hours is left behind.
serve scram
held='the login does not end in time'
ends 'scram: list' 4 "$held" etalon list --store "$url"
ends 'scram: run --baseline' 4 "$held" etalon run -q -r 2 --baseline some --store "$url" true
etalon run -q -r 2 -w 0 true >/dev/null
ends 'scram: sync --all' 4 "$held" etalon sync --all --store "$url"
ends 'scram: a command that measures' 0 "not delivered: .*$held" etalon run -q -r 2 --store "$url" true
end_server

# A host that does not accept is given up for the next one of the URL.
serve full
full=$(cat "$dir/port") full_server=$server
serve hint
next="postgresql://nobody@127.0.0.1:$full,127.0.0.1:$(cat "$dir/port")/lab"
ends 'full: the next host of the URL is asked' 4 "127.0.0.1:$full.*: no" \
	etalon list --store "$next?sslmode=disable&gssencmode=disable&connect_timeout=2"
kill "$full_server"

# --- the server's words are not etalon's ---

ends 'hint: list' 4 ': no' etalon list --store "$url"
like 'hint: that of a server is shown as such' "$err" 'hint: the server says: run: curl evil'
end_server
serve notice
ends 'a notice during the login: list' 4 ': no' etalon list --store "$url"
unlike 'a notice during the login is not printed' "$err" 'all is well'
end_server

# --- signals ---

# handles PID: it is etalon and has its handler of SIGTERM
# shellcheck disable=SC2317 # wait_until calls it
handles()
{
	[ "$(cat "/proc/$1/comm")" = etalon ] && (((0x$(sed -n 's/^SigCgt:\t//p' "/proc/$1/status") >> 14) & 1))
}

# Long limits, so that only the signal can end it.
export ETALON_SERVER_LIMIT=3600
for mode in silent drip silent-login scram full; do
	for signal in INT:130 TERM:143; do
		serve $mode
		env --default-signal=INT etalon run -q -r 2 --baseline some --store "$url&connect_timeout=3600" true \
			>.out 2>.err &
		pid=$!
		wait_until "[ -e $dir/asked ]"
		wait_until "handles $pid"
		kill -s "${signal%:*}" "$pid"
		wait_until "gone $pid" "$most"
		holds $? "$mode: SIG${signal%:*} ends run --baseline"
		kill -s KILL "$pid" 2>/dev/null
		wait "$pid"
		is "$mode: its exit status after SIG${signal%:*}" $? "${signal#*:}"
		like "$mode: its message after SIG${signal%:*}" "$(cat .err)" 'interrupted while waiting for the server'
		end_server
	done
done

done_testing
