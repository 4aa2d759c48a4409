#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Runs the examples of the documents, unchanged, in a folder with a few files and a few recorded
# experiments. A line that cannot run here has a comment: "# needs root", "# installs packages",
# "# takes minutes", "# needs a build folder" (or a server, a cluster, a job). Usage: examples.sh readme | pages [K N]
# With K and N it takes every Nth page from the Kth on, so that several can run at the same time.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/../cli/lib.sh"

# Prints the lines after "$ " in the fenced blocks of Markdown (those marked console) or scdoc (all).
fenced()
{
	awk '/^```/ { inside = !inside && ($0 == "```console" || FILENAME ~ /\.scd$/); next }
		inside && /^\$ / { print substr($0, 3) }' "$1"
}

helped()
{
	"$ETALON" "$1" --help all | awk '/^examples:/ { inside = 1; next } /^$/ { inside = 0 }
		inside { sub(/^ +/, ""); print }'
}

# Every source starts with the same files, so that no example depends on another source.
(
	ETALON_STORE=sqlite:$work/elsewhere.db etalon run -q -r 3 --json before.json true
	etalon run -q -r 3 --label before true
	etalon run -q -r 3 --label demo -n sort 'etalon put sort --size 2000' \
		-n inc 'etalon put inc --iterations 1000000'
) >/dev/null 2>&1
mkdir -p stage
mv before.json store.db* stage
seq 100000 >stage/data
cp "$root/tests/golden/emp-daemons.json" stage/daemons.json
cp -r "$root/tests/sysroot/vm" stage/machine
cp "$root/tests/golden/csapp-activity-trace.json" stage/activity.json
cp "$root/tests/data/bench/old.json" stage/functions.json
printf 'run,seconds\n1,0.101\n2,0.102\n3,0.104\n' >stage/times.csv
etalon put inc --iterations 1 # calibrates now, not while an example is timed
etalon put inc --seconds 1ms

# can_sample: whether the kernel lets etalon sample programs; status 3 means that it does not
can_sample()
{
	etalon profile -q -w 0 -r 1 'etalon put inc --seconds 0.1' >/dev/null 2>&1
	[ $? -ne 3 ]
}

# try SOURCE: runs the lines on standard input
try()
{
	local source=$1 line machine
	rm -rf sandbox
	cp -r stage sandbox
	while IFS= read -r line; do
		if [[ $line =~ \#\ (needs\ root|installs\ packages|takes\ (minutes|days)|needs\ a\ (build\ folder|server|cluster|job)) ]]; then
			skip "$source: '$line' succeeds" "${BASH_REMATCH[1]}"
			continue
		fi
		# As root, emp would change this machine while other tests run.
		machine=()
		[[ $line != *'etalon emp '* ]] || machine=(ETALON_SYSROOT="$work/sandbox/machine")
		if [[ $line == *'etalon profile '* && $line != *--from* ]] && ! can_sample; then
			skip "$source: '$line' succeeds" 'the kernel allows no sampling here'
			continue
		fi
		ok "$source: '$line' succeeds" env -C sandbox ETALON_STORE="sqlite:$work/sandbox/store.db" \
			"${machine[@]}" timeout 120 bash -c "$line" </dev/null
	done
}

case ${1:-} in
readme)
	for page in README CONTRIBUTING doc/emp; do
		try "$page" < <(fenced "$root/$page.md")
	done
	;;
pages | others)
	[ "$1" = pages ] || try help < <(etalon --help | sed -n 's/^example: //p')
	for page in "$root"/man/*.scd; do
		name=$(basename "$page" .scd)
		command=${name#etalon-}
		command=${command%.*}
		case " ${*:2} " in
		*" $command "*) of=pages ;;
		*) of=others ;;
		esac
		[ "$of" = "$1" ] || continue
		# scdoc reads a backslash as an escape, as in troff.
		lines=$(fenced "$page" | sed "s/\\\\\(.\)/\1/g")
		# The help of a command repeats examples of its page: each runs once.
		if etalon "$command" --help >/dev/null 2>&1; then
			lines+=$'\n'$(helped "$command" | grep -vxF "$lines")
		fi
		try "$name" < <(grep . <<<"$lines")
	done
	;;
*)
	echo "usage: examples.sh readme | pages NAME… | others [NAME…]" >&2
	exit 2
	;;
esac
ok 'examples: the source has some' test "$tap_n" -gt 0

done_testing
