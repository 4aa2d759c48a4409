# shellcheck shell=bash
# SPDX-License-Identifier: GPL-3.0-or-later
# TAP for tests of the command line. A script begins with
#	. "$(dirname "$0")/lib.sh"
# and ends with done_testing. It runs in an empty folder of its own ($work) with its own HOME and
# ETALON_STORE, so that it reads and writes nothing of the user's; the folder is removed at the end.
# The binary is $ETALON; the repository is $root.
#
# NAME below is a label that can be read alone in a log: `area: statement`, with subject and verb.
set -u

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
: "${ETALON:=$root/build/etalon}" "${KEEP_SPECIMEN:=$root/build/tests/cli/keep-specimen}"
ETALON=$(realpath "$ETALON")
export ETALON

work=$(mktemp -d "${TMPDIR:-/tmp}/etalon-test.XXXXXX") || exit 1
# clean_up: ends what a failed test has left in the background, and removes the folder. Only jobs that
# still run: the PID of a finished one may belong to somebody else by now.
clean_up()
{
	local left
	mapfile -t left < <(jobs -rp)
	[ ${#left[@]} -eq 0 ] || kill "${left[@]}" 2>/dev/null
	chmod -R u+rwX "$work" 2>/dev/null
	rm -rf "$work"
}
trap clean_up EXIT
# Without these a signal would end the script without the EXIT trap.
trap 'exit 143' TERM
trap 'exit 130' INT
cd "$work" || exit 1
mkdir home tmp
export HOME=$work/home TMPDIR=$work/tmp ETALON_STORE=sqlite:$work/store.db LC_ALL=C.UTF-8
export ETALON_JOURNAL=$work/env.journal
unset ETALON_SYSROOT ETALON_SYSTEMCTL XDG_DATA_HOME XDG_STATE_HOME XDG_CONFIG_HOME NO_COLOR COLUMNS
# `etalon` on the PATH is the binary under test.
mkdir bin
ln -s "$ETALON" bin/etalon
PATH=$work/bin:$PATH

tap_n=0
tap_failed=0

# tap_report STATUS NAME: one line of TAP, and the place of a check that failed
tap_report()
{
	tap_n=$((tap_n + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $tap_n - $2"
		return 0
	fi
	tap_failed=$((tap_failed + 1))
	echo "not ok $tap_n - $2"
	echo "# at ${BASH_SOURCE[2]}:${BASH_LINENO[1]}"
	return 1
}

# note TEXT: its first lines, as comments of TAP
note()
{
	printf '%s\n' "$*" | head -n 20 | sed 's/^/# /'
}

# ok NAME COMMAND…: passes when the command succeeds
ok()
{
	local name=$1
	shift
	"$@" >"$work/.ok" 2>&1
	tap_report $? "$name" || { note "command: $*"; note "$(cat "$work/.ok")"; return 1; }
}

# is NAME GOT WANT: equal texts
is()
{
	[ "$2" = "$3" ]
	tap_report $? "$1" || { note "got:  $2"; note "want: $3"; return 1; }
}

# like NAME TEXT REGEX: the text holds a match of the extended regular expression
like()
{
	[[ $2 =~ $3 ]]
	tap_report $? "$1" || { note "text: $2"; note "is not like: $3"; return 1; }
}

unlike()
{
	[[ ! $2 =~ $3 ]]
	tap_report $? "$1" || { note "text: $2"; note "is like: $3"; return 1; }
}

# fits NAME: no line of .out is wider than 80 columns, but for the path of the store
fits()
{
	is "$1" "$(grep -v '^stored as ' .out | grep -E '^.{81,}')" ''
}

# skip NAME REASON
skip()
{
	tap_n=$((tap_n + 1))
	echo "ok $tap_n - $1 # SKIP $2"
}

# run COMMAND…: runs it and sets $status, $out (stdout) and $err (stderr). A test that runs at the same
# time may kill an etalon, and this one then ends what was left: that message is in $raw_err alone.
run()
{
	"$@" >"$work/.out" 2>"$work/.raw"
	status=$?
	# shellcheck disable=SC2034 # scripts read it
	raw_err=$(tr -d '\0' <"$work/.raw")
	sed '/^etalon: ended [0-9]* process.* that an earlier, interrupted etalon left running\(: .*\)\{0,1\}$/d' "$work/.raw" >"$work/.err"
	out=$(tr -d '\0' <"$work/.out")
	err=$(tr -d '\0' <"$work/.err")
	return 0
}

# exits NAME STATUS COMMAND…: runs it and checks its exit status
exits()
{
	local name=$1 want=$2
	shift 2
	run "$@"
	[ "$status" -eq "$want" ]
	tap_report $? "$name" || {
		note "command: $*"
		note "status $status, not $want"
		note "$out"
		note "$err"
		return 1
	}
}

# refuses NAME STATUS REGEX COMMAND…: it exits with that status, prints nothing on stdout, and prints on
# stderr one line `etalon: …` that matches the regex, with at most a hint after it
refuses()
{
	local name=$1 want=$2 regex=$3 lines
	shift 3
	run "$@"
	lines=$(grep -vc '^hint: ' "$work/.err")
	[ "$status" -eq "$want" ] && [ -z "$out" ] && [ "$lines" -eq 1 ] &&
		[[ ${err%%$'\n'*} =~ ^etalon:\ .*$regex ]]
	tap_report $? "$name" || {
		note "command: $*"
		note "status $status, want $want; want stderr like: $regex"
		note "stdout: $out"
		note "stderr: $err"
		return 1
	}
}

# holds STATUS NAME: passes when the status is 0, for `test …; holds $? "name"`
holds()
{
	tap_report "$1" "$2"
}

# gives STATUS NAME COMMAND…: as exits, with the output in $dir/out and $dir/err
dir=$work
given=
gives()
{
	local want=$1
	given=$2
	shift 2
	exits "$given" "$want" "$@"
	cp "$work/.out" "$dir/out"
	cp "$work/.err" "$dir/err"
}

# says TEXT: the output of the last gives contains it
says()
{
	grep -qF -- "$1" "$dir/out" "$dir/err"
	tap_report $? "$given; the output contains '$1'"
}

# json NAME EXPRESSION: the last stdout is strict JSON (no NaN), and the Python expression is true,
# where d is the document
json()
{
	python3 -c 'import json, sys
def bad(x): raise ValueError(x)
d = json.load(open(sys.argv[1]), parse_constant=bad)
assert eval("(" + sys.argv[2] + ")"), d' "$work/.out" "$2" >"$work/.json" 2>&1
	tap_report $? "$1" || note "$(tail -n 1 "$work/.json")"
}

# can_drop_privileges: whether `unprivileged` works here; if not, $why_not is the reason. It copies
# etalon to $public, a folder that an unprivileged user owns: such a user may be unable to reach the
# build, for instance in root's home.
public=
why_not=
can_drop_privileges()
{
	[ -z "$public" ] || return 0
	why_not='needs root'
	[ "$(command id -u)" -eq 0 ] || return 1
	# shellcheck disable=SC2034 # scripts print it
	why_not='another user cannot run programs below this temporary folder'
	public=$work/public
	{ mkdir -p "$public/bin" && cp "$ETALON" "${ETALON%/*}/etalon-lab" "$public/bin" &&
		chown -R 65534:65534 "$public" && chmod 711 "$work" &&
		unprivileged etalon --version >/dev/null; } 2>/dev/null || { public=; return 1; }
}

# unprivileged COMMAND…: runs it in $public as a user without capabilities, who has a store there
unprivileged()
{
	setpriv --reuid 65534 --regid 65534 --clear-groups env -C "$public" HOME="$public" \
		TMPDIR="$public" PATH="$public/bin:$PATH" ETALON_STORE="sqlite:$public/store.db" \
		ETALON_JOURNAL="$public/env.journal" "$@"
}

# wait_until 'CONDITION' [SECONDS]: evaluates the condition until it is true; fails after SECONDS (60)
wait_until()
{
	local end=$((SECONDS + ${2:-60}))
	until eval "$1"; do
		[ "$SECONDS" -lt "$end" ] || { note "waited in vain until: $1"; return 1; }
		sleep 0.02
	done
}

# samples EXPERIMENT: how many samples the store holds of it
samples()
{
	etalon show --json "$1" 2>/dev/null | jq '[.commands[].samples[]] | length'
}

# wait_for_samples EXPERIMENT N: until the store holds N samples of it
wait_for_samples()
{
	wait_until "[ 0\$(samples $1) -ge $2 ]"
}

# state_of PID: the letter of its state, as in ps(1)
state_of()
{
	sed -n 's/^State:\t\(.\).*/\1/p' "/proc/$1/status" 2>/dev/null
}

# gone PID…: no such process is left, but for zombies that nobody reaps
gone()
{
	local pid
	for pid; do
		[[ $(state_of "$pid") =~ ^Z?$ ]] || return 1
	done
}

# wait_for_progress FILE N: until the output of --progress in FILE counts N steps
wait_for_progress()
{
	wait_until "[ 0\$(grep -oE '[0-9]+/' $1 | tail -n 1 | tr -d /) -ge $2 ]"
}

# commands: the names of all commands, one per line, as the help lists them
commands()
{
	"$ETALON" --help | sed -n -e 's/^  \([a-z][a-z-]*\)  *.*/\1/p' -e "s/^'etalon \([a-z][a-z-]*\)': .*/\1/p"
}

# options COMMAND: its long options, one per line, as its help lists them
options()
{
	"$ETALON" "$1" --help all | sed -n '/^options:/,$ s/^ *\(-[A-Za-z], \)\{0,1\}--\([a-z-]*\).*/\2/p'
}

done_testing()
{
	echo "1..$tap_n"
	[ "$tap_failed" -eq 0 ]
	exit
}
