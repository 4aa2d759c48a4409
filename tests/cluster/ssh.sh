#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# `--engine ssh` with real sshd processes and a real PostgreSQL server. Three hosts, which are this
# machine with other ports, homes and identities: a and b have etalon, c has none and shows the
# environment of another machine.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/../cli/lib.sh"
# shellcheck source=tests/sshd.sh
. "$root/tests/sshd.sh"
# shellcheck source=tests/postgres.sh
. "$root/tests/postgres.sh"

sshd_possible || { skip 'ssh: a real sshd' "$why_not"; done_testing; }
pg_available || { skip 'ssh: a real PostgreSQL server' "$pg_why"; done_testing; }
sshd_prepare
trap 'sshd_stop; pg_clean; clean_up' EXIT
for host in a b c; do
	variables="PATH=$work/bin:/usr/bin:/bin"
	[ $host != c ] || variables="PATH=/usr/bin:/bin ETALON_SYSROOT=$root/tests/sysroot/laptop"
	sshd_start $host "$variables" || {
		skip 'ssh: a real sshd' "this user cannot log in: $(tail -n 1 "$sshd_dir/error")"
		done_testing
	}
done
pg_start || { note "$(tail "$pg_dir/log")"; exit 1; }
pg_create lab
url=$(pg_url lab)
export ETALON_STORE=$url
exits 'setup: the tables are made' 0 etalon sync --setup

# A machine describes itself, with the clock of the server.
exits 'probe: this machine describes itself' 0 etalon task --probe --store "$url"
json 'probe: the store is reached, and its clock agrees with that of this machine' \
	'd["store"]["reachable"] and abs(d["store"]["clock_offset_ns"]) <= 1e9 + d["store"]["clock_doubt_ns"]'
exits 'probe: a store that is away is part of the answer' 0 etalon task --probe --store "$(pg_url nosuch)"
json 'probe: the reason is given' 'not d["store"]["reachable"] and d["store"]["error"]'

# Each run leaves a line and waits for a file.
cat >program <<END
#!/bin/sh
echo "\$1" >>$work/started
until [ -e $work/go ]; do sleep 0.02; done
END
chmod +x program
cat >plan.yaml <<END
name: two by two
programs:
  - name: wait
    command: $work/program {n}
factors:
  - { name: n, kind: parameter, levels: [1, 2] }
  - { name: pad, kind: environment-size, levels: [0, 512] }
replications: 2
discard: 0
run: { warmup: 0 }
END

# Wrong hosts.
refuses 'hosts: a name that is no host is refused' 2 "is no host" etalon doe run --engine ssh:-oProxyCommand=x plan.yaml
run etalon doe run --engine ssh:a,nosuch.invalid plan.yaml
is 'hosts: an unknown host ends with exit status 4' "$status" 4
like 'hosts: an unknown host is named' "$err" 'nosuch.invalid: there is no such host'
run etalon doe run --engine ssh:a,c plan.yaml
is 'preflight: a host without etalon ends with exit status 4' "$status" 4
like 'preflight: the host without etalon is named with the cure' "$err" 'not installed on c.*--copy'
is 'preflight: nothing was started' "$(cat started 2>/dev/null)" ''
mkdir empty
refuses 'hosts: without the program ssh the package is named' 3 'the program ssh is missing' \
	env PATH="$work/empty" "$ETALON" doe run --engine ssh:a plan.yaml

# The submitter is killed while a part runs on each host, and one sshd, too.
printf 'a\n# another\nb\n' >hosts
etalon doe run --engine ssh:@hosts --part-rounds 1 plan.yaml >first 2>&1 &
submitter=$!
# shellcheck disable=SC2016 # wait_until expands it
wait_until '[ "$(cat started 2>/dev/null | wc -l)" -eq 2 ]' || note "$(cat first)"
tasks=.local/state/etalon/tasks
is 'parts: one runs on each host' "$(cd "$sshd_dir" && for h in a b; do find home.$h/$tasks -mindepth 3 -maxdepth 3 | wc -l; done | tr '\n' ' ')" '1 1 '
rm hosts
kill -9 $submitter
wait $submitter 2>/dev/null
sshd_kill a
touch go
wait_until "ls $sshd_dir/home.a/$tasks/*/a/*/exit >/dev/null 2>&1" ||
	note "$(cat "$sshd_dir"/home.a/$tasks/*/a/*/log)"
is 'parts: they end without sshd and submitter' "$(cat "$sshd_dir"/home.a/$tasks/*/a/*/exit)" 0
sshd_run a
exits 'attach: the campaign is finished' 0 etalon doe run --attach
is 'attach: every planned sample is there once' "$(pg_sql lab "SELECT count(*), count(DISTINCT (round, command)) FROM etalon.sample")" '8|8'
is 'attach: two machines measured them' "$(pg_sql lab 'SELECT count(DISTINCT machine) FROM etalon.experiment')" 2
is 'attach: every program ran once per sample' "$(wc -l <started)" 8
exits 'analyse: the campaign can be analysed' 0 etalon doe analyse plan.yaml --json
json 'analyse: every treatment has two runs' 'all(t["n"] == 2 for t in d["treatments"])'

# run --engine: the same run on each host, also where etalon has to be copied.
exits 'run: one command runs on three hosts' 0 etalon run --engine ssh:a,b,c --copy -r 3 -w 0 --label all -- true
like 'run: the machines are compared at the end' "$out" 'machine +time +against the fleet'
like 'preflight: machines that differ are named' "$out" 'machines differ.*\(c:[[:space:]]*11th Gen'
like 'run: the campaign is kept' "$out" 'kept as .*: etalon compare --by machine'
exits 'run: the campaign is compared by machine in the central store' 0 etalon compare --by machine all
is 'run: the central store lists three machines' \
	"$(etalon list --machines --json | jq -c '[.[] | select(.experiments > 0) | .name] | length >= 3')" true
copy=$(find "$sshd_dir/home.c/.cache/etalon/bin" -type f)
is 'copy: only the user can execute the copy' "$(stat -c %a "$copy")" 700
ok 'copy: the copy is the same program' cmp "$copy" "$ETALON"
is 'run: three experiments of three samples' "$(pg_sql lab "SELECT count(*), min(samples), max(samples) FROM etalon.experiment WHERE label = 'all'")" '3|3|3'

# Cancelling ends the task of a host.
rm go started
etalon run --engine ssh:a -w 0 -r 1 --label stop "$work/program 3" >second 2>&1 &
submitter=$!
wait_until '[ -e started ]' || note "$(cat second)"
kill -TERM $submitter
wait $submitter
is 'detach: a signal ends the submitter' $? 143
like 'detach: the hint returns to the campaign' "$(cat second)" 'run --attach'
exits 'cancel: the jobs are ended' 0 etalon run --cancel stop
is 'cancel: the task has ended' "$(cat "$sshd_dir"/home.a/$tasks/*/a/*/exit | sort -n | tail -n 1)" 143
done_testing
