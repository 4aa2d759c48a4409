#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The files that etalon opens: with standard descriptors closed, and in folders of other users.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

# without CLOSED COMMAND…: runs it with these descriptors closed, for instance "02"
without()
{
	local closed=$1
	shift
	(
		case $closed in *0*) exec <&- ;; esac
		case $closed in *1*) exec >&- ;; esac
		case $closed in *2*) exec 2>&- ;; esac
		exec "$@"
	) </dev/null >"${work:?}/closed.out" 2>"${work:?}/closed.err"
}

etalon run -q -r 3 --label closed -- true >/dev/null 2>&1
for closed in 0 1 2 01 02 12 012; do
	rm -f new.json
	echo OLD >old.json
	without $closed etalon run -q -r 3 --export-json new.json -- true
	status=$?
	# Without stdout the result cannot be printed.
	want=0
	[[ $closed != *1* ]] || want=4
	is "closed $closed: run exits with status $want" "$status" "$want"
	ok "closed $closed: the file of --export-json holds JSON and nothing else" jq -e .results new.json
	without $closed etalon run -r 3 --export-json old.json -- false
	is "closed $closed: a failed program is reported by status 1" "$?" 1
	is "closed $closed: an error message does not go into an output file" "$(cat old.json)" OLD
	without $closed etalon show closed
	is "closed $closed: show exits with status $want" "$?" "$want"
	[[ $closed == *1* ]] || ok "closed $closed: show prints the experiment" grep -q closed closed.out
	without $closed etalon run -q -r 2 --label "inherit$closed" --output inherit -- sh -c 'echo x || exit 7'
	status=$?
	want=0
	[[ $closed != *1* ]] || want=1
	is "closed $closed: with --output inherit the program finds what the caller left" "$status" "$want"
done
without 0 etalon describe -
is "closed stdin: describe - exits with status 2" "$?" 2
like "closed stdin: describe - names the cause" "$(cat closed.err)" 'Bad file descriptor'
without 1 etalon show closed
like "closed stdout: show names the cause" "$(cat closed.err)" 'standard output: Bad file descriptor'
is "closed descriptors: the store is undamaged" "$(sqlite3 store.db 'PRAGMA integrity_check')" ok

# Another user plants names in a shared folder: links to a file and to a folder of root's.
plant()
{
	setpriv --reuid 65534 --regid 65534 --clear-groups "$@"
}
shared=$work/shared
if [ "$(id -u)" -ne 0 ] || ! plant true 2>/dev/null; then
	skip "shared folder: names that another user planted are refused" "needs root"
	done_testing
fi
mkdir private shared
chmod 700 private
chmod 1777 shared
chmod 711 "$work"
echo OLD >private/old
plant ln -s "$work/private/old" shared/old
plant ln -s "$work/private/new" shared/new
plant mkfifo shared/fifo
plant touch shared/theirs
printf "1\n2\n3\n" | tee series >series2

# refused LABEL COMMAND…: the command fails for each name in place of FILE, and writes nothing
refused()
{
	local label=$1 name
	shift
	for name in old new fifo theirs; do
		run timeout 60 "${@//FILE/$shared/$name}"
		[ "$status" -ne 0 ] && [ "$status" -ne 124 ] && [[ $err == *shared/$name:\ refused:* ]]
		holds $? "$label: '$name', which another user planted in a shared folder, is refused" ||
			note "status $status: $err"
	done
	is "$label: root's file is unchanged" "$(cat private/old)" OLD
	[ ! -e private/new ] && [ ! -s shared/theirs ]
	holds $? "$label: no file was created or written through a planted name"
}
refused "run --export-json" etalon run -q -r 1 --export-json FILE -- true
refused "run --report" etalon run -q -r 1 --report FILE -- true
refused "run --output" etalon run -q -r 1 --output FILE -- true
refused "export -o" etalon export -o FILE closed
refused "report -o" etalon report -o FILE closed
refused "compare --json" etalon compare --json FILE series series2
refused "trace --svg" etalon trace --from "$root/tests/golden/csapp-activity-trace.json" --svg FILE
refused "lab --svg" etalon lab cache --svg FILE --runs 2
refused "daemons --report" etalon daemons analyse "$root/tests/golden/emp-daemons.json" --report FILE
for name in json csv; do
	rm -f shared/own
	ok "shared folder: our own $name file is created" etalon export -o shared/own --format $name closed
	cp shared/own first
	ok "shared folder: our own $name file is replaced" etalon export -o shared/own --format $name closed
	ok "shared folder: its contents are the same" cmp shared/own first
done
is "shared folder: no temporary file is left" "$(cd shared && echo *)" "fifo new old own theirs"

done_testing
