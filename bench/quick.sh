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

"$here/run" "$ETALON" "${benches[@]}" >"$work/out" 2>&1
status=$?
echo "1..$((3 + ${#benches[@]}))"
check 'bench: all benchmarks run to their end' test $status -eq 0
check 'bench: the results file is not empty' test -s "$BENCH_RESULTS"
check 'bench: every result is a line of JSON with all fields' test "$(grep -cvE "$fields" "$BENCH_RESULTS")" -eq 0
for name in "${benches[@]}"; do
	check "bench: $name writes results" grep -q "^{\"bench\": \"$name\"" "$BENCH_RESULTS"
done
