#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# --metric memory: programs that write to a known number of pages.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

# The kernel counts pages per CPU, and is off by some dozens of them.
small='etalon put pages --size 40000 --iterations 1'
same='etalon put pages --iterations 1 --size 40000'
large='etalon put pages --size 44000 --iterations 1'
half='etalon put pages --size 20000 --iterations 1'

exits 'memory: four programs are measured' 0 etalon run -q -r 6 --metric memory --label four --json four.json \
	"$half" "$small" "$same" "$large"
is 'memory: the record has its name in JSON' "$(jq -r .metric four.json)" max_rss
is 'memory: no duet runs' "$(jq -r '[.commands[].samples[].arrangement] | unique | join(" ")' four.json)" solo
# mean N: the mean of command N in KiB
mean()
{
	jq "(.commands[$1].result.max_rss.mean_bytes // .commands[$1].result.max_rss.mean) / 1024" four.json
}
json_text=$(jq -nc "[$(mean 1) - $(mean 0), $(mean 3) - $(mean 1)]")
ok "memory: 20000 KiB more are found within 300 KiB: $json_text" jq -e '.[0] > 19700 and .[0] < 20300' <<<"$json_text"
ok "memory: 4000 KiB more are found within 300 KiB: $json_text" jq -e '.[1] > 3700 and .[1] < 4300' <<<"$json_text"
is 'memory: no run is removed' "$(jq '[.commands[].samples[] | select(.removed)] | length' four.json)" 0
is 'memory: no time is compared beside it' "$(jq -r .by_other_metric four.json)" null
exits 'memory: show has the table in a unit of memory' 0 etalon show four
like 'memory: the column is named' "$out" 'peak memory'
like 'memory: the figures have a unit' "$out" 'MiB'
exits 'memory: compare succeeds' 0 etalon compare --metric memory four
like 'memory: compare uses words of memory' "$out" 'more memory'
unlike 'memory: compare has no words of time' "$out" 'slower|faster'
exits 'memory: a program is measured by CPU time' 0 etalon run -q -r 6 --metric cpu --label one "$small"
exits 'memory: describe of an experiment by CPU time succeeds' 0 etalon describe --metric memory --json one
json 'memory: describe has bytes' '39e6 < d["min"] < 48e6'
exits 'memory: an experiment by memory and one by CPU time are compared' 0 etalon compare --json mixed.json four one
like 'memory: then they are compared by elapsed time' "$out" 'mean [0-9.]+ m?s,'
unlike 'memory: no unit of memory is compared with a time' "$out" 'MiB'
exits 'memory: report succeeds' 0 etalon report -o page.html four
like 'memory: the page judges it' "$(<page.html)" 'judged by peak memory'
exits 'memory: Markdown succeeds' 0 etalon export --format markdown four
like 'memory: Markdown has its unit' "$out" 'Peak memory \[MiB\]'

exits 'memory: equal programs are measured until it is decided' 0 etalon run --equal 1% -M 200 --metric memory --json equal.json "$small" "$same"
is 'memory: equal programs are equal' "$(jq -r '.comparisons[0].decision' equal.json)" equal
exits 'memory: a gate finds a tenth more' 5 etalon run --metric memory -M 200 --fail-on-regression=5 --json gate.json "$small" "$large"
like 'memory: the gate states what uses more' "$err" '^etalon: REGRESSION: .* uses .* % more memory than .*, limit 5 %$'
is 'memory: the record has the decision' "$(jq -r '.comparisons[0].decision' gate.json)" more
exits 'memory: a gate passes what is less' 0 etalon run --metric memory -M 200 --fail-on-regression=5 "$large" "$small"
like 'memory: the gate states what uses less' "$err" '^etalon: no regression: .* uses .* % less memory than '
exits 'memory: --until ends' 0 etalon run -q --metric memory --until 1% -M 200 "$small"

refuses 'memory: --pace is refused' 2 '--pace corrects CPU time' etalon run --metric memory --pace true
refuses 'memory: K-best is refused' 2 '--protocol kbest is about times' etalon run --metric memory --protocol kbest true
refuses 'memory: --protocol emp is refused' 2 '--protocol emp is about times' etalon run --metric memory --protocol emp true
refuses 'memory: machines are not compared by it' 2 'how fast machines are' etalon compare --by machine --metric memory four
done_testing
