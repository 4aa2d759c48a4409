# shellcheck shell=bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A captured machine that `etalon env` may change, with a service manager of its own, for scripts that
# have sourced lib.sh.

journal=$ETALON_JOURNAL

# machine NAME: a copy of the captured tree in ./tree, with its own service manager
machine()
{
	chmod -R u+w tree 2>/dev/null
	rm -rf tree before units gone log "$journal"*
	cp -a "$root/tests/sysroot/$1" tree
	cp -a tree before
	cp "$root/tests/cli/fake-systemctl" systemctl
	mkdir units
	export ETALON_SYSROOT=$work/tree ETALON_SYSTEMCTL=$work/systemctl
}

# unit NAME [PID]: an active unit, with the process that belongs to it
unit()
{
	echo active >"units/$1"
	[ -z "${2:-}" ] || echo "$2" >"units/$1.pid"
}

laptop()
{
	machine laptop
	unit cron.service 412
	unit cups.service 700
	unit cups.socket
	unit systemd-timesyncd.service 810
	unit irqbalance.service 820
	unit apt-daily.timer
	unit man-db.timer
}

# as_before WHEN: every setting and service is as it was, and no journal is left. The kernel would
# put brackets around the chosen value of `enabled`; a captured file loses them when written. A captured
# FILE is replaced by FILE.new, which a kill may leave; the kernel's files are written in place.
as_before()
{
	ok "$1: every setting has its old value" diff -r --no-dereference -x enabled -x '*.new' before tree
	is "$1: huge pages have their old value" "$(tr -d '[]' <tree/sys/kernel/mm/transparent_hugepage/enabled | cut -d' ' -f1)" always
	is "$1: every service is active again" "$(cat units/*.service units/*.timer units/*.socket | sort -u)" active
	ok "$1: no journal is left" test ! -e "$journal"
}
