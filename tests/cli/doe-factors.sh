#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Factors of designed experiments that concern the started program: it prints what it sees.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
: "${TREATMENT_VIEW:=$root/build/tests/cli/treatment-view}"

cp "$TREATMENT_VIEW" view

# plan NAME FACTOR…: NAME.yaml varies these factors, each in YAML's flow style, for a program that appends
# what it sees to NAME.seen; two runs per treatment, in standard order
plan()
{
	local name=$1 factor
	shift
	{
		echo "name: $name"
		echo "programs: [{ name: view, command: $work/view $work/$name.seen }]"
		echo 'factors:'
		for factor; do
			echo "  - { $factor }"
		done
		echo 'replications: 2'
		echo 'discard: 0'
		echo 'order: yates'
		echo 'run: { no-ledger: true, no-probe: true }'
	} >"$name.yaml"
}

# vary NAME FACTOR…: runs such a plan
vary()
{
	plan "$@"
	exits "$1: the experiment is run" 0 etalon doe run "$1.yaml"
}

# seen NAME KEY…: the values of the keys in all runs, on one line; runs are separated by a blank
seen()
{
	local name=$1 key text=()
	shift
	while IFS= read -r line; do
		local values=()
		for key; do
			values+=("$(sed -n "s/\(.*;\)\?$key=\([^;]*\).*/\2/p" <<<"$line")")
		done
		text+=("$(IFS=/; echo "${values[*]}")")
	done <"$name.seen"
	echo "${text[*]}"
}

# distinct NAME KEY: how many different values there are
distinct()
{
	seen "$@" | tr ' ' '\n' | sort -u | wc -l
}

# --- environment and addresses ---

vary environment 'name: LEVEL, kind: environment, levels: [one, "", three]'
is 'environment: the variable has the name of the factor' "$(seen environment level)" 'one one   three three'
is 'environment: no variable has a number that grows with the runs' "$(seen environment numbered)" '0 0 0 0 0 0'
vary variable 'name: v, kind: environment, variable: LEVEL, levels: [a, b]'
is 'environment: the plan can name the variable' "$(seen variable level)" 'a a b b'

# can_fix: addresses can be fixed here, and are random otherwise
can_fix()
{
	[ "$(cat /proc/sys/kernel/randomize_va_space)" != 0 ] && setarch -R true 2>/dev/null
}

if can_fix; then
	vary size 'name: size, kind: environment-size, levels: [0, 64, 4096]' 'name: random, kind: aslr, levels: [off, on]'
	head -6 size.seen >fixed.seen
	is 'environment-size: the value has exactly as many bytes' "$(seen fixed pad)" '0 0 64 64 4096 4096'
	is 'environment-size: the whole environment grows by as many bytes' \
		"$(seen fixed bytes | awk '{ print $3 - $1, $5 - $1 }')" '64 4096'
	is 'environment-size: all else of the environment, the path and the arguments stay the same' \
		"$(distinct size rest) $(distinct size path) $(distinct size arguments)" '1 1 1'
	is 'environment-size: the stack does not move between runs of one size' \
		"$(seen fixed stack | awk '{ print ($1 == $2), ($3 == $4), ($5 == $6) }')" '1 1 1'
	is 'environment-size: the stack moves down by the size' \
		"$(read -r a _ b _ c _ < <(seen fixed stack); echo $((a - b)) $((a - c)))" '64 4096'
	is 'aslr: the personality of the program shows it' "$(seen size aslr)" 'off off off off off off on on on on on on'
	tail -6 size.seen >random.seen
	ok 'aslr: addresses are random if it is on' test "$(distinct random stack)" -ge 5
	# The null check: treatments under another name of equal length must be the same treatment.
	vary name 'name: name, kind: environment-name, levels: [AAAA, BBBB]' 'name: random, kind: aslr, levels: [off, on]'
	head -4 name.seen >fixed.seen
	is 'environment-name: the name changes' "$(distinct fixed rest)" 2
	is 'environment-name: names of equal length leave the stack where it is' "$(distinct fixed stack)" 1
	is 'environment-name: names of equal length leave the arguments where they are' "$(distinct fixed argv)" 1
else
	skip 'environment-size: the stack moves down by the size' 'addresses cannot be fixed here'
fi

# --- CPUs and threads ---

allowed=$(taskset -cp $$ | sed 's/.*: //')
mapfile -t cpus < <(tr ',' '\n' <<<"$allowed" | awk -F- '{ for (i = $1; i <= ($2 == "" ? $1 : $2); i++) print i }')
if [ ${#cpus[@]} -ge 2 ]; then
	first=${cpus[0]} second=${cpus[1]}
	vary threads 'name: nt, kind: threads, levels: [1, 2]' 'name: sa, kind: affinity, levels: [none, compact]'
	is 'threads: OMP_NUM_THREADS is the level' "$(seen threads threads)" '1 1 2 2 1 1 2 2'
	head -4 threads.seen >none.seen
	is 'affinity: none leaves all CPUs, and no variable is set' "$(seen none cpus gomp places bind)" \
		"$(all=$(IFS=,; echo "${cpus[*]}")/unset/unset/unset; echo "$all $all $all $all")"
	tail -4 threads.seen | head -1 >one.seen
	is 'affinity: one compact thread has one CPU' "$(seen one cpus gomp places bind)" \
		"${cpus[0]}/${cpus[0]}/{${cpus[0]}}/close"
	tail -1 threads.seen >two.seen
	like 'affinity: two compact threads have two CPUs in both spellings' "$(seen two cpus gomp places bind)" \
		'^[0-9]+,[0-9]+/[0-9]+ [0-9]+/\{[0-9]+\},\{[0-9]+\}/close$'
	vary cpu "name: where, kind: cpu, levels: [\"$first\", \"$second\", \"$first,$second\"]"
	is 'cpu: the program may use the CPUs of the level' "$(seen cpu cpus)" \
		"$first $first $second $second $first,$second $first,$second"
else
	skip 'cpu: the program may use the CPUs of the level' 'needs two CPUs'
fi

# --- scheduling, memory, folder ---

mkdir one two
own=$(nice)
vary several 'name: n, kind: nice, levels: [0, 3]' 'name: class, kind: sched, levels: [other, batch, idle]' \
	"name: folder, kind: directory, levels: [one, $work/two]"
is 'nice: the level is added to the nice value' \
	"$(seen several nice)" "$(for _ in 1 2 3 4 5 6; do echo "$own $own $((own + 3)) $((own + 3))"; done | xargs)"
# SCHED_OTHER is 0, SCHED_BATCH 3, SCHED_IDLE 5.
is 'sched: the level is the scheduling class' \
	"$(seen several policy)" "$(for _ in 1 2; do echo '0 0 0 0 3 3 3 3 5 5 5 5'; done | xargs)"
is 'directory: the level is the folder of the program' "$(seen several folder | tr ' ' '\n' | uniq -c | xargs)" \
	"12 $work/one 12 $work/two"
rm -f several.seen
if chrt -f 1 true 2>/dev/null; then
	vary real 'name: class, kind: sched, levels: [fifo:3, rr:4, other]'
	is 'sched: real-time classes have their priority' "$(seen real policy priority)" '1/3 1/3 2/4 2/4 0/0 0/0'
else
	plan real 'name: class, kind: sched, levels: [other, fifo:3]'
	refuses 'sched: a class without the right to use it is refused' 3 "real.yaml:[0-9]+:[0-9]+: .*fifo:3" \
		etalon doe run real.yaml
fi
if grep -q '^0' /sys/devices/system/node/has_memory 2>/dev/null; then
	vary memory 'name: m, kind: memory-policy, levels: [local, "bind:0", "interleave:0", "preferred:0", default]'
	# MPOL_DEFAULT is 0, MPOL_PREFERRED 1, MPOL_BIND 2, MPOL_INTERLEAVE 3, MPOL_LOCAL 4.
	is 'memory-policy: the level is the policy of the program' "$(seen memory memory)" \
		'4:0 4:0 2:1 2:1 3:1 3:1 1:1 1:1 0:0 0:0'
else
	skip 'memory-policy: the level is the policy of the program' 'the kernel knows no nodes'
fi

# --- competing load ---

cat >load.yaml <<END
name: load
programs: [{ name: loop, command: etalon put inc --seconds 60ms }]
factors:
  - { name: others, kind: load, levels: [0, 2] }
replications: 3
discard: 0
order: interleaved
run: { no-probe: true, cpu: ${cpus[0]} }
END
exits 'load: the experiment is run' 0 etalon doe run --json load.json load.yaml
ok 'load: competing processes make the program wait' \
	jq -e '.commands[1].samples | all(.et_ns - .pt_ns > 30000000)' load.json
# On a busy machine the program waits at every level, but only at the second for these processes.
cat >rivals.jq <<'END'
def rivals: [.interference[] | select(.name == "et-load") | .pt_ns] | add // 0;
(.commands[1].samples | all(rivals > .pt_ns / 2)) and (.commands[0].samples | all(rivals < .pt_ns / 10))
END
ok 'load: competing processes run at their level only' jq -e -f rivals.jq load.json
# Their CPU time would make it about three times as long.
ok 'load: their CPU time is not the program'"'"'s' jq -e \
	'(.commands[1].samples | map(.pt_ns) | min) < 2 * (.commands[0].samples | map(.pt_ns) | min)' load.json
# competitors: the competing processes of this test
competitors()
{
	local pid
	for pid in $(pgrep -x et-load); do
		[ "$(readlink "/proc/$pid/cwd")" = "$work" ] && echo "$pid"
	done
}
is 'load: no competing process is left at the end' "$(competitors)" ''
sed 's/name: load/name: killed/; s/60ms/60s/' load.yaml >killed.yaml
etalon doe run killed.yaml >out 2>err &
started=$!
for ((i = 0; i < 200; i++)); do
	[ "$(competitors | wc -l)" -eq 2 ] && break
	sleep 0.05
done
is 'load: competing processes exist while the experiment runs' "$(competitors | wc -l)" 2
kill -9 $started
wait $started 2>/dev/null
for ((i = 0; i < 200; i++)); do
	[ -z "$(competitors)" ] && break
	sleep 0.05
done
is 'load: no competing process is left after a kill' "$(competitors)" ''

# --- levels that this machine cannot set ---

# refused NAME STATUS REGEX FACTOR…: the plan is refused before anything runs
refused()
{
	local name=$1 want=$2 regex=$3
	shift 3
	plan bad "$@"
	rm -f bad.seen
	refuses "$name" "$want" "$regex" etalon doe run bad.yaml
	ok "$name, and nothing runs" test ! -e bad.seen
}

refused 'cpu: a CPU that does not exist is refused' 3 'bad.yaml:[0-9]+:[0-9]+: .*CPU 1023' \
	'name: where, kind: cpu, levels: [0, 1023]'
refused 'memory-policy: a node that does not exist is refused' 3 'bad.yaml:[0-9]+:[0-9]+: .*node' \
	'name: m, kind: memory-policy, levels: [default, "bind:1000"]'
refused 'directory: a folder that does not exist is refused' 2 'bad.yaml:[0-9]+:[0-9]+: .*No such file' \
	'name: d, kind: directory, levels: [., ./nowhere]'
refused 'environment-name: names of different lengths are refused' 2 'bad.yaml:[0-9]+:[0-9]+: .*length' \
	'name: e, kind: environment-name, levels: [A, BB]'
refused 'factors: two of one kind are refused' 2 'n1 and n2 are both of kind nice' \
	'name: n1, kind: nice, levels: [0, 1]' 'name: n2, kind: nice, levels: [0, 2]'
refused 'factors: two that set one variable are refused' 2 'OMP_NUM_THREADS' \
	'name: nt, kind: threads, levels: [1, 2]' 'name: e, kind: environment, variable: OMP_NUM_THREADS, levels: [1, 2]'
plan both 'name: pad, kind: environment-size, levels: [0, 64]'
sed -i 's/^run: {/run: { randomise-layout: true,/' both.yaml
refuses 'environment-size: a random layout contradicts it' 2 'randomise-layout' etalon doe run both.yaml
sed -i 's/randomise-layout: true/randomise-layout: false/' both.yaml
exits 'environment-size: an option that the plan turns off does not contradict it' 0 etalon doe run both.yaml
plan layout 'name: LEVEL, kind: environment, levels: [a, b]'
sed -i 's/^run: {/run: { randomise-layout: true,/; s/replications: 2/replications: 4/' layout.yaml
exits 'layout: a designed experiment may have random layouts' 0 etalon doe run layout.yaml
ok 'layout: each of its runs has another padding' test "$(distinct layout pad)" -ge 7
is 'layout: its treatments are kept' "$(seen layout level)" 'a a a a b b b b'

# Programs have an input each, which levels choose; every run reads it from its beginning.
echo one >in.1
echo two >in.2
cat >inputs.yaml <<EOF
name: inputs
programs:
  - { name: reads, command: "sh -c 'read x; echo {n} \$x >>$work/inputs.seen'", input: '$work/in.{n}' }
  - { name: other, command: "sh -c '! read x'" }
factors:
  - { name: n, kind: parameter, levels: [1, 2] }
replications: 2
discard: 0
order: yates
run: { no-ledger: true, no-probe: true }
EOF
exits 'inputs: a program with an input and one without' 0 etalon doe run inputs.yaml
is 'inputs: each run reads the file of its level' "$(paste -sd, inputs.seen)" '1 one,1 one,2 two,2 two'
rm in.2
refuses 'inputs: a missing one is found before anything runs' 2 'inputs.yaml:3:.*in.2: No such file' \
	etalon doe plan inputs.yaml
done_testing
