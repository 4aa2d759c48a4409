#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Builds of `etalon doe`: once per combination of levels, in folders with paths of equal length; kept
# when an experiment continues, and made anew by a new one.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

export XDG_CACHE_HOME=$work/cache
folders=$XDG_CACHE_HOME/etalon/build
cat >main.c <<'END'
#include <time.h>
int first(void), second(void);
int main(int n, char **argv)
{
	(void)argv;
	return n > 9 ? first() + second() : nanosleep(&(struct timespec){ .tv_nsec = 10000000 }, 0);
}
END
echo 'int first(void) { return 1; }' >first.c
echo 'int second(void) { return 2; }' >second.c

# plan NAME BUILD [COMMAND]: a plan with two levels of optimisation and two orders
plan()
{
	cat >plan.yaml <<END
name: $1
programs: [{ name: tool, command: '${3:-./tool --some}', build: '$2' }]
factors:
  - { name: opt, kind: optimisation, levels: [-O0, -O2] }
  - { name: order, kind: link-order, objects: [first.c, second.c], levels: [given, reversed] }
replications: 2
discard: 0
order: yates
run: { warmup: 0, no-ledger: true, no-probe: true }
END
}
build='echo {opt} {order} >>log; cc {opt} -o tool main.c {order}'
# functions FILE: its two functions in the order of their addresses
functions() { nm -n "$1" | awk '$3 == "first" || $3 == "second" { printf "%s ", $3 }'; }
argv0() { jq -r '.commands[].argv[0]' record.json; }

plan orders "$build"
exits 'doe run: a plan with builds succeeds' 0 etalon doe run --json record.json plan.yaml
is 'doe run: each combination is built once' "$(sort log | tr '\n' ' ')" \
	'-O0 first.c second.c -O0 second.c first.c -O2 first.c second.c -O2 second.c first.c '
is 'doe run: each combination runs a program of its own' "$(argv0 | sort -u | wc -l)" 4
is 'doe run: the paths of all programs have the same length' "$(argv0 | awk '{ print length }' | sort -u | wc -l)" 1
is 'doe run: the arguments stay' "$(jq -r '.commands[].argv[1]' record.json | sort -u)" --some
mapfile -t programs < <(argv0)
is 'doe run: the objects are linked in the order that is given' "$(functions "${programs[0]}")" 'first second '
is 'doe run: the objects are linked in reversed order' "$(functions "${programs[2]}")" 'second first '
ok 'doe run: the levels of optimisation give different programs' test \
	"$(cmp -s "${programs[0]}" "${programs[1]}"; echo $?)" -eq 1
is 'doe run: only the user can read the folders of builds' "$(stat -c %a "$folders"/* | sort -u)" 700

# --- continuing
: >log
plan kept "$build"
sed -i 's/replications: 2/replications: 30/' plan.yaml
etalon doe run plan.yaml >/dev/null 2>&1 &
pid=$!
wait_for_samples kept 1
{ kill -9 $pid && wait $pid; } 2>/dev/null
is 'doe run: a killed experiment has built its programs' "$(wc -l <log)" 4
echo 'int second(void) { return 3; }' >second.c
exits 'doe run: an experiment with builds continues' 0 etalon doe run --json record.json plan.yaml
is 'doe run: all runs are there' "$(jq '[.commands[].samples[]] | length' record.json)" 120
is 'doe run: an experiment that continues runs the programs that it has measured' "$(wc -l <log)" 4
mapfile -t programs < <(argv0)
was=$(cksum <"${programs[0]}")
sed -i 's/replications: 30/replications: 1/' plan.yaml
exits 'doe run --new: a plan with builds succeeds' 0 etalon doe run --new plan.yaml
is 'doe run --new: every program is built again' "$(wc -l <log)" 8
ok 'doe run --new: a changed source gives a changed program' test "$was" != "$(cksum <"${programs[0]}")"

# A build that is missing when the experiment continues is made again.
plan gone "$build"
sed -i 's/replications: 2/replications: 30/' plan.yaml
etalon doe run plan.yaml >/dev/null 2>&1 &
pid=$!
wait_for_samples gone 1
{ kill -9 $pid && wait $pid; } 2>/dev/null
mapfile -t now < <(etalon show --json gone | jq -r '.commands[].argv[0]')
rm "${now[1]}"
: >log
exits 'doe run: it continues if a program is gone' 0 etalon doe run plan.yaml
is 'doe run: only the program that is gone is built again' "$(cat log)" '-O2 first.c second.c'

# --- {build}
plan folder 'cc {opt} -o {build}/tool main.c {order}' '{build}/tool'
exits 'doe run: a command that names {build} succeeds' 0 etalon doe run --json record.json plan.yaml
is 'doe run: {build} is the folder of the build' "$(dirname "$(argv0 | head -n 1)" | xargs dirname)" "$folders"
is 'doe run: each combination has a folder of its own' "$(argv0 | sort -u | wc -l)" 4
sed 's/^  - { name: order.*//; s/ {order}/ first.c second.c/; s/{opt}//; s/name: folder/name: one/
	s/^factors:/factors: [{ name: opt, kind: parameter, levels: [a, b] }]/; s/^  - { name: opt.*//
	s/.{build}.tool. , build/x/; s/-o {build}/-o ./; s/{build}.tool/.\/tool {opt}/' plan.yaml >one.yaml
exits 'doe run: a build that names no factor succeeds' 0 etalon doe run --json record.json one.yaml
is 'doe run: the only build of a program is run where it is' "$(argv0 | sort -u)" ./tool

# --- builds that do not differ
plan same 'cc -o {build}/tool main.c first.c second.c; : {opt} {order}' '{build}/tool'
exits 'doe run: builds that do not differ succeed' 0 etalon doe run plan.yaml
like 'doe run: a warning (builds-same) names two of them' "$(tr '\n' ' ' <.err)" 'warning: the builds tool \(opt=-O0, order=given\) and tool \(opt=-O2, order=given\) gave the same'
is 'doe run: the warning comes once per program' "$(grep -c warning .err)" 1

# --- mistakes
plan bad 'echo some words; cc --no-such-option {opt} {order}; exit 7'
exits 'doe run: a build that fails gives exit status 1' 1 etalon doe run plan.yaml
like 'doe run: the error has the build command' "$err" "the build of tool \(opt=-O0, order=given\).*cc --no-such-option -O0 first.c second.c"
like 'doe run: the error has the exit status of the build' "$err" 'exit status 7'
like 'doe run: the error quotes the output of the build' "$err" 'some words.*no-such-option'
refuses 'doe run: nothing is kept if a build fails' 2 'bad' etalon show bad
rm -f tool
plan none 'true {opt} {order}'
exits 'doe run: a build without a product gives exit status 1' 1 etalon doe run plan.yaml
like 'doe run: the error names the product that is missing' "$err" 'made no program ./tool'
plan path 'true {opt} {order}' 'sh -c true'
exits 'doe run: several builds of a program of PATH are refused' 2 etalon doe run plan.yaml
like 'doe run: the hint names {build}' "$err" 'hint: .*\{build\}'
plan compiler 'true {opt} {order}'
sed -i 's/kind: optimisation, levels: \[-O0/kind: compiler, levels: [no-such-cc/' plan.yaml
exits 'doe run: a compiler that is missing gives exit status 3' 3 etalon doe run plan.yaml
like 'doe run: the error has the place of the level' "$err" "plan.yaml:4:[0-9]+: there is no compiler 'no-such-cc'"
sed -i 's/no-such-cc/cc/; s/reversed\]/backwards]/' plan.yaml
exits 'doe run: an unknown order of objects is refused' 2 etalon doe run plan.yaml
like 'doe run: the error names the orders' "$err" "plan.yaml:5:[0-9]+: .*backwards.*given, reversed"
sed -i 's/backwards\]/"random:x"]/' plan.yaml
exits 'doe run: a random order without a number is refused' 2 etalon doe run plan.yaml

# --- random orders: the same for the same number
cat >random.yaml <<'END'
name: random
programs: [{ name: tool, command: 'true', build: 'echo {order} >>orders' }]
factors:
  - { name: order, kind: link-order, objects: [a, b, c, d, e, f], levels: ['random:1', 'random:2', 'random:3'] }
replications: 1
discard: 0
END
sed -i "s/command: 'true'/command: 'true {build}'/" random.yaml
exits 'doe run: random orders succeed' 0 etalon doe run random.yaml
is 'doe run: random orders differ' "$(sort -u orders | wc -l)" 3
is 'doe run: a random order has every word once' "$(while read -r line; do tr ' ' '\n' <<<"$line" | sort | tr -d '\n'; echo; done <orders | sort -u)" abcdef
exits 'doe run --new: random orders succeed' 0 etalon doe run --new random.yaml
is 'doe run: a random order depends on its number only' "$(sort -u orders | wc -l)" 3

# --- another user: the folder of builds is theirs, and root writes nothing there
if [ "$(id -u)" -ne 0 ] || ! getent passwd nobody >/dev/null; then
	skip 'doe run: builds have the rights of the user' 'needs root and a user nobody'
else
	chmod 711 . && rm -f log
	plan user 'id -u >>log; cc {opt} -o {build}/tool main.c {order}' '{build}/tool'
	sed -i 's/run: {/run: { user: nobody,/' plan.yaml
	# nobody has no home: its cache cannot be made, and nothing is made as root instead.
	exits 'doe run: a user without a home has no builds' 4 etalon doe run plan.yaml
	like 'doe run: the error says that the folder cannot be made' "$err" 'cannot make the folder of builds.*a home'
	ok 'doe run: the build of a user is not run by root' test ! -e log
fi
done_testing
