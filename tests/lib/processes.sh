#!/bin/bash
# SPDX-License-Identifier: MIT
# A benchmark program in several processes: functions that crash, hang, exit or fork, signals, a
# missing /proc, and the comparison with another program.
# Usage: processes.sh SOURCE_ROOT BUILD_ROOT
# shellcheck disable=SC2317,SC2016 # functions are called through ok; other shells expand
set -u
root=$1 build=$2
work=$(mktemp -d "${TMPDIR:-/tmp}/etalon-processes.XXXXXX")
trap 'rm -rf "$work"' EXIT
n=0 failed=0

ok()
{
	local what=$1
	shift
	n=$((n + 1))
	if "$@" >"$work/out" 2>&1; then
		echo "ok $n - $what"
	else
		echo "not ok $n - $what"
		cut -c1-300 "$work/out" | sed 's/^/# /'
		failed=1
	fi
}

skip()
{
	n=$((n + 1))
	echo "ok $n - $1 # SKIP $2"
}

gives()
{
	local wanted=$1 got
	shift
	"$@"
	got=$?
	[ "$got" -eq "$wanted" ] || { echo "exit status $got, not $wanted"; return 1; }
}

json() { python3 -c "import json, sys; d = json.load(open(sys.argv[1])); assert $2, str(d)[:2000]" "$1"; }

# No process of the program is left. A process that has just been killed may need a moment to end.
none_left()
{
	local pids
	for _ in $(seq 200); do
		pids=$(pgrep -f "^$work/") || return 0
		sleep 0.05
	done
	ps -o pid,ppid,stat,args -p "${pids//$'\n'/,}"
	return 1
}

read -ra flags < <(PKG_CONFIG_PATH=$build/meson-uninstalled pkg-config --cflags --libs etalon)
export LD_LIBRARY_PATH=$build
compile() { gcc -std=gnu99 -O2 -Wall -Wextra -Werror "$root/tests/lib/odd.c" "${flags[@]}" "$@"; }
ok 'the program compiles' compile -o "$work/odd"
ok 'a slower one compiles' compile -DSLOWER=60 -o "$work/slow"
odd=("$work/odd" --case-time 30ms --processes 3)

# Functions that misbehave.
"${odd[@]}" --timeout 500ms --json "$work/odd.json" >"$work/text" 2>"$work/errors"
ok 'a function fails: exit status 1' test $? -eq 1
failure()
{
	python3 - "$work/odd.json" "$1" "$2" <<-'EOF'
		import json, sys
		[f] = [f for f in json.load(open(sys.argv[1]))["functions"] if f["name"] == sys.argv[2]]
		assert sys.argv[3] in (f["error"] or "none"), f["error"]
	EOF
}
ok 'a crash is named with its signal' failure crash 'signal 11'
ok 'a function that hangs is named' failure hang 'did not return within 0.5'
ok 'a function that exits is named with its status' failure leave 'exit status 3'
ok 'a function whose children keep the socket is named' failure orphan 'signal 9'
ok 'a function that gives a reason is named with it' failure refuse 'no input'
ok 'a function whose child returns too is timed' failure split none
ok 'a function that sleeps is timed' failure doze none
ok 'neither variable nor socket reach programs that a function starts' failure leak none
ok 'the others are timed in all processes' json "$work/odd.json" \
	'{s["process"] for f in d["functions"] if f["name"] == "work" for s in f["slices"]} == {0, 1, 2}'
ok 'a function longer than its share has one sample per process' json "$work/odd.json" \
	'[len(s["ns"]) for f in d["functions"] if f["name"] == "long_work" for s in f["slices"]][1:] == [1, 1]'
ok 'the table names the failed function' grep -q 'crash.*signal 11' "$work/text"
ok 'no process is left behind' none_left

# Where the processes run.
ODD_FILE=$work/where "$work/odd" --mute "${odd[@]:1}" --filter where --quiet >"$work/text" 2>&1
ok 'main may remove options of its own: workers get them too' test $? -eq 0
ok '--quiet prints nothing, and the output of workers is discarded' test ! -s "$work/text"
ok '--processes: the samples are from three processes' test "$(cut -d' ' -f1 "$work/where" | sort -u | wc -l)" -eq 3
if setarch -R true 2>/dev/null; then
	rm "$work/where"
	ODD_FILE=$work/where setarch -R "${odd[@]}" --filter where --quiet
	ok 'stacks begin at different places' test "$(sort -u -k2 "$work/where" | cut -d' ' -f2 | sort -u | wc -l)" -ge 2
else
	skip 'stacks begin at different places' 'setarch -R is not permitted'
fi
rm -f "$work/where"
ODD_FILE=$work/where "${odd[@]}" --processes 1 --filter where --quiet >/dev/null &
wait $!
ok '--processes 1 takes the samples in the program itself' grep -q "^$! " "$work/where"
ok '--processes 1: a warning says why there is no interval' bash -c '"$@" | tr -s "\n " " " | grep -q "one process does not tell"' - "${odd[@]}" --processes 1 --filter '^work'
ok '--processes 2 --case-time: longer slices have more samples' gives 0 "${odd[@]}" --processes 2 --case-time 600ms --filter '^work' --quiet --json "$work/more.json"
ok '--processes 2 --case-time: more than the usual 1000' json "$work/more.json" 'len(d["functions"][0]["slices"][0]["ns"]) > 1000'
ok '--max-samples: at most as many as asked for' bash -c '"$@" && python3 -c "import json, sys; assert all(len(s[\"ns\"]) <= 2 for s in json.load(open(sys.argv[1]))[\"functions\"][0][\"slices\"])" "$0"' "$work/more.json" "${odd[@]}" -M 2 --filter '^work' --json "$work/more.json"
ok '--verbose shows the elapsed time of threads' bash -c '"$@" --threads 2 --verbose | grep -q "^  threads .* elapsed per call"' - "${odd[@]}" --filter '^work'
ok 'main may call the library twice' bash -c '"$@" | grep -c "^work .*[0-9] ns" | grep -qx 1' - "$work/odd" --twice "${odd[@]:1}"
ok '--cold=data clears the working set of a function' "${odd[@]}" --filter cold --cold=data
ok '--progress always shows the process' bash -c '"$@" --progress always --filter work 2>&1 >/dev/null | grep -q "process 2 of 3"' - "${odd[@]}"
ok '--time-limit: the program ends in time' timeout 20 "${odd[@]}" --case-time 1m --case-limit 1m --time-limit 500ms --filter '^work'

# Signals. The program is interrupted once a worker takes samples.
interrupt()
{
	rm -f "$work/where"
	ODD_FILE=$work/where python3 - "$work/where" "$@" <<-'EOF'
		import os, signal, subprocess, sys, time
		path, number = sys.argv[1], int(sys.argv[2])
		p = subprocess.Popen(sys.argv[3:], preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
		end = time.time() + 20
		while time.time() < end and not (os.path.exists(path) and len(open(path).readlines()) > 1):
		    time.sleep(0.02)
		p.send_signal(number)
		if os.environ.get("TWICE"):
		    time.sleep(float(os.environ["TWICE"]))  # on a busy machine the second one is late
		    p.send_signal(number)
		status = p.wait(20)
		sys.exit(status if status >= 0 else 128 - status)
	EOF
}
long=("$work/odd" --case-time 1m --filter where)
ok 'SIGINT: exit status 130' gives 130 interrupt 2 "${long[@]}" --json "$work/int.json"
ok 'SIGINT: the samples so far are written' json "$work/int.json" 'd["functions"][0]["time_ns"] > 0'
ok 'SIGINT: a note says that the run was cut short' json "$work/int.json" 'any("interrupted" in n for n in d["notes"])'
ok 'SIGINT: no process is left behind' none_left
TWICE=0 interrupt 2 "${long[@]}" --json "$work/int.json" --baseline "$work/int.json" --fail-on-regression >"$work/text"
ok 'SIGINT to the process and to its group counts once' test $? -eq 130
TWICE=0.01 interrupt 2 "${long[@]}" --csv "$work/int.csv" >"$work/late"
ok 'SIGINT that comes twice: there are results' test -s "$work/int.csv"
ok 'SIGINT: the text says that there is no decision' grep -q '^no decision: the run was interrupted' "$work/text"
ok 'SIGTERM: exit status 143' gives 143 interrupt 15 "${long[@]}"
cp "$work/int.json" "$work/kept.json"
ok 'SIGKILL: the program is killed' gives 137 interrupt 9 "${long[@]}" --json "$work/kept.json" --csv "$work/none.csv"
ok 'SIGKILL: the old file is as it was' cmp "$work/int.json" "$work/kept.json"
ok 'SIGKILL: there is no empty file' test ! -e "$work/none.csv"
ok 'SIGKILL: no process is left behind' none_left

# Without /proc.
no_proc() { unshare -m sh -c 'mount -t tmpfs none /proc && exec "$@"' - "$@"; }
if no_proc true 2>/dev/null; then
	no_proc "${odd[@]}" --filter '^work' >"$work/text"
	ok 'without /proc: the samples are from the program itself' test $? -eq 0
	ok 'without /proc: a warning' bash -c 'tr -s "\n " " " <"$1" | grep -q "/proc is not available: all samples are from one process"' - "$work/text"
else
	skip 'without /proc: the samples are from the program itself' 'no permission to mount'
fi

# Another program.
duel=("$work/odd" --filter '^(work|where)$' --case-time 300ms --processes 6)
ok '--against an equal program: no regression' gives 0 "${duel[@]}" --against "$work/odd" --fail-on-regression=5
ok '--against a faster program: exit status 5' gives 5 "$work/slow" "${duel[@]:1}" --against "$work/odd" --fail-on-regression=5
"${duel[@]}" --against "$work/slow" --json "$work/duel.json" >/dev/null
ok '--against: a slower program makes this one faster' json "$work/duel.json" 'd["functions"][0]["baseline"]["verdict"] == "faster"'
ok '--against: both programs have slices of the same processes' json "$work/duel.json" \
	'all(sorted(s["process"] for s in f["slices"]) == sorted(s["process"] for s in f["old_slices"]) for f in d["functions"])'

# Nothing to compare.
python3 - "$work/duel.json" "$work/other.json" "$work/more.json" <<-'EOF'
	import json, sys
	d = json.load(open(sys.argv[1]))
	f = dict(d["functions"][0], name="gone")
	json.dump(dict(d, functions=[f]), open(sys.argv[2], "w"))
	json.dump(dict(d, functions=d["functions"] + [f]), open(sys.argv[3], "w"))
EOF
ok '--fail-on-regression without a common function: exit status 2' gives 2 "${duel[@]}" --baseline "$work/other.json" --fail-on-regression
ok '--fail-on-regression with one process: exit status 2' gives 2 "${duel[@]}" --processes 1 --baseline "$work/duel.json" --fail-on-regression
lacks() { "$@" --processes 2 --case-time 10ms --baseline "$work/more.json" | tr -s '\n ' ' ' | grep -q 'lacks: .*gone'; }
ok 'functions that the program no longer has are named' lacks "$work/odd" --twice
ok 'functions that the filter leaves out are not' gives 1 lacks "$work/odd" --filter '^work'

# Programs that are no workers, or hostile ones.
worker()
{
	printf '#!/bin/bash\nfd=${ETALON_WORKER#*:}\nfd=${fd%%%%:*}\n%s\n' "$1" >"$work/fake"
	chmod +x "$work/fake"
}
against() { timeout 30 "${odd[@]}" --filter work --against "$work/fake"; }
greet='echo "{\"etalon_worker\": 1}" >&$fd; read -r line <&$fd'
ok '--against a missing program: exit status 4' gives 4 "${odd[@]}" --against /nonexistent
ok '--against a missing program: the hint asks for a benchmark program' grep -q '^hint: .*benchmark program' <("${odd[@]}" --against /nonexistent 2>&1)
ok '--against a program of something else: exit status 4' gives 4 "${odd[@]}" --against /bin/true
worker 'echo "{\"etalon_worker\": 99}" >&$fd; read -r line <&$fd'
ok '--against another protocol: exit status 4' gives 4 against
ok '--against another protocol: the error names it' grep -q 'protocol 99' <(against 2>&1)
worker 'head -c 100000 /dev/urandom >&$fd; read -r line <&$fd'
ok '--against a program that sends garbage: exit status 4' gives 4 against
worker "$greet"'; echo "{\"cases\": [1, 2]}" >&$fd; read -r line <&$fd'
ok '--against a program with nonsensical cases: exit status 4' gives 4 against
worker "$greet"'; echo "{\"cases\": [\"work\"]}" >&$fd; read -r line <&$fd; echo "{\"slice\": []}" >&$fd; read -r line <&$fd'
ok '--against a program with nonsensical samples: exit status 1' gives 1 against
worker 'exec sleep 1000'
ok '--against a program that does not answer: exit status 4' gives 4 timeout 30 "${odd[@]}" --time-limit 500ms --against "$work/fake"
ok '--against: no process is left behind' none_left
echo "1..$n"
exit $failed
