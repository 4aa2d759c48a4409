# SPDX-License-Identifier: GPL-3.0-or-later
(
	trap - HUP PIPE
	exec setsid /bin/sh -c '
		trap : TERM INT
		job=$1; shift
		"$@" <"$job/input" >"$job/log" 2>&1 9>&-
		echo "$?" >"$job/exit.new"; mv "$job/exit.new" "$job/exit"; rm -f "$job/input"
	' sh "$job" "$@"
) </dev/null >/dev/null 2>&1 &
echo "$! $(started $!) $boot" >"$job/pid"
echo started
