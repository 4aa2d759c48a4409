#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Scouting: which files commands read and write, and what follows if two share one.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

# duets FILE: how many samples of duets a record has
duets()
{
	jq '[.commands[].samples[] | select(.arrangement == "duet")] | length' "$1"
}

# codes FILE: the codes of all warnings
codes()
{
	jq -r '[.. | .warnings? // empty | .[].code] | unique | join(" ")' "$1"
}

seq 60000 >data
awk '{ print "a" $1 }' data >da
awk '{ print "b" $1 "xx" }' data >db
etalon run -q -w 1 -r 1 --json probe.json 'cat da' >/dev/null
if [ "$(jq -r '.commands[0].files.looked' probe.json)" != calls ]; then
	skip "scout: files are found by system calls" "this kernel or container does not allow it"
	done_testing
fi

# Two that write the same file, as people do with `compiler -o out`.
md5sum da db | cut -c1-32 >sums
exits "scout: two commands that write the same file are measured" 0 etalon run -r 10 -w 1 --json same.json \
	--conclude 'md5sum out | cut -c1-32 >>seen' -S sh 'awk 1 da >out' 'awk 1 db >out'
is "scout: the file is one of the right two after each run" "$(grep -vcFf sums seen)" 0
is "scout: they never run in a duet" "$(duets same.json)" 0
is "scout: one line names the file" "$(grep -c "both write $work/out: they run one at a time" .out)" 1
is "scout: the record has what a command writes" "$(jq -r '.commands[1].files.written[]' same.json)" "$work/out"
ok "scout: the record has what a command reads" jq -e --arg f "$work/db" '.commands[1].files.read | index($f)' same.json
is "scout: the runs of the same round are compared" "$(jq -r '.comparisons[0].paired.arrangement' same.json)" block
like "scout: the record has the warning" "$(codes same.json)" shared-file
run etalon show -v
like "show -v: it lists what is read" "$out" "reads +$work/da"
like "show -v: it lists what is written" "$out" "writes +$work/out"

run etalon run -q -r 4 -w 1 --metric cpu --json own.json -S sh "awk 1 da >out1; sort -o t.\$\$ da; rm t.\$\$" "awk 1 db >out2; sort -o t.\$\$ db; rm t.\$\$"
[ "$(duets own.json)" -gt 0 ]
holds $? "scout: two that write files of their own and temporary ones run in duets"
unlike "scout: no note is about them" "$(codes own.json)" 'shared-file|not-scouted'

exits "scout: a reader and a writer are measured" 0 etalon run -q -r 2 --metric cpu --json read.json -S sh 'awk 1 out' 'awk 1 da >out'
is "scout: what one reads and the other writes in place keeps them apart" "$(duets read.json)" 0
run etalon run -r 2 --metric cpu --json moved.json -S sh 'awk 1 out' "awk 1 da >o.\$\$; mv o.\$\$ out"
[ "$(duets moved.json)" -gt 0 ]
holds $? "scout: a reader and a program that moves a new file into place run in duets"

base='import sqlite3, sys; c = sqlite3.connect("base.db", timeout=30)'
if python3 -c 'import sqlite3' 2>/dev/null; then
	python3 -c "$base; c.execute('create table t (x)'); c.commit()"
	exits "scout: two that change one database are measured" 0 etalon run -r 2 --metric cpu --json base.json \
		"python3 -c '$base; c.execute(\"insert into t values (1)\"); c.commit()'" \
		"python3 -c '$base; c.execute(\"insert into t values (2)\"); c.commit()'"
	is "scout: a database keeps them apart" "$(duets base.json)" 0
	like "scout: the database is named" "$out" "both write $work/base.db: they run one at a time"
	port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
	server="import socket; s = socket.socket(); s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1); s.bind((\"127.0.0.1\", $port)); s.listen()"
	exits "scout: two that use one port are measured" 0 etalon run -r 2 --metric cpu "python3 -c '$server'" "python3 -c '$server; 1'"
	like "scout: the port is named" "$out" "both bind port $port: they run one at a time"
else
	skip "scout: two that change one database are measured" "there is no sqlite3 for python3"
fi

refuses "scout: --order duet is rejected for two that share a file" 2 "both write $work/out" \
	etalon run -q -r 2 --order duet -S sh 'awk 1 da >out' 'awk 1 db >out'
like "scout: a hint says what to do" "$err" "give each its own files.*--no-scout"
exits "--no-scout: --order duet runs them" 0 etalon run -q -r 2 --order duet --no-scout --json off.json -S sh 'awk 1 da >out' 'awk 1 db >out'
is "--no-scout: the record has no files" "$(jq -c '[.commands[].files]' off.json)" '[null,null]'
is "--no-scout: a note says so" "$(codes off.json | grep -c not-scouted)" 1
exits "scout: without warm-up they are kept apart, too" 0 etalon run -q -r 2 -w 0 --json cold.json -S sh 'awk 1 da >out' 'awk 1 db >out'
is "scout: without warm-up no duet runs" "$(duets cold.json)" 0
etalon hyperfine -q -r 2 --json hyperfine.json 'awk 1 da' >/dev/null 2>&1
is "scout: etalon hyperfine makes no run for it" "$(jq -c '[(.commands[0].samples | length), .commands[0].files]' hyperfine.json)" '[2,null]'
etalon run -q -r 2 --json fails.json -i 'false' >/dev/null
is "scout: a program that fails is measured with --ignore-failure" "$(jq '.commands[0].samples | length' fails.json)" 3
refuses "scout: a program that always fails is reported once" 1 "'false' failed with exit status 1 in warm-up run 1" etalon run -q -r 2 false

# Programs that a filter disturbs.
mkdir h1 h2
exits "scout: an etalon that measures etalon is measured" 0 etalon run -r 12 --metric cpu --json inner.json \
	"env HOME=$work/h1 ETALON_STORE=sqlite:inner1.db etalon run -q -r 1 true" "env HOME=$work/h2 ETALON_STORE=sqlite:inner2.db etalon run -q -r 1 true"
is "scout: its run is made again unscouted" "$(jq -c '[.commands[].files.looked]' inner.json)" '["unfit","unfit"]'
is "scout: it leaves no experiment that runs" "$(ETALON_STORE=sqlite:$work/inner1.db etalon list --json | jq -r '[.. | .state? // empty] | unique | join(" ")')" 'done'
like "scout: a note says that not all files are known" "$out" 'note: looking would change what a program does'

# The record.
odd=$'odd \e[31m\n"\\'
exits "scout: a name that a terminal would obey is recorded" 0 etalon run -q -r 1 --json odd.json -S sh ": >'$odd'"
is "scout: it is escaped" "$(jq -r '.commands[0].files.written[]' odd.json)" "$work/odd \\x1b[31m\\x0a\"\\"
id=$(jq -r .id same.json)
etalon export "$id" --format json >exported.json
etalon --store sqlite:other.db import exported.json >/dev/null 2>&1 || ETALON_STORE=sqlite:other.db etalon import exported.json >/dev/null
is "scout: files survive export and import" \
	"$(ETALON_STORE=sqlite:$work/other.db etalon show --json | jq -c '[.commands[].files]')" "$(jq -c '[.commands[].files]' same.json)"
jq '.commands[0].files.written = ["x\u001b[2J"] | .commands[0].files.read = 3' exported.json >bad.json
refuses "scout: files that are no list are rejected" 2 'files' etalon import bad.json
jq '.commands[0].files.looked = "otherwise"' exported.json >bad.json
refuses "scout: an unknown way to look is rejected" 2 "otherwise" etalon import bad.json
jq '.id = "20261115-085506-aaaaaa" | .commands[0].files.written = ["x\u001b[2J"]' exported.json >obey.json
etalon import obey.json >/dev/null
unlike "scout: a name from elsewhere cannot control the terminal" "$(etalon show -v 20261115-085506-aaaaaa)" $'\e\\[2J'

# An etalon that is killed.
etalon run -q -r 1 -S sh 'echo $$ >pid; sleep 1000' &
killed=$!
until [ -s pid ]; do sleep 0.01; done
kill -9 $killed
wait $killed 2>/dev/null
for _ in $(seq 1000); do
	kill -0 "$(cat pid)" 2>/dev/null || break
	sleep 0.01
done
kill -0 "$(cat pid)" 2>/dev/null
test $? -ne 0
holds $? "scout: a program does not outlive an etalon that is killed"

# A session that resumes decides as the first did.
cat >write.sh <<'SH'
#!/bin/sh
echo x >>count
[ -e go ] || [ "$(wc -l <count)" -lt 8 ] || kill -INT $PPID
echo "$1" >common
SH
chmod +x write.sh
# Tests that were started in the background ignore SIGINT; env undoes that.
exits "resume: an experiment is interrupted" 130 \
	env --default-signal=INT etalon run -q --label cut -r 6 --metric cpu './write.sh 1' './write.sh 2'
touch go
exits "resume: it continues" 0 etalon run -q --resume cut --json resumed.json
is "resume: no duet runs" "$(duets resumed.json)" 0
is "resume: only the first session scouts" "$(jq '[.commands[].samples[] | select(.marks | index("scouted"))] | length' resumed.json)" 2

done_testing
