#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Rows of a central store are not code: whoever may write them, as each machine of a campaign and the
# owner of the database can, runs nothing on the machine of the user who returns to a campaign. ssh is
# a program of this test that notes its words and executes the script here.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/postgres.sh
. "$root/tests/postgres.sh"
pg_available || { skip 'trust: campaigns' "$pg_why"; done_testing; }
pg_start || { skip 'trust: campaigns' 'the server does not start'; done_testing; }
pg_create lab
ETALON_STORE=$(pg_url lab)
export ETALON_STORE COLUMNS=1000
etalon sync --setup >/dev/null

cat >bin/ssh <<END
#!/bin/sh
printf '%s\n' "\$*" >>$work/ssh.log
case "\$*" in *"-O exit"*) exit 0 ;; esac
exec /bin/sh -s
END
# Slurm answers nothing.
for tool in sbatch squeue scancel sinfo scontrol srun sacct; do
	printf '#!/bin/sh\necho "%s $*" >>%s/ssh.log\nexit 1\n' "$tool" "$work" >"bin/$tool"
done
chmod +x bin/*
rows() { pg_sql lab "SET search_path = etalon; $1"; }
campaign() { rows "SELECT id FROM campaign WHERE label = '$1' ORDER BY created_ns LIMIT 1"; }
words() { sort -u ssh.log 2>/dev/null; }

cat >plan.yaml <<'END'
name: mine
programs: [{ name: p, command: 'sleep {a}' }]
factors: [{ name: a, kind: parameter, levels: [0.001, 0.002] }]
replications: 3
discard: 1
hooks: { setup: 'echo a hook' }
END

# --- one's own ---
exits 'own: a campaign is made' 0 etalon doe run plan.yaml --engine ssh:localhost --no-preflight --sbatch-option=-oUser=me
like 'own: the words for ssh are given to it' "$(words)" '-oUser=me'
mine=$(campaign mine)
is 'own: the store has neither these words nor the path of etalon' \
	"$(rows "SELECT options FROM campaign" | jq -c '[has("extra"), has("etalon")]')" '[false,false]'
rm ssh.log
rows "UPDATE part SET state = 'todo', experiment = NULL" >/dev/null
exits 'own: it is continued without any option' 0 etalon doe run --attach
like 'own: with the words of its beginning' "$(words)" '-oUser=me'
rm ssh.log
exits 'own: the same plan again continues it' 0 etalon doe run plan.yaml --engine ssh:localhost
like 'own: it is that campaign' "$out" "continuing campaign $mine"
exits 'own: it is cancelled without any option' 0 etalon doe run --cancel plan.yaml
exits 'own: a campaign of run is made' 0 etalon run -q -r 2 --label same --engine ssh:localhost --no-preflight true
exits 'own: and continued' 0 etalon run --attach same

# --- planted ---
# plant COLUMN=VALUE…: a copy of the user's campaign, by the user of the database, that is newer
serial=0
plant()
{
	local id
	serial=$((serial + 1))
	id=20991231-00000$serial-abcdef
	rows "INSERT INTO campaign (id, label, kind, engine, options, created_ns, record)
		SELECT '$id', label, kind, engine, options, 4100000000000000000 + $serial, record FROM campaign WHERE id = '$mine';
		INSERT INTO part (campaign, number, first_round, rounds, state, attempt, generation, failures, changed_ns)
		SELECT (SELECT key FROM campaign WHERE id = '$id'), number, first_round, rounds, 'todo', 0, 0, 0, 0
		FROM part WHERE campaign = (SELECT key FROM campaign WHERE id = '$mine');
		UPDATE campaign SET $1 WHERE id = '$id'" >/dev/null
	planted=$id
}
canary="touch $work/PWNED"
# nothing LABEL WORDS COMMAND…: it is refused, shows the words, and neither ssh nor anything else ran
nothing()
{
	local label=$1 shown=$2
	shift 2
	rm -f PWNED ssh.log
	run "$@"
	is "$label: it is refused" "$status" 2
	is "$label: nothing was executed" "$(words)$(ls PWNED 2>/dev/null)" ''
	like "$label: it is shown" "$err" "$shown"
	like "$label: the hint has its id" "$err" "--(attach|cancel) $planted --trust-record"
}
evil=$(jq -nc --arg c "-oProxyCommand='$canary'" '{extra: $c, etalon: "/tmp/evil", copy: false, env: false, no_ledger: true,
	choose_metronome: true, time_limit_ns: 0}')
plant "options = '${evil//\'/\'\'}', engine = 'ssh:evil.example'"
for way in attach cancel; do
	nothing "$way" 'engine +ssh:evil.example' etalon doe run --$way "$planted"
	like "$way: the options are shown" "$err" 'options +\{.*ProxyCommand'
	like "$way: the hooks of the plan are shown" "$err" 'hook setup +echo a hook'
	like "$way: the commands are shown" "$err" 'command +sleep 0.002'
	nothing "$way by a prefix with --trust-record" 'engine +ssh:evil.example' etalon doe run --$way "${planted%f}" --trust-record
done
for way in 'run --attach' 'doe run --attach mine' 'doe run plan.yaml --engine ssh:localhost'; do
	rm -f ssh.log
	# shellcheck disable=SC2086 # words
	run etalon $way
	is "$way: the newest of somebody else is not chosen" "$status|$(grep -c "campaign $planted" .out)" '0|0'
	unlike "$way: the words of the row are not used" "$(words)" 'Proxy|evil'
done
plant "record = replace(record, 'sleep', '$canary; sleep')"
nothing 'other commands' "$canary" etalon doe run --attach "$planted"
plant "record = replace(record, 'sleep {', '$canary; sleep {')"
nothing 'the program of which a node makes its commands' "program +$canary" etalon doe run --attach "$planted"
plant "engine = 'slurm'"
nothing 'slurm' 'engine +slurm' etalon doe run --attach "$planted"
rows "UPDATE campaign SET kind = 'run' WHERE id = '$planted'" >/dev/null
nothing 'run --attach' 'engine +slurm' etalon run --attach "$planted"
nothing 'run --cancel' 'engine +slurm' etalon run --cancel "$planted"

plant "engine = 'ssh:a' || chr(27) || '[2J'"
nothing 'escape sequences' 'engine +ssh:a' etalon doe run --attach "$planted"
unlike 'escape sequences: the refusal prints none' "$err" $'\033'
exits 'escape sequences: status succeeds' 0 etalon doe status "$planted"
unlike 'escape sequences: status prints none' "$out" $'\033'

# --- one's own, changed ---
planted=$mine
rows "CREATE TABLE kept AS SELECT * FROM campaign; CREATE TABLE kept_part AS SELECT * FROM part" >/dev/null
for change in "record = replace(record, 'sleep', '$canary; sleep')" "engine = 'ssh:evil.example'" \
	"options = replace(options, 'null', '\"x\"')" "label = 'other'"; do
	rows "UPDATE campaign SET $change WHERE id = '$mine'; UPDATE part SET state = 'todo'" >/dev/null
	nothing "changed ${change%% *}" "etalon: campaign $mine was changed since it was begun" etalon doe run --attach "$mine"
	rows "UPDATE campaign c SET record = k.record, engine = k.engine, options = k.options, label = k.label
		FROM kept k WHERE k.key = c.key" >/dev/null
done
rows "UPDATE part SET node = 'evil' WHERE campaign = (SELECT key FROM campaign WHERE id = '$mine')" >/dev/null
nothing 'changed node' 'machines +evil' etalon doe run --attach "$mine"
rows "UPDATE part SET node = NULL, state = 'todo', experiment = NULL, generation = 0, attempt = 0
	WHERE campaign = (SELECT key FROM campaign WHERE id = '$mine')" >/dev/null

# --- trusted ---
plant "options = '${evil//\'/\'\'}'"
nothing 'trusted: first it is shown' 'engine +ssh:localhost' etalon doe run --attach "$planted"
rm -f ssh.log
exits 'trusted: with its id and --trust-record it runs' 0 etalon doe run --attach "$planted" --trust-record --sbatch-option=-oUser=trusting
like 'trusted: with the words of the command line' "$(words)" '-oUser=trusting'
unlike 'trusted: without those of the row' "$(words)" 'Proxy'
[ ! -e PWNED ]
holds $? 'trusted: nothing of the options was executed'
rm -f ssh.log
exits 'trusted: later without any option' 0 etalon doe run --attach "$planted"
like 'trusted: with the same words' "$(words)" '-oUser=trusting'
refuses 'trusted: --trust-record has no meaning for a plan' 2 'needs --attach or --cancel' etalon doe run plan.yaml --engine ssh:localhost --trust-record
refuses 'trusted: nor for one machine' 2 'needs --attach or --cancel' etalon doe run plan.yaml --trust-record

# --- a baseline of the central store ---
etalon run -q -r 2 --label nightly true >/dev/null
exits "baseline: the user's own is taken from the central store" 0 env ETALON_SPOOL="$work/empty.db" "$ETALON" run -q -r 2 --baseline nightly true
rows "UPDATE command SET prepare = '$canary' WHERE experiment = (SELECT key FROM experiment WHERE label = 'nightly')" >/dev/null
exits 'baseline: not after it was changed there' 2 env ETALON_SPOOL="$work/empty.db" "$ETALON" run -q -r 2 --baseline nightly true
like 'baseline: it is shown' "$err" "prepare +$canary"
[ ! -e PWNED ]
holds $? 'baseline: nothing of it ran'

# --- a part in the spool of a machine that is not what the job says ---
plan_job() # plan_job PART: runs a part of a job by hand, with a spool of its own
{
	ETALON_SPOOL=$work/task.db etalon task --part "$1" --node here --deliver-for 1s <job
}
etalon doe run plan.yaml --new --engine ssh:localhost --no-preflight --etalon-path "$work/keep-job" >/dev/null 2>&1 &
waiting=$!
cat >keep-job <<END
#!/bin/sh
cat >$work/job.new
mv $work/job.new $work/job
exit 1
END
chmod +x keep-job
wait_until "[ -s $work/job ]"
kill $waiting
wait $waiting 2>/dev/null
plan_job 0 >/dev/null 2>&1
python3 -c 'import sqlite3, sys
db = sqlite3.connect(sys.argv[1], isolation_level=None)
db.execute("PRAGMA foreign_keys = ON")
db.execute("DELETE FROM sample WHERE round = 2")
db.execute("UPDATE experiment SET state = \"interrupted\"")
db.execute("UPDATE command SET prepare = ?", (sys.argv[2],))' "$work/task.db" "$canary"
rows "UPDATE part SET state = 'todo', experiment = NULL, attempt = 0" >/dev/null
run plan_job 0
like 'task: a part in the spool that is not what the job says is not continued' "$status|$err" '^[1-9].*are not those of the plan'
[ ! -e PWNED ]
holds $? 'task: nothing of it ran'
done_testing
