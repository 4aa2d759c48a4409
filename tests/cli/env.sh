#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# env check, apply and restore on captured machines: what is changed comes back exactly, whatever
# happens in between.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

journal=$ETALON_JOURNAL
aslr=tree/proc/sys/kernel/randomize_va_space

# machine NAME: a copy of the captured tree in ./tree, with a service manager of its own
machine()
{
	chmod -R u+w tree 2>/dev/null
	rm -rf tree before units gone log "$journal"*
	cp -a "$root/tests/sysroot/$1" tree
	cp -a tree before
	cp "$root/tests/cli/fake-systemctl" systemctl
	mkdir units
	export ETALON_SYSROOT=$work/tree ETALON_SYSTEMCTL=$work/systemctl
}

# unit NAME [PID]: an active unit, with the process that belongs to it
unit()
{
	echo active >"units/$1"
	[ -z "${2:-}" ] || echo "$2" >"units/$1.pid"
}

laptop()
{
	machine laptop
	unit cron.service 412
	unit cups.service 700
	unit cups.socket
	unit systemd-timesyncd.service 810
	unit irqbalance.service 820
	unit apt-daily.timer
	unit man-db.timer
}

state() { etalon env check --json | jq -r --arg f "$1" '.[] | select(.factor == $f) | .state'; }
value() { cat "$aslr"; }

# as_before NAME: the tree is what it was; a captured setting loses its brackets when written
as_before()
{
	ok "$1" diff -r --no-dereference -x enabled before tree
	is 'and huge pages' "$(tr -d '[]' <tree/sys/kernel/mm/transparent_hugepage/enabled | cut -d' ' -f1)" always
	is 'and the services' "$(cat units/*.service units/*.timer units/*.socket | sort -u)" active
	ok 'and no journal is left' test ! -e "$journal"
}

# --- check, on every machine
for name in laptop amd arm64 vm container; do
	machine "$name"
	exits "$name: check" 0 etalon env check
	is "$name: every factor has a row" "$(etalon env check -q | wc -l)" \
		"$(($(etalon env check --json | jq length) + 1))"
	ok "$name: fits 80 columns" test "$(wc -L <.out)" -le 80
	COLUMNS=40 exits "$name: check -v in 40 columns" 0 env COLUMNS=40 etalon env check -v
	exits "$name: dry run" 0 etalon env apply --dry-run
	ok "$name: changes nothing" diff -r --no-dereference before tree
	ok "$name: and keeps no journal" test ! -e "$journal"
done
exits 'JSON' 0 etalon env check --json
is 'has the agreed keys' "$(jq -c '.[0] | keys_unsorted' <<<"$out")" \
	'["factor","state","wanted","ok","severity","why","fix","changeable"]'
is 'and unknown is null' "$(jq -c '.[] | select(.factor == "smt") | .ok' <<<"$out")" null
exits '--only' 0 etalon env check --json --only aslr,turbo
is 'selects' "$(jq -r 'map(.factor) | sort | join(" ")' <<<"$out")" 'aslr turbo'
exits '--except' 0 etalon env check --json --only aslr,turbo --except turbo
is 'leaves out' "$(jq -r 'map(.factor) | join(" ")' <<<"$out")" 'aslr'
exits '-v' 0 etalon env check -v --only aslr
like 'says why' "$out" 'why +Addresses'
like 'and what to do' "$out" 'how +run sysctl'

# --- wrong usage
refuses 'no action' 2 'say what to do' etalon env
refuses 'an unknown action' 2 "unknown 'aply'" etalon env aply
refuses 'an unknown factor' 2 "unknown factor 'nosuch'" etalon env check --only aslr,nosuch
refuses 'an empty factor' 2 "unknown factor ''" etalon env check --only ''
refuses 'an option of another action' 2 'does not take' etalon env check --dry-run
refuses 'restore selects nothing' 2 'does not take' etalon env restore --only aslr
refuses 'what cannot be changed is no silent success' 3 'smt cannot be changed' etalon env apply --only smt
like 'with what a person can do' "$err" 'hint: .*sibling'

# --- apply and restore
laptop
exits 'apply' 3 etalon env apply
like 'a captured process cannot be held, and it is said' "$out" 'FAILED +tracker-miner-f .*: hold'
is 'turbo' "$(state turbo)" off
is 'governor' "$(state frequency-governor)" performance
is 'limits' "$(state frequency-limits)" '4200 MHz'
is 'idle states' "$(state c-states)" 'shallow only'
is 'address layout' "$(state aslr)" 0
is 'huge pages' "$(state transparent-huge-pages)" madvise
is 'daemons with a service' "$(state daemons)" 'postfix, tracker'
is 'timers' "$(state timers)" none
is 'time synchronisation' "$(state time-sync)" none
is 'irqbalance' "$(state irqbalance)" 'not running'
is 'the socket goes before the service' "$(grep -n '^stop cups' log | cut -d: -f2 | tr '\n' ' ')" \
	'stop cups.socket stop cups.service '
is 'the journal is private' "$(stat -c %a "$journal")" 600
ok 'sshd and the network are not touched' test "$(grep -cE 'ssh|Network' log)" -eq 0
exits 'what is to be given back' 0 etalon env restore --dry-run
like 'is told' "$out" 'randomize_va_space: 0 → 2'
is 'and not done' "$(value)" 0
exits 'restore' 0 etalon env restore
as_before 'everything is as before'
exits 'restore again' 0 etalon env restore
like 'has nothing to do' "$out" 'nothing to restore'

# The papers' list: stopped by systemd; what installs packages is left in peace.
machine amd
unit auditd.service 700
touch units/auditd.service.refuses
unit crond.service 710
unit packagekit.service 740
exits 'a service that will not stop' 3 etalon env apply --only daemons
like 'is said' "$out" 'FAILED +auditd.service: stop: .*Operation[[:space:]]+refused'
like 'the others are stopped' "$out" 'done +crond.service: stop'
like 'a package manager is left to its work' "$out" 'left +dnf \(process 730\)'
like 'and its service' "$out" 'left +packagekit.service: packages are being installed'
is 'only what was stopped is on record' "$(grep -c '^change' "$journal")" 2
exits 'restore' 0 etalon env restore
is 'auditd was never started again' "$(grep -c 'start auditd' log)" 0
ok 'as before' diff -r --no-dereference before tree

machine vm
unit cron.service 400
exits 'started by cron itself' 0 etalon env apply --only daemons
like 'etalon does not stop what it hangs on' "$out" 'left +cron.service: etalon itself runs in it'

# --- what systemd would not give back is left alone
# shows NAME TEXT: what else systemctl says of it
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
exits 'apply, where units cannot be started again' 3 etalon env apply --only daemons
like 'one that another needs' "$out" 'left +atd.service: reports.service would stop with it'
like 'one that nobody may start' "$out" 'left +exim4.service: systemd would not start it again'
like 'one that refuses' "$out" 'left +certmonger.service: systemd refuses to stop it'
like 'one of systemd-run' "$out" 'left +clamav-freshclam.service: systemd-run has created it'
like 'one that was masked while it ran' "$out" 'left +kerneloops.service: systemd would not'
like 'one that would come back at once' "$out" 'left +sendmail.service: sendmail.socket would start it again'
like 'one on its way' "$out" 'left +cupsd \(process 700\): systemd is starting or stopping it'
is 'these and an alias are not stopped' "$(grep ^stop log | sort | tr '\n' ' ')" \
	'stop anacron.service stop cron.service stop smartmontools.service stop snapd.seeded.service stop snapd.service stop snapd.socket '
exits 'restore' 0 etalon env restore
is 'the socket comes back before the services' "$(grep '^start snapd' log | tr '\n' ' ')" \
	'start snapd.socket start snapd.service start snapd.seeded.service '
is 'all is as it was' "$(cat units/*.service units/*.socket)" "$(cat was)"
etalon env apply -q --only daemons 2>/dev/null
unit snapd.service
exits 'killed between a socket and its service: restore' 0 etalon env restore
is 'both are as they were' "$(cat units/*.service units/*.socket)" "$(cat was)"
unit snapd.service
shows snapd.service 'CanStop=no'
shows snapd.socket 'RequiredBy=snapd.service'
exits 'what hangs on one that stays' 3 etalon env apply --only daemons
like 'stays, too' "$out" 'left +snapd.socket: snapd.service would stop with it'
run etalon env restore

machine laptop
unset ETALON_SYSTEMCTL
like 'without systemctl, timers that are enabled' "$(state timers)" 'man-db.*fstrim'
ln -s /dev/null tree/etc/systemd/system/fstrim.timer
unlike 'and not masked' "$(state timers)" fstrim
laptop
for _ in 1 2 3 4 5 6 7; do
	etalon env apply -q --only timers
	etalon env restore -q
done 2>/dev/null
as_before 'seven times in a row is not too often for systemd'

# --- twice, and somebody else meanwhile
laptop
exits 'apply' 0 etalon env apply --only aslr,turbo
exits 'apply again' 0 etalon env apply --only aslr,turbo
like 'has nothing to do' "$out" 'nothing to change'
echo 1 >$aslr
exits 'somebody has undone it' 0 etalon env apply --only aslr
like 'it is made again' "$out" 'again +/proc/sys/kernel/randomize_va_space'
exits 'restore' 0 etalon env restore
is 'gives back the first original' "$(value)" 2
exits 'apply' 0 etalon env apply --only aslr,turbo
echo 1 >$aslr
exits 'restore after somebody else has changed a value' 0 etalon env restore
like 'says so' "$out" 'changed +/proc/sys/kernel/randomize_va_space: was 2 before etalon, but it is 1'
is 'and leaves theirs' "$(value)" 1
is 'and gives back the rest' "$(cat tree/sys/devices/system/cpu/intel_pstate/no_turbo)" 0
ok 'the journal is gone' test ! -e "$journal"

# Limits follow turbo by themselves: that is nobody's change.
laptop
etalon env apply -q --only frequency-limits,turbo
echo 2400000 >tree/sys/devices/system/cpu/cpufreq/policy0/scaling_min_freq
exits 'a limit that the kernel has moved' 0 etalon env restore
as_before 'comes back'

# --- a reboot
laptop
etalon env apply -q --only aslr,timers
echo 99999999-1111-4111-8111-111111111111 >tree/proc/sys/kernel/random/boot_id
exits 'restore after a reboot' 0 etalon env restore
like 'the boot has reset it' "$out" 'rebooted +/proc/sys/kernel/randomize_va_space'
is 'nothing is written' "$(value)" 0
is 'nothing is started' "$(grep -c ^start log)" 0

# --- two at once
laptop
exec 9>>"$journal"
flock 9
refuses 'a second etalon is told' 3 'another etalon' etalon env apply --only aslr 9>&-
is 'and changes nothing' "$(value)" 2
exec 9>&-
laptop
for _ in 1 2 3 4; do etalon env apply -q --only aslr,turbo,c-states & done
wait
exits 'four at once, then restore' 0 etalon env restore
as_before 'as before'

# --- killed at any moment
laptop
for i in $(seq 40); do
	etalon env apply -q >/dev/null 2>&1 &
	sleep "0.0$((RANDOM % 10))$((RANDOM % 10))"
	{ kill -9 $! && wait $!; } 2>/dev/null
	[ $((i % 3)) -eq 0 ] || continue
	# The way back is cut off, too.
	etalon env restore -q >/dev/null 2>&1 &
	sleep "0.0$((RANDOM % 10))"
	{ kill -9 $! && wait $!; } 2>/dev/null
	# A systemctl that it had started is still at work.
	wait_until '! pgrep -f "$work/systemctl" >/dev/null'
done
wait_until '! pgrep -f "$work/systemctl" >/dev/null'
exits 'after 40 kills: restore' 0 etalon env restore
find tree -name '*.new' -delete
as_before 'everything is as before'

# --- run --env
laptop
exits 'run --env' 0 etalon run --env -q -r 2 --json run.json true
is 'the record tells the environment it ran in' \
	"$(jq -r '.environment[] | select(.factor == "turbo" or .factor == "aslr") | .state' run.json | tr '\n' ' ')" 'off 0 '
as_before 'then all is given back'
perl -e '$SIG{INT} = "DEFAULT"; exec @ARGV' etalon run --env -r 1000 'sleep 0.02' >/dev/null 2>&1 &
pid=$!
wait_until '[ "$(value)" = 0 ]'
is 'while it runs the value is changed' "$(value)" 0
run etalon list
unlike 'a run that is alive is no reason to warn' "$err" warning
kill -INT $pid
wait $pid
is 'Ctrl-C' $? 130
as_before 'gives back'
perl -e '$SIG{INT} = "DEFAULT"; exec @ARGV' etalon run --label later -w 0 -r 8 'sleep 0.2' >/dev/null 2>&1 &
pid=$!
wait_for_samples later 2
kill -INT $pid
wait $pid
exits '--env goes with --resume' 0 etalon run --env --resume=later
as_before 'and gives back'
etalon run --env --label changed -r 1000 'sleep 0.02' >/dev/null 2>&1 &
pid=$!
wait_for_samples changed 1
{ kill -9 $pid && wait $pid; } 2>/dev/null
is 'after kill -9 it stays' "$(value)" 0
exits 'the next etalon' 0 etalon list
like 'says so' "$err" 'run --env was killed before it restored [0-9]+ changes'
like 'and what to do' "$err" 'hint: .*etalon env restore'
exits 'the next run --env' 0 etalon run --env -r 2 true
like 'gives back what the other left' "$err" 'restored the changes of a killed run'
as_before 'and its own'
exits 'run without --env records, too' 0 etalon run -q -r 2 --json run.json true
is 'as it is' "$(jq -r '.environment[] | select(.factor == "turbo") | "\(.state) \(.wanted) \(.ok)"' run.json)" 'on off false'

# --- a journal that is not as it should be
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
exits 'a damaged line' 4 etalon env restore
like 'is said' "$err" '1 damaged|2 damaged'
is 'the others are followed' "$(value)" 2
ok 'the file is kept for a look' test -f "$journal.damaged"
ok 'but not in the way' test ! -e "$journal"
laptop
etalon env apply -q --only aslr
printf 'change 2 1 asl' >>"$journal"
exits 'a line cut off by a crash' 0 etalon env restore
is 'is no line' "$(value)" 2
etalon env apply -q --only aslr
head -c 100 /dev/urandom >>"$journal"
run etalon env restore
is 'garbage behind it: the rest is followed' "$(value)" 2
rm -f "$journal"*
echo keep >secret
{ title; forge "change 1 1 aslr file /../../secret 0 0 evil 0"
	forge "change 2 1 aslr file /etc/passwd 0 0 evil 0"
	forge "change 3 1 aslr file /proc/sys/kernel/randomize_va_space 0 0 2%0aevil 2"
	forge "change 4 1 daemons unit sshd.service 0 0 active inactive"
	forge "change 5 1 daemons process sshd 530 5300 running held"
	forge "change 6 1 daemons process cron 1 10 running held"
	forge "made 7 1"; forge "nonsense"; forge "change 8 9999999 aslr file $aslr 0 0 2 0"; } >"$journal"
private
exits 'a forged journal' 4 etalon env restore
like 'is not followed' "$err" '9 damaged lines'
is 'a file outside' "$(cat secret)" keep
ok 'as before' diff -r --no-dereference before tree
{ title; forge "change 1 1 aslr file /proc/sys/kernel/randomize_va_space 0 0 1 0"; } >"$journal"
chmod 666 "$journal"
refuses 'a journal that others can write to' 4 'other users could have written' etalon env restore
ln -sf secret "$journal.link"
ETALON_JOURNAL=$journal.link refuses 'a link' 4 'link|Too many' env ETALON_JOURNAL="$journal.link" etalon env restore
refuses 'a file of another kind' 4 'not a journal' env ETALON_JOURNAL="$work/secret" etalon env restore
refuses 'is not written to, either' 4 'not a journal' env ETALON_JOURNAL="$work/secret" etalon env apply --only aslr
is 'nor removed' "$(cat secret)" keep
refuses 'a folder' 4 'directory' env ETALON_JOURNAL="$work" etalon env restore
refuses 'a folder that cannot be' 4 'Not a directory' env ETALON_JOURNAL="$work/secret/x" etalon env apply --only aslr
is 'nothing was changed' "$(value)" 2

# --- what only root can set up
if [ "$(id -u)" -eq 0 ] && mkdir -p disk && mount -t tmpfs -o size=64k tmpfs disk 2>/dev/null; then
	trap 'umount "$work/disk" 2>/dev/null; rm -rf "$work"' EXIT
	laptop
	head -c 100k /dev/zero >disk/fill 2>/dev/null
	run env ETALON_JOURNAL="$work/disk/env.journal" etalon env apply
	is 'a full disk under the journal: exit 4' "$status" 4
	like 'says so' "$err" 'No space left'
	ok 'nothing is changed without a journal' diff -r --no-dereference -x enabled before tree
	ok 'none is left' test ! -e disk/env.journal
	rm disk/fill
	head -c 60k /dev/zero >disk/fill
	for size in 1 2 3 4; do
		run env ETALON_JOURNAL="$work/disk/env.journal" etalon env apply
		head -c ${size}k /dev/zero >>disk/fill 2>/dev/null
	done
	exits 'a disk that fills up meanwhile' 0 env ETALON_JOURNAL="$work/disk/env.journal" etalon env restore
	ok 'all that was changed comes back' diff -r --no-dereference -x enabled before tree
	umount disk
	laptop
	run unshare -m bash -c 'mount --bind tree tree && mount -o remount,bind,ro tree tree && etalon env apply --only aslr,turbo'
	if [[ $err == *unshare* ]]; then
		skip 'a read-only /sys' 'no namespaces here'
	else
		is 'a read-only /sys: exit 3' "$status" 3
		like 'says so' "$out" 'FAILED .*Read-only'
		ok 'and leaves no journal' test ! -e "$journal"
	fi
else
	skip 'a full disk, a read-only /sys' 'needs root and mount'
fi
if can_drop_privileges; then
	laptop
	run unprivileged etalon env apply --only aslr,turbo
	is 'without privileges: exit 3' "$status" 3
	like 'with the cure' "$err" 'hint: run it as root'
	is 'nothing is changed' "$(value)" 2
else
	skip 'without privileges' "$why_not"
fi
done_testing
