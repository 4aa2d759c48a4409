#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The plans that are shipped: each is valid, and small copies of them run and can be analysed. And a
# designed experiment whose truth is known, with runs of the real machine.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

unset OMP_NUM_THREADS GOMP_CPU_AFFINITY OMP_PLACES OMP_PROC_BIND
export OMP_WAIT_POLICY=passive
cp "$root"/examples/plans/* .

# small PLAN: a copy with few runs, levels and programs
small()
{
	sed -E 's/^replications: 31/replications: 3/; s/\[0, 64, .*\]/[0, 512]/; s/\[2, 4, 6\]/[1, 2]/; s/size W/size S/
		s/20000000/2000000/; s/20600000/3000000/; /name: (bt|cg|dc|ft|lu|mg|sp|ua), /d' "$1.yaml" >"small-$1.yaml"
}

if setarch -R true 2>/dev/null; then fixed=yes; else fixed=; fi
if etalon put ep --threads 2 2>/dev/null; then threads=yes; else threads=; fi
for plan in quick null layout environment-o2 environment-o3 threads-affinity; do
	small $plan
	case $plan in
	layout | environment-*) needs=$fixed reason='setarch -R is not allowed here' ;;
	threads-*) needs=$threads reason='built without OpenMP' ;;
	*) needs=yes ;;
	esac
	if [ -z "$needs" ] || { [[ $plan = environment-* ]] && ! command -v cc >/dev/null; }; then
		skip "examples: $plan runs" "${reason:-there is no compiler}"
		continue
	fi
	exits "examples: the small copy of $plan runs" 0 etalon doe run -q "small-$plan.yaml"
	exits "examples: $plan can be analysed" 0 etalon doe analyse --tables "small-$plan.yaml"
	like "examples: the tables of $plan are printed" "$out" 'before and after Holm'
done
exits 'examples: the analysis has JSON' 0 etalon doe analyse --json small-quick.yaml
is 'examples: the first experiment has two factors and their interaction' \
	"$(jq -r '[.effects[].term] | sort | join(" ")' <<<"$out")" 'pad work work:pad'
is 'examples: one replication of each treatment is discarded' "$(jq '[.treatments[].n] | unique' -c <<<"$out")" '[2]'

# The runlevels are targets of systemd; where they cannot be set, that is found before anything runs.
etalon doe plan runlevel-optimisation.yaml >out 2>err
status=$?
ok 'examples: the plan of runlevels is valid, or this machine cannot set them' test "$status" -eq 0 -o "$status" -eq 3
[ "$status" -eq 0 ] || like 'examples: the level that cannot be set has its place' "$(cat err)" 'runlevel-optimisation.yaml:[0-9]+:[0-9]+: '

# Four times the work is found on any machine, also with sanitizers, which make the start of a program
# slow; two names of a variable cannot cost as much.
cat >known.yaml <<'PLAN'
name: known
programs:
  - name: loop
    command: etalon put inc --iterations {work}
factors:
  - { name: work, kind: parameter, levels: [40000000, 160000000] }
  - { name: name, kind: environment-name, levels: [ETALON_A, ETALON_B] }
replications: 9
seed: 1
PLAN
exits 'examples: an experiment with a known effect runs' 0 etalon doe run -q known.yaml
exits 'examples: it is analysed' 0 etalon doe analyse --json known.yaml
ok 'examples: the factor that costs most of the time is found' \
	test "$(jq '.effects[] | select(.term == "work") | .significant and .percent > 10' <<<"$out")" = true
ok 'examples: the factor that costs nothing has the smaller effect' \
	test "$(jq '[.effects[] | select(.term == "work" or .term == "name") | .percent | fabs] | .[0] > .[1]' <<<"$out")" = true

done_testing
