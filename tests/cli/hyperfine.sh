#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# `etalon hyperfine`: the command line of hyperfine 1.20.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

seq 100 >data

# The options of hyperfine 1.20, each with arguments by which it is tried; "-" has none. An option
# with a letter is tried by that as well.
while IFS='|' read -r letter option value; do
	[ "$value" = - ] && value=
	words=()
	eval "words=($value)"
	quick=(-r 1)
	case $option in
	runs | min-runs | max-runs | min-benchmarking-time) quick=() ;;
	esac
	[ "$option" = min-runs ] && quick+=(--min-benchmarking-time 0)
	[ "$option" = min-benchmarking-time ] && quick+=(-M 2)
	[ "$option" = reference-name ] && quick+=(--reference true)
	[ "$option" = parameter-step-size ] && quick+=(-P x 1 3)
	[ "$option" ] && exits "hyperfine: --$option $value is accepted" 0 \
		etalon hyperfine "${quick[@]}" "--$option" "${words[@]}" 'head -n 3 data'
	[ "$letter" ] && exits "hyperfine: -$letter $value is accepted" 0 \
		etalon hyperfine "${quick[@]}" "-$letter" "${words[@]}" 'head -n 3 data'
done <<'end'
w|warmup|1
m|min-runs|2
M|max-runs|2
r|runs|2
s|setup|'true; true'
|reference|true
|reference-name|base
p|prepare|true
C|conclude|true
c|cleanup|true
P|parameter-scan|n 1 2
D|parameter-step-size|2
L|parameter-list|n 1,2
S|shell|'bash --norc'
S|shell|default
S|shell|none
N||-
i|ignore-failure|-
|ignore-failure=1,2|-
|ignore-failure=all-non-zero|-
|style|auto
|style|basic
|style|full
|style|nocolor
|style|color
|style|none
|sort|auto
|sort|command
|sort|mean-time
u|time-unit|microsecond
u|time-unit|millisecond
u|time-unit|second
|export-asciidoc|x.adoc
|export-csv|x.csv
|export-json|x.json
|export-markdown|x.md
|export-orgmode|x.org
|show-output|-
|output|pipe
|output|null
|output|inherit
|output|x.out
|input|null
|input|data
n|command-name|name
|min-benchmarking-time|0.01
h|help|-
V|version|-
end

exits 'hyperfine: --min-benchmarking-time beside --runs is ignored' 0 \
	etalon hyperfine -q -r 2 -w 0 --min-benchmarking-time 100 --export-json both.json true
is 'hyperfine: --runs decides, not --min-benchmarking-time' "$(jq '.results[0].times | length' both.json)" 2
exits 'hyperfine: a command with shell syntax succeeds' 0 \
	etalon hyperfine -r 2 -w 0 --export-json h.json --output out 'sort data | head -n 1'
is 'hyperfine: shell syntax is run by a shell' "$(cat out)" 1
exits 'hyperfine: a command that begins with a builtin succeeds' 0 etalon hyperfine -r 1 -w 0 'cd /'
exits 'hyperfine: a plain command succeeds' 0 etalon hyperfine -q -r 1 -w 0 --json plain.json 'head -n 1 data' 'cat data | wc'
is 'hyperfine: a plain command runs without a shell, and another by sh' \
	"$(jq -r '[.commands[].argv[0]] | join(" ")' plain.json)" 'head sh'
refuses 'hyperfine: -N refuses shell syntax' 2 '\| needs a shell' etalon hyperfine -N 'sort data | wc'
refuses 'hyperfine: --shell none refuses shell syntax' 2 '\| needs a shell' etalon hyperfine --shell none 'sort data | wc'
exits 'hyperfine: --reference runs a further command' 0 etalon hyperfine -q -r 2 --reference 'head -n 2 data' \
	--reference-name plain --json ref.json 'head -n 3 data' 'head -n 4 data'
is 'hyperfine: --reference comes first and has its name' \
	"$(jq -r '[.commands[].name] | join(",")' ref.json)" 'plain,head -n 3 data,head -n 4 data'
is 'hyperfine: --reference is the reference' "$(jq .plan.reference ref.json)" 0
refuses 'hyperfine: two different outputs are rejected' 2 'one output for all' \
	etalon hyperfine --output null --output pipe true true
exits 'hyperfine: --style none succeeds' 0 etalon hyperfine --style none -r 1 -w 0 true
is 'hyperfine: --style none prints nothing' "$out$err" ''
like 'hyperfine: --style color has colours in a pipe' "$(etalon hyperfine --style color -r 1 -w 0 true 2>&1)" $'\033\\['
refuses 'hyperfine: a failing program gives status 1' 1 'exit status 1 in' etalon hyperfine -r 1 false
refuses 'hyperfine: an unknown option is rejected' 2 'unknown option --expot-json' etalon hyperfine --expot-json x true
like 'hyperfine: the hint names the nearest option' "$err" "did you mean --export-json"

# Where it is not known whether the machine stayed the same, a note has the run that decides.
exits 'drift: two commands without a probe succeed' 0 etalon hyperfine -v -r 6 --no-probe 'head -n 2 data' 'sort data | uniq'
like 'drift: a warning has the command line of etalon run' "$(tr -s '\n ' ' ' <<<"$out")" \
	"looks like a difference; use etalon run --shell sh -v -r 6 --no-probe 'head -n 2 data' 'sort data \\| uniq' "
exits 'drift: a reference without a probe succeeds' 0 etalon hyperfine -v -r 6 --no-probe true --reference 'sort data'
like 'drift: the reference is the first command of etalon run' "$(tr -s '\n ' ' ' <<<"$out")" \
	"use etalon run 'sort data' -v -r 6 --no-probe true "
long="head -n 2 data $(printf 'a-file-with-a-long-name-%s ' {1..30})"
touch a-file-with-a-long-name-{1..30}
exits 'drift: two long commands succeed' 0 etalon hyperfine -r 6 --no-probe --json drift.json "$long" "$long data"
# Lines are cut wherever the long name ends.
line=$(tr -d '\n ' <<<"to decide: etalon run -r 6 --no-probe --json drift.json '$long' '$long data'")
like 'drift: the note is there however long the commands are' "$(tr -d '\n ' <<<"$out")" "$line"
is 'drift: both metrics have the same advice' \
	"$(jq '[.comparisons[], .by_other_metric.comparisons[] | .warnings[].text | select(test("looks like")) | sub(".*; use "; "")] |
		[length, (unique | length)]' -c drift.json)" '[2,1]'
exits 'drift: the kept experiment is shown' 0 etalon show
like 'drift: show has the run that decides' "$(tr -d '\n ' <<<"$out")" "$(tr -d '\n ' <<<"to decide: etalon run '$long' '$long data'")"
exits 'drift: one with a shell is kept' 0 etalon hyperfine -r 6 --no-probe 'head -n 2 data' 'sort data | uniq'
exits 'drift: it is shown' 0 etalon show
like 'drift: show names the shell' "$(tr -s '\n ' ' ' <<<"$out")" "to decide: etalon run --shell sh 'head -n 2 data' 'sort data \| uniq'"
exits 'drift: one command succeeds' 0 etalon hyperfine -v -r 2 --no-probe true
unlike 'drift: one command has no such warning' "$out" 'looks like a difference'

ln -s "$ETALON" bin/hyperfine
exits 'hyperfine: a link of that name takes its command line' 0 hyperfine -r 2 -w 0 --export-json link.json 'true && true'
is 'hyperfine: a link of that name measures' "$(jq '.results[0].times | length' link.json)" 2
exits 'hyperfine: a link of that name has --version' 0 hyperfine --version

done_testing
