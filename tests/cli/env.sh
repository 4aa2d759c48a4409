#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# `etalon env check`, `apply` and `restore` on captured machines: every change is restored exactly,
# whatever happens in between.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

# shellcheck source=tests/cli/machine.sh
. "$root/tests/cli/machine.sh"
aslr=tree/proc/sys/kernel/randomize_va_space

state() { etalon env check --json | jq -r --arg f "$1" '.[] | select(.factor == $f) | .state'; }
value() { cat "$aslr"; }

# --- check, on every machine
for name in laptop amd arm64 vm container; do
	machine "$name"
	exits "env check: it succeeds on the captured $name" 0 etalon env check
	is "env check: every factor of the captured $name has a row" "$(etalon env check -q | wc -l)" \
		"$(($(etalon env check --json | jq length) + 1))"
	ok "env check: no line for the captured $name is longer than 80 columns" test "$(wc -L <.out)" -le 80
	COLUMNS=40 exits "env check: -v fits 40 columns on the captured $name" 0 env COLUMNS=40 etalon env check -v
	exits "env apply: --dry-run succeeds on the captured $name" 0 etalon env apply --dry-run
	ok "env apply: --dry-run changes nothing on the captured $name" diff -r --no-dereference before tree
	ok "env apply: --dry-run leaves no journal on the captured $name" test ! -e "$journal"
done
exits 'env check: --json succeeds' 0 etalon env check --json
is 'env check: JSON has the keys of the documented contract' "$(jq -c '.[0] | keys_unsorted' <<<"$out")" \
	'["factor","state","wanted","ok","severity","why","fix","changeable"]'
is 'env check: an unknown state is null in JSON' "$(jq -c '.[] | select(.factor == "smt") | .ok' <<<"$out")" null
exits 'env check: --only succeeds' 0 etalon env check --json --only aslr,turbo
is 'env check: --only selects factors' "$(jq -r 'map(.factor) | sort | join(" ")' <<<"$out")" 'aslr turbo'
exits 'env check: --except succeeds' 0 etalon env check --json --only aslr,turbo --except turbo
is 'env check: --except omits factors' "$(jq -r 'map(.factor) | join(" ")' <<<"$out")" 'aslr'
exits 'env check: -v succeeds' 0 etalon env check -v --only aslr
like 'env check: -v explains why a factor matters' "$out" 'why +Addresses'
like 'env check: -v shows how to change it' "$out" 'how +run sysctl'
machine laptop
exits 'env check: --running succeeds' 0 etalon env check --running
like 'env check: --running lists what apply stops' "$out" 'stops .*cron.*cupsd'
like 'env check: --running lists what apply keeps' "$out" 'keeps .*sshd.*systemd-timesyn'
like 'env check: --running lists kernel threads' "$out" 'kernel .*kthreadd'
exits 'env check: --running --json succeeds' 0 etalon env check --running --json
is 'env check: --running --json has the factor and the reason' \
	"$(jq -c '.[] | select((.name == "cron" or .name == "sshd") and (.kernel_threads | not)) | [.name, .processes, .factor, .kept]' <<<"$out" | tr '\n' ' ')" \
	'["cron",1,"daemons",null] ["sshd",1,null,"people log in through it"] '

# process PID NAME [UNIT]: a copy of cron under another name
process()
{
	cp -a tree/proc/412 "tree/proc/$1"
	sed -i "1s/^412 ([^)]*)/$1 ($2)/" "tree/proc/$1/stat"
	echo "0::${3:+/system.slice/$3}" >"tree/proc/$1/cgroup"
}

laptop
process 5001 apt-get
process 5002 dpkg
process 5003 atd
process 5004 snapd snapd.service
unit snapd.service 5004
exits 'env check: --running succeeds while packages are installed' 0 etalon env check --running --json
running=$out
exits 'env apply: --dry-run succeeds while packages are installed' 0 \
	env COLUMNS=300 etalon env apply --dry-run --only daemons,irqbalance
is 'env apply: packages, and what depends on them, are left' "$(sed -nE 's/^left +([^ ]+) ?\(?.*: (.*)/\1 \2/p' <<<"$out" | sort | tr '\n' ';')" \
	'apt-get it is in the middle of changing the system;dpkg it is in the middle of changing the system;snapd.service packages are being installed;'
is 'env check: --running says the same of them' \
	"$(jq -r '.[] | select(.kept and (.name | test("apt|dpkg|snapd"))) | "\(.name) \(.factor) \(.kept)"' <<<"$running" | tr '\n' ';')" \
	'apt-get null it is in the middle of changing the system;dpkg null it is in the middle of changing the system;snapd null packages are being installed;'
is 'env check: --running lists exactly what apply stops' \
	"$(jq -r '.[] | select(.factor) | .name' <<<"$running" | sort | tr '\n' ' ')" \
	"$(sed -nE 's/^planned +([^ ]+) \(process.*/\1/p; s/^planned +(cron|cups|irqbalance)\.service: stop/\1/p' <<<"$out" | sed 's/cups/cupsd/' | sort | tr '\n' ' ')"

# --- wrong usage
refuses 'env apply: --running is rejected' 2 'env apply takes no --running' etalon env apply --running
refuses 'env check: --running with --only is rejected' 2 '--running and --only exclude each other' etalon env check --running --only aslr
refuses 'env: no action is rejected' 2 'no action given' etalon env
refuses 'env: a second operand is rejected' 2 "env check: unexpected 'extra'" etalon env check extra
refuses 'env: an unknown action is rejected' 2 "unknown action 'aply'" etalon env aply
refuses 'env check: an unknown factor is rejected' 2 "unknown factor 'nosuch'" etalon env check --only aslr,nosuch
refuses 'env check: an empty factor is rejected' 2 "unknown factor ''" etalon env check --only ''
refuses 'env check: an option of apply is rejected' 2 'env check takes no --dry-run' etalon env check --dry-run
refuses 'env restore: --only is rejected' 2 'env restore takes no --only' etalon env restore --only aslr
refuses 'env apply: a factor that cannot be changed is an error' 3 'smt cannot be changed' etalon env apply --only smt
like 'env apply: the hint says what a person can do' "$err" 'hint: .*sibling'

# --- apply and restore
laptop
exits 'env apply: a process that cannot be stopped gives exit status 3' 3 etalon env apply
like 'env apply: the output names the process that cannot be stopped' "$out" 'FAILED +tracker-miner-f .*: hold'
is 'env apply: turbo is off' "$(state turbo)" off
is 'env apply: the frequency governor is performance' "$(state frequency-governor)" performance
is 'env apply: the frequency limits are equal' "$(state frequency-limits)" '4200 MHz'
is 'env apply: only shallow idle states are left' "$(state c-states)" 'shallow only'
is 'env apply: the address layout is fixed' "$(state aslr)" 0
is 'env apply: huge pages are on request only' "$(state transparent-huge-pages)" madvise
is 'env apply: only daemons without a service are left' "$(state daemons)" 'postfix, tracker'
is 'env apply: no timer is left' "$(state timers)" none
is 'env apply: a time daemon that runs is kept' "$(state time-sync) $(grep -c 'stop systemd-timesyncd' log)" 'systemd-timesyncd 0'
is 'env apply: irqbalance does not run' "$(state irqbalance)" 'not running'
is 'env apply: a socket is stopped before its service' "$(grep -n '^stop cups' log | cut -d: -f2 | tr '\n' ' ')" \
	'stop cups.socket stop cups.service '
is 'env apply: only the owner can read the journal' "$(stat -c %a "$journal")" 600
ok 'env apply: sshd and the network are left alone' test "$(grep -cE 'ssh|Network' log)" -eq 0
exits 'env restore: --dry-run succeeds' 0 etalon env restore --dry-run
like 'env restore: --dry-run shows what it would restore' "$out" 'randomize_va_space: 0 → 2'
is 'env restore: --dry-run restores nothing' "$(value)" 0
exits 'env restore: it succeeds' 0 etalon env restore
as_before 'env restore'
exits 'env restore: a second time it succeeds' 0 etalon env restore
like 'env restore: a second time it has nothing to restore' "$out" 'nothing to restore'

# systemd does not start a socket while its service runs.
laptop
touch units/cups.service.refuses
exits 'env apply: a service that refuses to stop gives exit status 3' 3 etalon env apply
is 'env apply: the socket of a service that refuses to stop is stopped' "$(cat units/cups.socket units/cups.service | tr '\n' ' ')" \
	'inactive active '
rm units/cups.service.refuses
exits 'env restore: it succeeds after a service could not be stopped' 0 etalon env restore
as_before 'env restore after a service could not be stopped'

# The daemons of the papers are stopped by systemd; a process that installs packages is left alone.
machine amd
unit auditd.service 700
touch units/auditd.service.refuses
unit crond.service 710
unit packagekit.service 740
exits 'env apply: a service that refuses to stop gives exit status 3' 3 etalon env apply --only daemons
like 'env apply: the output names the service that refuses to stop' "$out" 'FAILED +auditd.service: stop: .*Operation[[:space:]]+refused'
like 'env apply: the other services are stopped' "$out" 'done +crond.service: stop'
like 'env apply: a package manager at work is left alone' "$out" 'left +dnf \(process 730\)'
like 'env apply: the service of a package manager at work is left alone' "$out" 'left +packagekit.service: packages are being installed'
is 'env apply: the journal lists only the changes that were made' "$(grep -c '^change' "$journal")" 2
exits 'env restore: it succeeds after a service refused to stop' 0 etalon env restore
is 'env restore: a service that was not stopped is not started' "$(grep -c 'start auditd' log)" 0
ok 'env restore: every setting of the captured amd has its old value' diff -r --no-dereference before tree

machine vm
unit cron.service 400
exits 'env apply: it succeeds when cron has started it' 0 etalon env apply --only daemons
like 'env apply: the service that etalon runs in is left alone' "$out" 'left +cron.service: etalon itself runs in it'

# --- units that systemd could not restore are left alone
# shows NAME TEXT: more lines that systemctl prints about it
shows() { printf '%s\n' "$2" >"units/$1.show"; }
machine laptop
unit cron.service 412
unit atd.service
shows atd.service 'RequiredBy=backup.service reports.service'
unit reports.service
unit exim4.service
shows exim4.service 'CanStart=no'
unit certmonger.service
shows certmonger.service 'CanStop=no'
unit clamav-freshclam.service
shows clamav-freshclam.service 'Transient=yes'
unit kerneloops.service
shows kerneloops.service $'LoadState=masked\nCanStart=no'
unit cups.service 700
shows cups.service 'Job=412'
unit smartmontools.service
ln -s smartmontools.service units/smartd.service
unit snapd.socket
unit snapd.service
unit snapd.seeded.service
shows snapd.socket 'RequiredBy=snapd.seeded.service'
shows snapd.service 'TriggeredBy=snapd.socket'
unit sendmail.service
unit sendmail.socket
shows sendmail.service 'TriggeredBy=sendmail.socket'
unit anacron.service
unit anacron.timer
shows anacron.service 'TriggeredBy=anacron.timer anacron.path'
cat units/*.service units/*.socket >was
exits 'env apply: units that systemd would not restore give exit status 3' 3 etalon env apply --only daemons
like 'env apply: a unit that another one requires is left alone' "$out" 'left +atd.service: reports.service would stop with it'
like 'env apply: a unit that nobody may start is left alone' "$out" 'left +exim4.service: systemd would not start it again'
like 'env apply: a unit that refuses to be stopped is left alone' "$out" 'left +certmonger.service: systemd refuses to stop it'
like 'env apply: a unit of systemd-run is left alone' "$out" 'left +clamav-freshclam.service: systemd-run has created it'
like 'env apply: a unit that was masked while it ran is left alone' "$out" 'left +kerneloops.service: systemd would not'
like 'env apply: a unit that a socket would start again is left alone' "$out" 'left +sendmail.service: sendmail.socket would start it again'
like 'env apply: a unit with a pending job is left alone' "$out" 'left +cupsd \(process 700\): systemd is starting or stopping it'
is 'env apply: all other units are stopped, an alias once' "$(grep ^stop log | sort | tr '\n' ' ')" \
	'stop anacron.service stop cron.service stop smartmontools.service stop snapd.seeded.service stop snapd.service stop snapd.socket '
exits 'env restore: it succeeds with sockets and services' 0 etalon env restore
is 'env restore: a socket is started before its services' "$(grep '^start snapd' log | tr '\n' ' ')" \
	'start snapd.socket start snapd.service start snapd.seeded.service '
is 'env restore: every unit has its old state' "$(cat units/*.service units/*.socket)" "$(cat was)"
etalon env apply -q --only daemons 2>/dev/null
unit snapd.service
exits 'env restore: it succeeds if a service already runs while its socket does not' 0 etalon env restore
is 'env restore: the service and its socket have their old state' "$(cat units/*.service units/*.socket)" "$(cat was)"
unit snapd.service
shows snapd.service 'CanStop=no'
shows snapd.socket 'RequiredBy=snapd.service'
exits 'env apply: a unit that cannot be stopped gives exit status 3' 3 etalon env apply --only daemons
like 'env apply: a unit that another one requires stays with it' "$out" 'left +snapd.socket: snapd.service would stop with it'
run etalon env restore

machine laptop
unset ETALON_SYSTEMCTL
like 'env check: without systemctl it lists the timers that are enabled' "$(state timers)" 'man-db.*fstrim'
ln -s /dev/null tree/etc/systemd/system/fstrim.timer
unlike 'env check: without systemctl it omits masked timers' "$(state timers)" fstrim
laptop
for _ in 1 2 3 4 5 6 7; do
	etalon env apply -q --only timers
	etalon env restore -q
done 2>/dev/null
as_before 'env restore: seven times in a row do not exceed the start limit of systemd'

# --- twice, and with changes by somebody else in between
laptop
exits 'env apply: two factors are changed' 0 etalon env apply --only aslr,turbo
exits 'env apply: a second time it succeeds' 0 etalon env apply --only aslr,turbo
like 'env apply: a second time it has nothing to change' "$out" 'nothing to change'
echo 1 >$aslr
exits 'env apply: it succeeds after somebody has undone a change' 0 etalon env apply --only aslr
like 'env apply: an undone change is made again' "$out" 'again +/proc/sys/kernel/randomize_va_space'
exits 'env restore: it succeeds after a change was made twice' 0 etalon env restore
is 'env restore: the value from before the first change is restored' "$(value)" 2
exits 'env apply: two factors are changed once more' 0 etalon env apply --only aslr,turbo
echo 1 >$aslr
exits 'env restore: it succeeds after somebody has changed a value' 0 etalon env restore
like 'env restore: the output names the value that somebody has changed' "$out" 'changed +/proc/sys/kernel/randomize_va_space: was 2 before etalon, but it is 1'
is 'env restore: a value that somebody has changed is left alone' "$(value)" 1
is 'env restore: the other values are restored' "$(cat tree/sys/devices/system/cpu/intel_pstate/no_turbo)" 0
ok 'env restore: no journal is left after somebody has changed a value' test ! -e "$journal"

# The kernel moves the limits with turbo: that is no change by somebody else.
laptop
etalon env apply -q --only frequency-limits,turbo
echo 2400000 >tree/sys/devices/system/cpu/cpufreq/policy0/scaling_min_freq
exits 'env restore: it succeeds after the kernel has moved a limit' 0 etalon env restore
as_before 'env restore after the kernel has moved a limit'

# --- a reboot
laptop
etalon env apply -q --only aslr,timers
echo 99999999-1111-4111-8111-111111111111 >tree/proc/sys/kernel/random/boot_id
exits 'env restore: it succeeds after a reboot' 0 etalon env restore
like 'env restore: after a reboot the output says that the boot has reset the value' "$out" 'rebooted +/proc/sys/kernel/randomize_va_space'
is 'env restore: after a reboot nothing is written' "$(value)" 0
is 'env restore: after a reboot nothing is started' "$(grep -c ^start log)" 0

# --- two at once
laptop
exec 9>>"$journal"
flock 9
refuses 'env apply: a second etalon is refused while the first holds the lock' 3 'another etalon' etalon env apply --only aslr 9>&-
is 'env apply: a refused etalon changes nothing' "$(value)" 2
exec 9>&-
laptop
for _ in 1 2 3 4; do etalon env apply -q --only aslr,turbo,c-states & done
wait
exits 'env restore: it succeeds after four applied at once' 0 etalon env restore
as_before 'env restore after four applied at once'

# --- killed at any moment
laptop
for i in $(seq 40); do
	etalon env apply -q >/dev/null 2>&1 &
	sleep "0.0$((RANDOM % 10))$((RANDOM % 10))"
	{ kill -9 $! && wait $!; } 2>/dev/null
	[ $((i % 3)) -eq 0 ] || continue
	# The restore is killed, too.
	etalon env restore -q >/dev/null 2>&1 &
	sleep "0.0$((RANDOM % 10))"
	{ kill -9 $! && wait $!; } 2>/dev/null
	# A systemctl that it had started may still run.
	wait_until '! pgrep -f "$work/systemctl" >/dev/null'
done
wait_until '! pgrep -f "$work/systemctl" >/dev/null'
exits 'env restore: it succeeds after 40 kills' 0 etalon env restore
as_before 'env restore after 40 kills'

# --- run --env
laptop
exits 'run --env: it succeeds' 0 etalon run --env -q -r 2 --json run.json true
is 'run --env: the record has the environment of the run' \
	"$(jq -r '.environment[] | select(.factor == "turbo" or .factor == "aslr") | .state' run.json | tr '\n' ' ')" 'off 0 '
as_before 'run --env at its end'
exits 'run --env: it succeeds without -q' 0 etalon run --env -r 2 true
like 'run --env: one line names the settings that it changes' "$out" 'changed for these runs: .*randomize_va_space'
as_before 'run --env at its end'
env --default-signal=INT etalon run --env -r 1000 'sleep 0.02' >/dev/null 2>&1 &
pid=$!
wait_until '[ "$(value)" = 0 ]'
is 'run --env: the setting is changed while it runs' "$(value)" 0
run etalon list
unlike 'list: a live run --env gives no warning' "$err" warning
kill -INT $pid
wait $pid
is 'run --env: Ctrl-C gives exit status 130' $? 130
as_before 'run --env after Ctrl-C'
# A sanitizer has handlers of its own for the signals of a fault.
faults='SEGV ABRT'
! grep -qa __asan_init "$ETALON" || faults=
for signal in QUIT USR1 ALRM XCPU RTMIN $faults; do
	rm -f begun
	env --default-signal=QUIT etalon run --env -r 1000 'sh -c ">>begun; sleep 0.02"' >/dev/null 2>&1 &
	pid=$!
	wait_until '[ -e begun ]'
	kill -s "$signal" $pid
	wait $pid
	is "run --env: SIG$signal gives an exit status of 128 and its number" $? \
		$((128 + $(kill -l "$signal")))
	as_before "run --env after SIG$signal"
done
env --default-signal=INT etalon run --label later -w 0 -r 8 'sleep 0.2' >/dev/null 2>&1 &
pid=$!
wait_for_samples later 2
kill -INT $pid
wait $pid
exits 'run --env: it can be combined with --resume' 0 etalon run --env --resume=later
as_before 'run --env --resume at its end'
etalon run --env --label changed -r 1000 'sleep 0.02' >/dev/null 2>&1 &
pid=$!
wait_for_samples changed 1
{ kill -9 $pid && wait $pid; } 2>/dev/null
is 'run --env: a setting stays changed after kill -9' "$(value)" 0
exits 'list: it succeeds after run --env was killed' 0 etalon list
like 'list: a warning says that an etalon was killed' "$err" 'an earlier etalon was killed before it restored [0-9]+ changes'
like 'list: the warning names the factors that stay changed' "$err" 'changes to this machine \([a-z-]+(, [a-z-]+)*\);'
like 'list: the factor turbo is one of them' "$err" '[(, ]turbo[,)]'
like 'list: the warning changes-pending names env restore' "$err" "run 'etalon env restore'"
exits 'run --env: it succeeds after another one was killed' 0 etalon run --env -r 2 true
like 'run --env: a message says that the changes of a killed run are restored' "$err" 'restored the changes of a killed run'
as_before 'run --env after another one was killed'
exits 'run: it succeeds without --env' 0 etalon run -q -r 2 --json run.json true
is 'run: without --env the record has the environment, too' "$(jq -r '.environment[] | select(.factor == "turbo") | "\(.state) \(.wanted) \(.ok)"' run.json)" 'on off false'

# --- the clock: a time daemon that does not run is started, and stopped again by restore
# time_daemon_off: the laptop with a time daemon that is installed but does not run
time_daemon_off()
{
	laptop
	./systemctl stop systemd-timesyncd.service
	rm -rf before log
	cp -a tree before
}
# off_again WHEN: the time daemon does not run, and no journal is left
off_again()
{
	is "$1: the time daemon does not run, as before" "$(cat units/systemd-timesyncd.service)" inactive
	ok "$1: the process of the time daemon is gone" diff -r --no-dereference -x enabled before tree
	ok "$1: no journal is left" test ! -e "$journal"
}
time_daemon_off
is 'env check: a time daemon that does not run disturbs' "$(state time-sync)" 'systemd-timesyncd does not run'
is 'env check: a time daemon that is installed can be started' "$(etalon env check --json --only time-sync | jq '.[].changeable')" true
exits 'env apply: --dry-run succeeds without a running time daemon' 0 etalon env apply --dry-run --only time-sync
like 'env apply: --dry-run says that it would start the time daemon' "$out" 'planned +systemd-timesyncd.service: start'
exits 'env apply: a time daemon is started' 0 etalon env apply --only time-sync
like 'env apply: the output says that the time daemon is started' "$out" 'done +systemd-timesyncd.service: start'
is 'env apply: the time daemon runs' "$(state time-sync)" systemd-timesyncd
exits 'env apply: with a started time daemon it succeeds a second time' 0 etalon env apply --only time-sync
like 'env apply: a time daemon that was started is not started again' "$out" 'nothing to change'
run etalon env restore --dry-run
like 'env restore: --dry-run says that it would stop the time daemon' "$out" 'planned +systemd-timesyncd.service: stop'
exits 'env restore: it succeeds with a started time daemon' 0 etalon env restore
off_again 'env restore after a time daemon was started'
etalon env apply -q --only time-sync
./systemctl stop systemd-timesyncd.service
exits 'env restore: it succeeds if somebody has stopped the time daemon' 0 etalon env restore
off_again 'env restore after somebody has stopped the time daemon'
exits 'run --env: it starts a time daemon' 0 etalon run --env --only time-sync -q -r 2 --json run.json true
is 'run --env: the record has the state of the clock' "$(jq -r '.environment[] | select(.factor == "time-sync") | .state' run.json)" systemd-timesyncd
off_again 'run --env at its end'
for _ in 1 2 3 4 5 6 7 8; do
	etalon env apply -q --only time-sync >/dev/null 2>&1 &
	sleep "0.0$((RANDOM % 5))$((RANDOM % 10))"
	{ kill -9 $! && wait $!; } 2>/dev/null
	wait_until '! pgrep -f "$work/systemctl" >/dev/null'
	etalon env restore -q
done
off_again 'env restore after 8 kills while a time daemon is started'
etalon env apply -q --only time-sync
exits 'env apply: time-daemon succeeds after time-sync' 0 etalon env apply --only time-daemon
like 'env apply: a time daemon that etalon has started is restored before it is stopped' "$out" 'left +systemd-timesyncd.service: an earlier change'
run etalon env restore
off_again 'env restore after time-sync and time-daemon'
machine vm
is 'env check: without any time daemon the clock cannot be changed' "$(etalon env check --json --only time-sync | jq '.[].changeable')" false
exits 'env apply: it succeeds without any time daemon' 0 etalon env apply --only time-sync
like 'env apply: the output names the package of a time daemon' "$out" 'left +time-sync: no time daemon is installed; install chrony'
echo inactive >units/chrony.service
printf 'CanStart=no\n' >units/chrony.service.show
run etalon env apply --only time-sync
like 'env apply: a time daemon that systemd does not start is left alone' "$out" 'left +chrony.service: systemd does not allow'
machine arm64
run etalon env apply --only time-sync
like 'env apply: a running time daemon needs no change' "$out" 'nothing to change'
run etalon env apply --dry-run --only time-daemon
like 'env apply: time-daemon stops the time daemon if it is named' "$out" 'planned +ntpd \(process 310\): hold'
run etalon env apply --dry-run
unlike 'env apply: without a list no time daemon is stopped' "$out" ntpd
refuses 'env apply: factors that contradict each other are rejected' 2 'time-daemon and time-sync contradict' etalon env apply --only time-sync,time-daemon
refuses 'run: --only without --env is rejected' 2 '\-\-only needs --env' etalon run --only aslr true
refuses 'run: --except without --env is rejected' 2 '\-\-except needs --env' etalon run --except aslr true
refuses 'run --env: an unknown factor is rejected' 2 "unknown factor 'nosuch'" etalon run --env --except nosuch true
refuses 'run --env: a factor that cannot be changed is an error' 3 'smt cannot be changed' etalon run --env --only smt true
laptop
exits 'run --env: --only succeeds' 0 etalon run --env --only aslr,turbo --except turbo -q -r 2 --json run.json true
is 'run --env: --only and --except choose what is changed' \
	"$(jq -r '.environment[] | select(.factor == "turbo" or .factor == "aslr" or .factor == "daemons") | .state' run.json | tr '\n' ' ')" \
	'cron, cups, postfix, tracker on 0 '
as_before 'run --env --only at its end'

# --- the clock and the network are watched while programs run
laptop
link=tree/sys/class/net/enp0s31f6/operstate
exits 'run: it succeeds while the link stays up' 0 etalon run -q -r 2 --json run.json true
is 'run: a link that stays up gives no warning' "$(jq -c '[.warnings[].code] | index("environment-changed")' run.json)" null
exits 'run: it succeeds while a link goes down' 0 etalon run --label unplugged -r 2 --json run.json "sh -c 'echo down >$work/$link'"
is 'run: the record has the time at which a link went down' \
	"$(jq -r '.environment[] | select(.wanted == "no change during the runs") | "\(.factor) \(.ok) \(.state)"' run.json |
		sed 's/[0-9]*-[0-9]*-[0-9]*T[0-9:]*Z/TIME/')" \
	'network false the link enp0s31f6 went down (TIME)'
is 'run: a link that goes down gives a warning' "$(jq -c '[.warnings[] | select(.code == "environment-changed")] | length' run.json)" 1
run etalon show -v unplugged
like 'show: the warning about a link that went down is in the store' "$out" 'during the runs the link enp0s31f6 went down'
laptop
exits 'run: it succeeds while the time daemon ends' 0 etalon run --label no-clock -r 2 --json run.json "sh -c 'rm -rf $work/tree/proc/810; echo down >$work/$link'"
run etalon show no-clock
like 'show: the note names the first change and counts the others' "$out" 'the time daemon systemd-timesyncd ended[[:space:]]+\(.*and 1 more[[:space:]]+change'
etalon export no-clock -f json -o kept.json
is 'export: the changes of the environment are exported' "$(jq -r '[.environment[] | select(.wanted == "no change during the runs") | .factor] | join(" ")' kept.json)" 'time-sync network'

# --- a damaged or forged journal
forge() { # forge TEXT: a line with its checksum
	python3 -c 'import sys
h = 0xcbf29ce484222325
for c in sys.argv[1].encode(): h = ((h ^ c) * 0x100000001b3) % 2**64
print("%s %016x" % (sys.argv[1], h))' "$1"
}
title() { echo 'etalon-journal 1'; forge "begin 1 apply 77 $(cat tree/proc/sys/kernel/random/boot_id) 5"; }
private() { chmod 600 "$journal"; }
laptop
etalon env apply -q --only aslr,turbo
sed -i 's/^\(change 1 .*\) 0 1 /\1 0 9 /' "$journal"
exits 'env restore: a damaged line in the journal gives exit status 4' 4 etalon env restore
like 'env restore: the error counts the damaged lines' "$err" '1 damaged|2 damaged'
is 'env restore: the lines that are not damaged are followed' "$(value)" 2
ok 'env restore: a damaged journal is kept under another name' test -f "$journal.damaged"
ok 'env restore: a damaged journal is not in the way' test ! -e "$journal"
laptop
etalon env apply -q --only aslr
printf 'change 2 1 asl' >>"$journal"
exits 'env restore: a journal that a crash has cut off is no error' 0 etalon env restore
is 'env restore: a line that a crash has cut off is ignored' "$(value)" 2
etalon env apply -q --only aslr
head -c 100 /dev/urandom >>"$journal"
run etalon env restore
is 'env restore: lines before random bytes are followed' "$(value)" 2
rm -f "$journal"*
echo keep >secret
{ title; forge "change 1 1 aslr file /../../secret 0 0 evil 0"
	forge "change 2 1 aslr file /etc/passwd 0 0 evil 0"
	forge "change 3 1 aslr file /proc/sys/kernel/randomize_va_space 0 0 2%0aevil 2"
	forge "change 4 1 daemons unit sshd.service 0 0 active inactive"
	forge "change 5 1 daemons process sshd 530 5300 running held"
	forge "change 6 1 daemons process cron 1 10 running held"
	forge "change 7 1 time-sync unit cron.service 0 0 inactive active"
	forge "change 8 1 time-sync unit chrony.service 0 0 inactive failed"
	forge "made 9 1"; forge "nonsense"; forge "change 10 9999999 aslr file $aslr 0 0 2 0"; } >"$journal"
private
exits 'env restore: a forged journal gives exit status 4' 4 etalon env restore
like 'env restore: every forged line is counted as damaged' "$err" '11 damaged lines'
is 'env restore: a forged journal stops no service' "$(grep -s '^stop' log)" ''
is 'env restore: a forged journal writes no file outside the machine' "$(cat secret)" keep
ok 'env restore: a forged journal changes no setting' diff -r --no-dereference before tree
{ title; forge "change 1 1 aslr file /proc/sys/kernel/randomize_va_space 0 0 1 0"; } >"$journal"
chmod 666 "$journal"
refuses 'env restore: a journal that others can write to is rejected' 4 'other users could have written' etalon env restore
ln -sf secret "$journal.link"
ETALON_JOURNAL=$journal.link refuses 'env restore: a journal that is a link is rejected' 4 'link|Too many' env ETALON_JOURNAL="$journal.link" etalon env restore
refuses 'env restore: a file that is no journal is rejected' 4 'not a journal' env ETALON_JOURNAL="$work/secret" etalon env restore
refuses 'env apply: a file that is no journal is rejected' 4 'not a journal' env ETALON_JOURNAL="$work/secret" etalon env apply --only aslr
is 'env apply: a file that is no journal is left alone' "$(cat secret)" keep
refuses 'env restore: a directory as the journal is rejected' 4 'directory' env ETALON_JOURNAL="$work" etalon env restore
refuses 'env apply: a journal below a file is rejected' 4 'Not a directory' env ETALON_JOURNAL="$work/secret/x" etalon env apply --only aslr
is 'env apply: no setting is changed without a journal' "$(value)" 2

# --- cases that only root can set up
if [ "$(id -u)" -eq 0 ] && mkdir -p disk && mount -t tmpfs -o size=64k tmpfs disk 2>/dev/null; then
	trap 'umount "$work/disk" 2>/dev/null; clean_up' EXIT
	laptop
	head -c 100k /dev/zero >disk/fill 2>/dev/null
	run env ETALON_JOURNAL="$work/disk/env.journal" etalon env apply
	is 'env apply: a full disk under the journal gives exit status 4' "$status" 4
	like 'env apply: the error says that the disk is full' "$err" 'No space left'
	ok 'env apply: nothing is changed if the journal cannot be written' diff -r --no-dereference -x enabled before tree
	ok 'env apply: no journal is left on a full disk' test ! -e disk/env.journal
	rm disk/fill
	head -c 60k /dev/zero >disk/fill
	for size in 1 2 3 4; do
		run env ETALON_JOURNAL="$work/disk/env.journal" etalon env apply
		head -c ${size}k /dev/zero >>disk/fill 2>/dev/null
	done
	exits 'env restore: it succeeds after the disk filled up between two applies' 0 env ETALON_JOURNAL="$work/disk/env.journal" etalon env restore
	ok 'env restore: all changes of before the disk filled up are restored' diff -r --no-dereference -x enabled before tree
	umount disk
	laptop
	run unshare -m bash -c 'mount --bind tree tree && mount -o remount,bind,ro tree tree && etalon env apply --only aslr,turbo'
	if [[ $err == *unshare* ]]; then
		skip 'env apply: a read-only /sys gives exit status 3' 'no namespaces here'
	else
		is 'env apply: a read-only /sys gives exit status 3' "$status" 3
		like 'env apply: the output says that /sys is read-only' "$out" 'FAILED .*Read-only'
		ok 'env apply: no journal is left on a read-only /sys' test ! -e "$journal"
	fi
else
	skip 'env apply: a full disk and a read-only /sys are errors' 'needs root and mount'
fi
if can_drop_privileges; then
	laptop
	run unprivileged etalon env apply --only aslr,turbo
	is 'env apply: without privileges the exit status is 3' "$status" 3
	like 'env apply: without privileges a hint says how' "$err" 'hint: run as root'
	is 'env apply: without privileges nothing is changed' "$(value)" 2
	time_daemon_off
	run unprivileged etalon env apply --only time-sync
	is 'env apply: without privileges no time daemon is started' "$status $(cat units/systemd-timesyncd.service)" '3 inactive'
else
	skip 'env apply: without privileges the exit status is 3' "$why_not"
fi
done_testing
