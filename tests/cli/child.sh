#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A measured program finds in /proc/self and by system calls what it would find if the user's shell
# had started it. self-view prints that, and here the outputs are compared in every arrangement.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

: "${SELF_VIEW:=$root/build/tests/cli/self-view}" "${STOP_PREPARED:=$root/build/tests/cli/stop-prepared}"
: "${STEAL_INPUT:=$root/build/tests/cli/steal-input}"
exec 7</dev/null # etalon does not hand it on

# caller: the words of a command that starts another one with the attributes of a certain caller
caller=()
# by_shell: yes if a shell is to start the program without etalon, as it starts hooks
by_shell=
# place: a folder in which the caller may write
place=$work

# same NAME COMMAND…: the program that the command runs has written into `seen` what a program that
# the caller starts without etalon writes into `own`
same()
{
	local name=$1
	shift
	rm -f "$place/seen" "$place/own"
	if [ "$by_shell" ]; then
		"${caller[@]}" /bin/sh -c "$place/self-view print $place/own" 2>err
	else
		"${caller[@]}" "$place/self-view" print "$place/own" 2>err
	fi
	"${caller[@]}" "$@" >out 2>>err
	# The shell hands on all of its descriptors, etalon only the first three.
	sed -i '/^environment \(ETALON\|HYPERFINE\)_ITERATION=/d' "$place/seen"
	sed -i '/^descriptor \([3-9]\|..\)/d' "$place/own"
	[ -s "$place/seen" ] && cmp -s "$place/own" "$place/seen"
	tap_report $? "$name" || {
		note "command: ${caller[*]} $*"
		note "$(diff "$place/own" "$place/seen")"
		note "$(cat err)"
	}
}

# cpu: the CPU on which etalon runs programs that share one
cpu=$(taskset -cp $$ | sed 's/.*[ ,-]//')

# arrangements WHO: compares for each way to run a program
arrangements()
{
	local who=$1 print="$place/self-view print $place/seen" unpinned=("${caller[@]}")
	# shellcheck disable=SC2086 # several words
	set -- $print
	same "child: solo is the caller's own, $who" etalon run -r 2 --no-ledger -- "$@"
	same "child: with the ledger it is the caller's own, $who" etalon run -r 2 -- "$@"
	same "child: with --output inherit it is the caller's own, $who" \
		etalon run -r 2 --output inherit -- "$@"
	same "child: with --metronome it is the caller's own, $who" \
		etalon run -r 2 --order sequential --metronome 1ms "$print" true
	by_shell=yes
	same "child: a --prepare hook is the caller's own, $who" etalon run -r 2 --prepare "$print" true
	same "child: a --cleanup hook is the caller's own, $who" etalon run -r 2 --cleanup "$print" true
	by_shell=
	# The programs of a duet share one CPU, so the caller may use only that one.
	caller+=(taskset -c "$cpu")
	same "child: in a duet it is the caller's own, $who" \
		etalon run -r 3 --order duet "$print" 'sh -c :'
	same "child: with --pace it is the caller's own, $who" etalon run -r 2 --pace -- "$@"
	if [ "$(id -u)" -eq 0 ] && [ "$place" = "$work" ]; then
		same "child: in a trace it is the caller's own, $who" etalon trace -- "$@"
	else
		skip "child: in a trace it is the caller's own, $who" 'needs root'
	fi
	caller=("${unpinned[@]}")
}

cp "$SELF_VIEW" self-view
arrangements 'ordinary caller'
caller=("$work/self-view" odd)
arrangements 'unusual caller'

# The kernel clears the parent-death signal of a program that gains privileges.
etalon run -r 1 --output deathsig -- ./self-view deathsig >out 2>err
is 'child: a program is killed if etalon is killed' "$(cat deathsig)" 9

# On a busy machine etalon takes a real-time priority. A fake load average makes it do so.
echo '9999.00 9999.00 9999.00 1/100 4711' >loadavg
# shellcheck disable=SC2016 # the inner shell expands it
busy=(unshare -m sh -c 'mount --bind "$0" /proc/loadavg && exec "$@"' "$work/loadavg")
if "${busy[@]}" chrt -f 1 grep -q 9999 /proc/loadavg 2>/dev/null; then
	caller=("${busy[@]}")
	"${caller[@]}" etalon run -r 2 --output policy -- sh -c 'chrt -p $PPID' >/dev/null 2>&1
	like 'child: etalon has a real-time priority while a program runs on a busy machine' \
		"$(cat policy)" SCHED_FIFO
	arrangements 'busy machine'
	caller=("${busy[@]}" "$work/self-view" odd)
	arrangements 'busy machine, unusual caller'
	caller=("${busy[@]}" nice -n 3)
	same 'child: a nice value is handed on, busy machine' \
		etalon run -r 2 -- "$work/self-view" print "$work/seen"
else
	skip 'child: arrangements on a busy machine' 'needs root and a mount namespace'
fi
caller=(chrt --batch 0)
same 'child: a scheduling policy is handed on' \
	etalon run -r 2 -- "$work/self-view" print "$work/seen"

if can_drop_privileges; then
	cp "$SELF_VIEW" "$public/self-view"
	place=$public
	caller=(unprivileged)
	arrangements 'unprivileged caller'
	# With RLIMIT_RTPRIO a user without privileges may take the priority as well.
	if "${busy[@]}" prlimit --rtprio=1 true 2>/dev/null; then
		caller=("${busy[@]}" prlimit --rtprio=1 setpriv --reuid 65534 --regid 65534
			--clear-groups env -C "$public" PATH="$public/bin:$PATH"
			ETALON_STORE="sqlite:$public/store.db")
		arrangements 'busy machine, unprivileged caller'
	else
		skip 'child: arrangements of an unprivileged caller with RLIMIT_RTPRIO' \
			'needs CAP_SYS_RESOURCE and a mount namespace'
	fi
else
	skip 'child: arrangements of an unprivileged caller' "$why_not"
fi

# --- another user ---

if ! can_drop_privileges || ! id nobody >/dev/null 2>&1; then
	skip 'user: the program of --user nobody' "${why_not:-there is no user nobody}"
	done_testing
fi
place=$public
caller=()
nobody=(setpriv --reuid nobody --regid "$(id -g nobody)" --init-groups --inh-caps=-all)

cp "$SELF_VIEW" private-view
chmod 700 private-view
refuses 'user: a program that only the caller may execute is refused' 2 'Permission denied' \
	etalon run -r 1 --user nobody -- ./private-view print
like 'user: the hint names the permissions of the folders, too' "$err" 'hint: .*namei -l'

# same_user NAME OPTION…: a program of --user finds what one finds that setpriv starts as this user.
# Its environment is another.
same_user()
{
	local name=$1
	shift
	rm -f "$place/seen" "$place/own"
	"${nobody[@]}" "$place/self-view" print "$place/own" </dev/null
	etalon run -r 2 --user nobody "$@" >out 2>err
	sed -i '/^descriptor \([3-9]\|..\)/d; /^environment/d' "$place/own" "$place/seen"
	[ -s "$place/seen" ] && cmp -s "$place/own" "$place/seen"
	tap_report $? "$name" || {
		note "options: $*"
		note "$(diff "$place/own" "$place/seen")"
		note "$(cat err)"
	}
}

chmod 777 "$public"
print="$public/self-view print $public/seen"
# shellcheck disable=SC2086 # several words
set -- $print
same_user 'user: a program of --user has the attributes of a process of this user' -- "$@"
same_user 'user: with the ledger off it has these attributes' --no-ledger -- "$@"

etalon run -r 1 --user nobody --output deathsig -- "$public/self-view" deathsig >out 2>err
is 'user: a program of --user is killed if etalon is killed' "$(cat deathsig)" 9

# capabilities CALLER…: the lines of /proc/self/status that hold any capability but the bounding set
capabilities()
{
	rm -f "$public/seen"
	"$@" etalon run -r 1 --user nobody -- "$public/self-view" print "$public/seen" >out 2>err
	grep -E 'Cap(Inh|Prm|Eff|Amb):|NoNewPrivs' "$public/seen" | sed 's/.*status: //; s/\t/ /' | paste -sd ' '
}

none='CapInh: 0000000000000000 CapPrm: 0000000000000000 CapEff: 0000000000000000'
none+=' CapAmb: 0000000000000000 NoNewPrivs: 0'
is 'user: the program has no capability' "$(capabilities env)" "$none"
ambient=(setpriv '--inh-caps=+chown,+kill' '--ambient-caps=+chown,+kill')
if "${ambient[@]}" --securebits=+no_setuid_fixup true 2>/dev/null; then
	is 'user: ambient and inheritable capabilities are dropped' \
		"$(capabilities "${ambient[@]}")" "$none"
	is 'user: no capability survives with SECBIT_NO_SETUID_FIXUP' \
		"$(capabilities "${ambient[@]}" --securebits=+no_setuid_fixup)" "$none"
	like 'user: SECBIT_NO_SETUID_FIXUP is cleared' "$(cat "$public/seen")" 'securebits 0 '
	is 'user: no capability survives with SECBIT_NO_SETUID_FIXUP locked' \
		"$(capabilities "${ambient[@]}" --securebits=+no_setuid_fixup,+no_setuid_fixup_locked)" \
		"$none"
else
	skip 'user: ambient and inheritable capabilities are dropped' 'needs CAP_SETPCAP'
fi

is 'user: --no-new-privs sets the attribute' \
	"$(etalon run -r 1 --user nobody --no-new-privs -- "$@" >out 2>err; grep -c 'no_new_privs 1 ' "$public/seen")" 1

# The environment: an allow-list, and what the caller names.
export SECRET_TOKEN=hush AWS_SECRET_ACCESS_KEY=hush LD_LIBRARY_PATH=/nowhere
env -i HOME="$HOME" PATH="$PATH" TZ=UTC TERM=vt100 LANG=C LC_ALL=C.UTF-8 SUDO_USER=me SECRET_TOKEN=hush \
	LD_PRELOAD= ETALON_STORE="$ETALON_STORE" etalon run -r 1 --user nobody -- "$@" >out 2>err
is 'user: the program gets only variables of the allow-list, and its own HOME, USER, LOGNAME and SHELL' \
	"$(sed -n 's/^environment \([^=]*\)=.*/\1/p' "$public/seen" | sort | paste -sd ' ')" \
	'HOME HYPERFINE_ITERATION LANG LC_ALL LOGNAME PATH SHELL TERM TZ USER'
is "user: HOME is the user's" "$(sed -n 's/^environment HOME=//p' "$public/seen")" \
	"$(getent passwd nobody | cut -d: -f6)"
is "user: PATH is the caller's" "$(sed -n 's/^environment PATH=//p' "$public/seen")" "$PATH"
etalon run -r 1 --user nobody --label passed --pass-env SECRET_TOKEN,LD_LIBRARY_PATH \
	--pass-env AWS_SECRET_ACCESS_KEY -- "$@" >out 2>err
is 'user: --pass-env passes the variables that it names' \
	"$(grep -cE '^environment (SECRET_TOKEN|AWS_SECRET_ACCESS_KEY|LD_LIBRARY_PATH)=' "$public/seen")" 3
run etalon show --json passed
json 'user: the record has the names of the passed variables' \
	"d['child']['pass_env'] == 'SECRET_TOKEN,LD_LIBRARY_PATH,AWS_SECRET_ACCESS_KEY'"
unlike 'user: the record does not have their values' "$out" hush

# A resumed experiment passes the same variables, with the values of its own environment.
etalon run -r 1000 --label again --user nobody --pass-env SECRET_TOKEN -- sleep 0.01 >out 2>err &
wait_for_samples again 2
kill -TERM $!
wait $!
refuses 'user: --resume wants the variables that --pass-env named' 2 'no variable SECRET_TOKEN' \
	env -u SECRET_TOKEN etalon run --resume=again
refuses 'user: a variable that is not set cannot be passed' 2 'no variable UNHEARD_OF' \
	etalon run --user nobody --pass-env UNHEARD_OF true
refuses 'user: --pass-env takes no values' 2 "'A=1' is not the name" \
	etalon run --user nobody --pass-env A=1 true
refuses 'user: --pass-env needs --user' 2 'needs --user' etalon run --pass-env TZ true
unset SECRET_TOKEN AWS_SECRET_ACCESS_KEY LD_LIBRARY_PATH

# Somebody types on the terminal on which etalon runs.
cp "$STEAL_INPUT" "$public/steal-input"
cat >type.py <<'EOF'
import os, pty, sys
pid, terminal = pty.fork()
if pid == 0:
    os.execvp(sys.argv[1], sys.argv[1:])
os.write(terminal, b"root-password\n")
try:
    while text := os.read(terminal, 4096):
        os.write(1, text)
except OSError:
    pass # the terminal has no other side any more
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
EOF
exits 'user: a program of --user writes to the terminal' 0 \
	python3 type.py etalon run -w 0 -r 1 --user nobody --output inherit -- \
	"$public/steal-input" "$public/stolen"
like 'user: the terminal shows the output of the program' "$out" 'output of the program'
is 'user: the program can neither read from the terminal nor put input into it' \
	"$(paste -sd ';' "$public/stolen")" \
	'descriptor 1 is a terminal;descriptor 1: Bad file descriptor;descriptor 2 is a terminal;descriptor 2: Bad file descriptor'
cat >on-socket.py <<'EOF'
import socket, subprocess, sys
ours, theirs = socket.socketpair()
sys.exit(subprocess.run(sys.argv[1:], stdout=theirs).returncode)
EOF
refuses 'user: a socket as standard output is not handed to another user' 3 'could read from standard output' \
	python3 on-socket.py etalon run -r 1 --user nobody --output inherit true

# Another process of the user stops a child before it executes its program. Whether it hits the child
# in time is chance, so this is repeated; in each case etalon ends when it is told to.
cp "$STOP_PREPARED" "$public/stop-prepared"
for arrangement in solo duet; do
	programs=(/bin/true)
	[ "$arrangement" = solo ] || programs=(--order duet /bin/true 'sh -c :')
	stopped=0
	for try in 1 2 3 4; do
		etalon run -r 100000 --no-ledger --user nobody "${programs[@]}" >out 2>err &
		etalon=$!
		"${nobody[@]}" "$public/stop-prepared" 2 "$etalon" >stopped 2>&1 && stopped=$((stopped + 1))
		kill -TERM "$etalon"
		wait_until 'gone "$etalon"' 20 || { kill -KILL "$etalon"; break; }
		wait "$etalon"
		status=$?
		[ "$status" -eq 143 ] || { note "try $try: status $status: $(cat err)"; break; }
		try='done'
	done
	is "user: etalon ends by SIGTERM though another process stops its child, $arrangement" \
		"$try" 'done'
	note "$stopped children were stopped"
done

done_testing
