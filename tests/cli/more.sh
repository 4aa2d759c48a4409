#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# `etalon run --resume ID --more`: pairs are added to a finished comparison, for the same decision.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

short='etalon put inc --seconds 0.01' long='etalon put inc --seconds 0.03'
rounds='[.commands[].samples[] | select(.warmup | not) | .round] | unique'

# Two pairs decide nothing; programs of which one takes three times as long are decided soon.
exits 'more: two rounds are made' 0 etalon run -q --equal 5% -M 2 --json first.json "$short" "$long"
is 'more: they decide nothing' "$(jq -r '.comparisons[0].decision' first.json)" undecided
id=$(jq -r .id first.json)
refuses 'more: without it the experiment is finished' 2 'is finished' etalon run --resume "$id"
like 'more: the hint names --more' "$err" 'add --more for more pairs$'
exits 'more: pairs are added' 0 etalon run -q --resume "$id" --more -M 200 --json more.json
is 'more: it is the same experiment, and decided' "$(jq -c '[.id, .state, .comparisons[0].decision]' more.json)" "[\"$id\",\"done\",\"slower\"]"
is 'more: the plan has the new total' "$(jq .plan.max_runs more.json)" 200
is 'more: the rounds continue those that were made' \
	"$(jq -c "$rounds | . == [range(1; length + 1)]" more.json)" true
# shellcheck disable=SC2016 # $n is jq's
ok 'more: the pairs of both sessions count' jq -e '.comparisons[0].paired.pairs as $n | $n >= 5 and
	$n == ([.commands[].samples[] | select(.arrangement == "duet" and .removed == null) | .order] | group_by(.) | map(select(length == 2)) | length)' more.json
is 'more: the samples of the first session are still there' \
	"$(jq -c '[.commands[].samples[] | select(.order <= 4) | .et_ns]' more.json)" "$(jq -c '[.commands[].samples[] | select(.order <= 4) | .et_ns]' first.json)"
is 'more: show has the same decision' "$(etalon show --json "$id" | jq -c '.comparisons[0]')" "$(jq -c '.comparisons[0]' more.json)"

refuses 'more: a total that is reached already is rejected' 2 'rounds already' etalon run --resume "$id" --more -M 2
is 'more: a refusal leaves the experiment done' "$(etalon show --json "$id" | jq -c '[.state, .plan.max_runs]')" '["done",200]'
exits 'more: runs of a fixed number' 0 etalon run -q -r 2 --json fixed.json true true
refuses 'more: a fixed number is not continued' 2 'needs a comparison that is sampled until it is decided' \
	etalon run --resume "$(jq -r .id fixed.json)" --more
refuses 'more: without --resume it is rejected' 2 '--more needs --resume' etalon run --more true
refuses 'more: without an id it is rejected' 2 '--more needs the id' etalon run --resume --more
refuses 'more: --max-runs needs it' 2 '--resume and --max-runs exclude each other' etalon run --resume "$id" -M 300
refuses 'more: --time-limit needs it' 2 '--resume and --time-limit exclude each other' etalon run --resume "$id" --time-limit 1s

# A gate, with another limit.
exits 'more: a gate of two rounds is undecided' 9 etalon run -q --fail-on-regression=20 --undecided=9 -M 2 --json gate.json "$short" "$long"
exits 'more: with more pairs it fails' 5 etalon run -q --resume "$(jq -r .id gate.json)" --more --json gate.json
is 'more: the record has its decision' "$(jq -c '[.gate.limit, .gate.outcome]' gate.json)" '[0.2,"regression"]'

# Killed while it adds pairs, it is resumed like any other, within the new total.
exits 'more: a question that stays open' 0 etalon run -q --label open --equal 0.0001% --metric cpu -M 4 "$long" "$long"
id=$(etalon list --json | jq -r '.[] | select(.label == "open").id')
before=$(samples open)
etalon run -q --resume "$id" --more -M 30 >/dev/null 2>&1 &
pid=$!
wait_for_samples open $((before + 6))
{
	kill -KILL $pid
	wait $pid
} 2>/dev/null
is 'more: a killed one is not done' "$(etalon show --json open | jq -r '.state == "done"')" false
exits 'more: it is resumed' 0 etalon run -q --resume "$id" --json open.json
ok 'more: it has made the new total, unless chance has decided before' \
	jq -e "($rounds | . == [range(1; length + 1)]) and (($rounds | length) == 30 or .comparisons[0].decision != \"undecided\")" open.json
is 'more: no run was made twice' "$(jq '[.commands[0].samples[] | select(.warmup | not) | [.round, .arrangement]] | length - (unique | length)' open.json)" 0
done_testing
