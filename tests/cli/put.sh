#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# `etalon put`: the built-in programs under test.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

exits 'put: --list succeeds' 0 etalon put --list
programs=$(cut -d ' ' -f 1 <<<"$out")
is 'put: --list names the programs' "$(tr '\n' ' ' <<<"$programs")" 'inc spin sort qsort search matc matr chase calls pages fragment triangle nops ep cg is mg ft bt lu sp ua dc '
completion=$(etalon completion bash | sed -n '/^\tput) words=/,/^\t[a-z]*) words=/p')
for program in $programs; do
	like "put: completion offers $program" "$completion" "[' ]${program}[' ]"
done

small='--size 10'
for program in $programs; do
	case $program in
	inc | calls | nops) small='--iterations 1000' ;;
	fragment | triangle) small='--iterations 5000' ;;
	ep | cg | is | mg | ft | bt | lu | sp | ua | dc) small='--size S' ;;
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
# Python sorts and searches the same numbers: those of SplitMix64, and those of Knuth's MMIX.
is 'put: qsort and search have the results of Python' \
	"$(etalon put qsort --size 1000 --iterations 3 --seed 5 -v)|$(etalon put search --size 777 --iterations 1000 --seed 9 -v)" \
	"$(python3 - <<'PY'
import bisect
mask = (1 << 64) - 1
total = 0
for seed in (5, 6, 7):
    numbers = []
    for _ in range(1000):
        seed = seed + 0x9e3779b97f4a7c15 & mask
        z = (seed ^ seed >> 30) * 0xbf58476d1ce4e5b9 & mask
        z = (z ^ z >> 27) * 0x94d049bb133111eb & mask
        numbers.append((z ^ z >> 31) >> 33)
    total += sum(x * (i + 1) for i, x in enumerate(sorted(numbers)))
print("qsort: 3 times 1000 integers, checksum %d|" % total, end="")
a = [3 * i for i in range(777)]
seed, total = 9, 0
for _ in range(1000):
    seed = seed * 6364136223846793005 + 1442695040888963407 & mask
    total += bisect.bisect_left(a, 3 * ((seed >> 32) * 777 >> 32))
print("search: 1000 look-ups in 777 integers, sum of indices %d" % total)
PY
)"

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
# --- programs for profilers
is 'put: fragment makes 2 calls of fn1 and 8 of fn2' "$(etalon put fragment --calls 100 --iterations 5000 -v)" \
	'fragment: 20 calls of fn1 with 50 iterations, 80 of fn2 with 50'
is 'put: fragment --equal-calls gives fn2 four times the work' \
	"$(etalon put fragment --calls 100 --iterations 5000 --equal-calls -v)" \
	'fragment: 50 calls of fn1 with 20 iterations, 50 of fn2 with 80'
is 'put: fragment rounds half a decade to a multiple of 10' "$(etalon put fragment --calls 316 --iterations 3200 -v)" \
	'fragment: 64 calls of fn1 with 10 iterations, 256 of fn2 with 10'
is 'put: triangle --inner 1 loops 256 times as often' "$(etalon put triangle --iterations 76800 -v)$(etalon put triangle --iterations 76800 --inner 1 -v)" \
	'triangle: 20 loops over 5 functions of 5 to 1 times 256 iterationstriangle: 5120 loops over 5 functions of 5 to 1 times 1 iterations'
exits 'put: triangle --reverse succeeds' 0 etalon put triangle --iterations 5000 --reverse
for program in 'fragment --calls 100' triangle; do
	# shellcheck disable=SC2086
	exits "put: ${program%% *} --seconds succeeds" 0 etalon put $program --seconds 20ms
done
for source in urandom lcg constant; do
	is "put: nops --random $source calls as often as asked" "$(etalon put nops --iterations 300 --random $source -v)" \
		"nops: 300 calls of 256 nops, random: $source"
done
exits 'put: nops --seconds succeeds' 0 etalon put nops --seconds 5ms --random lcg

# The instructions of a function, from its symbol to its return, without addresses.
instructions() {
	awk -v name="<$1>:" '$2 == name { on = 1; next } /^$/ { on = 0 } on {
		sub(/^[^\t]*\t/, ""); gsub(/[0-9a-f]+ <[^+>]*/, "<"); sub(/[ \t]+$/, ""); print; if (/^ret/) exit }' listing
}
if command -v objdump >/dev/null; then
	objdump -d --no-show-raw-insn "$ETALON" >listing
	for function in fn1 fn2 function1 function2 function3 function4 function5 nops; do
		is "put: $function is a function of its own" "$(grep -c "<$function>:\$" listing)" 1
		ok "put: $function is called" grep -qE "(call|bl)[a-z]* .*<$function>" listing
	done
	ok 'put: fn1 and fn2 have instructions' test "$(instructions fn1 | wc -l)" -gt 8
	is 'put: fn1 and fn2 have the same instructions' "$(instructions fn1)" "$(instructions fn2)"
	ok 'put: fn1 calls nothing' test -z "$(instructions fn1 | grep -E '^(call|bl)')"
	is 'put: nops has 256 nops and a return' "$(instructions nops | uniq -c | tr -s ' \n' ' ')" ' 256 nop 1 ret '
else
	skip 'put: the functions for profilers are never inlined: objdump is not installed'
fi
refuses 'put: fragment with more calls than iterations is rejected' 2 'too few' etalon put fragment --calls 1000000 --iterations 1000
like 'put: the hint is a longer run' "$err" 'hint: use a larger --seconds'
refuses 'put: triangle with less work than one loop is rejected' 2 'too few' etalon put triangle --iterations 100
for value in 0 -1 1.5 abc '' 1e6; do
	refuses "put: fragment --calls '$value' is rejected" 2 '--calls' etalon put fragment --calls "$value"
	refuses "put: triangle --inner '$value' is rejected" 2 '--inner' etalon put triangle --inner "$value"
done
refuses 'put: nops --random dice is rejected' 2 "--random: unknown value 'dice'" etalon put nops --random dice
refuses 'put: fragment --inner is rejected' 2 'put fragment takes no --inner' etalon put fragment --inner 2
refuses 'put: triangle --calls is rejected' 2 'put triangle takes no --calls' etalon put triangle --calls 10

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
	for program in sort qsort search matc matr; do
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
