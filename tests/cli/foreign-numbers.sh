#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Series of extreme numbers: every command that reads one ends with a result or an error. `make asan`
# runs this with sanitizers, which end etalon if a number is converted to an integer that cannot hold it.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

printf '%s\n' 1 1e15 5e-324 >tiny
printf '%s\n' 1 2 3.5e-3 >plain
printf '%s\n' 1e308 -1e308 5 3 -1e308 1e308 2 4 1e308 7 >wide
printf '%s\n' 1e308 1.1e308 1.2e308 1.3e308 1.4e308 1.5e308 1.6e308 >huge
printf '%s\n' 5e-324 1e-323 2e-323 5e-324 1e-320 4e-324 9e-324 >subnormal
printf '%s\n' 0 0 0 0 0 0 0 >zero
printf '%s\n' -1e300 0 1e-300 1e300 -1e-300 2 3 >signs
{ seq 1 200; echo 1e300; } >outlier
{ echo n_ns; seq 1 50; echo 9e307; } >column
series='tiny plain wide huge subnormal zero signs outlier'

# answers NAME COMMAND…: passes when it ends with a result or an error, without a sanitizer's report
answers()
{
	local name=$1 code
	shift
	timeout 100 "$@" >out 2>err
	code=$?
	[[ $code -le 4 ]] && ! grep -q 'runtime error' err
	tap_report $? "$name ends with a result or an error (exit status $code)" || note "$(tail -5 err)"
}

for one in $series; do
	answers "numbers: describe $one" etalon describe "$one"
	answers "numbers: describe --json $one" etalon describe --json "$one"
	answers "numbers: samplesize $one" etalon samplesize "$one"
	for other in $series; do
		answers "numbers: compare $one $other" etalon compare "$one" "$other"
	done
done
answers 'numbers: describe --column' etalon describe --column n_ns column
for factor in 1 1e-3 9.1e9; do
	{
		printf '{"results":[{"command":"a","times":[%s' "$factor"
		printf ',%s' 1 2 3 "$factor" 0 1e-9 9.1e9 2 3 4 5 6
		printf ']},{"command":"b","times":[1,1,1,1,1,1,1,1,1,9e9]}]}'
	} >hyperfine.json
	answers "numbers: import of times up to $factor s" etalon import --label "x$factor" hyperfine.json
	for format in json csv hyperfine markdown asciidoc orgmode html; do
		answers "numbers: export of times up to $factor s as $format" etalon export --format "$format" "x$factor"
	done
	answers "numbers: report of times up to $factor s" etalon report --output page.html "x$factor"
	answers "numbers: show of times up to $factor s" etalon show -v "x$factor"
done

done_testing
