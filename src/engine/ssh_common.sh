# SPDX-License-Identifier: GPL-3.0-or-later
umask 077
state=${XDG_STATE_HOME:-"$HOME/.local/state"}/etalon/tasks
cache=${XDG_CACHE_HOME:-"$HOME/.cache"}/etalon/bin
boot=
read -r boot </proc/sys/kernel/random/boot_id
started() {
	{ read -r line <"/proc/$1/stat" || return 1; } 2>/dev/null
	set -- ${line##*) }
	[ "$1" != Z ] && echo "${20}"
}
alive() {
	pid= start= b=
	{ read -r pid start b <"$1/pid"; } 2>/dev/null
	[ -n "$pid" ] && [ "$b" = "$boot" ] && [ "$(started "$pid")" = "$start" ]
}
