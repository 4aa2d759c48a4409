#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# `etalon doe analyse` and `doe export`: figures against R's, the findings, the tables, the files.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

compare=$root/tests/cli/doe.py

# --- figures: R's answers to factorial designs ---
while read -r name; do
	etalon doe import -q --label "$name" "case-$name.csv" >id
	exits "doe analyse: $name is analysed" 0 etalon doe analyse --json --method anova "$name"
	ok "doe analyse: effects, F and p of $name are those of R" \
		python3 "$compare" oracle "$root/tests/oracle/public.jsonl" "$name" .out
done < <(python3 "$compare" cases "$root/tests/oracle/public.jsonl")

# --- a live answer: one factor costs 5 %, the other nothing, and in cg they interact ---
cat >make.py <<'PY'
import random
r = random.Random(7)
print('program,work,pad,opt,round,time_ms')
for block in range(1, 21):
    rows = []
    for program, base in (('loop', 50), ('cg', 100)):
        for work in (30, 31):
            for pad in (0, 64, 512):
                for opt in ('-O2', '-O3'):
                    t = base * (1.05 if work == 31 else 1)
                    if program == 'cg' and pad == 512 and opt == '-O2':
                        t *= 1.03
                    rows.append(f'{program},{work},{pad},{opt},{block},{t * r.gauss(1, .01):.6f}')
    r.shuffle(rows)
    print('\n'.join(rows))
PY
python3 make.py | cut -d, -f1-4,6 >data.csv
exits 'doe import: a table of two programs is imported' 0 etalon doe import data.csv
like 'doe import: it reports what it found' "$out" '480 runs of 2 programs under 12 treatments'
exits 'doe analyse: the label is the name of the file' 0 etalon doe analyse data
fits 'doe analyse: no line is wider than 80 columns'
answer=$(head -n 8 .out | tr -s '\n ' '  ')
like 'doe analyse: the answer about loop comes first' "$answer" \
	'work moves loop by (4\.9|5\.[0-2])(|.) % \([45]\.[0-9] … 5\.[0-9]\); pad does not \(-?0\.[0-9] … 0\.[0-9] %\); opt does not'
like 'doe analyse: the interaction of cg is put into words' "$answer" \
	'the effect of pad depends on opt: [23]\.[0-9] % at -O2, 0\.[0-9] % at -O3'
like 'doe analyse: a line is about all programs' "$answer" 'work moves both programs, pad moves 1 of 2 programs'
like 'doe analyse: the table has levels, effect, share and p' "$out" \
	'work +30 → 31 +[0-9.]+ ms +[0-9.]+ % \([0-9.]+ … [0-9.]+\) +[0-9.]+ % .*< 0\.0001'
like 'doe analyse: the method is named' "$out" 'tested by (analysis of variance|aligned ranks|Welch)'
exits 'doe analyse: -v prints all that it rests on' 0 etalon doe analyse -v data
fits 'doe analyse: with -v, too, no line is wider than 80 columns'
like 'doe analyse: -v has the table of variances' "$out" 'term +df +sum of sq\. +mean square +F +p'
like 'doe analyse: -v has the checks of the residuals' "$out" 'normal: p .*equal spread of all treatments: p'
like 'doe analyse: -v compares pairs of treatments' "$out" 'pairs of treatments'
exits 'doe analyse: -q prints the findings alone' 0 etalon doe analyse -q data
unlike 'doe analyse: -q has no table' "$out" 'variation'
exits 'doe analyse: --plot draws' 0 etalon doe analyse --plot data
like 'doe analyse: --plot has the means of levels' "$out" 'work=30 vs all +.*●'
is 'doe analyse: no line is wider than a terminal of 60 columns' "$(COLUMNS=60 etalon doe analyse --tables data |
	python3 -c 'import sys; print(max(len(line.rstrip("\n")) for line in sys.stdin) <= 60)')" True

# --- one run per treatment; a large effect ---
printf 'opt,n,time\n%s' $'-O0,1,1.0\n-O2,1,.30\n-O0,2,1.1\n-O2,2,.31\n-O0,3,1.0\n-O2,3,.28\n' >single.csv
etalon doe import -q single.csv >id
exits 'doe analyse: one run per treatment is reported' 0 etalon doe analyse --svg s.svg --report s.html single
like 'doe analyse: one run per treatment tests nothing' "$(tr -s '\n ' '  ' <.out)" \
	'nothing can be tested: one run counts per treatment; raise replications'
unlike 'doe analyse: no figure is nan' "$out$(cat s.svg s.html)" '[^a-z]-?nan|\(0\.0 … 0\.0'
exits 'doe analyse: the same as JSON' 0 etalon doe analyse --json single
json 'doe analyse: there are no intervals' 'all(e["interval_ns"] == [None, None] for e in d["effects"])'
{
	cat single.csv
	for i in 1 2 3; do
		for n in 1 2 3; do
			printf '%s\n' "-O0,$n,1.0$i" "-O2,$n,.30$i"
		done
	done
} >large.csv
etalon doe import -q large.csv >id
exits 'doe analyse: a large effect' 0 etalon doe analyse -q large
like 'doe analyse: is described by its levels, of the first' "$(tr -s '\n ' '  ' <.out)" \
	'program: opt=-O2 is faster than -O0 by (69|7[01])(|\.[0-9]) % \([67][0-9.]+ … 7[0-9.]+\); n'

# --- a level that fails: the first lines report what is missing ---
cat >fails.yaml <<-'END'
	name: fails
	programs:
	  - name: prog
	    command: test {n} -ne 2
	factors:
	  - {name: n, kind: parameter, levels: [1, 2, 3]}
	  - {name: pad, kind: environment-size, levels: [0, 512]}
	replications: 4
	discard: 1
END
etalon doe run -q fails.yaml >/dev/null 2>&1
exits 'doe analyse: an experiment with failures is analysed' 0 etalon doe analyse -q fails.yaml
like 'doe analyse: missing runs and treatments are named' "$(tr -s '\n ' '  ' <.out)" \
	'16 of 24 runs are done; no run of prog counts with n=2,pad=0 and n=2,pad=512'
is 'doe analyse: the other levels of the factor are still compared' "$(etalon doe analyse --json fails.yaml |
	jq -c '[.programs[0].dropped_levels, .programs[0].not_estimated, [.effects[].term]]')" \
	'["n=2",null,["n","pad","n:pad"]]'
exits 'doe analyse: the page of it is written' 0 etalon doe analyse -q --report fails.html fails.yaml
like 'doe analyse: the page begins with what is missing' "$(tr '\n' ' ' <fails.html)" '16 of 24 runs are done.*<h2'
etalon doe analyse --json fails.yaml >once.json
id=$(jq -r '.design.experiments[0]' once.json)
refuses 'doe analyse: an experiment is not counted twice' 2 'given twice' etalon doe analyse "$id" fails.yaml
refuses 'doe analyse: a table is to be imported first' 2 'is a table' etalon doe analyse data.csv
like 'doe analyse: the hint has the command' "$err" "hint: run 'etalon doe import data\.csv' first"

# --- long levels ---
sed 's/,30,/,60000000,/; s/,31,/,63000000,/' data.csv >long.csv
etalon doe import -q long.csv >id
exits 'doe analyse: long levels' 0 etalon doe analyse -v long
fits 'doe analyse: long levels, no line is wider than 80 columns'
like 'doe analyse: levels are not cut' "$out" 'work +60000000 → 63000000 '
like 'doe analyse: many pairs have numbers' "$out" 'by their numbers in the table above.*  2 vs 1: '
like 'doe analyse: squares have a unit' "$out" 'squares in ms²'

# --- tables ---
exits 'doe analyse: --tables prints the tables of pairs' 0 etalon doe analyse --tables data
fits 'doe analyse: the tables are not wider than 80 columns'
like 'doe analyse: the signs are in Yates order' "$out" '- 30 +0 +- -O2'
like 'doe analyse: the tests used are counted' "$out" 'pair +Student +Welch +Wilcoxon'
like 'doe analyse: k is printed' "$out" 'cg +66 +[0-9]+ +[0-9]+ +[0-9.]+ % \([0-9]+ of [0-9]+\)'
like 'doe analyse: the order of the runs is printed' "$out" 'order of the runs: standard'

# --- terms, levels, methods ---
exits 'doe analyse: --terms shows these effects only' 0 etalon doe analyse --json --terms work,pad:opt data
json 'doe analyse: both programs have these two terms' \
	'[e["term"] for e in d["effects"]] == ["work", "pad:opt"] * 2'
refuses 'doe analyse: an unknown term is refused' 2 'term|factor' etalon doe analyse --terms work,pda data
refuses 'doe analyse: an unknown method is refused' 2 '--method' etalon doe analyse --method bayes data
for method in anova welch ranks; do
	exits "doe analyse: --method $method is used" 0 etalon doe analyse --json --method $method data
	json "doe analyse: the method is $method" "{p['method'] for p in d['programs']} == {'$method'}"
done
exits 'doe analyse: a higher level is accepted' 0 etalon doe analyse --json --level 0.99 --alpha 0.01 data
json 'doe analyse: JSON has the documented keys' 'd["design"]["level"] == 0.99
	and {"name", "levels", "n", "mean_ns", "interval_ns"} <= set(d["treatments"][0])
	and {"term", "effect_ns", "interval_ns", "percent_of_variation", "f", "p", "p_holm"} <= set(d["effects"][0])
	and {"a", "b", "program", "p", "p_holm", "ratio"} <= set(d["pairs"][0])
	and len(d["pairs"]) == 132 and len(d["pairs_over_programs"]) == 66'
json 'doe analyse: the shares of the variation sum up to 100 %' \
	'all(abs(sum(e["percent_of_variation"] for e in d["effects"] if e["program"] == p["name"])
		+ p["residual_percent_of_variation"] - 100) < 1e-6 for p in d["programs"])'

# --- a fraction: aliased effects ---
cat >fraction.csv <<'END'
a,b,c,time
0,0,1,1.00
1,0,0,1.10
0,1,0,1.01
1,1,1,1.12
0,0,1,1.01
1,0,0,1.11
0,1,0,1.00
1,1,1,1.11
END
etalon doe import -q fraction.csv >id
exits 'doe analyse: a fraction is analysed' 0 etalon doe analyse fraction
cat >words.yaml <<'END'
name: words
programs: [{ name: sort, command: 'true {locale} {threads} {buffer} {stable}' }]
factors:
  - { name: locale, kind: parameter, levels: [C, C.UTF-8] }
  - { name: threads, kind: parameter, levels: [1, 2] }
  - { name: buffer, kind: parameter, levels: [1M, 100M] }
  - { name: stable, kind: parameter, levels: [no-stable, yes-stable] }
design: { fractional: { generators: [stable = locale threads buffer] } }
replications: 4
END
etalon doe run -q words.yaml >/dev/null 2>&1
COLUMNS=80 run etalon doe analyse words
for term in locale threads buffer stable; do
	like "doe analyse: the name of an aliased term is whole in 80 columns ($term)" "$out" "(^|
) *$term  "
done
like 'doe analyse: aliases are below the table' "$(tr -s ' \n' ' ' <.out)" 'aliased: .*locale:threads = buffer:stable'
fits 'doe analyse: aliases fit 80 columns'
COLUMNS=80 run etalon doe analyse -v words
like 'doe analyse: pairs of long names are numbers of the table of treatments' "$out" 'pairs of treatments, by their numbers'
cat >long.csv <<'END'
compression_level,concurrency_level,compilation_level,time
1,1,1,1.00
9,1,1,1.50
1,8,1,2.01
9,8,1,1.12
1,1,3,1.31
9,1,3,1.71
1,8,3,2.30
9,8,3,1.01
1,1,1,1.03
9,1,1,1.52
1,8,1,2.04
9,8,1,1.11
1,1,3,1.32
9,1,3,1.75
1,8,3,2.34
9,8,3,1.02
END
etalon doe import -q --label long long.csv >id
# labels TITLE: the labels that occur twice in the table of the last stdout with that title, and the number of rows
labels()
{
	awk -v title="$1" '$1 == title { on = 1; next } on && (!NF || $1 == "residual") { exit } on { print $1 }' .out |
		sort | uniq -c | awk '{ n += $1 } $1 > 1 { print $2 } END { print n }'
}
for columns in 80 50; do
	COLUMNS=$columns run etalon doe analyse -v long
	is "doe analyse: the 7 effects of long names have 7 labels in $columns columns" "$(labels term)" 7
	is "doe analyse: so have the shares of 5 of them, and of the others, in $columns columns" "$(labels variation)" 6
	sed -i '0,/^term/s/^term/effects/' .out
	is "doe analyse: so have the rows of the table of variances in $columns columns" "$(labels term)" 7
done
COLUMNS=80 run etalon doe analyse long
fits 'doe analyse: the table with long names fits 80 columns'
like 'doe analyse: columns are omitted before names are cut' "$out" 'compression_level:compilation_level +[-0-9]'

# --- files ---
exits 'doe analyse: drawings and page are written' 0 etalon doe analyse -q --svg all.svg --report all.html data
like 'doe analyse: the drawing has all charts' "$(cat all.svg)" \
	'Main effects.*Pareto.*pad by opt.*Residuals against fitted.*order of the runs.*normal quantiles'
exits 'doe analyse: a factor of words is drawn' 0 etalon doe analyse -q --svg large.svg large
like 'doe analyse: its levels are the names on the axis' "$(cat large.svg)" 'opt by n.*>-O0</text>.*>-O2</text>'
like 'doe analyse: the drawing has the limit of significance' "$(cat all.svg)" 'p = 0\.05'
ok 'doe analyse: the drawing is well-formed' python3 -c 'import xml.etree.ElementTree as E; E.parse("all.svg")'
like 'doe analyse: the page has findings and pairs' "$(cat all.html)" 'work moves loop.*Pairs of treatments over all'
etalon report -o reported.html data
etalon export -f html -o exported.html data
ok 'report: the page of a designed experiment is that of its analysis' cmp all.html reported.html
ok 'export: so is its page' cmp all.html exported.html
refuses 'doe analyse: drawings need a file' 2 '--svg' etalon doe analyse --svg - data
refuses 'doe analyse: an unknown experiment is refused' 2 'nothing-there' etalon doe analyse nothing-there
etalon import --label plain - <<<$'1\n2\n3' >id
refuses 'doe analyse: an experiment without a design is refused' 2 'plain' etalon doe analyse plain

# --- export, and back ---
exits 'doe export: the runs are written' 0 etalon doe export -o out.csv data
is 'doe export: the columns have names' "$(sed -n 2p out.csv)" 'program,work,pad,opt,order,counts,et_ns'
is 'doe export: there is one row per run' "$(wc -l <out.csv)" 482
etalon doe import -q --label back out.csv >id
etalon doe analyse --json data >a.json
etalon doe analyse --json back >b.json
ok 'doe export: imported again, the analysis is the same' python3 "$compare" same a.json b.json
python3 make.py >rounds.csv
etalon doe import -q --block round --label blocks rounds.csv >id
etalon doe export blocks >blocks.csv
etalon doe import -q --label blocks-back blocks.csv >id
etalon doe analyse --json blocks >a.json
ok 'doe analyse: shares of terms, blocks and residuals sum up to 100 %' python3 -c '
import json
d = json.load(open("a.json"))
for p in d["programs"]:
    terms = sum(e["percent_of_variation"] for e in d["effects"] if e["program"] == p["name"])
    assert p["blocks_df"] == 19
    assert abs(terms + p["blocks_percent_of_variation"] + p["residual_percent_of_variation"] - 100) < 1e-6'
like 'doe analyse: blocks are a row of the variation and of the table of variances' \
	"$(etalon doe analyse -v blocks)" 'variation.*blocks +[0-9.]+ %.*blocks +19 '
etalon doe analyse --json blocks-back >b.json
ok 'doe export: the same of an experiment in blocks' python3 "$compare" same a.json b.json
refuses 'doe export: --data needs --r' 2 '--data' etalon doe export --data x.csv data

# --- R ---
if command -v Rscript >/dev/null; then
	# Every seventh run of loop is missing, so that its treatments have unequal numbers; in blocks, too.
	awk -F, 'NR == 1 || $1 != "loop" || ++n % 7' data.csv >uneven.csv
	etalon doe import -q uneven.csv >id
	awk -F, 'NR == 1 || $1 != "loop" || ++n % 7' rounds.csv >uneven-blocks.csv
	etalon doe import -q --block round uneven-blocks.csv >id
	is 'doe export: one program is not balanced' \
		"$(etalon doe analyse --json uneven | jq -c '[.programs[].balanced] | sort')" '[false,true]'
	for label in data blocks uneven uneven-blocks; do
		etalon doe export -o data.csv $label
		etalon doe export --r -o script.R $label
		exits "doe export: R runs the script of $label" 0 Rscript script.R
		cp .out printed.csv
		etalon doe analyse --json --method anova $label >found.json
		# The script compares pairs as independent samples.
		if [[ $label = *blocks ]]; then
			sed -i '/^pair/d' printed.csv
			jq '.pairs = []' found.json >found && mv found found.json
		fi
		ok "doe export: R finds the same effects, F, p and pairs in $label" \
			python3 "$compare" r printed.csv found.json
	done
else
	skip 'doe export: R repeats the analysis' 'Rscript is not installed'
fi

done_testing
