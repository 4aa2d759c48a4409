#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The hooks of `etalon doe`: setup, between and reboot. Restarts are simulated: the hook writes a marker,
# and the script changes the boot id of a captured machine.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/cli/machine.sh
. "$root/tests/cli/machine.sh"

# plan NAME HOOKS [ORDER]
plan()
{
	cat >plan.yaml <<END
name: $1
programs: [{ name: a, command: "sh -c 'echo a {x} >>$work/seen'" }, { name: b, command: "sh -c 'echo b {x} >>$work/seen'" }]
factors: [{ name: x, kind: parameter, levels: [1, 2, 3] }]
replications: 2
discard: 0
order: ${3:-yates}
seed: 1
run: { warmup: 0, no-ledger: true, no-probe: true }
hooks: { $2 }
END
}
seen() { uniq seen | tr '\n' ';'; }

# --- setup and between
: >seen
plan between "setup: 'echo setup >>seen', between: 'echo between {x} \$ETALON_TREATMENT >>seen'"
exits 'doe run: the hooks setup and between succeed' 0 etalon doe run plan.yaml
is 'doe run: setup runs once, and between before each treatment' "$(seen)" \
	'setup;between 1 x=1;a 1;b 1;between 2 x=2;a 2;b 2;between 3 x=3;a 3;b 3;'
plan changes "between: 'echo between {x} >>seen'" random
: >seen
exits 'doe run: between succeeds in random order' 0 etalon doe run plan.yaml
is 'doe run: in random order, between runs whenever the treatment changes' \
	"$(awk '$1 == "between" { x = $2; n++; next } $2 != x { bad++ } END { print bad + 0, (n > 3) }' seen)" '0 1'
plan fails "between: 'echo no >&2; test {x} != 2'"
exits 'doe run: a hook that fails gives exit status 4' 4 etalon doe run plan.yaml
like 'doe run: the error names the hook' "$err" "the hook 'between', '.*test 2 != 2' failed with exit status 1"
is 'doe run: the runs before a hook that failed are kept' "$(samples fails)" 4

# --- reboot
boot=$work/tree/proc/sys/kernel/random/boot_id
unit_file=$work/tree/etc/systemd/system/etalon-doe.service
link=$work/tree/etc/systemd/system/multi-user.target.wants/etalon-doe.service
restart() { echo "0000000$1-aaaa-bbbb-cccc-0123456789ab" >"$boot"; }
machine laptop
mkdir -p "$(dirname "$unit_file")"
cp -a tree before.reboot
restart 1
: >seen
plan restarts "reboot: 'echo reboot >>$work/seen'"
exits 'doe run: it ends before a restart' 0 etalon doe run plan.yaml
is 'doe run: the first treatment is measured, then the hook runs' "$(seen)" 'a 1;b 1;reboot;'
like 'doe run: the output says which treatment follows' "$out" 'restarts before treatment 2 of 3, x=2'
like 'doe run: the output says that it continues by itself' "$out" 'etalon-doe.service continues'
is 'doe run: the unit continues this plan' "$(grep ^ExecStart= "$unit_file" | sed 's/.* doe/doe/')" "doe run \"$work/plan.yaml\""
is 'doe run: the unit is wanted at boot' "$(readlink "$link")" /etc/systemd/system/etalon-doe.service
id=$(sed -n 's/^Environment=ETALON_CONTINUE=//p' "$unit_file")
exits 'doe run: without a restart it gives exit status 3' 3 etalon doe run plan.yaml
like 'doe run: the error says that the machine has not restarted' "$err" "has not restarted since the treatment before 'x=2'"
is 'doe run: without a restart nothing runs, and the hook does not, either' "$(seen)" 'a 1;b 1;reboot;'
ok 'doe run: the unit still waits for the restart' test -e "$unit_file"
restart 2
exits 'doe run: it continues after a restart' 0 env ETALON_CONTINUE="$id" etalon doe run plan.yaml
is 'doe run: the second treatment is measured, then the hook runs' "$(seen)" 'a 1;b 1;reboot;a 2;b 2;reboot;'
restart 3
exits 'doe run: it is done after the last treatment' 0 etalon doe run --json record.json plan.yaml
is 'doe run: the machine does not restart after the last treatment' "$(seen)" 'a 1;b 1;reboot;a 2;b 2;reboot;a 3;b 3;'
ok 'doe run: no unit is left' test ! -e "$unit_file" -a ! -L "$link"
is 'doe run: the record has the boot of each treatment' \
	"$(jq -r '.environment[] | select(.factor == "boot") | .state' record.json | cut -c8,37-)" $'1 treatment 1\n2 treatment 2\n3 treatment 3'
is 'doe run: all runs are there' "$(jq '[.commands[].samples[]] | length' record.json)" 12
rm -rf before.reboot

# A session that was interrupted within a treatment continues it without a restart.
plan within "reboot: 'echo reboot >>$work/seen'"
sed -i 's/replications: 2/replications: 60/' plan.yaml
: >seen
env --default-signal=INT etalon doe run plan.yaml >/dev/null 2>&1 &
pid=$!
wait_until '[ "$(wc -l <seen)" -ge 5 ]'
{ kill -INT $pid && wait $pid; } 2>/dev/null
exits 'doe run: it continues within a treatment' 0 etalon doe run plan.yaml
is 'doe run: the hook runs after the rest of the treatment' "$(seen)" 'a 1;b 1;reboot;'

# --- the unit continues nothing else
plan other "reboot: 'echo reboot >>$work/seen'"
: >seen
refuses 'doe run: the unit of another experiment begins nothing' 2 'is not there any more' \
	env ETALON_CONTINUE=20260101-000000-abcdef etalon doe run plan.yaml
is 'doe run: nothing runs for the unit of another experiment' "$(seen)" ''

# --- a hook that fails
rm -f "$unit_file" "$link"
plan broken 'reboot: exit 5'
exits 'doe run: a restart that fails gives exit status 4' 4 etalon doe run plan.yaml
like 'doe run: the error names the hook reboot' "$err" "the hook 'reboot', 'exit 5' failed with exit status 5"
ok 'doe run: no unit is left after a restart that failed' test ! -e "$unit_file" -a ! -L "$link"
plan order 'reboot: true' random
refuses 'doe run: reboot needs the order yates' 2 "plan.yaml:9:[0-9]+: reboot needs 'order: yates'" etalon doe run plan.yaml

# Without systemd, the output says which command continues.
rm -rf tree/run/systemd
plan alone 'reboot: true'
exits 'doe run: it ends before a restart without systemd' 0 etalon doe run plan.yaml
like 'doe run: the output has the command that continues' "$out" "run 'etalon doe run plan.yaml' then to continue"
ok 'doe run: no unit is made without systemd' test ! -e "$unit_file"
done_testing
