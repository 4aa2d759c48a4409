#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Who took the program's CPU: a burst in the third run is found there, by name; and the account of
# each sample adds up.
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
echo 0 >n
exits "a burst in the third run" 0 etalon run -v -r 5 --protocol raw --cpu "$cpu" --prepare ./before \
	--conclude ./after --json burst.json './measured-here put inc --seconds 0.1'
page=$(tr -s ' \n' ' ' <<<"$out")
source=$(jq -r .image_source burst.json)

# What it says and does where it cannot look.
if [ "$(id -u)" -eq 0 ] && setpriv --reuid 65534 --clear-groups true 2>/dev/null; then
	chmod -R a+rwX "$work"
	exits "without privileges" 0 setpriv --reuid 65534 --clear-groups \
		etalon run -r 2 --json plain.json true
	like "it says what is missing" "$(tr -s ' \n' ' ' <<<"$out")" \
		"who takes the program's CPU is not told: (BPF needs CAP_BPF and CAP_PERFMON|this etalon was built without BPF)"
	is "and tells nothing" "$(jq -c '[.commands[0].samples[] | .others_ns, .idle_ns, .irq_ns] | unique' plain.json)" '[null]'
else
	skip "without privileges" "they cannot be dropped here"
fi
exits "not wanted" 0 etalon run -r 2 --no-ledger --json off.json true
unlike "is not complained of" "$out" "is not told"
is "and not done" "$(jq -c '[.commands[0].samples[] | .others_ns, .idle_ns] | unique' off.json)" '[null]'
unlike "as the record says" "$(jq -r .image_source off.json)" bpf

if [[ $source != *+bpf ]]; then
	skip "the account" "this machine does not let us watch the CPU ($source)"
	done_testing
fi

is "every sample has its account" "$(jq -c '[.commands[0].samples[] | .others_ns, .idle_ns, .irq_ns, .softirq_ns | type] | unique' burst.json)" '["number"]'
explained='[.commands[].samples[] | .others_ns != null and
	((.et_ns - .pt_ns - .others_ns - .idle_ns - .steal_ns) / .et_ns | fabs < 0.01)] | all'
ok "which explains elapsed time to 1 %" jq -e "$explained" burst.json
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
exits "beside a server of our own" 0 etalon run -q -r 2 --cpu "$cpu" --setup ./serve \
	--cleanup 'sh -c "kill \$(cat pid)"' --json served.json 'etalon put inc --seconds 0.05'
ok "it is a culprit, too" jq -e '[.commands[0].samples[].interference[] |
	select(.name == "burst-here" and .on_our_cpu_ns > 0)] | length == 3' served.json

exits "two together" 0 etalon run -q -r 2 --order duet --json duet.json \
	'etalon put inc --seconds 0.05' 'etalon put inc --seconds 0.06'
ok "the partner's share is in the sum" jq -e "$explained" duet.json

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
ok "elapsed time is explained, too" jq -e "$explained" storm.json

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
	exits "a task of its own beside" 0 etalon run -q -w 0 -r 3 --sched fifo:5 --json beside.json ./beside
	ok "leaves the account whole" jq -e "$explained" beside.json
else
	skip "a task of its own beside" "one CPU, or no real-time priority"
fi

exits "the program" 0 etalon run -q -r 1 --output fds.txt 'ls /proc/self/fd'
is "inherits none of our descriptors" "$(tr '\n' ' ' <fds.txt)" '0 1 2 3 '
done_testing
