#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# `etalon hyperfine` runs what hyperfine runs: the same commands and hooks, as often, in the same order,
# and never two at the same time. Where hyperfine is installed, it is asked as well.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

# A program that logs its arguments, and a line of its own if another one runs at the same time.
cat >log.sh <<'end'
#!/bin/sh
mkdir busy 2>/dev/null || echo overlap >>log
echo "$*" >>log
[ -z "$NAP" ] || sleep "$NAP"
rmdir busy 2>/dev/null
exit 0
end
chmod +x log.sh
export NAP=

# logged COMMAND…: runs it, and prints what was logged, equal lines that follow each other as one
logged()
{
	: >log
	"$@" >/dev/null 2>.logged || { cat .logged; return 1; }
	uniq -c log | awk '{ n = $1; $1 = ""; printf "%s%s×%d", sep, substr($0, 2), n; sep = ", " }'
}

real=$(PATH=${PATH#*:} type -P hyperfine)

# same NAME WANT OPTIONS…: etalon hyperfine logs this, and so does hyperfine
same()
{
	local name=$1 want=$2
	shift 2
	is "order: $name" "$(logged etalon hyperfine -q -N "$@")" "$want"
	if [ -n "$real" ]; then
		is "order: hyperfine does the same: $name" "$(logged "$real" --style none -N "$@")" "$want"
	else
		skip "order: hyperfine does the same: $name" 'hyperfine is not installed'
	fi
}

same 'all runs of one command come before those of the next, without a warm-up' \
	'a×3, b×3' -r 3 './log.sh a' './log.sh b'
same 'one command without -w has no warm-up run' 'a×2' -r 2 './log.sh a'
same 'three commands of which two are equal run in their order' \
	'a×2, b×2, a×2' -r 2 './log.sh a' './log.sh b' './log.sh a'
same 'warm-up runs belong to their command' 'a×5, b×5' -r 3 -w 2 './log.sh a' './log.sh b'
same 'a scanned number changes after all commands' \
	'a 1×2, b 1×2, a 2×2, b 2×2, a 3×2, b 3×2' -r 2 -P x 1 3 './log.sh a {x}' './log.sh b {x}'
same 'the first of two lists changes fastest' \
	'a 1 3×2, b 1 3×2, a 2 3×2, b 2 3×2, a 1 4×2, b 1 4×2, a 2 4×2, b 2 4×2' \
	-r 2 -L x 1,2 -L y 3,4 './log.sh a {x} {y}' './log.sh b {x} {y}'
same 'the hooks surround each run, and all runs of a command' \
	's×1, p×1, a×1, p×1, a×1, p×1, a×1, c×1, s×1, p×1, b×1, p×1, b×1, p×1, b×1, c×1' \
	-r 2 -w 1 --setup './log.sh s' --prepare './log.sh p' --cleanup './log.sh c' './log.sh a' './log.sh b'
same 'hooks have the parameters of their command' \
	's 1×1, p 1×1, a 1×1, p 1×1, a 1×1, c 1×1, s 2×1, p 2×1, a 2×1, p 2×1, a 2×1, c 2×1' \
	-r 2 -s './log.sh s {x}' -p './log.sh p {x}' -c './log.sh c {x}' -L x 1,2 './log.sh a {x}'
same 'each command has its own preparation' \
	'p1×1, a×1, p1×1, a×1, p2×1, b×1, p2×1, b×1' \
	-r 2 -p './log.sh p1' -p './log.sh p2' './log.sh a' './log.sh b'
same 'each combination of parameters has its own preparation' \
	'p1×1, a 1×1, p2×1, b 1×1, p3×1, a 2×1, p4×1, b 2×1' -r 1 -L x 1,2 \
	-p './log.sh p1' -p './log.sh p2' -p './log.sh p3' -p './log.sh p4' './log.sh a {x}' './log.sh b {x}'
same '--max-runs below 10 is the number of runs' 'a×4, b×4' -M 4 './log.sh a' './log.sh b'
NAP=0.31
same 'a program of 0.3 s runs 10 times' 'a×10' './log.sh a'
same '--min-runs is the number of runs of a slow program' 'a×11' -m 11 './log.sh a'
NAP=

# Options that the packaged hyperfine need not have.
is 'order: --conclude runs after each run' \
	"$(logged etalon hyperfine -q -N -r 2 -w 1 -C './log.sh e' './log.sh a')" 'a×1, e×1, a×1, e×1, a×1, e×1'
is 'order: --reference runs once, before all parameters' \
	"$(logged etalon hyperfine -q -N -r 2 -L x 1,2 --reference './log.sh r' './log.sh a {x}')" 'r×2, a 1×2, a 2×2'
exits 'order: --reference beside parameters succeeds' 0 etalon hyperfine -q -r 2 -L x 1,2 \
	--reference 'echo r' --export-csv ref.csv --json ref.json 'echo {x}'
is 'order: the table of a reference without parameters has as many cells in each row' \
	"$(awk -F, '{ print NF }' ref.csv | sort -u)" 9
is 'order: a number for each combination names all commands' \
	"$(etalon hyperfine -q -r 2 -L x 1,2 -n one -n two --json - 'echo {x}' 2>/dev/null |
		jq -r '[.commands[].name] | join(" ")')" 'one two'

# The number of runs follows from the first one: as many as fit into 3 s, but 10 at least.
# shellcheck disable=SC2016 # variables of jq
rule='($first | floor) as $n | if $n > 10 then $n else 10 end'
exits 'number: an automatic number of runs succeeds' 0 \
	etalon hyperfine -q --min-benchmarking-time 1 --json auto.json 'sleep 0.02' 'sleep 0.2'
is 'number: as many runs as the first one fits into the time, but 10 at least' \
	"$(jq -c '[.commands[] | [.samples[] | select(.warmup | not)] | length]' auto.json)" \
	"$(jq -c "[.commands[] | (1e9 / .samples[0].et_ns) as \$first | $rule]" auto.json)"
is 'number: there is no warm-up run' "$(jq '[.commands[].samples[] | select(.warmup)] | length' auto.json)" 0
like 'number: there is no limit of 1000 runs' "$(jq .plan.max_runs auto.json)" '^[0-9]{5,}$'
is 'number: --until keeps its limit' \
	"$(etalon hyperfine -q --until 50% -m 2 --json - true 2>/dev/null | jq .plan.max_runs)" 1000
exits 'number: a program with a slow preparation succeeds' 0 \
	etalon hyperfine -q -m 1 --min-benchmarking-time 1 -p 'sleep 0.1' --json hook.json true
runs=$(jq '.commands[0].samples | length' hook.json)
ok "number: the time of the preparation counts ($runs runs of at most 9)" [ "$runs" -ge 2 -a "$runs" -le 9 ]
if [ -n "$real" ]; then
	"$real" --style none -N --export-json real.json 'sleep 0.2' >/dev/null 2>&1
	is 'number: hyperfine follows the same rule' "$(jq '.results[0].times | length' real.json)" \
		"$(jq "(3 / .results[0].times[0]) as \$first | $rule" real.json)"
else
	skip 'number: hyperfine follows the same rule' 'hyperfine is not installed'
fi

# The example of `etalon --help` can be copied: its commands leave nothing behind.
mkdir copied
seq 1000 >copied/data
example=$(etalon --help | sed -n 's/^example: //p')
like 'example: --help has one with two commands' "$example" "^etalon run '.*' '.*'$"
(cd copied && eval "$example -r 2") >/dev/null 2>&1
is 'example: the one of --help succeeds' $? 0
is 'example: the one of --help writes no file, so none that both commands share' "$(ls copied)" data
(cd copied && PATH=$work/bin:$PATH eval "${example/etalon run/etalon hyperfine} -r 2") >/dev/null 2>&1
is 'example: it works with etalon hyperfine' $? 0

done_testing
