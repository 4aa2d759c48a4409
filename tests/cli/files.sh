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

done_testing
