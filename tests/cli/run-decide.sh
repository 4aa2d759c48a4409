#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# `etalon run --equal`: runs until a comparison is decided, and what it says and records.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

# Programs of which one takes three times as long: no machine hides that for long.
exits 'decide: two programs that differ are measured' 0 \
	etalon run --equal 5% --json differ.json 'etalon put inc --seconds 0.01' 'etalon put inc --seconds 0.03'
like 'decide: the slower one is called slower' "$out" '\[2\] is slower than \[1\]: '
is 'decide: the record has the decision and its margin' \
	"$(jq -c '.comparisons[0] | [.decision, .equal_within, .paired.arrangement]' differ.json)" '["slower",0.05,"duet"]'
is 'decide: the record has the test that may be looked at after every pair' "$(jq -r '.comparisons[0].test' differ.json)" \
	confidence-sequence
is 'decide: the plan has the margin' "$(jq -c '.plan | [.equal_ratio, .max_runs]' differ.json)" '[0.05,4000]'
ok 'decide: it took at least 10 pairs and fewer than the most' \
	jq -e '.comparisons[0].paired.pairs | . >= 10 and . < 400' differ.json
ok 'decide: the interval that is printed excludes 1' jq -e '.comparisons[0].ratio | .lo > 1 and .estimate > .lo and .hi > .estimate' differ.json

# Within a margin that no noise of this machine reaches, a program is equal to itself, unless it differs.
exits 'decide: a program beside itself is measured' 0 \
	etalon run --equal 50% --metric cpu --json equal.json 'etalon put inc --seconds 0.02' 'etalon put inc --seconds 0.02'
like 'decide: the sentence decides' "$out" '\[1\] and \[2\] are equal within 50 %|\[2\] is (slower|faster) than \[1\]'
# shellcheck disable=SC2016 # $r is jq's
ok 'decide: decision, sentence and interval agree' jq -e '.comparisons[0] | .ratio as $r |
	if .decision == "equal" then (.verdict | test("^equal within 50 %")) and $r.lo >= 0.5 and $r.hi <= 1.5
	elif .decision == "slower" then $r.lo >= 1 else $r.hi <= 1 end' equal.json
exits 'decide: show says it again' 0 etalon show
like 'decide: show decides as run did' "$out" 'equal within 50 %|slower than|faster than'
exits 'decide: the page is written' 0 etalon report -o equal.html

# Several commands ask the question without an option; a number of runs that is given does not.
exits 'decide: two commands are sampled until they are decided' 0 \
	etalon run -q --json default.json 'etalon put inc --seconds 0.005' 'etalon put inc --seconds 0.02'
ok 'decide: the default margin is 1 %, and the difference is found' \
	jq -e '.comparisons[0] | .decision == "slower" and .equal_within == 0.01' default.json
for fixed in '-r 10' '--min-benchmarking-time 0.1s -M 12' '--order sequential -r 3' '--protocol kbest'; do
	# shellcheck disable=SC2086
	exits "decide: $fixed is a number of runs" 0 etalon run -q $fixed --json fixed.json \
		'etalon put inc --seconds 0.005' 'etalon put inc --seconds 0.006'
	ok "decide: $fixed decides nothing" jq -e '.comparisons[0] | has("equal_within") | not' fixed.json
done
exits 'decide: one command asks nothing' 0 etalon run -q -m 2 --min-benchmarking-time 0.1s --json one.json true
ok 'decide: one command has no comparison' jq -e '.comparisons | length == 0' one.json

# One file that takes the output of both is never written by two programs at a time.
seq 200000 >first
seq -f b%.0f 200000 >second
exits 'decide: several commands may have one output file' 0 \
	etalon run -q --output both -M 10 --json both.json 'cat first' 'cat second'
ok 'decide: with one output file there are no duets' jq -e '[.commands[].samples[].arrangement] | unique == ["solo"]' both.json
ok 'decide: the file has the output of one program' eval 'cmp -s both first || cmp -s both second'
refuses 'decide: duets cannot have one output file' 2 'would mix the output of two programs in both' \
	etalon run --order duet --output both 'cat first' 'cat second'

# Runs after the first ten rounds are those that the decision needs. -M ends what stays open.
exits 'decide: a margin that cannot be reached ends at -M' 0 \
	etalon run -q --equal 0.0001% -M 14 --metric cpu --json open.json 'etalon put inc --seconds 0.02' 'etalon put inc --seconds 0.02'
ok 'decide: at most 14 rounds were made, and solo runs in the first ten only' \
	jq -e '[.commands[].samples[] | select(.warmup | not)] | (map(.round) | max) <= 14 and
	(map(select(.arrangement == "solo") | .round) | max) == 10' open.json
ok 'decide: it is undecided, or the pairs differ by chance' jq -e '.comparisons[0].decision | . == "undecided" or . == "slower" or . == "faster"' open.json
exits 'decide: programs of which three are compared have one decision each' 0 \
	etalon run --equal 5% --json three.json 'etalon put inc --seconds 0.005' 'etalon put inc --seconds 0.02' 'etalon put inc --seconds 0.04'
is 'decide: both of them are slower' "$(jq -c '[.comparisons[].decision]' three.json)" '["slower","slower"]'
ok 'decide: the intervals hold together, by a level above 95 %' jq -e '[.comparisons[].ratio.level > 0.974] | all' three.json

# A gate asks another question: slower by more than the limit?
exits 'decide: a gate that is passed surely ends early' 0 etalon run -q --equal 5% --fail-on-regression=900 --json pass.json \
	'etalon put inc --seconds 0.01' 'etalon put inc --seconds 0.03'
like 'decide: the gate decided' "$err" '^etalon: no regression: '
exits 'decide: a gate that is not passed exits with 5' 5 etalon run -q --equal 5% --fail-on-regression=20 \
	'etalon put inc --seconds 0.01' 'etalon put inc --seconds 0.03'
exits 'decide: a gate runs until it is decided' 5 etalon run -q --fail-on-regression=20 --json gate.json \
	'etalon put inc --seconds 0.01' 'etalon put inc --seconds 0.03'
ok 'decide: a gate that is clear takes few rounds' jq -e '.plan.equal_ratio == 0.01 and .comparisons[0].paired.pairs < 100' gate.json
exits 'decide: a gate of a fixed number of runs has it' 0 etalon run -q -r 4 --fail-on-regression=900 --json fixed.json true true
ok 'decide: it was not looked at before' jq -e '.plan.equal_ratio == 0 and .plan.runs == 4 and .comparisons[0].paired.pairs <= 4' fixed.json
exits 'undecided: two runs decide nothing, and the status is 0' 0 etalon run -q -r 2 --fail-on-regression=1 true true
like 'undecided: the gate says so' "$err" '^etalon: undecided: '
exits 'undecided: --undecided names another status' 125 etalon run -q -r 2 --fail-on-regression=1 --undecided=125 true true
refuses 'undecided: a status above 255 is rejected' 2 "256" etalon run --fail-on-regression --undecided=256 true true
refuses 'undecided: without a gate it is rejected' 2 '--undecided needs --fail-on-regression' etalon run --undecided=1 true true

refuses 'decide: a single command is rejected' 2 'equal to what' etalon run --equal 1% true
refuses 'decide: --runs beside it is rejected' 2 '--runs and --equal exclude each other' etalon run -r 5 --equal 1% true true
refuses 'decide: --until beside it is rejected' 2 '--equal and --until exclude each other|--until and --equal exclude each other' \
	etalon run --until 1% --equal 1% true true
refuses 'decide: --order sequential is rejected' 2 'contradicts --order sequential' etalon run --equal 1% --order sequential true true
refuses 'decide: hyperfine, which runs one after the other, rejects it' 2 'contradicts --order sequential' etalon hyperfine --equal 1% true true
refuses 'decide: K-best is rejected' 2 'contradicts K-best' etalon run --equal 1% --protocol kbest true true
refuses 'decide: --pace is rejected' 2 'contradicts --pace' etalon run --equal 1% --pace true true
refuses 'decide: a margin of no size is rejected' 2 "much" etalon run --equal much true true
refuses 'decide: a margin above 100 % is rejected' 2 "200%" etalon run --equal 200% true true

# Interrupted, it continues with the same question.
etalon run -q --equal 0.0001% -M 60 --metric cpu 'etalon put inc --seconds 0.05' 'etalon put inc --seconds 0.05' &
pid=$!
for ((i = 0; i < 600; i++)); do
	[ "$(etalon list --json 2>/dev/null | jq '.[0].samples // 0')" -ge 8 ] && break
	sleep 0.05
done
kill -TERM "$pid"
wait "$pid"
is 'decide: after SIGTERM the status is 143' $? 143
exits 'decide: --resume continues it' 0 etalon run -q --resume --json resumed.json
ok 'decide: the resumed one has the same question, and solo runs in ten rounds, or in five on a busy machine' \
	jq -e '.plan.equal_ratio == 1e-6 and ([.commands[].samples[] | select(.warmup | not) | select(.arrangement == "solo") | .round] | max | . == 5 or . == 10)' resumed.json
done_testing
