#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Factors of the machine in `etalon doe`: set before each run, restored at the end, after Ctrl-C and after
# kill -9; on a captured laptop, and huge pages on the real machine.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/cli/machine.sh
. "$root/tests/cli/machine.sh"

cpu=$work/tree/sys/devices/system/cpu
# The program notes the state that it runs in.
cat >look <<END
#!/bin/sh
echo "\$1 \$(cat $cpu/cpufreq/policy0/scaling_governor $cpu/cpufreq/policy1/scaling_governor $cpu/intel_pstate/no_turbo $cpu/smt/control $work/units/gdm.service $work/units/cups.socket | tr '\n' ' ')" >>$work/seen
END
chmod +x look
# plan NAME [REPLICATIONS]: 2 × 2 × 2 × 2 treatments
plan()
{
	cat >plan.yaml <<END
name: $1
programs: [{ name: look, command: './look {gov}-{turbo}-{smt}-{rl}' }]
factors:
  - { name: gov, kind: governor, levels: [powersave, performance] }
  - { name: turbo, kind: turbo, levels: ['on', 'off'] }
  - { name: smt, kind: smt, levels: ['off', 'on'] }
  - { name: rl, kind: services, levels: [graphical.target, multi-user.target] }
replications: ${2:-2}
discard: 0
seed: 7
run: { warmup: 0, no-ledger: true, no-probe: true }
END
}
desktop()
{
	laptop
	unit gdm.service
	unit cups.socket
	unit graphical.target
	unit multi-user.target
	printf '%s\n' graphical.target gdm.service multi-user.target cron.service irqbalance.service cups.service cups.socket \
		systemd-timesyncd.service apt-daily.timer man-db.timer >units/graphical.target.wants
	grep -v 'gdm\|graphical\|cups' units/graphical.target.wants >units/multi-user.target.wants
	# The socket would start its service again, so both are stopped.
	printf 'TriggeredBy=cups.socket\n' >units/cups.service.show
}

desktop
plan all
: >seen
exits 'doe run: factors of the machine succeed' 0 etalon doe run plan.yaml
is 'doe run: every run finds the machine as its treatment says' "$(sort -u seen)" "$(
	for gov in performance powersave; do for turbo in off:1 on:0; do for smt in off on; do
		echo "$gov-${turbo%:*}-$smt-graphical.target $gov $gov ${turbo#*:} $smt active active "
		echo "$gov-${turbo%:*}-$smt-multi-user.target $gov $gov ${turbo#*:} $smt inactive inactive "
	done; done; done | sort)"
is 'doe run: every treatment has its runs' "$(wc -l <seen)" 32
as_before 'doe run with factors of the machine'
is 'doe run: services that the target wants are not stopped' "$(grep -cE '^stop (cron|irqbalance|ssh|systemd)' log)" 0

# --- killed
for signal in INT KILL; do
	desktop
	plan "by $signal" 40
	: >seen
	env --default-signal=INT etalon doe run plan.yaml >/dev/null 2>&1 &
	pid=$!
	wait_until '[ "$(wc -l <seen)" -ge 5 ] && [ "$(cat $cpu/intel_pstate/no_turbo)" = 1 ]'
	{ kill -s $signal $pid && wait $pid; } 2>/dev/null
	if [ $signal = KILL ]; then # otherwise: etalon restores everything itself
		ok 'doe run: kill -9 leaves a journal' test -e "$journal"
		exits 'env restore: it succeeds after doe run was killed' 0 etalon env restore
	fi
	as_before "doe run after SIG$signal"
done
plan 'by KILL' 40
done_before=$(samples 'by KILL')
ok 'doe run: samples of a killed experiment are kept' test "0$done_before" -ge 1

# The next etalon restores what a killed one has changed, before it reads the original values.
desktop
plan again 40
: >seen
etalon doe run plan.yaml >/dev/null 2>&1 &
pid=$!
wait_until '[ "$(wc -l <seen)" -ge 5 ] && [ "$(cat $cpu/intel_pstate/no_turbo)" = 1 ]'
{ kill -9 $pid && wait $pid; } 2>/dev/null
sed -i 's/replications: 40/replications: 1/; s/name: again/name: other/' plan.yaml
exits 'doe run: it succeeds after another was killed' 0 etalon doe run plan.yaml
like 'doe run: it restores the changes of a killed one first' "$err" 'restored the changes of a killed run first'
as_before 'doe run after a killed one'

# --- levels that this machine cannot set
desktop
plan bad
sed -i 's/performance\]/ondemand]/' plan.yaml
exits 'doe run: a governor that is missing gives exit status 3' 3 etalon doe run plan.yaml
like 'doe run: the error has the place of the level' "$err" "plan.yaml:4:[0-9]+: there is no governor 'ondemand'"
plan bad
sed -i 's/multi-user.target/no-such.target/' plan.yaml
exits 'doe run: a target that is missing gives exit status 3' 3 etalon doe run plan.yaml
like 'doe run: the error names the target' "$err" 'plan.yaml:7:[0-9]+: there is no target no-such.target'
sed -i 's/no-such.target/"stop:sshd.service"/' plan.yaml
exits 'doe run: a service that people need gives exit status 3' 3 etalon doe run plan.yaml
like 'doe run: the error says why it is not stopped' "$err" 'does not stop sshd.service: people log in'
sed -i 's/stop:sshd.service/halt everything/' plan.yaml
exits 'doe run: a level of services that is none is wrong usage' 2 etalon doe run plan.yaml
echo inactive >units/graphical.target
plan bad
exits 'doe run: a target that is not active gives exit status 3' 3 etalon doe run plan.yaml
like 'doe run: the hint says how to reach the target' "$err" 'hint: run .systemctl isolate graphical.target'
machine vm
exits 'doe run: a guest without cpufreq gives exit status 3' 3 etalon doe run plan.yaml
like 'doe run: the error says that there is no cpufreq' "$err" 'this machine has no cpufreq'
changed=$(find tree -newer look -type f | head -n 1)
is 'doe run: nothing is changed if a level cannot be set' "$changed" ''

# --- services by name
desktop
cat >plan.yaml <<END
name: by name
programs: [{ name: look, command: './look {daemons}' }]
factors: [{ name: daemons, kind: services, levels: [as-is, 'stop:cron,cups.socket,cups'] }]
replications: 3
discard: 0
seed: 1
run: { warmup: 0, no-ledger: true, no-probe: true }
END
exits 'doe run: services that are named are stopped' 0 etalon doe run plan.yaml
is 'doe run: cron is stopped and started as often as its level changes' "$(grep -c '^stop cron.service' log)" \
	"$(grep -c '^start cron.service' log)"
ok 'doe run: cron was stopped' test "$(grep -c '^stop cron.service' log)" -ge 1
as_before 'doe run with services by name'
done_testing
