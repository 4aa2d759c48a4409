#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The Slurm engine against a real cluster: nodes, questions, arrays, states and errors. The program
# `etalon` of the tasks is a stand-in that shows how it was called.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/../cli/lib.sh"
# shellcheck source=tests/slurm.sh
. "$root/tests/slurm.sh"
: "${ENGINE_TOOL:=$root/build/tests/cluster/engine-tool}"

# Errors that need no cluster.
mkdir empty
refuses 'open: without Slurm the error names the package' 3 'the program sbatch was not found' \
	env PATH="$work/empty" "$ENGINE_TOOL" c1 nodes
like 'open: without Slurm the hint names the package' "$err" 'slurm-client'

slurm_possible || { skip 'engine: a real cluster' "$why_not"; done_testing; }
refuses_quoted()
{
	local name=$1 want=$2 regex=$3
	shift 3
	run "$@"
	[ "$status" -eq "$want" ] && [ -z "$out" ] && [[ ${err%%$'\n'*} =~ ^etalon:\ .*$regex ]]
	tap_report $? "$name" || note "status $status: $out $err"
}
refuses 'open: a wrong SLURM_CONF is named' 3 'nosuch.*, which cannot be read: No such file' \
	env SLURM_CONF="$work/nosuch" "$ENGINE_TOOL" c1 nodes
: >nothing.conf
refuses_quoted 'open: a machine without slurm.conf is named' 3 'Slurm is not configured' \
	env SLURM_CONF="$work/nothing.conf" "$ENGINE_TOOL" c1 nodes
like 'open: a machine without slurm.conf has a cure' "$err" 'hint: set SLURM_CONF'

slurm_start 'NodeName=n3 NodeAddr=127.0.0.1 Port=9 State=DOWN Reason=disk' \
	'PartitionName=other Nodes=n3 State=UP' 'PartitionName=closed Nodes=n1 State=DOWN' ||
	{ tail -n 20 "$slurm_dir"/*.log; exit 1; }
tool() { "$ENGINE_TOOL" c1 "$@"; }

cat >fake <<'END'
#!/bin/sh
# Shows its words, environment and the end of its input.
{ echo "$*" "$SLURM_ARRAY_TASK_ID" "$ETALON_MACHINE" "$PGSERVICE" "${PGPASSWORD-unset}" "${ETALON_STORE-unset}"
	tail -n 1; } >"$(dirname "$0")/done.$3"
case $3 in
4) exit 3 ;;
5) kill -9 $$ ;;
6) until [ -e "$(dirname "$0")/go" ]; do sleep 0.05; done ;;
esac
END
chmod +x fake
exits 'nodes: the machines of the default partition are listed' 0 tool nodes
is 'nodes: both nodes are usable' "$out" $'n1\nn2'
exits 'nodes: --nodes restricts them' 0 tool nodes=n2 nodes
is 'nodes: only the named node is left' "$out" n2
exits 'ask: a command runs on a node' 0 tool ask n2 sh -c 'cat; echo $ETALON_MACHINE $SLURMD_NODENAME'
is 'ask: its input and output are passed on' "$out" $'some input\nn2 n2'
refuses 'ask: a program that is missing is named' 4 'n1: nosuch was not found there' tool ask n1 nosuch
like 'ask: a missing program has a cure' "$err" '--etalon-path'
refuses_quoted 'ask: a program that fails is named with its status' 4 'n1: sh failed with exit status 5' \
	tool ask n1 sh -c 'echo why >&2; exit 5'
like 'ask: messages of a program that fails are quoted' "$err" 'why'

refuses 'open: an unknown partition is named' 2 'nosuch: the cluster has no such partition' tool partition=nosuch nodes
like 'open: the hint lists the partitions' "$err" 'bench, other, closed'
refuses 'open: a partition that is down is named' 4 'partition closed is down' tool partition=closed nodes
refuses 'open: a partition without usable machines is named' 4 'n3 is down.* \(disk\)' tool partition=other nodes
refuses 'open: an unknown machine is named' 2 'nosuch is no machine' tool nodes=n1,nosuch nodes
refuses 'open: an unknown feature is named' 2 'nosuch: no machine has' tool constraint=nosuch nodes
refuses 'open: more parts than the controller holds are refused' 2 '10000 parts are more jobs' tool parts=10000 nodes
like 'open: more parts than the controller holds have a cure' "$err" '--part-rounds'

# Parts 0, 1, 3 to 5 on any node, 2 on n2, 6 on n1, and one beyond the largest index (1000).
export PGSERVICE=lab PGPASSWORD=secret ETALON_STORE=postgresql://a:secret@h/b
words='0 1 2@n2 3 4 5 6@n1 1500'
# shellcheck disable=SC2086
{
	echo '{"job": "END_OF_ETALON_JOB_0 $HOME `x`"}' >input
	run tool etalon="$work/fake" submit 1 $words <input
}
is 'submit: parts become four arrays' "$status $(tr , '\n' <<<"$out" | wc -l)" '0 4' || note "$err"
first=$out
run tool etalon="$work/fake" submit 1 0 1 2@n2 3 4 5 6@n1 1500 <input
is 'submit: the same generation is not submitted twice' \
	"$(tr , '\n' <<<"$out" | sort)" "$(tr , '\n' <<<"$first" | sort)"
wait_until '[ "$(tool poll 0 1 2 3 4 5 1500 | grep -c ended)" -eq 7 ] && [ -e done.6 ]'
exits 'poll: the states of all parts are reported' 0 tool poll 6 5 4 3 2 1 0 1500 77
is 'poll: a running part is reported with its node' "$(sed -n 1p .out | grep -cE '^6 running 0 n[12] 0 $')" 1
like 'poll: a signal is reported' "$out" '5 ended 137 n[12] 0 ended by signal 9'
like 'poll: an exit status is reported' "$out" $'\n4 ended 3 n[12] 0 exit status 3'
is 'poll: the other parts have ended well' "$(grep -cE '^(0|1|2|3|1500) ended 0 n[12] 0 $' .out)" 5
like 'poll: a part without a job is unknown' "$out" '77 unknown'
is 'task: its words, index, machine and variables; no password' "$(head -n 1 done.1500)" \
	"task --part 1500 499 $(sed -n 's/.*1500 ended 0 \(n.\) .*/\1/p' .out) lab unset unset"
is 'task: the input arrives unchanged' "$(tail -n 1 done.2)" "$(cat input)"
is 'task: a part that names a node runs there' "$(cut -d ' ' -f 5 done.2 | head -n 1)" n2
is 'task: logs are kept after failures only' "$(find . -maxdepth 1 -name 'etalon-c1-*.log' | wc -l)" 3

# In a folder in which others can make files, the log follows no link.
echo precious >victim
mkdir -m 1777 sticky
for job in $(seq 1 200); do
	ln -s "$work/victim" "sticky/etalon-c1-${job}_19.log"
done
printf '#!/bin/sh\necho overwritten\nexit 3\n' >loud
chmod +x loud
(cd sticky && tool etalon="$work/loud" submit 7 19 <"$work/input" >/dev/null)
wait_until "tool poll 19 | grep -q ended"
is 'log: a link in a sticky folder is not followed' "$(cat victim)" precious
is "log: it is in the user's own folder" "$(cat "$HOME"/.local/state/etalon/logs/etalon-c1-*_19.log)" overwritten
busy=$(tool poll 6 | cut -d ' ' -f 4)
run tool ask "$busy" true
is 'ask: a busy node is reported' "$status $(head -n 2 .err | tr '\n' ' ')" "4 again etalon: $busy is busy "
# A person requeues the running part: Slurm would let it wait for two minutes.
part6=$(squeue -h -t R -o %i)
scontrol requeue "$part6"
wait_until "tool poll 6 | grep -q '^6 running 0 n[12] 1'" 30
is 'poll: a requeued part starts at once' $? 0
touch go
wait_until "tool poll 6 | grep -q '^6 ended 0 n[12] 1'" 30
is 'poll: a requeued part ends' $? 0

# Without etalon on the nodes; cancelling; held jobs.
run tool etalon="$work/nosuch" submit 2 8 <input
wait_until "tool poll 8 | grep -q ended"
like 'poll: a node without etalon is named with the cure' "$(tool poll 8)" \
	'8 ended 127 n[12] 0 final etalon was not found on n[12]: install it there'
refuses_quoted 'submit: an option that sbatch does not know is final' 2 'sbatch failed' \
	tool etalon="$work/fake" extra=--nosuch submit 4 20
like 'submit: the line of sbatch is quoted' "$err" "unrecognized option '--nosuch'"
refuses_quoted 'submit: memory that no machine has is final' 2 'sbatch failed' \
	tool etalon="$work/fake" extra=--mem=999G submit 4 21
refuses_quoted 'submit: an unknown reservation is final' 2 'sbatch failed' \
	tool etalon="$work/fake" extra=--reservation=nosuch submit 4 22
rm go
run tool etalon="$work/fake" extra=--hold submit 3 6 9 <input
like 'poll: a held part is stuck' "$(tool poll 9)" '9 stuck .*scontrol release'
exits 'cancel: it ends all jobs' 0 tool cancel
wait_until '[ -z "$(squeue -h)" ]'
like 'poll: a part that was cancelled before it started is final' "$(tool poll 9)" '9 ended 143 - 0 final cancelled'
is 'poll: jobs of another campaign are not seen' "$("$ENGINE_TOOL" c2 poll 0)" '0 unknown 0 - 0 '

slurm_kill slurmctld
refuses 'open: a controller that is down is named' 4 'slurmctld\) does not answer' tool nodes
like 'open: a controller that is down has a cure' "$err" 'scontrol ping'
done_testing
