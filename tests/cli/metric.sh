#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# --metric auto: which time decides, and that every way to the record decides the same.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

# field FILE EXPRESSION: a value of the record
field()
{
	jq -r "$2" "$1"
}

# arrangements FILE: those of the samples that count, each once
arrangements()
{
	jq -r '[.commands[].samples[] | select(.warmup | not) | .arrangement] | unique | join(" ")' "$1"
}

exits 'auto: programs that sleep are measured' 0 etalon run -q -r 8 --keep-all --json sleep.json 'sleep 0.02' 'sleep 0.06'
is 'auto: programs that sleep are judged by elapsed time' "$(field sleep.json '.metric + " " + .metric_choice.reason')" 'et waits'
is 'auto: the record names the command that decided' "$(field sleep.json .metric_choice.command)" 'sleep 0.02'
is 'auto: no duet runs where elapsed time decides' "$(arrangements sleep.json)" solo
like 'auto: programs that sleep are compared by elapsed time' "$(field sleep.json '.comparisons[0].verdict')" 'slower by'
is 'auto: CPU time is compared as well' "$(field sleep.json .by_other_metric.metric)" pt
is 'auto: no warning asks for another metric' \
	"$(jq '[.. | .warnings? // empty | .[] | select(.text | test("--metric"))] | length' sleep.json)" 0
exits 'auto: show decides again' 0 etalon show --json last
is 'auto: show decides the same' "$(jq -r '.metric + " " + .metric_choice.reason' <<<"$out")" 'et waits'
exits 'auto: export succeeds' 0 etalon export -o exported.json last
exits 'auto: import succeeds' 0 etalon import --copy --label again exported.json
exits 'auto: the imported record is shown' 0 etalon show --json again
is 'auto: import keeps that the metric was left to the samples' \
	"$(jq -c '[.metric, .metric_choice.auto, .metric_choice.reason]' <<<"$out")" '["et",true,"waits"]'
exits 'auto: describe uses the judged time' 0 etalon describe --json again
json 'auto: describe takes elapsed times' 'd["series"][0]["min"] > 15e6'
exits 'describe: --metric pt succeeds' 0 etalon describe --json --metric pt again
json 'describe: --metric pt takes CPU times' 'd["series"][0]["max"] < 15e6'

exits 'pt: programs that sleep are measured' 0 etalon run -q -r 3 --metric pt --label bypt --json pt.json 'sleep 0.02'
is 'pt: the record says that the user chose it' "$(jq -c '[.metric, .metric_choice.auto, .metric_choice.reason]' pt.json)" \
	'["pt",false,"user"]'
like 'pt: a warning advises elapsed time' "$(jq -r '.commands[0].result.warnings[].text' pt.json)" '--metric elapsed'
exits 'describe: --metric auto succeeds' 0 etalon describe --json --metric auto bypt
json 'describe: --metric auto takes elapsed times of a program that sleeps' 'd["min"] > 15e6'

exits 'auto: programs that compute are measured' 0 etalon run -q -r 3 --json inc.json \
	'etalon put inc --seconds 0.02' 'etalon put inc --seconds 0.03'
is 'auto: programs that compute are judged by CPU time' "$(field inc.json '.metric + " " + .metric_choice.reason')" 'pt default'
is 'auto: programs that compute run in duets' "$(arrangements inc.json)" 'duet solo'

two='etalon put inc --seconds 0.03 & etalon put inc --seconds 0.03 & wait'
exits 'auto: a parallel program is measured' 0 etalon run -q -r 3 --shell sh --json par.json "$two"
like 'auto: a parallel program is judged by elapsed time' "$(field par.json '.metric + " " + .metric_choice.reason')" '^et (parallel|wants-cpus)$'
ok 'auto: the number of CPUs that it uses is recorded' jq -e '.metric_choice.amount > 1.1' par.json

exits 'auto: --order duet succeeds with programs that sleep' 0 etalon run -q -r 2 --order duet --json duet.json 'sleep 0.02' 'sleep 0.02'
is 'auto: --order duet is judged by CPU time' "$(field duet.json .metric)" pt
is 'auto: elapsed times of duets are not compared' "$(field duet.json .by_other_metric)" null
exits 'compare: --metric auto succeeds' 0 etalon compare --metric auto again

mkdir again
exits 'compare: a folder of the same name does not hide a label' 0 etalon compare again
done_testing
