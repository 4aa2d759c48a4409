#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Stored data is code only if this user began it: a walk over every way from a store to execve. Each
# command that can run something stored gets a record that somebody else made on this machine, by an
# etalon of their own and in a store that looks like the user's: nothing of it may run, and everything
# that would run must be printed.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
export COLUMNS=1000 # texts are shown on one line

canary="touch $work/PWNED"
# mallory COMMAND…: somebody else, with another list of what was begun
mallory() { HOME=$work/mallory "$@"; }
# change SQL…: executes it on the store
change()
{
	python3 -c 'import sqlite3, sys
db = sqlite3.connect(sys.argv[1], isolation_level=None)
db.execute("PRAGMA foreign_keys = ON")
for sql in sys.argv[2:]: db.execute(sql)' "$work/store.db" "$@"
}
# argv WORD…: the blob of these words
argv() { printf '%s\0' "$@" | od -An -v -tx1 | tr -d ' \n'; }
# id LABEL: of the newest experiment of that label
id() { etalon list --json | jq -r --arg name "$1" '[.[] | select(.label == $name)][0].id'; }

tested=
# nothing LABEL WAY COMMAND…: it is refused, prints everything that was planted, and runs nothing. WAY is
# "VERB --OPTION", which the walk over all commands looks for.
nothing()
{
	local label=$1 way=$2
	shift 2
	tested="$tested$way"$'\n'
	rm -f PWNED
	run "$@"
	is "$label: it is refused" "$status" 2
	[ ! -e PWNED ]
	holds $? "$label: nothing ran"
	like "$label: what would run is printed" "$err" "$canary"
	like "$label: the reason is printed" "$err" 'etalon: (experiment|campaign) .* (is not among those that you began here|was changed since it was (begun|shown)|is in a store that other users can write)'
}

# --- run, emp, profile: --resume and --baseline ---
# plant LABEL VERB OPTION…: mallory begins an experiment with harmful hooks, of which one run is left
plant()
{
	local label=$1
	shift
	mallory etalon "$@" -q --label "$label" -w 0 -r 1 --setup "$canary" --prepare "$canary" --cleanup "$canary" \
		-- sh -c "$canary" >/dev/null 2>&1
	change "UPDATE experiment SET state = 'interrupted', plan_runs = 3 WHERE label = '$label'"
	rm -f PWNED
}
plant foreign run
for name in foreign "$(id foreign)" ''; do
	# shellcheck disable=SC2086 # none, or one word
	nothing "run --resume $name" 'run --resume' etalon run --resume $name
done
for slot in setup prepare command cleanup; do
	like "run: the refusal shows the $slot" "$err" "  $slot +[^"$'\n'"]*$canary"
done
change "UPDATE experiment SET state = 'done', plan_runs = 1 WHERE label = 'foreign'"
nothing 'run --baseline' 'run --baseline' etalon run --baseline foreign -r 2 true
nothing 'emp --baseline' 'emp --baseline' etalon emp --learn never --baseline foreign -r 2 true
nothing 'hyperfine --baseline' 'hyperfine --baseline' etalon hyperfine --baseline foreign -r 2 true
plant foreign-emp emp --learn never
nothing 'emp --resume' 'emp --resume' etalon emp --learn never --resume foreign-emp
nothing 'hyperfine --resume' 'hyperfine --resume' etalon hyperfine --resume foreign-emp
mallory etalon profile -q --label foreign-profile -w 0 -r 1 -- sh -c "$canary" >/dev/null 2>&1
if [ "$(id foreign-profile)" != null ]; then
	change "UPDATE experiment SET state = 'interrupted', plan_runs = 3 WHERE label = 'foreign-profile'"
	nothing 'profile --resume' 'profile --resume' etalon profile --resume foreign-profile
	like 'profile: the hint names its own command' "$err" 'etalon profile --resume .* --trust-record'
else
	tested="${tested}profile --resume"$'\n'
	skip 'profile --resume' 'this machine cannot profile'
fi

# --- one's own, changed by somebody else ---
etalon run -q --label mine -w 0 -r 1 -- true >/dev/null
change "UPDATE experiment SET state = 'interrupted', plan_runs = 3 WHERE label = 'mine'"
mine=$(id mine)
for column in prepare conclude setup cleanup; do
	change "UPDATE command SET $column = '$canary' WHERE experiment = (SELECT key FROM experiment WHERE id = '$mine')"
	nothing "changed $column" 'run --resume' etalon run --resume "$mine"
	change "UPDATE command SET $column = NULL WHERE experiment = (SELECT key FROM experiment WHERE id = '$mine')"
done
change "UPDATE command SET argv = x'$(argv sh -c "$canary")' WHERE experiment = (SELECT key FROM experiment WHERE id = '$mine')"
nothing 'changed argv' 'run --resume' etalon run --resume "$mine"
change "UPDATE command SET argv = x'$(argv true)' WHERE experiment = (SELECT key FROM experiment WHERE id = '$mine')"
exits 'own: without the change it is resumed, without any option' 0 etalon run -q --resume "$mine"
exits 'own: it is a baseline, without any option' 0 etalon run -q -r 2 --baseline mine true

# --- what was shown is what is trusted ---
plant swapped run
swapped=$(id swapped)
nothing 'shown' 'run --resume' etalon run --resume "$swapped"
change "UPDATE command SET cleanup = '$canary; true' WHERE experiment = (SELECT key FROM experiment WHERE id = '$swapped')"
nothing 'changed since it was shown' 'run --resume' etalon run --resume "$swapped" --trust-record
like 'changed since it was shown: the reason is the change' "$err" 'was changed since it was shown'
exits 'trusted: what was shown now runs with the id' 0 etalon run -q --resume "$swapped" --trust-record
like 'trusted: it is printed nevertheless' "$err" "cleanup +$canary; true"
[ -e PWNED ]
holds $? 'trusted: it ran'

# --- doe run: continuing ---
cat >plan.yaml <<END
name: planned
programs: [{ name: p, command: 'sleep {a}' }]
factors: [{ name: a, kind: parameter, levels: [0.001, 0.002] }]
replications: 3
discard: 0
hooks: { setup: 'true' }
END
cut_plan() { change "DELETE FROM sample WHERE round = 3" "UPDATE experiment SET state = 'interrupted' WHERE label = 'planned'"; }
mallory etalon doe run -q plan.yaml >/dev/null
cut_plan
exits 'doe: an experiment of somebody else that runs exactly what the plan says is continued' 0 etalon doe run -q plan.yaml
cut_plan
key="(SELECT key FROM experiment WHERE id = '$(id planned)')"
change "UPDATE command SET argv = x'$(argv sh -c "$canary")' WHERE experiment = $key"
nothing 'doe run: other words' 'doe run' etalon doe run plan.yaml
like 'doe run: the factors and hooks are printed, too' "$err" 'hook setup +true.*factor +a \(parameter\): 0.001 0.002'
change "UPDATE command SET argv = x'$(argv sleep 0.001)' WHERE experiment = $key" "UPDATE command SET prepare = '$canary' WHERE experiment = $key"
nothing 'doe run: another hook of a command' 'doe run' etalon doe run plan.yaml
change "UPDATE command SET prepare = NULL WHERE experiment = $key" \
	"UPDATE experiment SET design = replace(design, '\"setup\": \"true\"', '\"setup\": \"$canary\"'), design = replace(design, '\"setup\":\"true\"', '\"setup\":\"$canary\"') WHERE label = 'planned'"
rm -f PWNED
run etalon doe run plan.yaml
is 'doe run: another hook of the plan is refused' "$status" 2
like 'doe run: the difference is printed' "$err" "$canary"
[ ! -e PWNED ]
holds $? 'doe run: the other hook did not run'

# --- daemons learn, lab ---
mallory etalon daemons learn -q --label learned --short-runs 10 --short-seconds 1ms --long-runs 0 >/dev/null 2>&1
change "UPDATE experiment SET state = 'interrupted', plan_runs = 11 WHERE label = 'learned-short'" \
	"UPDATE command SET argv = x'$(argv sh -c "$canary")' WHERE experiment = (SELECT key FROM experiment WHERE label = 'learned-short')"
nothing 'daemons learn --resume' 'daemons --resume' etalon daemons learn --resume --label learned
mallory etalon lab emp-versions -q --lengths 1ms --runs 2 --label study >/dev/null 2>&1
change "UPDATE experiment SET state = 'interrupted' WHERE label LIKE 'study/%'" \
	"DELETE FROM sample WHERE round = 2 AND experiment IN (SELECT key FROM experiment WHERE label LIKE 'study/%')" \
	"UPDATE command SET argv = x'$(argv sh -c "$canary")' WHERE experiment IN (SELECT key FROM experiment WHERE label LIKE 'study/%')"
nothing 'lab --resume' 'lab --resume' etalon lab emp-versions --lengths 1ms --runs 2 --label study --resume

# --- the list itself ---
list=$HOME/.local/state/etalon/begun
is 'list: only its user can read it' "$(stat -c %a "$list")" 600
exits 'list: XDG_STATE_HOME moves it' 0 env XDG_STATE_HOME="$work/state" "$ETALON" run -q -r 1 --label elsewhere true
ok 'list: it is there' grep -q "^begun experiment $(id elsewhere) " state/etalon/begun
mkdir readonly
printf x >readonly/.local
exits 'list: a home that cannot have it is no error' 0 env HOME="$work/readonly" "$ETALON" run -q -r 1 --label homeless true
change "UPDATE experiment SET state = 'interrupted', plan_runs = 3 WHERE label = 'homeless'"
exits 'list: then the experiment needs trust' 2 etalon run --resume homeless
# Without a list, nobody knows whether a record is what was shown.
plant unlisted run
unlisted=$(id unlisted)
mkdir odd odd/folder odd/link odd/open
mkdir -p odd/folder/etalon/begun odd/link/etalon odd/open/etalon
ln -s /dev/null odd/link/etalon/begun
touch odd/open/etalon/begun
chmod 666 odd/open/etalon/begun
for odd in folder link open; do
	rm -f PWNED
	run env XDG_STATE_HOME="$work/odd/$odd" "$ETALON" run -q --resume "$unlisted" --trust-record
	is "list that is no file of one's own ($odd): nothing is trusted" "$status|$(ls PWNED 2>/dev/null)" '4|'
	like "list that is no file of one's own ($odd): the reason" "$err" 'the list of what you began here cannot be written'
done

# --- a store that an earlier etalon made ---
unset ETALON_STORE
etalon run -q --label early -w 0 -r 1 -- true >/dev/null
python3 -c 'import sqlite3, sys
sqlite3.connect(sys.argv[1], isolation_level=None).execute("UPDATE experiment SET state = \"interrupted\", plan_runs = 3")' \
	"$HOME/.local/share/etalon/etalon.db"
rm "$list"
exits "early: in the user's own store it is resumed as before" 0 etalon run -q --resume early
exits 'early: a baseline, too' 0 etalon run -q -r 2 --baseline early true
export ETALON_STORE=sqlite:$work/store.db
# Others who can write its folder can put a log beside it. Root opens no such store at all.
if can_drop_privileges; then
	usual() { unprivileged env -u ETALON_STORE "$@"; }
	usual etalon run -q -r 2 --label early true >/dev/null
	rm "$public/.local/state/etalon/begun"
	exits 'early: an ordinary user needs no trust either' 0 usual etalon run -q -r 2 --baseline early true
	chmod 777 "$public/.local/share/etalon"
	exits 'early: unless others can write its folder' 2 usual etalon run -q -r 2 --baseline early true
else
	skip 'early: an ordinary user' "$why_not"
fi

# --- the walk: no command has a way that is not above, or in trust-campaign.sh ---
tested="${tested}run --attach
run --cancel
doe --attach
doe --cancel
"
ways=
# shellcheck disable=SC2046 # a list
for verb in $(etalon completion bash | sed -n "s/.*compgen -W 'run \([^']*\) --help.*/run \1/p"); do
	help=$("$ETALON" "$verb" --help all)
	for option in --resume --baseline --attach --cancel; do
		! grep -qE "^ +(-., )?$option\\b" <<<"$help" || ways="$ways$verb $option"$'\n'
	done
done
is 'walk: every command that takes something stored to run it is tested' \
	"$(comm -23 <(sort -u <<<"$ways") <(sort -u <<<"$tested"))" ''
ok 'walk: it has found the commands' test "$(sort -u <<<"$ways" | grep -c .)" -ge 12
done_testing
