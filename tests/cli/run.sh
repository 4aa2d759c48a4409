#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# `etalon run` as a user runs it: one command, several, options, exports.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

field() # field FILE FILTER: a value out of a JSON file
{
	jq -r "$2" "$1"
}

exits "one command" 0 etalon run -r 3 'sleep 0.01'
like "says CPU time" "$out" 'CPU time'
like "and elapsed time" "$out" 'elapsed time'
like "warns of few samples" "$out" 'only 3 values'
like "and where it is kept" "$out" "stored as [0-9]{8}-[0-9]{6}-[0-9a-f]{6} in "
unlike "never NaN" "$out" '[Nn]a[Nn]'

exits "words behind --" 0 etalon run -q -r 2 --json words.json -- sh -c 'exit 0'
is "are one command" "$(field words.json '.commands | length')" 1
is "with its words" "$(field words.json '.commands[0].argv | join("|")')" 'sh|-c|exit 0'
is "warm-up is marked" "$(field words.json '[.commands[0].samples[].warmup] | map(tostring) | join(" ")')" \
	'true false false'

exits "JSON to stdout" 0 etalon run -r 2 --json - true
ok "stdout is JSON alone" jq -e '.etalon == 1 and (.commands[0].samples | length == 3)' "$work/.out"
like "the talk is on stderr" "$err" 'CPU time'

# Elapsed time is accounted for: no part is negative, the sum is not above the whole.
exits "a busy program" 0 etalon run -q -r 5 --json busy.json \
	'sh -c "i=0; while [ $i -lt 30000 ]; do i=$((i+1)); done"'
ok "0 < PT <= ET in every sample" \
	jq -e '[.commands[].samples[] | .pt_ns > 0 and .pt_ns <= .et_ns] | all' busy.json
ok "PT + waits <= ET" \
	jq -e '[.commands[].samples[] | .pt_ns + .wait_ns + .steal_ns <= .et_ns * 1.02] | all' busy.json
ok "user + system = PT" \
	jq -e '[.commands[].samples[] | .user_ns + .system_ns == .pt_ns] | all' busy.json
ok "mean, sd, uncertainty as awk has them" awk '
	NR == FNR { x[n++] = $1; s += $1; next }
	{ mean = s / n; for (i = 0; i < n; i++) q += (x[i] - mean)^2; sd = sqrt(q / (n - 1))
	  # t(0.975, 4) = 2.7764451051977987
	  u = 2.7764451051977987 * sd / sqrt(n)
	  exit !(near($1, mean) && near($2, sd) && near($3, u)) }
	function near(a, b) { return (a - b)^2 <= 1e-18 * b^2 }' \
	<(field busy.json '.commands[0].samples[] | select(.warmup | not) | .pt_ns') \
	<(field busy.json '.commands[0].result.pt | [.mean_ns, .sd_ns, .expanded_uncertainty_ns] | @tsv')

exits "two commands" 0 etalon run -r 6 --seed 3 --json two.json 'sleep 0.02' 'sleep 0.03'
like "are compared" "$out" 'sleep 0.03 vs sleep 0.02'
is "auto: solos and duets" \
	"$(field two.json '[.commands[0].samples[] | select(.warmup|not) | .arrangement] | group_by(.) | map("\(.[0]) \(length)") | join(", ")')" \
	'duet 6, solo 6'
is "the two of a pair share their order" "$(field two.json '
	[.commands[].samples[] | select(.arrangement == "duet") | .order] | group_by(.) | map(length) | unique | join(",")')" 2
exits "the same seed" 0 etalon run -q -r 6 --seed 3 --json again.json 'sleep 0.001' 'sleep 0.002'
is "gives the same order" "$(field again.json '[.commands[0].samples[].order] | join(" ")')" \
	"$(field two.json '[.commands[0].samples[].order] | join(" ")')"
exits "the same name twice" 0 etalon run -q -r 2 --json same.json true true
is "is told apart" "$(field same.json '[.commands[].name] | join(", ")')" 'true, true (2)'
for order in random round-robin sequential duet; do
	exits "--order $order" 0 etalon run -q -r 3 --order "$order" --json order.json true 'sleep 0.001'
	is "recorded" "$(field order.json .order)" "$order"
done
exits "--reference by name" 0 etalon run -q -r 6 --reference b -n a -n b --json ref.json true true
is "is the one compared with" "$(field ref.json '.comparisons[0] | .a + " " + .b')" 'b a'

exits "parameters" 0 etalon run -q -r 1 -L x 1,2 -P y 1 2 -w 0 --json par.json 'echo {x} {y}'
is "make the product" "$(field par.json '[.commands[].name] | join("; ")')" \
	'echo 1 1; echo 1 2; echo 2 1; echo 2 2'
is "and are recorded" "$(field par.json '.commands[3].parameters | "\(.x) \(.y)"')" '2 2'

exits "a step behind its scan" 0 etalon run -q -r 1 -w 0 -P y 1 3 -D 2 --json par.json 'echo {y}'
is "counts" "$(field par.json '[.commands[].parameters.y] | join(",")')" 1,3
exits "few runs of several commands" 0 etalon run -q -r 4 --order random --json few.json true 'sleep 0.001' 'sleep 0.002'
ok "an interval without 1 and no verdict are never left unexplained" jq -e '[.comparisons[] |
	.significant or .ratio.lo == null or (.ratio.lo <= 1 and .ratio.hi >= 1) or
	(.verdict | test("too few pairs|comparisons"))] | all' few.json
exits "programs that wait" 0 etalon run -q -r 6 'sleep 0.02' 'sleep 0.04'
like "are not to be compared by CPU time" "$out" 'compare them by elapsed'
exits "but by elapsed" 0 etalon run -q -r 10 --keep-all --metric et 'sleep 0.02' 'sleep 0.06'
like "found" "$out" 'slower by'
exits "peak memory: run succeeds" 0 etalon run -q -r 3 --json rss.json true
if jq -e '.image_source | startswith("taskstats")' rss.json >/dev/null; then
	ok "peak memory: it is that of the program, not of the etalon that forked it" \
		jq -e '[.commands[0].samples[].max_rss_bytes] | all(. < 3000000)' rss.json
else
	skip "peak memory: it is that of the program, not of the etalon that forked it" \
		"only exit records contain it, and they cannot be read here"
fi
exits "time limit" 0 etalon run -q -r 1000 --time-limit 200ms 'sleep 0.02'
like "is told when it ended the run" "$out" 'time limit ended it'
exits "a wish not granted" 0 etalon run -q --until 0.001% -m 3 -M 5 'sleep 0.001'
like "is told" "$out" 'was not reached'

exits "a shell when asked for" 0 etalon run -q -r 2 -w 0 --output out.txt --shell sh 'echo a | tr a b'
is "runs a pipe" "$(cat out.txt)" b
exits "no shell by default" 0 etalon run -q -r 1 -w 0 --output out.txt 'echo $HOME ; |'
is "means no expansion" "$(cat out.txt)" "\$HOME ; |"
echo hello >in.txt
exits "--input" 0 etalon run -q -r 2 --input in.txt --output out.txt cat
is "is read from the start each time" "$(cat out.txt)" hello
exits "--output inherit" 0 etalon run -q -r 1 -w 0 --output inherit 'echo shown'
like "is shown" "$out" shown

# Every nice value that is accepted can be read again.
exits "--nice 19: run succeeds" 0 etalon run -q -r 2 -w 0 --nice 19 --shell sh --output nice.txt nice
is "--nice 19: the program runs with it" "$(cat nice.txt)" 19
exits "--nice 19: show prints the experiment" 0 etalon show last
exits "--nice 19: export writes the experiment" 0 etalon export -o nice.json last
is "--nice 19: the record has it" "$(field nice.json .child.nice)" 19
if [ "$(id -u)" -eq 0 ]; then
	exits "--nice -20: run succeeds" 0 etalon run -q -r 1 --nice -20 true
	exits "--nice -20: show prints the experiment" 0 etalon show last
else
	skip "--nice -20: run succeeds" "needs root"
fi

exits "commands around" 0 etalon run -q -r 2 -w 1 --shell sh --setup 'echo s >>log' \
	--prepare 'echo p >>log' --conclude 'echo c >>log' --cleanup 'echo e >>log' 'echo r >>log'
is "run in their order" "$(tr -d '\n' <log)" sprcprcprce
exits "--ignore-failure" 0 etalon run -q -i -r 2 --json fail.json 'sh -c "exit 3"'
is "records the status" "$(field fail.json '[.commands[0].samples[].exit_code] | unique | join(",")')" 3
exits "--until stops early on a quiet figure" 0 etalon run -q --no-probe --until 90% -m 5 -M 200 --json until.json \
	--metric et 'sleep 0.01'
is "after the least number" "$(field until.json .commands[0].result.n)" 5
exits "--time-limit" 0 etalon run -q -r 100000 --time-limit 300ms 'sleep 0.01'

exits "exports" 0 etalon run -q -r 3 --export-json h.json --export-csv s.csv --export-markdown t.md \
	--export-asciidoc t.adoc --export-orgmode t.org 'sleep 0.01'
ok "hyperfine's JSON" jq -e '.results[0].times | length == 3 and all(. > 0.009)' h.json
is "CSV: a row a sample and the header" "$(wc -l <s.csv)" 5
like "Markdown" "$(cat t.md)" '\| *`?sleep 0.01`? *\|'

# The measured program gets nothing of ours.
exits "descriptors" 0 etalon run -q -r 1 -w 0 --shell sh --output fds.txt 'ls /proc/self/fd'
is "0, 1, 2 and the folder itself" "$(tr '\n' ' ' <fds.txt)" '0 1 2 3 '
exits "environment" 0 etalon run -q -r 1 -w 0 --output env.txt env
unlike "without ETALON_STORE" "$(cat env.txt)" ETALON_STORE
if [ "$(id -u)" -eq 0 ]; then
	chmod 711 "$work"
	exits "--user" 0 etalon run -q -r 1 -w 0 --user nobody --shell sh --output id.txt \
		'id -u; grep CapEff /proc/self/status; echo $HOME'
	unlike "is another" "$(head -n 1 id.txt)" '^0$'
	like "without capabilities" "$(cat id.txt)" 'CapEff:.0000000000000000'
	exits "a schedule" 0 etalon run -q -r 1 --sched fifo:5 --nice 5 --cpu 0 true
	etalon run -q -r 2 true >/dev/null &
	wait $!
	is "no control group is left" "$(find /sys/fs/cgroup -maxdepth 6 -name "etalon-$!-*" | wc -l)" 0
else
	skip "users and schedules" "not root"
fi
if can_drop_privileges; then
	exits "without privileges: run succeeds" 0 unprivileged etalon run -r 3 'sleep 0.01'
	like "without privileges: the output names the missing capability" "$out" 'CAP_NET_ADMIN'
else
	skip "without privileges: run succeeds" "$why_not"
fi

# Somebody who leaves our control group is still counted.
if [ -w /sys/fs/cgroup/cpuacct/cgroup.procs ]; then
	exits "a program that leaves its control group" 0 etalon run -q -r 2 --json left.json -- sh -c \
		'echo $$ >/sys/fs/cgroup/cpuacct/cgroup.procs; i=0; while [ $i -lt 60000 ]; do i=$((i+1)); done'
	ok "is counted by wait4, and marked" jq -e '[.commands[0].samples[] |
		.pt_source == "wait4" and .pt_ns > 3000000 and (.marks | index("left-control-group"))] | all' left.json
fi

# A competitor: the figure stands, and the blame is laid on it.
if [ "$(nproc)" -ge 2 ]; then
	bash -c 'exec -a competitor sh -c "while :; do :; done"' &
	competitor=$!
	taskset -p -c 0 $competitor >/dev/null
	exits "beside a competitor" 0 etalon run -r 5 --cpu 0 --json beside.json \
		'sh -c "i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done"'
	kill $competitor
	wait $competitor 2>/dev/null
	like "warns that elapsed time is not the program's doing" "$out" "not the program's doing"
	ok "and names it in the samples" jq -e --argjson pid $competitor \
		'[.commands[0].samples[] | any(.interference[]; .pid == $pid and .pt_ns > 1000000)] | all' \
		beside.json
fi

short='sh -c "i=0; while [ $i -lt 8000 ]; do i=$((i+1)); done"'
long=${short/8000/24000}
exits "--fail-on-regression" 1 etalon run -q -r 8 --order duet --fail-on-regression "$short" "$long"
like "says which is slower" "$out" 'slower by'
exits "--fail-on-regression=1000" 0 etalon run -q -r 8 --order duet --fail-on-regression=1000 \
	"$short" "$long"
exits "-v" 0 etalon run -v -r 12 'sleep 0.002'
like "draws a histogram" "$out" '[▁▂▃▄▅▆▇█]'
# A process that calls itself nothing is there all the same.
python3 -c 'import ctypes, time
ctypes.CDLL(None).prctl(15, b"", 0, 0, 0) # PR_SET_NAME
end = time.time() + 20
while time.time() < end: pass' &
nameless=$!
wait_until '[ -z "$(cat /proc/$nameless/comm)" ]'
exits "beside a process without a name" 0 etalon run -q -r 3 --json nameless.json 'etalon put inc --seconds 0.05'
kill $nameless
wait $nameless 2>/dev/null
ok "every culprit has a name" jq -e '[.commands[].samples[].interference[].name | length > 0] | all' nameless.json
ok "its is a question mark" jq -e "[.commands[].samples[].interference[] |
	select(.pid == $nameless) | .name == \"?\"] | length > 0 and all" nameless.json

done_testing
