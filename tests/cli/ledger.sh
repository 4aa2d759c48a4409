#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Who took the program's CPU: a burst in the third run is found there, by name; and the account of
# each sample adds up. By BPF and by perf, as far as the machine allows.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

cpu=$(awk '/^Cpus_allowed_list/ { split($2, a, /[-,]/); print a[1] }' /proc/self/status)
cp "$(command -v dash || command -v sh)" burst-here
cp "$ETALON" measured-here # others may run an etalon, too
cat >before <<END
#!/bin/sh
n=\$((\$(cat n) + 1))
echo \$n >n
[ \$n -eq 4 ] || exit 0 # one warm-up, then the third run
taskset -c $cpu ./burst-here -c 'while :; do :; done' >/dev/null 2>&1 &
echo \$! >burst
END
cat >after <<'END'
#!/bin/sh
[ -f burst ] || exit 0
pid=$(cat burst)
rm burst
kill "$pid"
# Its end takes CPU time, too: that is no part of the next run.
while [ -e /proc/$pid ] && ! grep -q '^State:.Z' /proc/$pid/status; do sleep 0.01; done
END
chmod +x before after

# burst COMMAND…: the run, with what the command leaves of our privileges; sets page and source
burst()
{
	echo 0 >n
	exits "a burst in the third run" 0 "$@" etalon run -v -r 5 --protocol raw --cpu "$cpu" \
		--prepare ./before --conclude ./after --json burst.json \
		'./measured-here put inc --seconds 0.1'
	page=$(tr -s ' \n' ' ' <<<"$out")
	source=$(jq -r .image_source burst.json)
}

# explains NAME FILE [TWICE]: BPF explains elapsed time to 1 % in every sample, and no more than TWICE
# (0.01) of it is explained twice. perf cannot tell what a hypervisor takes, if it is less than a
# tick: a third of the samples must do.
explains()
{
	local least=1
	[[ $source == *+bpf ]] || least=0.33
	ok "$1" jq -e "[.commands[].samples[] | if .others_ns != null and ((.et_ns - .pt_ns -
		.others_ns - .idle_ns - (.steal_ns // 0)) / .et_ns | . < 0.01 and . > -${3:-0.01})
		then 1 else 0 end] | add / length >= $least" "$2"
}

# What it says and does where it cannot look.
if can_drop_privileges; then
	exits "without privileges" 0 unprivileged etalon run -r 2 --json plain.json true
	mv "$public/plain.json" .
	if [ "$(cat /proc/sys/kernel/perf_event_paranoid)" -gt 0 ]; then
		like "it says what is missing" "$(tr -s ' \n' ' ' <<<"$out")" \
			"cannot tell which processes take CPU time from the program: (BPF needs CAP_BPF and CAP_PERFMON|this etalon was built without BPF); perf needs CAP_PERFMON or kernel.perf_event_paranoid at most 0"
		is "and tells nothing" "$(jq -c '[.commands[0].samples[] | .others_ns, .idle_ns, .irq_ns] | unique' plain.json)" '[null]'
	else
		like "perf is there for everybody" "$(jq -r .image_source plain.json)" '[+]perf$'
	fi
else
	skip "without privileges" "$why_not"
fi
exits "not wanted" 0 etalon run -r 2 --no-ledger --json off.json true
unlike "is not complained of" "$out" "is not told"
is "and not done" "$(jq -c '[.commands[0].samples[] | .others_ns, .idle_ns] | unique' off.json)" '[null]'
unlike "as the record says" "$(jq -r .image_source off.json)" "bpf|perf"

# accounts COMMAND…: what the account of the burst and of other programs tells
accounts()
{
	local wanted id other
	is "every sample has its account" "$(jq -c '[.commands[0].samples[] | .others_ns, .idle_ns | type] | unique' burst.json)" '["number"]'
	wanted='["number"]'
	[[ $source == *+bpf ]] || wanted='["null"]'
	is "interrupts are told where they can be" "$(jq -c '[.commands[0].samples[] | .irq_ns, .softirq_ns | type] | unique' burst.json)" "$wanted"
	explains "which explains elapsed time" burst.json
	is "the burst is in the third run and no other" \
		"$(jq -c '[.commands[0].samples | to_entries[] | select(.value.interference[] |
			select(.name == "burst-here" and .on_our_cpu_ns > 0)) | .key]' burst.json)" '[3]'
	ok "with the time it took there" jq -e '.commands[0].samples[3] | .pt_ns as $pt |
		[.interference[] | select(.name == "burst-here") | .on_our_cpu_ns] | add > 0.1 * $pt' burst.json
	ok "others are the sum of those named, and little more" jq -e '[.commands[0].samples[] |
		([.interference[].on_our_cpu_ns] | add) as $named |
		.others_ns >= $named and .others_ns - $named < 0.01 * .et_ns + 1000000] | all' burst.json
	like "the page names it" "$page" "taken by .*burst-here [0-9.]+ .*samples"
	id=$(jq -r .id burst.json)
	exits "so does show" 0 etalon show -v "$id"
	like "by name" "$(tr -s ' \n' ' ' <<<"$out")" "taken by .*burst-here [0-9.]+ .*samples"
	ok "the program itself is nowhere listed" jq -e '[.commands[0].samples[].interference[] |
		select(.name == "measured-here")] | length == 0' burst.json

	# A server that a preparation has left running is no part of the program.
	cat >serve <<END
#!/bin/sh
[ ! -f pid ] || exit 0
taskset -c $cpu ./burst-here -c 'while :; do :; done' >/dev/null 2>&1 &
echo \$! >pid
END
	chmod +x serve
	rm -f pid
	exits "beside a server of our own" 0 "$@" etalon run -q -r 2 --cpu "$cpu" --setup ./serve \
		--cleanup 'sh -c "kill \$(cat pid)"' --json served.json 'etalon put inc --seconds 0.05'
	ok "it is a culprit, too" jq -e '[.commands[0].samples[].interference[] |
		select(.name == "burst-here" and .on_our_cpu_ns > 0)] | length == 3' served.json

	exits "two together" 0 "$@" etalon run -q -r 2 --order duet --json duet.json \
		'etalon put inc --seconds 0.05' 'etalon put inc --seconds 0.06'
	explains "the partner's share is in the sum" duet.json

	# Its home is where it works, not where another task of it was last seen.
	other=$(awk '/^Cpus_allowed_list/ { n = split($2, a, /[-,]/); print a[n] }' /proc/self/status)
	if [ "$cpu" != "$other" ] && chrt -f 5 true 2>/dev/null; then
		cat >beside <<END
#!/bin/sh
taskset -c $cpu ./measured-here put inc --seconds 0.6 &
taskset -c $other sleep 0.2
wait
END
		chmod +x beside
		exits "a task of its own beside" 0 "$@" etalon run -q -w 0 -r 3 --sched fifo:5 \
			--json beside.json ./beside
		explains "leaves the account whole" beside.json 0.05 # both are at work when they start
	else
		skip "a task of its own beside" "one CPU, or no real-time priority"
	fi

	exits "the program" 0 "$@" etalon run -q -r 1 --output fds.txt 'ls /proc/self/fd'
	is "inherits none of our descriptors" "$(tr '\n' ' ' <fds.txt)" '0 1 2 3 '
}

burst env
if [[ $source != *+* ]]; then
	skip "the account" "this machine does not let us watch the CPU ($source)"
	done_testing
fi
accounts env

if [[ $source == *+bpf ]]; then
	# Each that wakes up is charged from then on, before our CPU has heard of it.
	cat >storm <<'END'
#!/bin/sh
while :; do /bin/true; done
END
	chmod +x storm
	./storm & one=$!
	./storm & two=$!
	./storm & three=$!
	exits "in a storm of short programs" 0 etalon run -q -r 10 --protocol raw --cpu "$cpu" \
		--json storm.json './measured-here put inc --seconds 0.05'
	kill $one $two $three
	explains "elapsed time is explained, too" storm.json
fi

# What BPF needs is taken from us, and what perf needs is left.
less=(setpriv "--bounding-set=-bpf,-sys_admin")
if [[ $source == *+bpf ]] && "${less[@]}" true 2>/dev/null; then
	burst "${less[@]}"
	like "perf tells where BPF cannot be had" "$source" '[+]perf$'
	accounts "${less[@]}"
fi
if [[ $source == *+perf ]]; then
	# More switches than there is room for, between samples with few.
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
	exits "too many switches" 0 "${less[@]}" etalon run -q -w 0 -r 2 --order round-robin \
		--protocol raw --cpu "$cpu" -L n 40000,10 --json many.json 'python3 pass.py {n}'
	is "leave no account" "$(jq -c '[.commands[0].samples[] | .others_ns, .idle_ns] | unique' many.json)" '[null]'
	is "which is said" "$(jq -c '[.commands[0].samples[].marks | index("lost-records")] | index(null)' many.json)" null
	is "and those after them have theirs" "$(jq -c '[.commands[1].samples[].others_ns | type]' many.json)" '["number","number"]'
else
	skip "by perf" "this machine does not let us look that way"
fi
done_testing
