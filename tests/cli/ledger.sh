#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The ledger of the program's CPU: a process that competes in the third run is found there, by name,
# and the account of each sample adds up. With BPF and with perf, as far as the machine allows.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

cpu=$(awk '/^Cpus_allowed_list/ { split($2, a, /[-,]/); print a[1] }' /proc/self/status)
# Names of our own: another copy of this script may run at the same time.
burst=burst-$$ measured=timed-$$
cp "$(command -v dash || command -v sh)" "$burst"
cp "$ETALON" "$measured"
# compete FILE: starts a busy loop on our CPU and returns when it runs; its PID is in FILE
cat >compete <<END
#!/bin/sh
taskset -c $cpu ./$burst -c 'while :; do :; done' >/dev/null 2>&1 &
echo \$! >"\$1"
until grep -qx $burst /proc/\$!/comm; do sleep 0.01; done
END
cat >before <<'END'
#!/bin/sh
n=$(($(cat n) + 1))
echo $n >n
[ $n -ne 4 ] || ./compete burst.pid # one warm-up run, then the third run
END
cat >after <<'END'
#!/bin/sh
[ -f burst.pid ] || exit 0
pid=$(cat burst.pid)
rm burst.pid
kill "$pid"
# Its exit takes CPU time, too, which must not be counted in the next run.
while [ -e /proc/$pid ] && ! grep -q '^State:.Z' /proc/$pid/status; do sleep 0.01; done
END
cat >serve <<'END'
#!/bin/sh
[ -f server.pid ] || ./compete server.pid
END
chmod +x compete before after serve

# burst COMMAND…: the run with the burst, with the privileges that the command leaves; sets
# page and source
burst()
{
	echo 0 >n
	exits "ledger: a run with a competing process succeeds" 0 "$@" etalon run -v -r 5 \
		--protocol raw --cpu "$cpu" --prepare ./before --conclude ./after \
		--json burst.json "./$measured put inc --seconds 0.1"
	page=$(tr -s ' \n' ' ' <<<"$out")
	source=$(jq -r .image_source burst.json)
	by=${source##*+}
}

# explains NAME FILE [TWICE [FILTER]]: BPF explains the elapsed time of every sample (that the filter
# selects) to 1 %, and at most TWICE (0.01) of it is explained twice. perf does not see what a
# hypervisor takes if that is less than a tick, so a third of the samples is enough there.
explains()
{
	local least=1
	[ "$by" = bpf ] || least=0.33
	# Tasks that ran in parallel have more CPU time than the program was on CPU.
	ok "$1" jq -e "[.commands[].samples[] | ${4:-.} |
		(if .on_cpu_ns < 0.99 * .pt_ns then .on_cpu_ns else .pt_ns end) as \$own |
		if .others_ns != null and ((.et_ns - \$own -
		.others_ns - .idle_ns - (.steal_ns // 0)) / .et_ns | . < 0.01 and . > -${3:-0.01})
		then 1 else 0 end] | add / length >= $least" "$2"
}

# shares NAME FILE: the five shares of each command are known and add up to its elapsed time
shares()
{
	ok "$1: the shares add up to the elapsed time" jq -e '[.commands[] | ([.samples[] | select(.warmup | not) |
		select(.arrangement == "solo" and .removed == null) | .et_ns] | add / length) as $et |
		.result.made_of | (.on_cpu_ns + .runnable_ns + .asleep_ns + .stolen_ns + .unexplained_ns) / $et |
		. > 0.99999 and . < 1.00001] | all' "$2"
}

slept()
{
	jq -e '.commands[0] | [.samples[] | .asleep_ns >= 190000000 and .runnable_ns <= .et_ns - 195000000] | all' \
		busy.json || ! jq -c '.commands[0].samples[] | [.et_ns, .asleep_ns, .runnable_ns, .steal_ns]' busy.json
}

# asleep NAME COMMAND…: a program that sleeps beside a busy loop is asleep, and one that works is
# runnable while the loop runs. A hypervisor may take the CPU meanwhile: one of three tries is enough.
asleep()
{
	local name=$1 try
	shift
	for try in 1 2 3; do
		./compete busy.pid
		exits "$name: programs beside a busy loop succeed, try $try" 0 "$@" --json busy.json -q -r 3 -w 0 \
			--protocol raw --order round-robin --cpu "$cpu" 'sleep 0.2' \
			"./$measured put inc --seconds 0.05"
		kill "$(cat busy.pid)"
		! slept >/dev/null || break
	done
	shares "$name" busy.json
	ok "$name: a program that sleeps beside a busy loop is asleep" slept
	ok "$name: a program that works beside a busy loop is runnable while others run" jq -e '.commands[1] |
		[.samples[] | .runnable_ns > 0.2 * .et_ns and .asleep_ns < 0.1 * .et_ns] | all' busy.json
}

asleep "no ledger" etalon run --no-ledger
is "no ledger: nobody is named" "$(jq -c '[.commands[].result.made_of.taken_by] | unique' busy.json)" '[null]'
like "no ledger: the text has the same names" "$(etalon show -v "$(jq -r .id busy.json)" | tr -s ' \n' ' ')" \
	'made of on CPU .*runnable while others ran .*asleep or waiting'

if can_drop_privileges; then
	exits "ledger: a run without privileges succeeds" 0 unprivileged etalon run -v -r 2 --json plain.json true
	mv "$public/plain.json" .
	if [ "$(cat /proc/sys/kernel/perf_event_paranoid)" -gt 0 ]; then
		like "ledger: without privileges the output names the missing capabilities" \
			"$(tr -s ' \n' ' ' <<<"$out")" \
			"cannot tell which processes take CPU time from the program: (BPF needs CAP_BPF and CAP_PERFMON|this etalon was built without BPF); perf needs CAP_PERFMON or kernel.perf_event_paranoid at most 0"
		is "ledger: without privileges the account of every sample is empty" \
			"$(jq -c '[.commands[0].samples[] | .others_ns, .idle_ns, .irq_ns] | unique' plain.json)" '[null]'
	else
		like "ledger: perf_event_paranoid at 0 gives everybody the account by perf" \
			"$(jq -r .image_source plain.json)" '[+]perf$'
	fi
else
	skip "ledger: a run without privileges succeeds" "$why_not"
fi
exits "ledger: --no-ledger succeeds" 0 etalon run -r 2 --no-ledger --json off.json true
unlike "ledger: --no-ledger gives no warning about missing capabilities" "$out" "CAP_PERFMON|without BPF"
is "ledger: --no-ledger leaves the account of every sample empty" \
	"$(jq -c '[.commands[0].samples[] | .others_ns, .idle_ns] | unique' off.json)" '[null]'
unlike "ledger: --no-ledger records neither bpf nor perf as the source" \
	"$(jq -r .image_source off.json)" "bpf|perf"

# accounts COMMAND…: checks the account of the burst, and those of other programs
accounts()
{
	local wanted id other filter
	is "$by: every sample has an account" \
		"$(jq -c '[.commands[0].samples[] | .others_ns, .idle_ns | type] | unique' burst.json)" '["number"]'
	wanted='["number"]'
	[ "$by" = bpf ] || wanted='["null"]'
	is "$by: the time in interrupts is $([ "$by" = bpf ] && echo known || echo unknown)" \
		"$(jq -c '[.commands[0].samples[] | .irq_ns, .softirq_ns | type] | unique' burst.json)" "$wanted"
	explains "$by: the account explains the elapsed time" burst.json
	is "$by: the competing process is a culprit of the third run only" \
		"$(jq -c --arg burst "$burst" '[.commands[0].samples | to_entries[] | select(.value.interference[] |
			select(.name == $burst and .on_our_cpu_ns > 0)) | .key]' burst.json)" '[3]'
	ok "$by: the competing process took more than a tenth of the program's CPU time" \
		jq -e --arg burst "$burst" '.commands[0].samples[3] | .pt_ns as $pt |
		[.interference[] | select(.name == $burst) | .on_our_cpu_ns] | add > 0.1 * $pt' burst.json
	ok "$by: the time runnable while others ran is the sum of all culprits, to 1 % and 1 ms" \
		jq -e '[.commands[0].samples[] | ([.interference[].on_our_cpu_ns] | add) as $named |
		.runnable_ns >= $named - 1000 and
		.runnable_ns - $named < 0.01 * .et_ns + 1000000] | all' burst.json
	shares "$by" burst.json
	like "$by: run names the competing process" "$page" "taken by .*$burst [0-9.]+ .*samples"
	id=$(jq -r .id burst.json)
	exits "$by: show prints the experiment" 0 etalon show -v "$id"
	like "$by: show names the competing process" "$(tr -s ' \n' ' ' <<<"$out")" \
		"taken by .*$burst [0-9.]+ .*samples"
	ok "$by: the program itself is no culprit" jq -e --arg name "$measured" \
		'[.commands[0].samples[].interference[] | select(.name == $name)] | length == 0' burst.json

	asleep "$by" "$@" etalon run
	# More processes may compete, but the loop always wants the CPU, and gets its share of it.
	ok "$by: the busy loop took CPU time from the working program" jq -e --arg burst "$burst" \
		'.commands[1].result.made_of | .on_cpu_ns as $own |
		[.taken_by[] | select(.name == $burst) | .mean_ns] | add > 0.1 * $own' busy.json
	ok "$by: the busy loop took nothing while the sleeping program slept" \
		jq -e --arg burst "$burst" '.commands[0].result.made_of |
		([.taken_by[] | select(.name == $burst) | .mean_ns] | add // 0) <= .runnable_ns + 1000' busy.json

	exits "$by: a program with parallel tasks succeeds" 0 "$@" etalon run -q -w 0 -r 3 --protocol raw \
		--json parallel.json "sh -c './$measured put inc --seconds 0.05 & ./$measured put inc --seconds 0.05; wait; sleep 0.05'"
	shares "$by: parallel tasks" parallel.json
	ok "$by: parallel tasks: the program is on CPU for no more than its CPU time, and not runnable while it sleeps" \
		jq -e '[.commands[0].samples[] | .on_cpu_ns <= .pt_ns and .on_cpu_ns >= 0.45 * .pt_ns and
		.et_ns - .on_cpu_ns - .runnable_ns >= 0.9 * 50000000 and
		.asleep_ns <= 0.6 * .et_ns] | all' parallel.json

	rm -f server.pid
	exits "$by: a run beside a server that --setup started succeeds" 0 "$@" etalon run -q -r 2 \
		--cpu "$cpu" --setup ./serve --cleanup 'sh -c "kill \$(cat server.pid)"' \
		--json served.json 'etalon put inc --seconds 0.05'
	ok "$by: a server that --setup started is a culprit of every sample, not part of the program" \
		jq -e --arg burst "$burst" '[.commands[0].samples[] | any(.interference[];
		.name == $burst and .on_our_cpu_ns > 0)] | length == 3 and all' served.json

	exits "$by: a duet succeeds" 0 "$@" etalon run -q -r 2 --order duet --json duet.json \
		'etalon put inc --seconds 0.05' 'etalon put inc --seconds 0.06'
	explains "$by: the account of a duet includes the share of the partner" duet.json

	# The account is of the CPU where the program works, not where another of its tasks was last.
	other=$(awk '/^Cpus_allowed_list/ { n = split($2, a, /[-,]/); print a[n] }' /proc/self/status)
	if [ "$cpu" != "$other" ] && chrt -f 5 true 2>/dev/null; then
		cat >beside <<END
#!/bin/sh
taskset -c $cpu ./$measured put inc --seconds 0.6 &
taskset -c $other sleep 0.2
wait
END
		chmod +x beside
		exits "$by: a program with tasks on two CPUs succeeds" 0 "$@" etalon run -q -w 0 -r 3 \
			--sched fifo:5 --json beside.json ./beside
		# Both tasks work while they start. A task that has not run yet because another real-time
		# process has the CPU is not accounted: another copy of this script may be that process.
		filter='select(.pt_ns > 0.9 * .et_ns)'
		if jq -e "[.commands[].samples[] | $filter] | length > 0" beside.json >/dev/null; then
			explains "$by: the account holds for a program with tasks on two CPUs" \
				beside.json 0.05 "$filter"
		else
			skip "$by: the account holds for a program with tasks on two CPUs" \
				"another real-time process had the CPU"
		fi
	else
		skip "$by: a program with tasks on two CPUs succeeds" "one CPU, or no real-time priority"
	fi

	exits "$by: ls as the program succeeds" 0 "$@" etalon run -q -r 1 --output fds.txt 'ls /proc/self/fd'
	is "$by: the program inherits no descriptor of etalon" "$(tr '\n' ' ' <fds.txt)" '0 1 2 3 '
}

burst env
if [[ $source != *+* ]]; then
	skip "ledger: every sample has an account" "this machine does not let us watch the CPU ($source)"
	done_testing
fi
accounts env

if [ "$by" = bpf ]; then
	# The scheduler charges a task from its wake-up on, before our CPU switches to it.
	cat >storm <<'END'
#!/bin/sh
while :; do /bin/true; done
END
	chmod +x storm
	./storm & one=$!
	./storm & two=$!
	./storm & three=$!
	exits "bpf: a run beside many short programs succeeds" 0 etalon run -q -r 10 --protocol raw \
		--cpu "$cpu" --json storm.json "./$measured put inc --seconds 0.05"
	kill $one $two $three
	explains "bpf: the account explains the elapsed time beside many short programs" storm.json
else
	skip "bpf: a run beside many short programs succeeds" "the account is not by BPF here"
fi

# Without the capabilities that BPF needs, and with those that perf needs.
less=(setpriv "--bounding-set=-bpf,-sys_admin")
if [ "$by" = bpf ] && "${less[@]}" true 2>/dev/null; then
	burst "${less[@]}"
	is "ledger: perf gives the account where BPF is not allowed" "$by" perf
	accounts "${less[@]}"
else
	skip "ledger: perf gives the account where BPF is not allowed" "BPF cannot be forbidden here"
fi
if [ "$by" = perf ]; then
	# The first command switches more often than the ring buffer has room for, the second does not.
	cat >pass.py <<'END'
import os, sys
there, back = os.pipe(), os.pipe()
n = int(sys.argv[1])
if os.fork() == 0:
    for i in range(n):
        os.write(back[1], os.read(there[0], 1))
    os._exit(0)
for i in range(n):
    os.write(there[1], b"x")
    os.read(back[0], 1)
os.wait()
END
	exits "perf: a program with too many switches succeeds" 0 "${less[@]}" etalon run -q -w 0 -r 4 \
		--order round-robin --protocol raw --cpu "$cpu" -L n 40000,10 --json many.json 'python3 pass.py {n}'
	is "perf: a sample whose records were lost has no account" \
		"$(jq -c '[.commands[0].samples[] | .others_ns, .idle_ns] | unique' many.json)" '[null]'
	is "perf: a sample whose records were lost is marked" \
		"$(jq -c '[.commands[0].samples[].marks | index("lost-records")] | index(null)' many.json)" null
	# Other programs on a busy machine may fill the buffer during a sample, too: it is marked then.
	ok "perf: a sample after lost records has an account" \
		jq -e '[.commands[1].samples[].others_ns] | any(. != null)' many.json
	is "perf: every sample without an account is marked" "$(jq -c '[.commands[1].samples[] |
		select(.others_ns == null and (.marks | index("lost-records") | not))]' many.json)" '[]'
else
	skip "perf: a program with too many switches succeeds" "perf cannot watch the CPU here"
fi
done_testing
