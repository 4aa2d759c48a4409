#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# kill -9 at any moment of `run --env`, `env apply` and `env restore` on a captured machine: the machine
# is as it was, and nothing is lost but a group of samples.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/../cli/lib.sh"
# shellcheck source=tests/torture/kill.sh
. "$root/tests/torture/kill.sh"
# shellcheck source=tests/cli/machine.sh
. "$root/tests/cli/machine.sh"

# --- run --env, on a captured machine
# restored: every setting and service is as it was
restored()
{
	diff -r --no-dereference -x enabled before tree >"$work/.diff" 2>&1 &&
		[ "$(cat units/*.service units/*.timer units/*.socket | sort -u)" = active ] && [ ! -e "$journal" ] &&
		return 0
	note "not restored: $(cat "$work/.diff") $(grep -v ^active units/*.*)"
	return 1
}
# settled: no systemctl of a killed etalon still works
# shellcheck disable=SC2317 # wait_until calls it
settled()
{
	! pgrep -f "$work/systemctl" >/dev/null
}

start_over 2
# By default a busy machine may make one of the first rounds do without its pair. The two append to one
# file, which scouting would find.
plan+=(--metric cpu --no-scout)
changed=0 unrestored=0
while [ $n -lt $kills ]; do
	laptop
	before_n=$n
	experiment 900 etalon run --env -q || { failed=1; break; }
	changed=$((changed + n - before_n))
	wait_until settled
	find tree -name '*.new' -delete
	restored || unrestored=$((unrestored + 1))
done
is "run --env: experiments resume to their end after $n kills" $failed 0
is "run --env: the machine is restored after each of $n kills" "$unrestored" 0
judge 'run --env' 2 1

# --- env apply and restore
n=0 changed=0 unrestored=0 failed=0
while [ $n -lt $kills ]; do
	laptop
	for ((i = RANDOM % 3; i >= 0; i--)); do
		verb=apply
		[ $((RANDOM % 3)) -ne 0 ] || verb=restore
		killed_after 500 etalon env $verb -q && n=$((n + 1))
		wait_until settled
	done
	diff -rq --no-dereference before tree >/dev/null || changed=$((changed + 1))
	etalon env restore >"$work/.out" 2>"$work/.err" || { failed=1; note "$(cat "$work/.err")"; break; }
	find tree -name '*.new' -delete
	restored || unrestored=$((unrestored + 1))
done
is "env apply: env restore succeeds after $n kills" $failed 0
is "env apply: the machine is restored after $n kills; $changed times something was changed" "$unrestored" 0
done_testing
