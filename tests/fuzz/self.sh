#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The driver of the fuzz targets finds every kind of failure and saves the input that caused it. The
# arguments are the targets that Meson runs.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/../cli/lib.sh"
: "${FUZZ:=$root/build/tests/fuzz/fuzz}"

# finds NAME INPUT KIND REGEX [OPTION…]: the input fails, and is saved as KIND-self-1
finds()
{
	local name=$1 input=$2 kind=$3 regex=$4
	shift 4
	rm -rf saved && mkdir saved
	printf '%s' "$input" >input
	run "$FUZZ" -n 0 -o saved "$@" self input
	[ "$status" -ne 0 ] && [[ $err =~ $regex ]] && cmp -s input "saved/$kind-self-1"
	tap_report $? "$name" || { note "status $status, saved: $(ls saved)"; note "$err"; }
}

finds 'fuzz: a crash is found and its input is saved' crash crash ''
finds 'fuzz: a property that does not hold is found' check crash 'does not hold'
finds 'fuzz: a target that ends the process is found' exit crash 'does not end the process'
finds 'fuzz: an input that takes too long is found' hang hang 'takes too long' -t 1
finds 'fuzz: an input that needs more than 1 GiB is found' memory memory 'too much memory'

printf fine >fine
exits 'fuzz: inputs without failures pass' 0 "$FUZZ" -n 50 self fine
first=$out
run "$FUZZ" -n 50 self fine
is 'fuzz: a seed gives the same mutants each time' "${out%%;*}" "${first%%;*}"
printf leak >input
run "$FUZZ" -n 0 self input
case $first in
*'leaks are looked for'*) like 'fuzz: a leak is found' "$status $err" '^1 .*memory leaks' ;;
*) skip 'fuzz: a leak is found' 'this build has no LeakSanitizer' ;;
esac
printf x >bad-number
run "$FUZZ" -n 0 numbers bad-number
like 'fuzz: a file of the corpus that the parser refuses is reported' "$status $out" \
	'^1 .*bad-number is refused'

is 'fuzz: Meson runs every target' "$(printf '%s\n' "$@" | sort)" \
	"$("$FUZZ" -l | grep -vx self | sort)"
is 'fuzz: every target says what it reads and what must hold' \
	"$("$FUZZ" -d | grep -cE '^[a-z0-9-]+: .+: .+')" "$("$FUZZ" -l | wc -l)"
done_testing
