#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Plan files that are refused by `etalon doe`: exit 2, and an error with file, line and column. The unit
# tests of src/plan have a list of them; these are errors that only the whole tool finds.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

# plan LINE…: writes the plan of one program and one factor, with further lines
plan()
{
	printf '%s\n' 'name: n' "programs: [{ name: p, command: 'true {a}' }]" \
		'factors: [{ name: a, kind: parameter, levels: [1, 2] }]' "$@" >plan.yaml
}

plan 'desing: full'
for action in plan run; do
	refuses "bad plan: $action refuses an unknown key" 2 "plan.yaml:4:1: a plan has no key 'desing'" \
		etalon doe $action plan.yaml
	like "bad plan: $action suggests the nearest key" "$err" "did you mean 'design'"
done
refuses 'bad plan: a file that does not exist' 2 'nowhere.yaml: No such file' etalon doe plan nowhere.yaml
like 'bad plan: a hint has the command that writes one' "$err" "hint: 'etalon doe init -o FILE'"
refuses 'bad plan: a folder' 2 'Is a directory' etalon doe plan "$work"
plan 'run: { runs: 5 }'
refuses 'bad plan: an option of run that the plan decides' 2 \
	"plan.yaml:4:8: run: a plan cannot set 'runs'" etalon doe plan plan.yaml
plan 'run: { nice: 50 }'
refuses 'bad plan: a value that run refuses' 2 'plan.yaml:4:8: --nice' etalon doe plan plan.yaml
sed -i "s/true {a}/true {a} | cat/; /^run/d" plan.yaml
refuses 'bad plan: a command that needs a shell' 2 'plan.yaml:2:32: .*needs a shell' etalon doe plan plan.yaml
plan
sed -i 's/kind: parameter, levels.*/kind: cpu, levels: [0, 1023] }]/; s/ {a}//' plan.yaml
refuses 'bad plan: a level that this machine cannot set is found by plan' 3 'plan.yaml:3:4[0-9]: ' \
	etalon doe plan plan.yaml
sed -i 's/1023/x/' plan.yaml
refuses 'bad plan: a level that is no list of CPUs' 2 'plan.yaml:3:4[0-9]: ' etalon doe plan plan.yaml
plan
sed -i "s/'true/'nosuchprogram/" plan.yaml
refuses 'bad plan: a program that does not exist' 2 'plan.yaml:2:32: nosuchprogram: No such file' \
	etalon doe plan plan.yaml
plan
sed -i "s/'true {a}'/\"true {a} it's\"/" plan.yaml
refuses 'bad plan: a quote in a command' 2 'plan.yaml:2:32: unbalanced quotes' etalon doe plan plan.yaml
like 'bad plan: the hint is one for plans' "$err" 'put a backslash before it'
plan
sed -i 's/\]$/, { name: b, kind: nice, levels: [0, 1] }, { name: c, kind: nice, levels: [2, 3] }]/' plan.yaml
sed -i '2s/, { name: b.*/]/' plan.yaml
refuses 'bad plan: factors of the same thing' 2 'plan.yaml:3:[0-9]*: factors b and c are both of kind nice' \
	etalon doe plan plan.yaml
plan 'replications: 6000'
refuses 'bad plan: a large experiment asks for --yes' 2 'has 12000 runs .* more than 10000' \
	etalon doe run plan.yaml
like 'bad plan: the hint is --yes' "$err" 'give --yes'
ok 'bad plan: nothing was stored' test "$(etalon list --json 2>/dev/null | jq length)" = 0

# Nine levels of nine aliases each would be 400 million values.
for i in 1 2 3 4 5 6 7 8 9; do
	echo "a$i: &a$i [$(for _ in 1 2 3 4 5 6 7 8 9; do printf '*a%d, ' $((i - 1)); done)x]"
done >bomb.yaml
refuses 'bad plan: aliases are refused before they cost memory' 2 'bomb.yaml:1:10: plan files have no aliases' \
	timeout 10 etalon doe plan bomb.yaml
head -c 100000 /dev/zero | tr '\0' '[' >deep.yaml
refuses 'bad plan: deep nesting' 2 'deep.yaml:1:17: nested more than 16 deep' timeout 10 etalon doe plan deep.yaml
head -c 2000000 /dev/zero >zero.yaml
refuses 'bad plan: a large file' 2 'zero.yaml:1:1: the file is larger than 1 MiB' timeout 10 etalon doe plan zero.yaml

done_testing
