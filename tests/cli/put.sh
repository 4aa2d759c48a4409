#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# `etalon put`: the built-in programs under test.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

exits 'put: --list succeeds' 0 etalon put --list
programs=$(cut -d ' ' -f 1 <<<"$out")
is 'put: --list names the eight programs' "$(tr '\n' ' ' <<<"$programs")" 'inc spin sort matc matr chase calls pages '
completion=$(etalon completion bash | grep -A 1 "put) COMPREPLY")
for program in $programs; do
	like "put: completion offers $program" "$completion" "[' ]${program}[' ]"
done

small='--size 10'
for program in $programs; do
	case $program in
	inc | calls) small='--iterations 1000' ;;
	spin) small='--seconds 1ms' ;;
	*) small='--size 10' ;;
	esac
	# shellcheck disable=SC2086
	exits "put: $program succeeds" 0 etalon put $program $small
	is "put: $program prints nothing" "$out$err" ''
	# shellcheck disable=SC2086
	exits "put: $program -v succeeds" 0 etalon put $program $small -v
	like "put: $program -v prints what was done" "$out" "^$program: .*[0-9]"
done
ok 'put: no program writes to HOME' test -z "$(ls -A "$HOME")"

exits 'put: inc --iterations succeeds' 0 etalon put inc --iterations 123457 -v
is 'put: inc increments exactly as often as requested' "$out" 'inc: 123457 increments'
a=$(etalon put matc --size 30 -v) b=$(etalon put matr --size 30 -v)
is 'put: matc and matr compute the same product' "${a#matc: }" "${b#matr: }"
is 'put: sort with the same seed does the same work' "$(etalon put sort --size 100 --seed 3 -v)" \
	"$(etalon put sort --size 100 --seed 3 -v)"
ok 'put: sort with another seed does other work' test "$(etalon put sort --size 100 --seed 3 -v)" != \
	"$(etalon put sort --size 100 --seed 4 -v)"

kept=$HOME/.local/state/etalon/inc.json
exits 'put: inc --seconds succeeds' 0 etalon put inc --seconds 1ms -v
like 'put: inc --seconds calibrates the first time' "$out" 'calibrated now'
is 'put: only the owner can read the calibration' "$(stat -c %a "$kept")" 600
exits 'put: inc --seconds succeeds a second time' 0 etalon put inc --seconds 1ms -v
like 'put: inc --seconds uses the stored calibration' "$out" 'kept'
is 'put: inc --seconds uses the stored calibration silently' "$err" ''
exits 'put: inc --calibrate succeeds' 0 etalon put inc --seconds 1ms --calibrate
like 'put: inc --calibrate calibrates again and shows it' "$out" 'calibrated now'
echo '{"etalon_inc": 1, "increments_per_second": {"x": 1e300}}' >"$kept"
exits 'put: a damaged calibration is no error' 0 etalon put inc --seconds 1ms
like 'put: a message says that a damaged calibration is replaced' "$err" 'replaced'
exits 'put: inc succeeds with XDG_STATE_HOME' 0 env XDG_STATE_HOME="$work/state" "$ETALON" put inc --seconds 1ms
ok 'put: the calibration is stored below XDG_STATE_HOME' test -f "$work/state/etalon/inc.json"
exits 'put: inc succeeds without HOME' 0 env -u HOME "$ETALON" put inc --seconds 1ms
like 'put: without HOME a message says that the calibration is not stored' "$err" 'not stored'
exits 'put: inc succeeds if HOME is a file' 0 env HOME=/dev/null "$ETALON" put inc --seconds 1ms
like 'put: if HOME is a file a message says that the calibration is not stored' "$err" 'not stored: /dev/null'

exits 'put: inc --report succeeds' 0 etalon put inc --iterations 3000000 --report readings
exits 'put: inc --report succeeds a second time' 0 etalon put inc --iterations 3000000 --report readings
is 'put: inc --report prints nothing' "$out$err" ''
is 'put: inc --report appends a line per run' "$(grep -cE '^[0-9]+( [0-9]+)?$' readings)" 2
ok 'put: inc --report has the time of the increments' awk '$1 < 100000 || $1 > 60e9 || (NF > 1 && $2 < 1000) { exit 1 }' readings
is 'put: only the owner can read the report' "$(stat -c %a readings)" 600
refuses 'put: inc --report into a missing folder fails' 4 'nosuch' etalon put inc --iterations 5 --report nosuch/x
refuses 'put: inc --report to a full disk fails' 4 '/dev/full' etalon put inc --iterations 5 --report /dev/full
refuses 'put: sort --report is rejected' 2 'put sort takes no --report' etalon put sort --report none
ok 'put: a rejected --report creates no file' test ! -e none
refuses 'put: no program is rejected' 2 'expected one program' etalon put
like 'put: the hint names --list' "$err" 'hint: .*--list'
refuses 'put: an unknown program is rejected' 2 "unknown program 'nosuch'" etalon put nosuch
refuses 'put: two programs are rejected' 2 'expected one program' etalon put inc sort
for value in 0 -1 1e99 nan abc '' 2d 0x10 ' 1'; do
	refuses "put: inc --seconds '$value' is rejected" 2 '--seconds' etalon put inc --seconds "$value"
	refuses "put: spin --seconds '$value' is rejected" 2 '--seconds' etalon put spin --seconds "$value"
done
for value in 0 -1 1e9 99999999999999999999 abc '' 1.5 10k; do
	refuses "put: inc --iterations '$value' is rejected" 2 '--iterations' etalon put inc --iterations "$value"
	for program in sort matc matr; do
		refuses "put: $program --size '$value' is rejected" 2 '--size' etalon put $program --size "$value"
	done
done
refuses 'put: sort --size 100000001 is rejected' 2 'between 1 and 100000000' etalon put sort --size 100000001
refuses 'put: matc --size 65537 is rejected' 2 'between 1 and 65536' etalon put matc --size 65537
refuses 'put: sort --seed -1 is rejected' 2 '--seed' etalon put sort --seed -1
refuses 'put: sort --seconds is rejected' 2 'put sort takes no --seconds' etalon put sort --seconds 1
refuses 'put: inc --wall is rejected' 2 'put inc takes no --wall' etalon put inc --wall
refuses 'put: spin --iterations is rejected' 2 'put spin takes no --iterations' etalon put spin --iterations 1
refuses 'put: inc --seconds with --iterations is rejected' 2 'cannot be combined with --seconds' etalon put inc --seconds 1ms --iterations 5

done_testing
