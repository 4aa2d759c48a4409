#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Tests that the benchmarks run and write results in the right format, not how fast anything is.
set -u
here=$(dirname "$0")
work=$(mktemp -d "${TMPDIR:-/tmp}/etalon-bench.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
export BENCH_QUICK=1 BENCH_RESULTS=$work/results.jsonl

benches=(spawn start snapshots ledger competitor pairs sharing emp emp-lengths notes store central profile profile-coverage trace timing-pair kbest functions doe)
fields='^\{"bench": "[a-z-]+", "text": "[^"]+", "op": "[^"]*", "limit": (null|[0-9.]+), '
fields+='"figure": (null|-?[0-9.e+-]+), "note": "[^"]*", "held": (true|false|null), '
fields+='"quick": true, "time": "[0-9TZ:-]+"\}$'

n=0
check()
{
	local name=$1
	shift
	n=$((n + 1))
	if "$@" >/dev/null; then
		echo "ok $n - $name"
	else
		echo "not ok $n - $name"
		sed 's/^/# /' "$work/out"
	fi
}

# known_lines: prints lines as bench/pairs writes them, from which figures follow that are computed by
# hand below. A program of u units takes u + 10.
known_lines()
{
	awk 'function line(tool, kind, units, estimate, rest) {
		printf "{\"tool\": \"%s\", \"case\": \"%s\", \"kind\": \"loop\", \"units\": %s, ", tool, kind, units
		printf "\"seconds\": 1, \"estimate\": %.9f%s}\n", estimate, rest
	}
	function ours(kind, units, estimate, lo, hi, pairs, decision, difference) {
		line("etalon", kind, units, estimate, sprintf(", \"lo\": %.9f, \"hi\": %.9f, \"pairs\": %d, " \
			"\"decision\": \"%s\", \"difference\": %s", lo, hi, pairs, decision, difference))
	}
	function wall(tool, pair, seconds) {
		printf "{\"tool\": \"%s\", \"case\": \"wall\", \"kind\": \"%s | b\", \"seconds\": %d}\n", tool, pair, seconds
	}
	BEGIN {
		for (i = 0; i < 2; i++)
			print "{\"case\": \"truth\", \"kind\": \"loop\", \"at\": [50, 100, 150], \"ns\": [60, 110, 160]}"
		# Of 20 identical programs one is called slower, one is open, and 18 are equal.
		for (i = 0; i < 20; i++) {
			x = i % 2 ? 0.002 : -0.002
			ours("same", "null", x, x + (i == 1 ? -0.001 : -0.005), x + 0.005, 50, \
				i == 1 ? "slower" : i == 2 ? "undecided" : "equal", 0)
			line("hyperfine", "same", "null", i % 2 ? 0.1 : -0.1, "")
		}
		# The truth is log(111 / 110), or its negative: right twice, too late once, wrong once.
		x = log(111 / 110)
		ours("half", "[100, 101]", x + 0.001, 0.001, 0.02, 400, "slower", 0.5)
		ours("half", "[101, 100]", -x - 0.001, -0.02, -0.001, 40, "faster", -0.5)
		ours("half", "[100, 101]", x + 0.001, 0.001, 0.02, 402, "slower", 0.5)
		ours("half", "[101, 100]", -x - 0.001, 0.001, 0.02, 30, "slower", -0.5)
		line("hyperfine", "half", "[100, 101]", x - 0.04, "")
		wall("etalon", "x", 2); wall("etalon", "y", 3); wall("etalon", "z", 4); wall("etalon", "alone", 9)
		wall("hyperfine", "x", 4); wall("hyperfine", "y", 4); wall("hyperfine", "z", 8)
		# A factor of 0.95, and a constant of -0.001: 0.93951 of log(121 / 110), 0.83960 of log(111 / 110).
		for (i = 0; i < 4; i++) {
			e = i % 2 ? 0.0001 : -0.0001
			ours("bias", "[100, 101]", 0.95 * x - 0.001 + e, 0, 1, 200, "slower", 1)
			ours("bias", "[101, 100]", -0.95 * x + 0.001 + e, -1, 0, 200, "faster", -1)
			ours("bias", "[100, 111]", 0.95 * log(1.1) - 0.001 + e, 0, 1, 200, "slower", 10)
			ours("bias", "[111, 100]", -0.95 * log(1.1) + 0.001 + e, -1, 0, 200, "faster", -10)
		}
		print "{\"tool\": \"etalon\", \"case\": \"same\", \"kind\": \"loop\", \"units\": null, \"failed\": true}"
	}'
}

known_figures()
{
	cat <<-'END'
		0.05 identical programs called different
		0.9 identical programs called equal within 1 %
		0.95 intervals about identical programs that contain 1
		0.02 rms of the log ratio / hyperfine, identical programs
		0.5 0.5 % slower found within 400 pairs
		1 0.5 % slower, decisions in the wrong direction
		220 0.5 % slower, median number of pairs
		0.75 0.5 % slower, intervals that contain the truth
		0.025 rms of the log ratio / hyperfine, 0.5 % slower
		0.75 median wall time of 3 usual pairs / hyperfine
		0.5 median of the ratios of wall times
		0.75 largest ratio of wall times
		0.8395 difference of 1 %: printed / true
		0.9395 difference of 10 %: printed / true
		4 loop: differences with a bias beyond 5 % by two standard errors
		-0.001 loop: constant in the log ratio, of small differences
		0.95 loop: factor of differences beside it
		1 loop: cost per unit of work, long / short
		1 comparisons that failed
	END
}

known_answer()
{
	known_lines >"$work/known.jsonl"
	BENCH_RESULTS=$work/known BENCH_FROM=$work/known.jsonl "$here/pairs" "$ETALON" >"$work/out" 2>&1 || return
	diff <(known_figures) <(jq -r '"\(.figure) \(.text)"' "$work/known") >>"$work/out"
}

"$here/run" "$ETALON" "${benches[@]}" >"$work/out" 2>&1
status=$?
echo "1..$((4 + ${#benches[@]}))"
check 'bench: all benchmarks run to their end' test $status -eq 0
check 'bench: the results file is not empty' test -s "$BENCH_RESULTS"
check 'bench: every result is a line of JSON with all fields' test "$(grep -cvE "$fields" "$BENCH_RESULTS")" -eq 0
for name in "${benches[@]}"; do
	check "bench: $name writes results" grep -q "^{\"bench\": \"$name\"" "$BENCH_RESULTS"
done
check 'bench: pairs computes the known figures of lines with a known answer' known_answer
