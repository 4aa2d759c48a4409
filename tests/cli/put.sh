#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The built-in programs under test.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

exits '--list' 0 etalon put --list
programs=$(cut -d ' ' -f 1 <<<"$out")
is 'the programs' "$(tr '\n' ' ' <<<"$programs")" 'inc spin sort matc matr '
completion=$(etalon completion bash | grep -A 1 "put) COMPREPLY")
for program in $programs; do
	like "put: completion offers $program" "$completion" "[' ]${program}[' ]"
done

small='--size 10'
for program in $programs; do
	case $program in
	inc) small='--iterations 1000' ;;
	spin) small='--seconds 1ms' ;;
	*) small='--size 10' ;;
	esac
	# shellcheck disable=SC2086
	exits "$program runs" 0 etalon put $program $small
	is "$program prints nothing" "$out$err" ''
	# shellcheck disable=SC2086
	exits "$program -v" 0 etalon put $program $small -v
	like "$program -v tells what was done" "$out" "^$program: .*[0-9]"
done
ok 'nothing was written in HOME' test -z "$(ls -A "$HOME")"

exits 'inc --iterations' 0 etalon put inc --iterations 123457 -v
is 'inc counts exactly' "$out" 'inc: 123457 increments'
a=$(etalon put matc --size 30 -v) b=$(etalon put matr --size 30 -v)
is 'matc and matr agree' "${a#matc: }" "${b#matr: }"
is 'sort: the same seed, the same work' "$(etalon put sort --size 100 --seed 3 -v)" \
	"$(etalon put sort --size 100 --seed 3 -v)"
ok 'sort: another seed, other work' test "$(etalon put sort --size 100 --seed 3 -v)" != \
	"$(etalon put sort --size 100 --seed 4 -v)"

kept=$HOME/.local/state/etalon/inc.json
exits 'inc --seconds' 0 etalon put inc --seconds 1ms -v
like 'calibrates the first time' "$out" 'calibrated now'
is 'and keeps it for the user alone' "$(stat -c %a "$kept")" 600
exits 'inc --seconds again' 0 etalon put inc --seconds 1ms -v
like 'uses what was kept' "$out" 'kept'
is 'silently' "$err" ''
exits 'inc --calibrate' 0 etalon put inc --seconds 1ms --calibrate
like 'finds it anew and shows it' "$out" 'calibrated now'
echo '{"etalon_inc": 1, "increments_per_second": {"x": 1e300}}' >"$kept"
exits 'a spoilt file' 0 etalon put inc --seconds 1ms
like 'is replaced, which is said' "$err" 'replaced'
exits 'inc under XDG_STATE_HOME' 0 env XDG_STATE_HOME="$work/state" "$ETALON" put inc --seconds 1ms
ok 'keeps it there' test -f "$work/state/etalon/inc.json"
exits 'inc without a home' 0 env -u HOME "$ETALON" put inc --seconds 1ms
like 'says that nothing is kept' "$err" 'not kept'
exits 'inc with a home that is a file' 0 env HOME=/dev/null "$ETALON" put inc --seconds 1ms
like 'says so too' "$err" 'not kept: /dev/null'

refuses 'no program' 2 'name one program' etalon put
like 'says where they are listed' "$err" 'hint: .*--list'
refuses 'an unknown program' 2 "unknown program 'nosuch'" etalon put nosuch
refuses 'two programs' 2 'name one program' etalon put inc sort
for value in 0 -1 1e99 nan abc '' 2d 0x10 ' 1'; do
	refuses "inc --seconds '$value'" 2 '--seconds' etalon put inc --seconds "$value"
	refuses "spin --seconds '$value'" 2 '--seconds' etalon put spin --seconds "$value"
done
for value in 0 -1 1e9 99999999999999999999 abc '' 1.5 10k; do
	refuses "inc --iterations '$value'" 2 '--iterations' etalon put inc --iterations "$value"
	for program in sort matc matr; do
		refuses "$program --size '$value'" 2 '--size' etalon put $program --size "$value"
	done
done
refuses 'sort --size 1000001' 2 'between 1 and 1000000' etalon put sort --size 1000001
refuses 'matc --size 4097' 2 'between 1 and 4096' etalon put matc --size 4097
refuses 'sort --seed -1' 2 '--seed' etalon put sort --seed -1
refuses 'sort --seconds' 2 'put sort takes no --seconds' etalon put sort --seconds 1
refuses 'inc --wall' 2 'put inc takes no --wall' etalon put inc --wall
refuses 'spin --iterations' 2 'put spin takes no --iterations' etalon put spin --iterations 1
refuses 'inc both ways' 2 'cannot be combined with --seconds' etalon put inc --seconds 1ms --iterations 5

done_testing
