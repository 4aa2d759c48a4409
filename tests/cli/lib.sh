# shellcheck shell=sh
# SPDX-License-Identifier: GPL-3.0-or-later
# What the tests of the program as a user runs it share: a folder and a store of their own, TAP.
# Sourced by sh; the program is $ETALON.
set -u
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
export ETALON_STORE="sqlite:$dir/store.db" COLUMNS=80
n=0

ok() { # ok STATUS DESCRIPTION
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; fi
}
skip() { # skip REASON
	n=$((n + 1))
	echo "ok $n # SKIP $1"
}
gives() { # gives STATUS DESCRIPTION COMMAND…: the output goes to $dir/out and $dir/err
	want=$1 what=$2
	shift 2
	"$@" > "$dir/out" 2> "$dir/err"
	got=$?
	[ "$got" -eq "$want" ]
	ok $? "$what: exit $want"
	[ "$got" -eq "$want" ] || { echo "# exit $got"; sed 's/^/# /' "$dir/out" "$dir/err"; }
}
says() { # says TEXT
	grep -qF -- "$1" "$dir/out" "$dir/err"
	ok $? "says '$1'"
}
done_testing() {
	echo "1..$n"
}
