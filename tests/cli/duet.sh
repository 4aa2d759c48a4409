#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Duets: how the two programs alternate, and the ratio alone beside that of the pairs.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

field() # field FILE FILTER: a value out of a JSON file
{
	jq -r "$2" "$1"
}

# beat OPTION…: the metronome of the plan of an experiment with two commands
beat()
{
	etalon run -q -r 1 -w 0 --json beat.json "$@" true true >/dev/null && field beat.json .plan.metronome_ns
}

if [ "$(nproc)" -gt 1 ]; then
	is "metronome: it beats every millisecond by default" "$(beat)" 1000000
	is "metronome: it beats in --order duet" "$(beat --order duet)" 1000000
	is "metronome: --metronome 2ms is recorded" "$(beat --metronome 2ms)" 2000000
	is "metronome: it beats if the programs are bound to a CPU" "$(beat --cpu "$(taskset -cp $$ | sed 's/.*[ ,-]//')")" 1000000
else
	skip "metronome: it beats every millisecond by default" "there is one CPU"
fi
is "metronome: off leaves it to the scheduler" "$(beat --metronome off)" 0
is "metronome: runs in random order have none" "$(beat --order random)" 0
is "metronome: --pace has none by default" "$(beat --pace --order random)" 0
one=$(taskset -cp $$ | sed 's/.*[ ,-]//')
etalon() { command taskset -c "$one" "$etalon" "$@"; }
etalon=$(type -P etalon)
is "metronome: with one CPU the scheduler alternates the two" "$(beat)" 0
refuses "metronome: with one CPU --metronome is rejected" 3 "needs a second CPU" etalon run --metronome 1ms true true
like "metronome: with one CPU a hint says what to do" "$err" "use --metronome off"
unset -f etalon
refuses "metronome: a word other than off is rejected" 2 metronome etalon run --metronome never true true

# A program of some 30 ms that computes only, and one of twice the time.
short='sh -c "i=0; while [ $i -lt 25000 ]; do i=$((i+1)); done"'
long='sh -c "i=0; while [ $i -lt 50000 ]; do i=$((i+1)); done"'
exits "duet: two commands that compute are measured" 0 etalon run -v -r 8 --json duet.json "$short" "$long"
ok "duet: JSON has the ratio side by side and alone, with intervals" jq -e '.comparisons[0] |
	(.side_by_side.lo < .side_by_side.estimate) and (.alone.lo < .alone.estimate) and .alone.method != null and
	(.kinds == "same" or .kinds == "different" or .kinds == null)' duet.json
ok "duet: both ratios are about 2" jq -e '.comparisons[0] |
	[.side_by_side.estimate, .alone.estimate] | all(. > 1.5 and . < 2.6)' duet.json
ok "duet: the ratio is that of the programs alone" jq -e '.comparisons[0] |
	.ratio.estimate == .alone.estimate and .ratio.lo == .alone.lo and .ratio.hi == .alone.hi and
	.ratio.method == .alone.method' duet.json
etalon compare "$(field duet.json .id)" >compared.txt
ok "compare: a command is not cut if the output is no terminal" grep -qF "  $long vs $short:" compared.txt
ok "run -v: a command is not cut if the output is no terminal" grep -qxF "$short" .out
# etalon leaves the CPU of the two only while they run.
exits "metronome: hooks around duets succeed" 0 etalon run -q -r 2 --order duet \
	--prepare 'grep Cpus_allowed_list /proc/self/status >>cpus.txt' "$short" "$short"
is "metronome: hooks before and after a duet have all CPUs" "$(sort -u cpus.txt)" \
	"$(grep Cpus_allowed_list /proc/self/status)"

exits "duet: duets without solo runs are measured" 0 etalon run -q -r 8 --order duet --metronome off --json only.json "$short" "$long"
ok "duet: without solo runs the ratio alone is 1 + 1.03 (r - 1)" jq -e '.comparisons[0] |
	(.alone.estimate - (1 + 1.03 * (.side_by_side.estimate - 1))) | . * . < 1e-18' only.json

done_testing
