# shellcheck shell=bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Real sshd processes on 127.0.0.1 for tests, as root or as an ordinary user. Each host has a port, a
# home, a PATH and an identity (ETALON_MACHINE) of its own, so that one machine counts as several.
# Keys and configurations are in $sshd_dir; `ssh` on the PATH uses them. A script sources this after
# cli/lib.sh, and calls sshd_stop before it ends (a trap does it, too).
# shellcheck disable=SC2154 # cli/lib.sh sets it
sshd_dir=$work/sshd
sshd_program=$(PATH=$PATH:/usr/sbin:/usr/local/sbin command -v sshd)
sshd_made_run=

# sshd_possible: whether sshd can run here; if not, $why_not is the reason
sshd_possible()
{
	why_not='sshd is not installed (openssh-server)'
	[ -n "$sshd_program" ] || return 1
	# shellcheck disable=SC2034 # scripts print it
	why_not='ssh or ssh-keygen is not installed (openssh-client)'
	command -v ssh >/dev/null && command -v ssh-keygen >/dev/null
}

# sshd_prepare: keys, and a program ssh that uses them
sshd_prepare()
{
	local real
	real=$(command -v ssh)
	mkdir -m 700 "$sshd_dir"
	ssh-keygen -q -t ed25519 -N '' -f "$sshd_dir/key"
	ssh-keygen -q -t ed25519 -N '' -f "$sshd_dir/host_key"
	cp "$sshd_dir/key.pub" "$sshd_dir/authorized"
	: >"$sshd_dir/config"
	printf '#!/bin/sh\nexec %s -F %s/config "$@"\n' "$real" "$sshd_dir" >"$work/bin/ssh"
	chmod +x "$work/bin/ssh"
	# Debian's sshd wants this folder if root runs it.
	if [ "$(id -u)" -eq 0 ] && [ ! -d /run/sshd ]; then
		mkdir -m 755 /run/sshd && sshd_made_run=1
	fi
	trap 'sshd_stop; clean_up' EXIT
}

# sshd_run HOST: starts its sshd, on the port of its configuration
sshd_run()
{
	"$sshd_program" -f "$sshd_dir/$1.conf" -D -e 2>>"$sshd_dir/$1.log" &
	echo $! >"$sshd_dir/$1.pid"
	disown
	wait_until "grep -q 'Server listening' $sshd_dir/$1.log || ! kill -0 $(cat "$sshd_dir/$1.pid") 2>/dev/null" 10 &&
		kill -0 "$(cat "$sshd_dir/$1.pid")" 2>/dev/null
}

# sshd_start HOST [NAME=VALUE…]: a host of that name with these variables
sshd_start()
{
	local host=$1 port i
	shift
	mkdir -p "$sshd_dir/home.$host"
	for i in 1 2 3 4 5; do
		port=$((20000 + (BASHPID * 7 + RANDOM + i) % 12000))
		cat >"$sshd_dir/$host.conf" <<-END
			ListenAddress 127.0.0.1:$port
			HostKey $sshd_dir/host_key
			PidFile none
			AuthorizedKeysFile $sshd_dir/authorized
			PasswordAuthentication no
			KbdInteractiveAuthentication no
			StrictModes no
			UsePAM no
			PermitRootLogin yes
			PrintMotd no
			MaxStartups 100
			SetEnv HOME=$sshd_dir/home.$host ETALON_MACHINE=machine-$host $*
		END
		: >"$sshd_dir/$host.log"
		sshd_run "$host" && break
	done
	cat >>"$sshd_dir/config" <<-END
		Host $host
			HostName 127.0.0.1
			Port $port
			HostKeyAlias $host
			User $(id -un)
			IdentityFile $sshd_dir/key
			IdentitiesOnly yes
			UserKnownHostsFile $sshd_dir/known
			GlobalKnownHostsFile /dev/null
	END
	echo "$host $(cat "$sshd_dir/host_key.pub")" >>"$sshd_dir/known"
	ssh -o BatchMode=yes "$host" true 2>"$sshd_dir/error"
}

# sshd_kill HOST: kills the server and its connections, not the tasks
sshd_kill()
{
	local pid child
	pid=$(cat "$sshd_dir/$1.pid" 2>/dev/null) || return 0
	child=$(pgrep -P "$pid")
	# shellcheck disable=SC2046,SC2086 # lists
	kill -9 $pid $child $(for i in $child; do pgrep -P "$i" -x sshd; done) 2>/dev/null
	: >"$sshd_dir/$1.log"
	wait_until "gone $pid"
}

# sshd_stop: ends all servers, and the tasks that a failed test left
sshd_stop()
{
	local host file pid
	for file in "$sshd_dir"/home.*/.local/state/etalon/tasks/*/*/*/pid; do
		[ -e "$file" ] && [ ! -e "${file%pid}exit" ] && read -r pid _ <"$file" && kill -9 -- "-$pid" 2>/dev/null
	done
	for host in "$sshd_dir"/*.pid; do
		[ ! -e "$host" ] || sshd_kill "$(basename "$host" .pid)"
	done
	[ -z "$sshd_made_run" ] || rmdir /run/sshd
}
