# shellcheck shell=bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A Slurm cluster on this machine for tests: a controller and two nodes, n1 and n2, on loopback, with
# their state in $slurm_dir. Sourced after tests/cli/lib.sh, whose $work holds the folder.
#	slurm_possible || { skip … "$why_not"; done_testing; }
#	slurm_start
# The nodes count as two machines: ETALON_MACHINE is the name of the node there. The cluster ends with
# the script. One munged per machine serves all clusters; it is started if necessary and left running.

# shellcheck disable=SC2154 # of tests/cli/lib.sh
slurm_dir=$work/slurm
slurm_nodes='n1 n2'

# slurm_possible: whether a cluster can be started here; if not, $why_not is the reason. Slurm looks its own
# host name up: where it does not resolve, as on a bare Debian, the whole script runs in a mount namespace
# in which /etc/hosts has it.
slurm_possible()
{
	local program
	why_not='Slurm needs root here'
	[ "$(id -u)" -eq 0 ] || return 1
	for program in slurmctld slurmd sbatch munged; do
		# shellcheck disable=SC2034 # scripts print it
		why_not="$program is not installed (Debian: slurm-wlm and munge)"
		PATH=$PATH:/usr/sbin command -v "$program" >/dev/null || return 1
	done
	PATH=$PATH:/usr/sbin
	getent hosts "$(hostname)" >/dev/null && return
	# shellcheck disable=SC2034 # scripts print it
	why_not="the host name '$(hostname)' does not resolve"
	[ -z "${slurm_has_hosts:-}" ] && unshare --mount true 2>/dev/null || return 1
	# shellcheck disable=SC2016 # the inner shell expands it
	slurm_has_hosts=1 unshare --mount bash -c '{ cat /etc/hosts; echo "127.0.0.1 $(hostname)"; } >"$TMPDIR/hosts" &&
		mount --bind "$TMPDIR/hosts" /etc/hosts; exec "$@"' "$0" "$(cd "$OLDPWD" && realpath "$0")"
	exit
}

# port_is_free PORT: nothing listens there on loopback
port_is_free()
{
	! (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null
}

# slurm_free_ports: three successive ports below the range of outgoing connections
slurm_free_ports()
{
	local first=$((10000 + $$ % 5000 * 4)) try
	for try in 1 2 3 4 5 6 7 8 9; do
		if port_is_free $first && port_is_free $((first + 1)) && port_is_free $((first + 2)); then
			echo $first
			return
		fi
		first=$(((first - 10000 + try * 444) % 20000 + 10000))
	done
	return 1
}

slurm_start_munge()
{
	munge -n >/dev/null 2>&1 && return
	install -d -o munge -g munge -m 711 /run/munge
	[ -s /etc/munge/munge.key ] || mungekey --create 2>/dev/null
	chown munge:munge /etc/munge/munge.key
	# slurm_stop of this test must not end it: another test may use it.
	env -u SLURM_CONF runuser -u munge -- munged --pid-file=/run/munge/munged.pid >/dev/null 2>&1
	wait_until 'munge -n >/dev/null 2>&1' 10
}

# slurm_configure [LINE…]: writes slurm.conf; each LINE is added
slurm_configure()
{
	local port host
	host=$(hostname)
	port=$(slurm_free_ports) || return 1
	mkdir -p "$slurm_dir/state" "$slurm_dir/spool.n1" "$slurm_dir/spool.n2"
	cat >"$slurm_dir/slurm.conf" <<-END
		ClusterName=etalon
		SlurmctldHost=$host(127.0.0.1)
		SlurmctldPort=$port
		SlurmUser=root
		SlurmdUser=root
		AuthType=auth/munge
		CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
		StateSaveLocation=$slurm_dir/state
		SlurmdSpoolDir=$slurm_dir/spool.%n
		SlurmctldPidFile=$slurm_dir/slurmctld.pid
		SlurmdPidFile=$slurm_dir/slurmd.%n.pid
		SlurmctldLogFile=$slurm_dir/slurmctld.log
		SlurmdLogFile=$slurm_dir/slurmd.%n.log
		TaskProlog=$slurm_dir/prolog
		ProctrackType=proctrack/linuxproc
		TaskPlugin=task/affinity
		JobAcctGatherType=jobacct_gather/none
		AccountingStorageType=accounting_storage/none
		SelectType=select/cons_tres
		SelectTypeParameters=CR_Core
		SchedulerParameters=sched_interval=1,bf_interval=1,batch_sched_delay=0,sched_min_interval=100000
		MpiDefault=none
		ReturnToService=2
		SlurmctldTimeout=10
		SlurmdTimeout=4
		BatchStartTimeout=1
		MessageTimeout=5
		KillWait=2
		MinJobAge=3600
		MaxArraySize=1001
		MaxJobCount=10000
		JobRequeue=1
		SlurmdParameters=config_overrides
		NodeName=n1 NodeHostname=$host NodeAddr=127.0.0.1 Port=$((port + 1)) CPUs=2 RealMemory=1000
		NodeName=n2 NodeHostname=$host NodeAddr=127.0.0.1 Port=$((port + 2)) CPUs=2 RealMemory=1000
		PartitionName=bench Nodes=n1,n2 Default=YES MaxTime=INFINITE State=UP OverSubscribe=EXCLUSIVE
	END
	[ $# -eq 0 ] || printf '%s\n' "$@" >>"$slurm_dir/slurm.conf"
	cat >"$slurm_dir/prolog" <<-'END'
		#!/bin/sh
		echo "export ETALON_MACHINE=$SLURMD_NODENAME"
	END
	chmod +x "$slurm_dir/prolog"
	export SLURM_CONF=$slurm_dir/slurm.conf
}

slurm_pid()
{
	cat "$slurm_dir/$1.pid" 2>/dev/null
}

# slurm_start_controller [-c]: -c forgets all jobs
slurm_start_controller()
{
	slurmctld "$@" >>"$slurm_dir/start.log" 2>&1
}

# slurm_start_node NODE
slurm_start_node()
{
	slurmd -N "$1" >>"$slurm_dir/start.log" 2>&1
}

# slurm_kill NAME: kills slurmctld, slurmd.n1 or slurmd.n2 with SIGKILL; jobs continue
slurm_kill()
{
	local pid
	pid=$(slurm_pid "$1") && kill -9 "$pid" && wait_until "gone $pid" 10
}

# slurm_idle: all nodes are idle
slurm_idle()
{
	[ "$(sinfo -h -N -p bench -o '%T' 2>/dev/null | sort -u)" = idle ]
}

# slurm_start [LINE…]: a new cluster; fails if it is not ready within 30 s
slurm_start()
{
	local node
	slurm_configure "$@" && slurm_start_munge || return 1
	# tests/postgres.sh may have been sourced, too.
	if declare -F pg_clean >/dev/null; then
		trap 'slurm_stop; pg_clean; clean_up' EXIT
	else
		trap 'slurm_stop; clean_up' EXIT
	fi
	slurm_start_controller -c
	for node in $slurm_nodes; do
		slurm_start_node "$node"
	done
	wait_until slurm_idle 30
}

# slurm_processes: every process that was started in this cluster's name: daemons, steps, jobs, clients
slurm_processes()
{
	env -u SLURM_CONF grep -lzsFx "SLURM_CONF=$slurm_dir/slurm.conf" /proc/[0-9]*/environ |
		sed -n 's,^/proc/\([0-9]*\)/environ$,\1,p'
}

# slurm_stop: ends the cluster with all its jobs
slurm_stop()
{
	local pids
	mapfile -t pids < <(slurm_processes)
	[ ${#pids[@]} -eq 0 ] || kill -9 "${pids[@]}" 2>/dev/null
	wait_until '[ -z "$(slurm_processes)" ]' 10
}
