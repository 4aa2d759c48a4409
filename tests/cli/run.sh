#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# `etalon run`: one command, several commands, options and exports.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

field() # field FILE FILTER: a value out of a JSON file
{
	jq -r "$2" "$1"
}

exits "run: one command is measured" 0 etalon run -r 3 'sleep 0.01'
like "run: the text has the CPU time" "$out" 'CPU time'
like "run: the text has the elapsed time" "$out" ' elapsed '
like "run: three samples give a warning" "$out" 'only 3 runs'
like "run: the text says where the experiment is kept" "$out" 'kept as [0-9a-f]{6}: '
unlike "run: the text has no NaN" "$out" '[Nn]a[Nn]'

exits "run: a command after -- is measured" 0 etalon run -q -r 2 --json words.json -- sh -c 'exit 0'
is "run: the words after -- are one command" "$(field words.json '.commands | length')" 1
is "run: the words after -- are passed as arguments" "$(field words.json '.commands[0].argv | join("|")')" 'sh|-c|exit 0'
is "run: the warm-up run is marked" "$(field words.json '[.commands[0].samples[].warmup] | map(tostring) | join(" ")')" \
	'true false false'

exits "run: --json - succeeds" 0 etalon run -r 2 --json - true
ok "run: --json - writes nothing but JSON to stdout" jq -e '.etalon == 1 and (.commands[0].samples | length == 3)' "$work/.out"
like "run: --json - writes the text to stderr" "$err" 'CPU time'

# The parts of the elapsed time are not negative and do not exceed it.
exits "run: a program that computes is measured" 0 etalon run -q -r 5 --json busy.json \
	'sh -c "i=0; while [ $i -lt 30000 ]; do i=$((i+1)); done"'
ok "run: 0 < CPU time <= elapsed time in every sample" \
	jq -e '[.commands[].samples[] | .pt_ns > 0 and .pt_ns <= .et_ns] | all' busy.json
# A scouted warm-up run also waits for etalon, which is not one of the parts.
ok "run: CPU time and waiting time do not exceed the elapsed time by more than 2 %" \
	jq -e '[.commands[].samples[] | select(.warmup | not) | .pt_ns + .wait_ns + .steal_ns <= .et_ns * 1.02] | all' busy.json
ok "run: user and system time add up to the CPU time" \
	jq -e '[.commands[].samples[] | .user_ns + .system_ns == .pt_ns] | all' busy.json
ok "run: mean, standard deviation and uncertainty are those that awk computes" awk '
	NR == FNR { x[n++] = $1; s += $1; next }
	{ mean = s / n; for (i = 0; i < n; i++) q += (x[i] - mean)^2; sd = sqrt(q / (n - 1))
	  # t(0.975, 4) = 2.7764451051977987
	  u = 2.7764451051977987 * sd / sqrt(n)
	  exit !(near($1, mean) && near($2, sd) && near($3, u)) }
	function near(a, b) { return (a - b)^2 <= 1e-18 * b^2 }' \
	<(field busy.json '.commands[0].samples[] | select(.warmup | not) | .pt_ns') \
	<(field busy.json '.commands[0].result.pt | [.mean_ns, .sd_ns, .expanded_uncertainty_ns] | @tsv')

exits "run: two commands are measured" 0 etalon run -r 6 --metric pt --seed 3 --json two.json 'sleep 0.02' 'sleep 0.03'
like "run: two commands are compared" "$out" 'between \[2\] and \[1\]|\[2\] is [a-z]+ than \[1\]'
is "run: --order auto gives as many solo runs as duets" \
	"$(field two.json '[.commands[0].samples[] | select(.warmup|not) | .arrangement] | group_by(.) | map("\(.[0]) \(length)") | join(", ")')" \
	'duet 6, solo 6'
is "run: the two samples of a duet have the same place in the order" "$(field two.json '
	[.commands[].samples[] | select(.arrangement == "duet") | .order] | group_by(.) | map(length) | unique | join(",")')" 2
exits "run: two other commands with the same seed are measured" 0 etalon run -q -r 6 --metric pt --seed 3 --json again.json 'sleep 0.001' 'sleep 0.002'
is "run: the same seed gives the same order" "$(field again.json '[.commands[0].samples[].order] | join(" ")')" \
	"$(field two.json '[.commands[0].samples[].order] | join(" ")')"
exits "run: two commands of the same name are measured" 0 etalon run -q -r 2 --json same.json true true
is "run: commands of the same name are numbered" "$(field same.json '[.commands[].name] | join(", ")')" 'true, true (2)'
for order in random round-robin sequential duet; do
	exits "run: --order $order succeeds" 0 etalon run -q -r 3 --order "$order" --json order.json true 'sleep 0.001'
	is "run: --order $order is recorded" "$(field order.json .order)" "$order"
done
exits "run: --reference NAME succeeds" 0 etalon run -q -r 6 --reference b -n a -n b --json ref.json true true
is "run: --reference NAME is the command that others are compared with" "$(field ref.json '.comparisons[0] | .a + " " + .b')" 'b a'

exits "run: -L and -P succeed" 0 etalon run -q -r 1 -L x 1,2 -P y 1 2 -w 0 --json par.json 'echo {x} {y}'
is "run: -L and -P give every combination of their values" "$(field par.json '[.commands[].name] | join("; ")')" \
	'echo 1 1; echo 1 2; echo 2 1; echo 2 2'
is "run: the values of parameters are recorded" "$(field par.json '.commands[3].parameters | "\(.x) \(.y)"')" '2 2'

exits "run: -D after -P succeeds" 0 etalon run -q -r 1 -w 0 -P y 1 3 -D 2 --json par.json 'echo {y}'
is "run: -D sets the step of the scan" "$(field par.json '[.commands[].parameters.y] | join(",")')" 1,3
exits "run: four runs of three commands succeed" 0 etalon run -q -r 4 --order random --json few.json true 'sleep 0.001' 'sleep 0.002'
ok "run: a difference without a verdict is explained" jq -e '[.comparisons[] |
	.significant or .ratio.lo == null or (.ratio.lo <= 1 and .ratio.hi >= 1) or
	(.verdict | test("too few pairs|comparisons"))] | all' few.json
exits "run: two programs that wait are measured" 0 etalon run -r 4 --metric pt 'sleep 0.2' 'sleep 0.3'
like "run: a warning advises to compare programs that wait by elapsed time" "$(etalon show -v | tr -s ' \n' ' ')" \
	'mostly sleep or wait.*--metric elapsed'
exits "run: --metric et succeeds" 0 etalon run -q -r 10 --keep-all --metric et 'sleep 0.02' 'sleep 0.12'
like "run: --metric et finds the difference of programs that wait" "$out" '\[2\] is slower than \[1\]'
exits "peak memory: run succeeds" 0 etalon run -q -r 3 --json rss.json true
if jq -e '.image_source | startswith("taskstats")' rss.json >/dev/null; then
	ok "peak memory: it is that of the program, not of the etalon that forked it" \
		jq -e '[.commands[0].samples[].max_rss_bytes] | all(. < 3000000)' rss.json
else
	skip "peak memory: it is that of the program, not of the etalon that forked it" \
		"only exit records contain it, and they cannot be read here"
fi
exits "run: --time-limit succeeds" 0 etalon run -r 1000 --time-limit 200ms 'sleep 0.02'
like "run: the text says that the time limit ended the run" "$out" 'time limit ended it'
exits "run: --until succeeds if its goal is not reached" 0 etalon run --until 0.001% -m 3 -M 5 'sleep 0.001'
like "run: the text says that the goal of --until was not reached" "$out" 'wanted ± 0.001[0 ]*% of the mean, reached ± [0-9.]+ %'

exits "run: --shell succeeds" 0 etalon run -q -r 2 -w 0 --output out.txt --shell sh 'echo a | tr a b'
is "run: --shell runs a pipe" "$(cat out.txt)" b
exits "run: shell syntax after -- succeeds without a shell" 0 etalon run -q -r 1 -w 0 --output out.txt -- echo '$HOME' ';' '|'
is "run: without a shell nothing is expanded" "$(cat out.txt)" "\$HOME ; |"
exits "run: --shell with an option of the shell succeeds" 0 etalon run -q -r 1 -w 0 --output out.txt --shell 'sh -u' 'echo $-'
like "run: --shell passes the option to the shell" "$(cat out.txt)" u
exits "run: --shell default succeeds" 0 etalon run -q -r 1 -w 0 --output out.txt --shell default 'echo $0'
is "run: --shell default is sh" "$(cat out.txt)" sh
exits "run: hooks have a shell without --shell" 0 etalon run -q -r 1 -w 0 --prepare 'true; echo p >hooked' true
is "run: a hook with shell syntax has run" "$(cat hooked)" p
echo hello >in.txt
exits "run: --input succeeds" 0 etalon run -q -r 2 --input in.txt --output out.txt cat
is "run: --input is read from the start in every run" "$(cat out.txt)" hello
exits "run: --output inherit succeeds" 0 etalon run -q -r 1 -w 0 --output inherit 'echo shown'
like "run: --output inherit shows the program's output" "$out" shown

exits "run: --output pipe succeeds" 0 etalon run -q -r 2 -w 0 --output pipe --json pipe.json --shell sh \
	'test -p /dev/stdout && head -c 3000000 /dev/zero'
is "run: --output pipe is recorded" "$(field pipe.json .child.output)" pipe
ok "run: --output pipe makes no file" test ! -e pipe

seq 100 >numbers.txt
exits "run: grep with its output at /dev/null succeeds" 0 etalon run -r 2 'grep 1 numbers.txt'
like "run: a note says that grep does less then, and what to do" "$out$err" 'grep stops at the first match.*--output'
exits "run: grep with --output pipe succeeds" 0 etalon run -r 2 --output pipe 'grep 1 numbers.txt'
unlike "run: grep with --output pipe has no such note" "$out$err" 'first match'

# Every nice value that is accepted can be read again.
exits "--nice 19: run succeeds" 0 etalon run -q -r 2 -w 0 --nice 19 --shell sh --output nice.txt nice
is "--nice 19: the program runs with it" "$(cat nice.txt)" "$(nice -n 19 nice)" # it is added
exits "--nice 19: show prints the experiment" 0 etalon show last
exits "--nice 19: export writes the experiment" 0 etalon export -o nice.json last
is "--nice 19: the record has it" "$(field nice.json .child.nice)" 19
if [ "$(id -u)" -eq 0 ]; then
	exits "--nice -20: run succeeds" 0 etalon run -q -r 1 --nice -20 true
	exits "--nice -20: show prints the experiment" 0 etalon show last
else
	skip "--nice -20: run succeeds" "needs root"
fi

exits "run: --setup, --prepare, --conclude and --cleanup succeed" 0 etalon run -q -r 2 -w 1 --shell sh --setup 'echo s >>log' \
	--prepare 'echo p >>log' --conclude 'echo c >>log' --cleanup 'echo e >>log' 'echo r >>log'
is "run: --setup, --prepare, --conclude and --cleanup run in their order" "$(tr -d '\n' <log)" sprcprcprce
exits "run: --ignore-failure succeeds" 0 etalon run -q -i -r 2 --json fail.json 'sh -c "exit 3"'
is "run: --ignore-failure records the exit status" "$(field fail.json '[.commands[0].samples[].exit_code] | unique | join(",")')" 3
exits "run: --until succeeds without --min-runs" 0 etalon run -q --no-probe --until 90% --json until.json true
ok "run: --until makes at least 30 runs" test "$(field until.json .commands[0].result.n)" -ge 30
exits "run: --ignore-failure=3,7 succeeds with a listed status" 0 etalon run -q -i=3,7 -r 2 --json fail.json 'sh -c "exit 7"'
is "run: --ignore-failure=3,7 keeps the samples" "$(field fail.json '.commands[0].result.n')" 2
is "run: --ignore-failure=3,7 is recorded" "$(field fail.json .child.ignore_codes)" 3,7
refuses "run: --ignore-failure=3,7 refuses another status" 1 'exit status 37' etalon run -q --ignore-failure=3,7 -r 2 'sh -c "exit 37"'
refuses "run: --ignore-failure=x is rejected" 2 "--ignore-failure: 'x'" etalon run --ignore-failure=x true
exits "run: --show-output succeeds" 0 etalon run -q -r 1 -w 0 --show-output 'echo shown'
like "run: --show-output shows the program's output" "$out" shown
exits "run: --reference-name succeeds" 0 etalon run -q -r 2 --reference 2 --reference-name base --json base.json true 'sleep 0'
is "run: --reference-name names the reference" "$(field base.json .commands[1].name)" base
exits "run: programs and hooks that print their numbers succeed" 0 etalon run -q -r 2 -w 1 --shell sh --order random \
	--prepare 'echo p$ETALON_ITERATION >>numbers' 'echo $HYPERFINE_ITERATION $ETALON_ITERATION >>numbers'
is "run: the number of the run is in the environment" "$(tr '\n' ' ' <numbers)" \
	'pwarmup-0 warmup-0 warmup-0 p0 0 0 p1 1 1 '
exits "run: --until succeeds if its goal is reached" 0 etalon run -q --no-probe --until 90% -m 5 -M 200 --json until.json \
	--metric et 'sleep 0.2'
is "run: --until stops at the second look after --min-runs if its goal is reached" "$(field until.json .commands[0].result.n)" 6
ok "run: --until with fewer than 30 runs gives a warning" jq -e '[.. | .code? // empty] | index("until-few-runs")' until.json
exits "run: --time-limit of 300 ms succeeds" 0 etalon run -q -r 100000 --time-limit 300ms 'sleep 0.01'

exits "run: --export-json, -csv, -markdown, -asciidoc and -orgmode succeed" 0 etalon run -q -r 3 --export-json h.json --export-samples s.csv --export-csv c.csv --export-markdown t.md \
	--export-asciidoc t.adoc --export-orgmode t.org 'sleep 0.01'
ok "run: --export-json has one time per run" jq -e '.results[0].times | length == 3 and all(. > 0.009)' h.json
is "run: --export-csv has hyperfine's columns" "$(head -n 1 c.csv)" command,mean,stddev,median,user,system,min,max
ok "run: --export-csv has the times of --export-json" python3 -c 'import csv, json
row, = csv.DictReader(open("c.csv"))
want = json.load(open("h.json"))["results"][0]
assert row["command"] == want["command"], row
for key in "mean stddev median user system min max".split():
    assert abs(float(row[key]) - want[key]) < 1e-9, (key, row[key], want[key])'
is "run: --export-samples has a header and one row per sample" "$(wc -l <s.csv)" 5
like "run: --export-markdown has a row per command" "$(cat t.md)" '\| *`?sleep 0.01`? *\|'

# The program inherits nothing from etalon.
exits "run: a program that lists its descriptors is measured" 0 etalon run -q -r 1 -w 0 --shell sh --output fds.txt 'ls /proc/self/fd'
is "run: the program inherits no descriptor of etalon" "$(tr '\n' ' ' <fds.txt)" '0 1 2 3 '
exits "run: a program that prints its environment is measured" 0 etalon run -q -r 1 -w 0 --output env.txt env
unlike "run: the program does not inherit ETALON_STORE" "$(cat env.txt)" ETALON_STORE
if [ "$(id -u)" -eq 0 ]; then
	chmod 711 "$work"
	exits "run: --user succeeds" 0 etalon run -q -r 1 -w 0 --user nobody --shell sh --output id.txt \
		'id -u; grep CapEff /proc/self/status; echo $HOME'
	unlike "run: --user runs the program as that user" "$(head -n 1 id.txt)" '^0$'
	like "run: --user runs the program without capabilities" "$(cat id.txt)" 'CapEff:.0000000000000000'
	exits "run: --sched, --nice and --cpu succeed" 0 etalon run -q -r 1 --sched fifo:5 --nice 5 --cpu 0 true
	etalon run -q -r 2 true >/dev/null &
	wait $!
	is "run: no control group is left" "$(find /sys/fs/cgroup -maxdepth 6 -name "etalon-$!.*" | wc -l)" 0
else
	skip "run: --user runs the program as that user" "not root"
fi
if can_drop_privileges; then
	exits "without privileges: run succeeds" 0 unprivileged etalon run -v -r 3 'sleep 0.01'
	like "without privileges: the output names the missing capability" "$out" 'CAP_NET_ADMIN'
else
	skip "without privileges: run succeeds" "$why_not"
fi

# A program that leaves its control group is still measured.
if [ -w /sys/fs/cgroup/cpuacct/cgroup.procs ]; then
	exits "run: a program that leaves its control group is measured" 0 etalon run -q -r 2 --json left.json -- sh -c \
		'echo $$ >/sys/fs/cgroup/cpuacct/cgroup.procs; i=0; while [ $i -lt 60000 ]; do i=$((i+1)); done'
	ok "run: a program that leaves its control group is measured by wait4 and marked" jq -e '[.commands[0].samples[] |
		.pt_source == "wait4" and .pt_ns > 3000000 and (.marks | index("left-control-group"))] | all' left.json
else
	skip "run: a program that leaves its control group is measured" "needs a writable cpuacct cgroup"
fi

# The samples name a process that competes for the CPU.
if [ "$(nproc)" -ge 2 ]; then
	bash -c 'exec -a competitor sh -c "while :; do :; done"' &
	competitor=$!
	taskset -p -c 0 $competitor >/dev/null
	exits "run: a program beside a competing process is measured" 0 etalon run -v -r 5 --cpu 0 --json beside.json \
		'sh -c "i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done"'
	kill $competitor
	wait $competitor 2>/dev/null
	like "run: a warning says how much of the elapsed time was waiting for a CPU" "$(tr -s '\n ' ' ' <<<"$out")" \
		'[0-9] % of the elapsed time was waiting for a CPU that others used' 
	ok "run: every sample names the competing process" jq -e --argjson pid $competitor \
		'[.commands[0].samples[] | any(.interference[]; .pid == $pid and .pt_ns > 1000000)] | all' \
		beside.json
else
	skip "run: a program beside a competing process is measured" "needs two CPUs"
fi

short='sh -c "i=0; while [ $i -lt 8000 ]; do i=$((i+1)); done"'
long=${short/8000/24000}
exits "run: --fail-on-regression with too few runs succeeds" 0 etalon run -q -w 0 -r 2 --order duet --fail-on-regression true true
like "run: --fail-on-regression with too few runs is undecided" "$err" '^etalon: undecided: .*--runs [0-9]+'
exits "run: --fail-on-regression exits 5 if the second command is slower" 5 etalon run -q -r 8 --order duet -n old -n new \
	--fail-on-regression "$short" "$long"
like "run: --fail-on-regression states the regression" "$err" \
	'^etalon: REGRESSION: new is [0-9.]+ % slower than old \([0-9.]+ … [0-9.]+ %\), limit 0 %$'
exits "run: --fail-on-regression=1000 exits 0 on a smaller difference" 0 etalon run -q -r 8 --order duet -n old -n new \
	--fail-on-regression=1000 "$short" "$long"
like "run: --fail-on-regression states that it passed" "$err" \
	'^etalon: no regression: new is [0-9.]+ % slower than old \([0-9.]+ … [0-9.]+ %\), limit 1000 %$'
exits "run: --fail-on-regression judges programs that sleep by elapsed time" 5 etalon run -q -r 8 --protocol raw --fail-on-regression=50 'sleep 0.01' 'sleep 0.3'
exits "run: --fail-on-regression exits 0 if only the other time regressed" 0 etalon run -q -r 8 --protocol raw --metric pt --fail-on-regression=50 'sleep 0.01' 'sleep 0.3'
like "run: --fail-on-regression names the other time that regressed" "$err" 'etalon: by elapsed time, which does not decide, sleep 0.3 is'
refuses "run: --fail-on-regression of one command is rejected" 2 'slower than what' etalon run --fail-on-regression true
exits "run: --sort and -u succeed" 0 etalon run -q -r 2 -w 0 --sort mean-time -u second --order random true 'sleep 0.05'
like "run: -u is the unit of every figure" "$out" 'sleep 0.05 +[0-9.]+ s ±'
refuses "run: an unknown --sort is rejected" 2 '--sort' etalon run --sort speed true
like "run: a hint has the orders that --sort takes" "$err" 'hint: .*mean-time'
exits "run: -v succeeds" 0 etalon run -v -r 12 'sleep 0.002'
like "run: -v draws a histogram" "$out" '[▁▂▃▄▅▆▇█]'
# A process can set an empty name.
python3 -c 'import ctypes, time
ctypes.CDLL(None).prctl(15, b"", 0, 0, 0) # PR_SET_NAME
end = time.time() + 20
while time.time() < end: pass' &
nameless=$!
wait_until '[ -z "$(cat /proc/$nameless/comm)" ]'
exits "run: a program beside a process without a name is measured" 0 etalon run -q -r 3 --json nameless.json 'etalon put inc --seconds 0.05'
kill $nameless
wait $nameless 2>/dev/null
ok "run: every culprit has a name" jq -e '[.commands[].samples[].interference[].name | length > 0] | all' nameless.json
ok "run: a process without a name is called ?" jq -e "[.commands[].samples[].interference[] |
	select(.pid == $nameless) | .name == \"?\"] | length > 0 and all" nameless.json

done_testing
