#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Tests env check, apply and restore with a real systemd: boots the installed one in its own
# namespaces and cgroup, with a few services and nothing else of this machine. It is not part of
# `make check`: run it as root.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/../cli/lib.sh"

none() { echo "1..0 # SKIP $1"; exit 0; }
cgroup=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
[ "$(id -u)" -eq 0 ] || none 'needs root'
[ -x /lib/systemd/systemd ] || none 'systemd is not installed'
[ -n "$cgroup" ] || none 'no cgroup v2 hierarchy is mounted'
cgroup=$cgroup/etalon-test-$$
mkdir "$cgroup" 2>/dev/null || none 'no cgroup can be created'

# --- Its root: this machine's files, read only, with private folders mounted over some of them.
cat >boot <<'EOF'
set -e
mount --make-rprivate /
mount --rbind / "$new"
mount -o remount,bind,ro "$new"
for folder in etc run tmp var dev; do
	mount -t tmpfs -o mode=755 tmpfs "$new/$folder"
done
cp -a /etc/passwd /etc/group /etc/nsswitch.conf /etc/ld.so.cache "$new/etc"
mkdir -p "$new/etc/systemd" "$new/run/bin" "$new/run/old" "$new/dev/shm" "$new/var/lib"
cp -a "$work/system" "$work/system.conf" "$new/etc/systemd"
echo 0123456789abcdef0123456789abcdef >"$new/etc/machine-id"
for name in atd backup certmonger chronyd cron exim4 freshclam kerneloops mandb smartd snapd; do
	cp /bin/sleep "$new/run/bin/$name"
done
cp "$ETALON" "$new/run/bin/etalon"
for device in null zero random urandom; do
	touch "$new/dev/$device"
	mount --bind "/dev/$device" "$new/dev/$device"
done
mount -t proc proc "$new/proc"
mount --bind "$new/proc/sys" "$new/proc/sys"
mount -o remount,bind,ro "$new/proc/sys"
mount -t sysfs -o ro sysfs "$new/sys"
mount -t cgroup2 cgroup2 "$new/sys/fs/cgroup"
cd "$new"
pivot_root . run/old
umount -l /run/old
exec env -i container=other PATH=/usr/sbin:/usr/bin:/sbin:/bin /lib/systemd/systemd \
	--unit=trial.target --log-target=console --show-status=no </dev/null
EOF

# unit NAME TEXT: writes a unit file
mkdir system new
unit() { printf '[Unit]\nDefaultDependencies=no\n%b\n' "$2" >"system/$1"; }
# service NAME PROCESS [TEXT]
service() { unit "$1.service" "${3:-}\n[Service]\nExecStart=/run/bin/$2 infinity"; }
printf '[Manager]\nDefaultStandardOutput=null\nDefaultStandardError=null\n' >system.conf
service cron cron
service smartmontools smartd
ln -s smartmontools.service system/smartd.service
service atd atd
service backup backup 'Requires=atd.service\nAfter=atd.service'
service certmonger certmonger 'RefuseManualStop=yes'
service exim4 exim4 'RefuseManualStart=yes'
service snapd snapd
unit snapd.socket '[Socket]\nListenStream=/run/snapd.sock'
service snapd.seeded backup 'Requires=snapd.socket\nAfter=snapd.socket'
service haldaemon nosuch
service man-db mandb
unit man-db.timer '[Timer]\nOnCalendar=yearly'
service kerneloops kerneloops
service chrony chronyd
ln -s chrony.service system/chronyd.service
unit trial.target 'Wants=cron.service smartmontools.service backup.service certmonger.service
Wants=exim4.service snapd.socket snapd.service haldaemon.service man-db.timer kerneloops.service
Wants=snapd.seeded.service small.target'
unit small.target 'Wants=cron.service man-db.timer'

export new=$work/new work ETALON
(
	echo "$BASHPID" >"$cgroup/cgroup.procs"
	exec unshare --fork --pid --mount --uts --ipc --net --cgroup --kill-child bash boot
) >boot.log 2>&1 &
outer=$!
# shellcheck disable=SC2317 # called by the trap
finish()
{
	{ kill -9 "$outer" && wait "$outer"; } 2>/dev/null
	wait_until 'find "$cgroup" -depth -type d -exec rmdir {} + 2>/dev/null; [ ! -d "$cgroup" ]' 5
	clean_up
}
trap finish EXIT

# inside COMMAND…: runs it under the booted systemd
inside()
{
	nsenter -t "$(pgrep -P "$outer")" -m -p -u -i -n -C env -i HOME=/tmp COLUMNS=80 \
		PATH=/run/bin:/usr/sbin:/usr/bin:/sbin:/bin ETALON_JOURNAL=/run/journal "$@"
}
state=
wait_until 'state=$(inside systemctl is-system-running 2>/dev/null); [[ $state == running || $state == degraded ]]'
is 'setup: systemd runs, with one failed service' "$state" degraded || { note "$(tail boot.log)"; done_testing; }

snapshot()
{
	inside systemctl list-units --all --plain --no-legend --no-pager \
		--type=service,socket,timer | awk '{ print $1, $2, $3, $4 }' | sort
}
# as_before NAME: checks that units are as in the file before, and that there is no journal
as_before()
{
	is "$1: all units are as before" "$(snapshot)" "$(cat before)"
	ok "$1: no journal is left" inside test ! -e /run/journal
}
factors=daemons,timers

inside ln -sf /dev/null /etc/systemd/system/kerneloops.service
inside systemctl daemon-reload
inside systemd-run -q --unit=clamav-freshclam -p DefaultDependencies=no /run/bin/freshclam infinity
snapshot >before
like 'setup: a service is masked while it runs' "$(cat before)" 'kerneloops.service masked active'

exits 'check: succeeds' 0 inside etalon env check --only $factors
like 'check: lists the services' "$out" 'atd, certmonger, cron, snapd'
like 'check: lists the timer' "$out" 'timers +man-db'
exits 'dry run: succeeds' 0 inside etalon env apply --dry-run --only $factors
as_before 'dry run'

exits 'apply: succeeds' 0 inside etalon env apply --only $factors
for name in cron.service smartmontools.service snapd.seeded.service snapd.socket snapd.service \
	man-db.timer; do
	like "apply: reports that $name is stopped" "$out" "done +$name: stop"
	is "apply: $name is inactive" "$(inside systemctl is-active $name)" inactive
done
unlike 'apply: a service with an alias is stopped once' "$out" smartd.service
like 'apply: a service that another one requires is not stopped' "$out" 'left +atd.service: backup.service would stop with it'
like 'apply: a service with RefuseManualStop is not stopped' "$out" 'left +certmonger.service: systemd refuses to stop it'
like 'apply: a service with RefuseManualStart is not stopped' "$out" 'left +exim4.service: systemd would not start it again'
like 'apply: a masked service is not stopped' "$out" 'left +kerneloops.service: systemd would not start it again'
like 'apply: a service of systemd-run is not stopped' "$out" 'left +clamav-freshclam.service: systemd-run has created it'
exits 'apply: succeeds a second time' 0 inside etalon env apply --only $factors
inside systemctl start cron
exits 'apply: succeeds after a service was started by hand' 0 inside etalon env apply --only $factors
like 'apply: stops a service again that was started by hand' "$out" 'again +cron.service: stop'
inside systemctl start cron
exits 'restore: succeeds' 0 inside etalon env restore
like 'restore: reports a service that already runs' "$out" 'already +cron.service'
as_before 'restore'

like 'check: a time daemon that does not run is named' "$(inside etalon env check --only time-sync)" 'chronyd does not run'
exits 'apply: a time daemon is started' 0 inside etalon env apply --only time-sync
like 'apply: reports that the time daemon is started, by its primary name' "$out" 'done +chrony.service: start'
is 'apply: the time daemon is active' "$(inside systemctl is-active chrony.service)" active
exits 'apply: the time daemon is left alone with the other factors' 0 inside etalon env apply --only $factors,time-sync
is 'apply: the time daemon is still active' "$(inside systemctl is-active chrony.service)" active
exits 'restore: succeeds with a time daemon' 0 inside etalon env restore
like 'restore: reports that the time daemon is stopped' "$out" 'restored +chrony.service: stop'
as_before 'restore with a time daemon'
inside systemctl start chrony.service
inside etalon env apply -q --only time-daemon
is 'apply: time-daemon stops the time daemon' "$(inside systemctl is-active chrony.service)" inactive
inside etalon env restore -q
is 'restore: the time daemon is active again' "$(inside systemctl is-active chrony.service)" active
exits 'apply: a running time daemon is kept' 0 inside etalon env apply --only time-sync
like 'apply: a running time daemon needs no change' "$out" 'nothing to change'
inside systemctl stop chrony.service

failed=0
for _ in 1 2 3 4 5 6 7 8; do
	inside etalon env apply -q --only $factors && inside etalon env restore -q || failed=1
done
is 'apply and restore: succeed eight times in a row' $failed 0
as_before 'after eight times'

killed=0
for delay in 0.05 0.1 0.15 0.2 0.3 1; do
	inside bash -c "etalon run --env -r 1000 'sleep 0.05' >/dev/null 2>&1 & sleep $delay
		kill -9 \$!" 2>/dev/null
	[ "$(snapshot)" = "$(cat before)" ] || killed=$((killed + 1))
	exits "run --env killed after $delay s: restore succeeds" 0 inside etalon env restore
	as_before "run --env killed after $delay s"
done
ok 'run --env: some kills left services stopped or started' test $killed -gt 0
exits 'run --env: succeeds' 0 inside etalon run -q --env -r 2 true
as_before 'run --env'

# A target as a level stops what it does not want, and nothing else; see etalon-plan(5), services.
cat >plan.yaml <<'END'
name: targets
programs: [{ name: p, command: "sh -c 'echo {rl} $(systemctl is-active cron smartmontools snapd.socket man-db.timer) >>/run/seen'" }]
factors: [{ name: rl, kind: services, levels: [trial.target, small.target] }]
replications: 3
discard: 0
seed: 3
run: { no-ledger: true, no-probe: true }
END
exits 'doe run: a target is a level of services' 0 inside etalon doe run - <plan.yaml
is 'doe run: services that the target does not want are stopped, and no others' "$(inside sort -u /run/seen)" \
	$'small.target active inactive inactive active\ntrial.target active active active active'
as_before 'doe run'
done_testing
