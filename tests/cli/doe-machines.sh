#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# `etalon doe analyse` and `export` of one plan on several machines: records with simulated times, and
# parts of a campaign, without a cluster.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
simulated=$root/tests/cli/doe_machines.py
campaign=20260102-030405-campaign

# plan BLOCKS
plan()
{
	cat <<END
name: fleet
programs: [{ name: loop, command: 'true {work} {pad}' }]
factors:
  - { name: work, kind: parameter, levels: [10, 20] }
  - { name: pad, kind: parameter, levels: [a, b] }
design: { blocks: $1 }
replications: 3
discard: 0
seed: 7
run: { warmup: 0, no-ledger: true, no-probe: true }
END
}
# begin PLAN MACHINES [KEY=VALUE …]: an empty store, and the records of that many machines
begin()
{
	rm -f store.db* machine-*.json
	etalon doe run -q "$1" >/dev/null
	etalon export -o record.json last
	rm -f store.db*
	python3 "$simulated" records record.json "${@:2}"
	for f in machine-*.json; do
		etalon import -q "$f" >/dev/null
	done
}
plan machine >machines.yaml
plan none >any.yaml
plan round >rounds.yaml

# --- every machine has run the whole plan
begin machines.yaml 5
out=$(etalon doe analyse -q machines.yaml | tr -s ' \n' ' ')
like 'machines: the finding is about machines like these' "$out" 'on machines like these, work moves loop by [45]\.'
like 'machines: it says how much they differ' "$out" 'the 5 machines, or the times at which they ran, differ by [0-9.]+ % \(sd\), and the effects are alike on all'
etalon doe analyse --json machines.yaml >found.json
ok 'machines: the interval covers the true effect' jq -e '.effects[0].change_interval | .[0] < 5.13 and .[1] > 5.13' found.json
ok 'machines: components cover the truth' jq -e '.programs[0].variance_components
	| .between_machines.interval[0] < 8 and .between_machines.interval[1] > 8
	and .within_machines.interval[0] < 1.3 and .machine_by_treatment.interval[0] == 0
	and .method == "anova" and .scale == "logarithm" and .machines == 5' found.json
ok 'machines: shares of the components sum up to 100 %' jq -e '.programs[0].variance_components
	| .between_machines.percent_of_variance + .machine_by_treatment.percent_of_variance
	+ .within_machines.percent_of_variance - 100 | fabs < 1e-9' found.json
is 'machines: each is a row of the JSON' "$(jq -c '[.machines[].machine] | sort' found.json)" \
	'["host0","host1","host2","host3","host4"]'
ok 'machines: their ratios have the geometric mean 1' jq -e '[.machines[].ratio | log] | add | fabs < 1e-9' found.json
is 'machines: an effect has a row per machine' "$(jq '.effects[0].between_machines.machines | length' found.json)" 5
out=$(etalon doe analyse -v --svg a.svg --report a.html machines.yaml)
like 'machines: -v has the machines' "$out" 'host0 +12 .*components of variance.*between machines and times.*effects on each machine'
like 'machines: the short text has shares of the variance' "$(etalon doe analyse machines.yaml | tr -s ' \n' ' ')" \
	'variance: [0-9.]+ % between machines and times, [0-9.]+ % of machine × treatment, [0-9.]+ % within machines'
like 'machines: the picture has effects on each machine' "$(cat a.svg)" 'work on host3'
like 'machines: so has the page, and the components' "$(cat a.html)" 'work on host3.*component of variance'
etalon doe export -o data.csv machines.yaml
is 'machines: blocks of the exported data are their names' \
	"$(grep -v '^#' data.csv | cut -d, -f4 | sort -u | tr '\n' ' ')" 'block host0 host1 host2 host3 host4 '
if command -v Rscript >/dev/null; then
	etalon doe export --r -o script.R machines.yaml
	exits 'machines: R runs the script' 0 Rscript script.R
	cp .out printed.csv
	ok 'machines: R finds the same components of variance' python3 "$simulated" r printed.csv found.json
	sed -i '/^pair/d' printed.csv
	jq '.pairs = []' found.json >effects.json
	ok 'machines: R finds the same effects with machines as a random effect' \
		python3 "$root/tests/cli/doe.py" r printed.csv effects.json
else
	skip 'machines: R repeats the analysis' 'Rscript is not installed'
fi

begin rounds.yaml 3
etalon doe analyse --json 20260102-030400-part 20260102-030401-part 20260102-030402-part >found.json
is 'machines: separate experiments stand for others, too' "$(jq -r .effects_of found.json)" 'machines like these'
is 'machines: then the blocks are machines instead of rounds' "$(jq '.programs[0].blocks_df' found.json)" 2

# --- an effect that differs, and few machines
begin machines.yaml 3 steps=0.1
out=$(etalon doe analyse -q machines.yaml | tr -s ' \n' ' ')
like 'machines: an effect that differs is named with its ends' "$out" \
	'the effect of work differs between machines, from [0-9.]+ % on host0 to [0-9.]+ % on host2'
like 'machines: effects that hold on these machines alone are named' "$out" 'on these 3 machines alone: work [0-9.]+ % \('
like 'machines: three are few' "$(etalon doe analyse machines.yaml | tr -s ' \n' ' ')" 'over 3 machines, which finds only very large effects'

# --- a machine that lacks a treatment
begin machines.yaml 4 lacks=2
out=$(etalon doe analyse machines.yaml | tr -s ' \n' ' ')
like 'machines: one without runs of a treatment is counted' "$out" '1 machine has no run of some treatments and is left out'
is 'machines: it is in no table' "$(etalon doe analyse --json machines.yaml | jq -c '[.machines[].machine] | sort')" \
	'["host0","host1","host3"]'

# --- a campaign that divides the rounds
begin any.yaml 2 parts=6 kernels=6.1.0,6.5.0
etalon rm 20260102-030405-part >/dev/null
out=$(etalon doe analyse -q any.yaml | tr -s ' \n' ' ')
like 'campaign: parts that were imported alone belong together' "$out" 'on these 2 machines, work moves loop by'
etalon doe analyse --json any.yaml >found.json
is 'campaign: several parts are of one machine' "$(jq -c '[.machines[] | [.machine, .n]] | sort' found.json)" '[["node0",36],["node1",24]]'
is 'campaign: rounds of different parts are different runs' "$(jq '.programs[0].n' found.json)" 60
is 'campaign: effects are those on these machines' "$(jq -r .effects_of found.json)" 'these machines'
ok 'campaign: the parts of a machine are units of their own' jq -e '.programs[0].variance_components
	| .parts and .between_parts.df == 3 and .between_parts.interval[0] == 0' found.json
is 'campaign: machines have numbers of parts' "$(jq -c '[.machines[].parts] | sort' found.json)" '[2,3]'
like 'campaign: Welch is refused for the reason that holds' "$(etalon doe analyse --json --method welch any.yaml | jq -r '.programs[0] | .method, .why' | tr '\n' ' ')" \
	"anova Welch's test does not remove differences between machines"
is 'campaign: unequal numbers of runs are an approximation' \
	"$(jq -r '.programs[0].variance_components.method' found.json)" unweighted-means
python3 "$simulated" campaign store.db record.json 6 5
for operand in $campaign fleet any.yaml last; do
	out=$(etalon doe analyse -q "$operand" | tr -s ' \n' ' ')
	like "campaign: $operand means its parts" "$out" 'on these 2 machines.*60 of 72 runs are done; 1 of 6 parts is missing'
done
unlike 'campaign: the id of a part means that part' "$(etalon doe analyse -q 20260102-030401-part)" 'machines'
is 'campaign: export has the runs of all parts' "$(etalon doe export $campaign | grep -cv '^[#p]')" 60
like 'campaign: machines that differ are a warning with a code' \
	"$(etalon doe analyse fleet --json)" doe-machines-differ
like 'campaign: machines that differ are a warning that names the difference' \
	"$(etalon doe analyse fleet | tr -s ' \n' ' ')" 'warning: the machines differ in kernel \(6\.1\.0 on node0, 6\.5\.0 on node1\)'
begin any.yaml 3 parts=3 whole=1
is 'campaign: machines that ran the whole design each stand for others' \
	"$(etalon doe analyse --json any.yaml | jq -r .effects_of)" 'machines like these'
rm -f store.db*
etalon import -q machine-0.json >/dev/null
etalon rm 20260102-030400-part >/dev/null
python3 "$simulated" campaign store.db record.json 6 0
refuses 'campaign: without a part that is done there is nothing to analyse' 2 'no part of campaign' etalon doe analyse any.yaml
done_testing
