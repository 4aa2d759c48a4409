#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# `etalon doe plan`: the treatments, the order of runs, aliases, duration and power.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

# plan FILE DESIGN FACTOR…: a plan whose program does nothing; a factor is a line of YAML
plan()
{
	local file=$1 design=$2
	shift 2
	{
		echo "name: ${file%.yaml}"
		echo 'programs: [{ name: nothing, command: "true" }]'
		echo 'factors:'
		printf '  - %s\n' "$@"
		echo "$design"
	} >"$file"
}

# prints NAME COMMAND…: it succeeds and prints the text on standard input
prints()
{
	local name=$1
	shift
	exits "$name" 0 "$@"
	is "$name, as expected" "$(diff - .out)" ''
}

# --- 2^2 ---

plan two.yaml 'seed: 5' '{ name: nice, kind: nice, levels: [0, 5] }' \
	'{ name: pad, kind: environment-size, levels: [0, 512] }'
prints 'plan: a 2^2 design' etalon doe plan --no-pilot two.yaml <<'TEXT'
4 treatments × 1 program × 31 runs = 124 runs; it finds a main effect of 0.60
standard deviations of a run with a probability of 80 %.

Programs
  nothing     true

Factors
  nice  − 0, + 5; etalon adds it to the program's nice value (nice)
  pad   − 0, + 512; etalon sets the size of the variable ETALON_PAD
        (environment-size)

Treatments in standard order (Yates): the first factor changes fastest
     nice  pad
  1     −    −  (1)
  2     +    −  nice
  3     −    +  pad
  4     +    +  nice pad

Order of runs: random in rounds (seed 5)
  Every second round is the reverse of the one before.
  discarded   1, 2, 3, 4
  round 1     3, 1, 2, 4
  round 2     4, 2, 1, 3
  round 3     1, 4, 3, 2
  and 27 more, which -v shows

Smallest effects that are found with a probability of 80 % (95 %)
             effects       pairs
  in sd  0.60 (0.75)  0.93 (1.1)
  after Holm's correction over the effects of a program, and over its pairs of
  treatments

No pilot runs were made: the duration is not known.
TEXT
sed '$a hooks: { setup: "echo ready", between: "sync" }' two.yaml >hooks.yaml
exits 'plan: hooks' 0 etalon doe plan --no-pilot hooks.yaml
like 'plan: hooks are shown with their time' "$out" 'setup +echo ready \(once before everything\)'
like 'plan: the hook between treatments is shown' "$out" 'between +sync \(between two treatments\)'
exits 'plan: -v lists all rounds' 0 etalon doe plan --no-pilot -v two.yaml
is 'plan: -v lists 30 rounds' "$(grep -c '^  round ' .out)" 30
unlike 'plan: -v leaves nothing out' "$out" 'more'
exits 'plan: -q prints the answer' 0 etalon doe plan --no-pilot -q two.yaml
is 'plan: -q prints nothing else' "$(wc -l <.out)" 2

exits 'plan: --json' 0 etalon doe plan --no-pilot --json two.yaml
json 'plan: JSON has signs in standard order' \
	'[t["signs"] for t in d["treatments"]] == [[-1, -1], [1, -1], [-1, 1], [1, 1]]'
json 'plan: JSON has levels by the names of factors' \
	'd["treatments"][1]["levels"] == {"nice": "5", "pad": "0"}'
json 'plan: JSON counts the runs' \
	'd["runs_total"] == 124 == len(d["runs"]) and d["runs_complete"] and d["discard"] == 1'
json 'plan: every round has every treatment once' \
	'all(sorted(r["treatment"] for r in d["runs"] if r["round"] == n) == [1, 2, 3, 4] for n in range(31))'
json 'plan: every second round is the reverse of the one before' \
	'all([r["treatment"] for r in d["runs"] if r["round"] == n + 1] == [r["treatment"] for r in d["runs"] if r["round"] == n][::-1] for n in range(1, 31, 2))'
json 'plan: the runs of round 0 are discarded, and no others' \
	'all(r["discarded"] == (r["round"] == 0) for r in d["runs"])'
json 'plan: JSON has no fraction and no duration' \
	'd["fraction"] is None and d["expected_s"] is None and d["pilot"] is None'
# R 4.2: uniroot over pf(qf(1 - alpha, 1, 116), 1, 116, ncp); power.t.test(n = 30, strict = TRUE)
json 'plan: the smallest effect of 2^2 with n = 30 is that of R' \
	'abs(d["power"][0]["smallest_sd"] - 0.5157799796) < 1e-7 and abs(d["power"][0]["smallest_sd_holm"] - 0.5981469811) < 1e-7'
json 'plan: the smallest difference of 6 pairs is that of R' \
	'd["power"][2]["pairs"] and abs(d["power"][2]["smallest_sd_holm"] - 0.9264450317) < 1e-7'

run etalon doe plan --no-pilot --json two.yaml
sed 's/seed: 5//' two.yaml >unseeded.yaml
first=$(etalon doe plan --no-pilot unseeded.yaml)
is 'plan: without a seed the order is the same each time' "$first" "$(etalon doe plan --no-pilot unseeded.yaml)"

# --- pilot runs ---

exits 'pilot: a plan with pilot runs' 0 etalon doe plan --json two.yaml
json 'pilot: the program ran under three treatments, five times each' 'd["pilot"][0]["runs"] == 15'
json 'pilot: the duration is that of all runs' \
	'0 < d["expected_s"] and abs(d["expected_s"] - 124 * d["pilot"][0]["run_ns"] / 1e9) < 1e-9'
json 'pilot: effects are in percent of the mean' \
	'abs(d["power"][0]["percent_holm"][0] - 100 * 0.5981469811 * d["pilot"][0]["sd"] / d["pilot"][0]["mean"]) < 1e-4'
exits 'pilot: the text has the duration' 0 etalon doe plan two.yaml
like 'pilot: the answer has the duration and a percentage' "$(tr '\n' ' ' <.out)" \
	'124 runs, about [0-9.]+ m?s; it finds a main effect of [0-9.]+ % with'
is 'pilot: nothing is stored' "$(etalon list --json)" '[]'
sed 's/"true"/"false"/' two.yaml >fails.yaml
for options in '' -q --json; do
	# shellcheck disable=SC2086 # none, or one word
	exits "pilot: a plan whose program fails is an error ($options)" 1 etalon doe plan $options fails.yaml
	like "pilot: the error names the program ($options)" "$err" "etalon: a pilot run of 'nothing.*' failed with exit status 1"
	like "pilot: the hint names --no-pilot ($options)" "$err" 'hint: .*--no-pilot'
done
exits 'pilot: -q promises nothing of such a plan' 1 etalon doe plan -q fails.yaml
is 'pilot: -q prints no answer' "$out" ''
exits 'pilot: the text is printed nevertheless' 1 etalon doe plan fails.yaml
like 'pilot: the text has the reason' "$(tr '\n' ' ' <.out)" "A pilot run of 'nothing.*' failed with exit status 1, so the duration is not known"
exits 'pilot: without pilot runs it is a plan' 0 etalon doe plan --no-pilot fails.yaml
sed 's/"true"/no-such-program/' two.yaml >missing.yaml
exits 'pilot: a program that does not exist is an error' 2 etalon doe plan missing.yaml

# --- a plan of somebody else: nothing runs that was not printed ---

cat >theirs.yaml <<'YAML'
name: theirs
programs: [{ name: theirs, command: 'sh -c "echo program {pad} >>ran"' }]
factors: [{ name: pad, kind: environment, variable: LD_EXAMPLE, levels: [0, 512] }]
hooks: { setup: 'echo setup >>ran', between: 'echo between >>ran' }
run: { setup: 'echo each >>ran', prepare: 'echo prepare {pad} >>ran', conclude: 'echo conclude >>ran', cleanup: 'echo cleanup >>ran' }
YAML
export COLUMNS=200
for options in '' -v -q --json; do
	rm -f ran
	# shellcheck disable=SC2086 # none, or one word
	exits "theirs: plan $options succeeds" 0 etalon doe plan $options theirs.yaml
	is "theirs: plan $options runs the program and nothing else" "$(cut -d' ' -f1 ran | sort -u)" program
	like "theirs: plan $options prints the command that it runs" "$err" "command +sh -c 'echo program 512 >>ran'"
	like "theirs: plan $options prints the variable that it sets" "$err" 'factor +pad \(environment\) LD_EXAMPLE: 0 512'
done
# The program notes what was on stderr when it ran.
sed 's/echo program {pad} >>ran/cp err seen; echo {pad}/' theirs.yaml >order.yaml
etalon doe plan order.yaml >/dev/null 2>err
like 'theirs: the command was printed before it ran' "$(cat seen)" "command +sh -c 'cp err seen; echo 0'"
for options in --no-pilot '--no-pilot -v'; do
	rm -f ran
	# shellcheck disable=SC2086 # words
	exits "theirs: plan $options succeeds" 0 etalon doe plan $options theirs.yaml
	ok "theirs: plan $options runs nothing" test ! -e ran
	for text in 'sh -c "echo program \{pad\} >>ran"' '--setup +echo each >>ran' '--prepare +echo prepare 0 >>ran' \
		'--prepare +echo prepare 512 >>ran' '--conclude +echo conclude >>ran' '--cleanup +echo cleanup >>ran' \
		'setup +echo setup >>ran' 'between +echo between >>ran'; do
		like "theirs: plan $options prints $text" "$out" "$text"
	done
done
sed 's/name: theirs, command/name: theirs, build: "echo build >>ran", command/' theirs.yaml >build.yaml
exits 'theirs: a plan with a build succeeds' 0 etalon doe plan build.yaml
ok 'theirs: the build does not run, nor the program' test ! -e ran
like 'theirs: the build is printed' "$out" 'build +echo build >>ran'
exits 'theirs: JSON has everything that is executed' 0 etalon doe plan --no-pilot --json theirs.yaml
json 'theirs: each text once' \
	'[(x["what"], x["text"]) for x in d["executes"]] == [("theirs", "sh -c \"echo program {pad} >>ran\""), ("--setup", "echo each >>ran"), ("--prepare", "echo prepare 0 >>ran"), ("--prepare", "echo prepare 512 >>ran"), ("--conclude", "echo conclude >>ran"), ("--cleanup", "echo cleanup >>ran")]'
json 'theirs: JSON has the hooks of the plan' 'd["hooks"] == {"setup": "echo setup >>ran", "between": "echo between >>ran", "reboot": None}'
unset COLUMNS

# --- options of run that this machine cannot follow ---

sed '$a run: { nice: 1, cpu: 1023 }' two.yaml | sed '/name: nice/d' >cpu.yaml
for options in '' --no-pilot; do
	# shellcheck disable=SC2086 # none, or one word
	refuses "options: a CPU that is not there has its place in the file ($options)" 2 'cpu.yaml:[0-9]+:[0-9]+: --cpu: there is no CPU 1023' etalon doe plan $options cpu.yaml
done
refuses 'options: run refuses it in the same way' 2 'cpu.yaml:[0-9]+:[0-9]+: --cpu: there is no CPU 1023' etalon doe run cpu.yaml

# --- a function that no run was seen in: the hint has each name once ---

cat >spin.c <<'C'
long spin_fast(long n) { for (volatile long i = 0; i < n; i++) ; return n; }
long spin_slow(long n) { for (volatile long i = 0; i < n; i++) ; return n; }
int main(void) { return (int)(spin_fast(20000000) - spin_slow(20000000)); }
C
cc -O1 -o spin spin.c
cp spin copy
cat >function.yaml <<'YAML'
name: function
programs: [{ name: a, command: ./spin }, { name: b, command: ./copy }]
factors: [{ name: pad, kind: environment-size, levels: [0, 512] }]
replications: 3
response: { profile: zz_no_such_function_at_all }
YAML
run etalon doe run -q function.yaml
if [ "$status" -eq 3 ]; then
	skip 'function: the hint has each name once' 'this machine cannot profile'
else
	like 'function: the hint has names' "$err" 'hint: functions that were seen: .*spin_'
	is 'function: the hint has each name once' "$(tail -n 1 .err | sed -n 's/^hint: functions that were seen: //p' | sed 's|, |\n|g' | sort | uniq -d)" ''
	like 'function: the error has its place in the plan' "$err" 'etalon: function.yaml:5:11: response: no run was seen'
	like 'function: the first round is followed by a warning' "$err" 'warning: function.yaml:5:11: response: none of the first 4 runs was seen in a function'
	run etalon doe plan -q function.yaml
	like 'function: pilot runs are followed by a warning' "$status $err" \
		'^0 .*warning: function.yaml:5:11: response: no pilot run was seen in a function .zz_no.*functions that were seen: .*spin_'
	sed -i 's/zz_no_such_function_at_all/spin_fats/' function.yaml
	run etalon doe plan -q function.yaml
	like 'function: the hint has the nearest name' "$err" "hint: did you mean 'spin_fast'[?].*seen: .*spin_slow"
	sed -i 's/spin_fats/spin_fast/' function.yaml
	run etalon doe plan -q function.yaml
	unlike 'function: one that was seen has no warning' "$err" 'warning'
fi

# --- fractions ---

plan half.yaml '{}' '{ name: a, kind: nice, levels: [0, 1] }' >/dev/null
{
	sed '$d' half.yaml
	echo '  - { name: b, kind: environment-size, levels: [0, 64] }'
	echo '  - { name: c, kind: aslr, levels: ["on", "off"] }'
	echo '  - { name: d, kind: directory, levels: [/, /tmp] }'
	echo 'design: { fractional: { generators: [d = a b c] } }'
	echo 'order: interleaved'
	echo 'replications: 6'
} >fraction.yaml
prints 'plan: a 2^(4-1) design' etalon doe plan --no-pilot fraction.yaml <<'TEXT'
8 treatments × 1 program × 6 runs = 48 runs; it finds a main effect of 1.2
standard deviations of a run with a probability of 80 %.

Programs
  nothing     true

Factors
  a   − 0, + 1; etalon adds it to the program's nice value (nice)
  b   − 0, + 64; etalon sets the size of the variable ETALON_PAD
      (environment-size)
  c   − on, + off; etalon sets the randomisation of the program's addresses
      (aslr)
  d   − /, + /tmp; etalon starts the program in that folder (directory)

Treatments in standard order (Yates): the first factor changes fastest
     a  b  c  d
  1  −  −  −  −  (1)
  2  +  −  −  +  a d
  3  −  +  −  +  b d
  4  +  +  −  −  a b
  5  −  −  +  +  c d
  6  +  −  +  −  a c
  7  −  +  +  −  b c
  8  +  +  +  +  a b c d

Order of runs: every round in standard order
  discarded   1, 2, 3, 4, 5, 6, 7, 8
  round 1     1, 2, 3, 4, 5, 6, 7, 8
  round 2     1, 2, 3, 4, 5, 6, 7, 8
  round 3     1, 2, 3, 4, 5, 6, 7, 8
  and 2 more, which -v shows

Fraction: 8 of the 16 treatments of the full design
  generators  d = a b c
  relation    I = a:b:c:d
  resolution  IV: main effects are aliases of interactions of three factors, and
              interactions of two factors of each other

Aliases: effects that no run tells apart
  a           = b:c:d
  b           = a:c:d
  c           = a:b:d
  d           = a:b:c
  a:b         = c:d
  a:c         = b:d
  a:d         = b:c

Smallest effects that are found with a probability of 80 % (95 %)
           effects      pairs
  in sd  1.2 (1.5)  3.6 (4.4)
  after Holm's correction over the effects of a program, and over its pairs of
  treatments

No pilot runs were made: the duration is not known.
TEXT
exits 'plan: JSON of a fraction' 0 etalon doe plan --no-pilot --json fraction.yaml
json 'plan: JSON has the defining relation and the resolution' \
	'd["fraction"]["defining_relation"] == ["a:b:c:d"] and d["fraction"]["resolution"] == 4'
json 'plan: JSON has the aliases' \
	'{"term": "a:b", "aliases": ["c:d"]} in d["fraction"]["aliases"] and len(d["fraction"]["aliases"]) == 7'
sed 's/d = a b c/d = -a b c/' fraction.yaml >minus.yaml
exits 'plan: JSON of the other half' 0 etalon doe plan --no-pilot --json minus.yaml
json 'plan: an alias has its sign' '{"term": "a", "aliases": ["-b:c:d"]} in d["fraction"]["aliases"]'
exits 'plan: effects that are not aliases of each other' 0 \
	etalon doe plan --no-pilot --terms a,d --json fraction.yaml
json 'plan: --terms shows the power of these effects' 'd["power"][0]["terms"] == ["a", "d"]'
refuses 'plan: an aliased effect is refused' 2 "the effect 'a:b' is an alias of 'c:d'" \
	etalon doe plan --no-pilot --terms a,a:b fraction.yaml
refuses 'plan: an unknown effect is refused' 2 "there is no factor 'x'" \
	etalon doe plan --no-pilot --terms x fraction.yaml
sed 's/d = a b c/d = a d/' fraction.yaml >bad.yaml
refuses 'plan: a generator with itself is refused' 2 'bad.yaml:[0-9]+:[0-9]+: .*part of its own product' \
	etalon doe plan --no-pilot bad.yaml

# --- more levels, and a narrow terminal ---

plan three.yaml 'order: yates' '{ name: threads, kind: threads, levels: [1, 2, 3] }' \
	'{ name: size, kind: environment-size, levels: [0, 64, 128] }'
COLUMNS=60 prints 'plan: a 3^2 design in 60 columns' etalon doe plan --no-pilot three.yaml <<'TEXT'
9 treatments × 1 program × 31 runs = 279 runs; it finds a
main effect of 0.53 standard deviations of a run with a
probability of 80 %.

Programs
  nothing     true

Factors
  threads  1: 1, 2: 2, 3: 3; etalon sets OMP_NUM_THREADS
           (threads)
  size     1: 0, 2: 64, 3: 128; etalon sets the size of the
           variable ETALON_PAD (environment-size)

Treatments in standard order (Yates): the first factor
changes fastest
     threads  size
  1        1     1
  2        2     1
  3        3     1
  4        1     2
  5        2     2
  6        3     2
  7        1     3
  8        2     3
  9        3     3

Order of runs: standard order
  All runs of a program under a treatment follow each other:
  1 discarded, then 30 that count.

Smallest effects that are found with a probability of 80 %
(95 %)
         main effects  threads:size      pairs
  in sd   0.53 (0.66)    0.83 (1.0)  1.1 (1.3)
  after Holm's correction over the effects of a program, and
  over its pairs of treatments

No pilot runs were made: the duration is not known.
TEXT

# --- the order of runs is the one that is made ---

cat >order.yaml <<'YAML'
name: order
programs: [{ name: x, command: "true" }, { name: y, command: "true" }]
factors:
  - { name: nice, kind: nice, levels: [0, 5] }
  - { name: pad, kind: environment-size, levels: [0, 512] }
replications: 4
YAML
for order in random interleaved yates; do
	sed '$a order: '$order order.yaml >$order.yaml
	exits "order: $order: a plan" 0 etalon doe plan --no-pilot --json $order.yaml
	cp .out plan.json
	exits "order: $order: the runs" 0 etalon doe run --new --json record.json $order.yaml
	ok "order: $order: runs are made in the order of the plan" python3 - <<'PYTHON'
import json
plan, record = json.load(open("plan.json")), json.load(open("record.json"))
made = sorted((s["order"], c // 2 + 1, "xy"[c % 2], s["round"], s["warmup"])
    for c, command in enumerate(record["commands"]) for s in command["samples"])
assert record["seed"] == plan["seed"]
assert made == [(r["order"], r["treatment"], r["program"], r["round"], r["discarded"]) for r in plan["runs"]], made
PYTHON
done

# --- plan and analysis name the same aliases ---

sed 's/d = a b c/d = -a b/; s/replications: 6/replications: 3/' fraction.yaml >same.yaml
exits 'aliases: a plan' 0 etalon doe plan --no-pilot --json same.yaml
cp .out plan.json
exits 'aliases: the runs' 0 etalon doe run same.yaml
exits 'aliases: the analysis' 0 etalon doe analyse --json same.yaml
json 'aliases: the analysis names terms and aliases as the plan does' \
	'{e["term"]: sorted(e["aliases"].split(", ")) for e in d["effects"]} == {a["term"]: sorted(a["aliases"]) for a in json.load(open("plan.json"))["fraction"]["aliases"]}'

# --- bad input ---

sed 's/levels: \[0, 5\]/levels: [0, 99]/' two.yaml >level.yaml
refuses 'plan: a malformed level has its place' 2 'level.yaml:4:[0-9]+: ' etalon doe plan level.yaml
plan cpu.yaml 'seed: 1' '{ name: cpu, kind: cpu, levels: ["0", "1023"] }'
refuses 'plan: a level that this machine cannot set has its place' 3 "cpu.yaml:4:[0-9]+: .*1023" \
	etalon doe plan cpu.yaml
refuses 'plan: without a file it fails' 2 'name a plan file' etalon doe plan
refuses 'plan: a file that does not exist' 2 'nowhere.yaml' etalon doe plan nowhere.yaml
sed 's/seed: 5/replications: 3000/' two.yaml >large.yaml
exits 'plan: a large experiment' 0 etalon doe plan --no-pilot large.yaml
like 'plan: a large experiment is said to ask for --yes' "$out" 'asks for --yes'
exits 'plan: JSON of a large experiment' 0 etalon doe plan --no-pilot --json large.yaml
json 'plan: JSON of a large experiment has its first runs' \
	'd["asks_for_yes"] and not d["runs_complete"] and len(d["runs"]) == 10000 and d["runs_total"] == 12000'

done_testing
