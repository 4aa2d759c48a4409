#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The number of runs that `etalon run` chooses, and the options that bound it.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

count() # count FILE COMMAND: the counted solo runs of the Nth command, from 0
{
	jq "[.commands[$2].samples[] | select(.warmup | not) | select(.arrangement == \"solo\")] | length" "$1"
}

exits 'number: the default succeeds' 0 etalon run -q --no-ledger --json default.json 'sleep 0.2'
n=$(count default.json 0)
ok "number: 3 s of runs of 0.2 s are 10 to 15 runs ($n)" test "$n" -ge 10 -a "$n" -le 15
is 'number: the plan records that the number is automatic' \
	"$(jq -c '.plan | [.runs, .min_runs, .max_runs, .min_time_ns]' default.json)" '[0,10,1000,3000000000]'

exits 'number: --min-benchmarking-time succeeds' 0 \
	etalon run -q --no-ledger --min-benchmarking-time 0.5 --json half.json 'sleep 0.02'
n=$(count half.json 0)
ok "number: 0.5 s of runs of 20 ms are 10 to 25 runs ($n)" test "$n" -ge 10 -a "$n" -le 25
exits 'number: -m with --min-benchmarking-time 0 succeeds' 0 \
	etalon run -q -m 4 --min-benchmarking-time 0 --json four.json true
is 'number: -m is the number if there is no least time' "$(count four.json 0)" 4
exits 'number: -M below 10 succeeds' 0 etalon run -q -M 3 --json three.json true
is 'number: -M lowers the default least number' "$(count three.json 0)" 3
exits 'number: -m and -M of one number succeed' 0 etalon run -q -m 5 -M 5 --json five.json true
is 'number: -m and -M of one number set the number' "$(count five.json 0)" 5

# Hooks count, as the user waits for them.
exits 'number: a slow --prepare succeeds' 0 \
	etalon run -q -m 3 --min-benchmarking-time 0.5 --prepare 'sleep 0.1' --json hook.json true
n=$(count hook.json 0)
ok "number: the time of --prepare counts ($n runs)" test "$n" -le 6

# Runs alone and in duets count: 4 runs of 50 ms per round, in 2 times 0.5 s.
exits 'number: two commands succeed' 0 etalon run -q --no-ledger --metric pt -m 3 --min-benchmarking-time 0.5 \
	--json two.json 'sleep 0.05' 'sleep 0.051'
n=$(count two.json 0)
ok "number: two commands share the time between runs alone and in duets ($n rounds)" \
	test "$n" -ge 3 -a "$n" -le 7

refuses 'number: -r with -m is rejected' 2 '--runs decides the number of runs, so --min-runs has no effect' \
	etalon run -r 3 -m 4 true
refuses 'number: -r with -M is rejected' 2 '--max-runs has no effect' etalon run -r 3 -M 4 true
refuses 'number: -m above -M is rejected' 2 '--min-runs 9 is above --max-runs 8' etalon run -m 9 -M 8 true
refuses 'number: --until with --min-benchmarking-time is rejected' 2 '--until and --min-benchmarking-time exclude each other' \
	etalon run --until 1% --min-benchmarking-time 1s true
refuses 'number: a least time that is no duration is rejected' 2 "'soon' is not a duration" \
	etalon run --min-benchmarking-time soon true

# The progress line, in a terminal.
drawn() # drawn TERM ARGUMENTS…: what etalon run prints on a terminal of this kind
{
	TERM=$1 python3 -c 'import pty, sys; sys.exit(pty.spawn(sys.argv[1:]) >> 8)' etalon run --no-ledger "${@:2}" </dev/null |
		tr '\r' '\n'
}
text=$(drawn vt100 -w 1 -r 3 'sleep 0.12' 'sleep 0.13')
like 'progress: it is drawn before the first run ends' "$text" '  0/3'$'\n'
like 'progress: it counts samples per command' "$text" '  3/3  '
like 'progress: it shows the mean so far and its uncertainty' "$text" '  2/3  1[0-9]+ ms ± [0-9.e+]+ %  0:0[0-9] left'
text=$(drawn vt100 --until 50% -m 2 -M 8 'sleep 0.12')
like 'progress: it shows the goal of --until' "$text" ' ms ± [0-9.e+]+ % → 50 %'
unlike 'progress: a dumb terminal gets none' "$(drawn dumb -r 2 'sleep 0.12')" $'\033|█|░'

done_testing
