#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The C++ layer and the header for files of Google Benchmark: they compile in every standard that
# they promise, and what they register is run.
# Usage: layers.sh SOURCE_ROOT BUILD_ROOT
# shellcheck disable=SC2317 # functions are called through ok
set -u
root=$1 build=$2
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/etalon-layers.XXXXXX")
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
		sed 's/^/# /' "$work/out"
		failed=1
	fi
}

skip()
{
	n=$((n + 1))
	echo "ok $n # SKIP $1"
}

read -ra flags < <(PKG_CONFIG_PATH=$build/meson-uninstalled pkg-config --cflags --libs etalon)
export LD_LIBRARY_PATH=$build
compat=(-I "$root/include/etalon/compat" -I "$root/include")
strict=(-O2 -pedantic -Wall -Wextra -Werror)

for compiler in g++ clang++; do
	for standard in c++11 c++14 c++17 c++20; do
		if ! command -v $compiler >/dev/null; then
			skip "no $compiler"
			continue
		fi
		ok "$compiler -std=$standard compiles etalon.hpp and a program that uses it" \
			$compiler -std=$standard "${strict[@]}" -I "$root/include" -fsyntax-only "$here/layer.cc"
		ok "$compiler -std=$standard compiles a file of Google Benchmark" \
			$compiler -std=$standard "${strict[@]}" "${compat[@]}" -fsyntax-only "$here/compat.cc"
	done
done

if echo '#include <benchmark/benchmark.h>' | g++ -x c++ -fsyntax-only - 2>/dev/null; then
	ok 'the same file compiles with Google Benchmark itself' g++ -std=c++14 -fsyntax-only "$here/compat.cc"
else
	skip 'Google Benchmark is not installed'
fi

json() { python3 -c "import json, sys; d = json.load(open(sys.argv[1])); assert $2, d" "$1"; }
fails() { ! "$@"; }
is() { [ "$("${@:2}")" = "$1" ]; }

ok 'a program of etalon.hpp links' g++ -std=c++11 "${strict[@]}" "$here/layer.cc" -o "$work/layer" "${flags[@]}"
ok 'etalon.hpp: all benchmarks are listed by name and parameters' is 'construct/8
construct/64
construct/512
product<2, 3>
lambda, with a comma
plain
typed<int, char>/first/5
counting/up
counting/down/1/2
captured/a:1/b:2
captured/a:3/b:4' "$work/layer" --list
ok 'etalon.hpp: all benchmarks are timed' "$work/layer" --processes 2 --case-time 20ms --json "$work/layer.json"
ok 'etalon.hpp: every case has a time' json "$work/layer.json" \
	'len(d["functions"]) == 11 and all(f["time_ns"] >= 0 for f in d["functions"])'
ok 'etalon.hpp: a longer string takes longer' json "$work/layer.json" \
	'd["functions"][2]["time_ns"] > d["functions"][0]["time_ns"]'

ok 'a file of Google Benchmark links' g++ -std=c++11 "${strict[@]}" "${compat[@]}" "$here/compat.cc" -o "$work/compat" "${flags[@]}"
names='BM_copy/64
BM_copy/512
BM_copy/4096
BM_while
BM_sort/64
BM_sort/256
BM_sort/1024
BM_sort/4096
BM_product/a:1/b:3
BM_product/a:2/b:3
BM_template<int, double>
BM_captured/long
Numbers/sum/100
Typed<double>/count
BM_threads/real_time/threads:2
BM_shared/threads:2
BM_shared/threads:4
BM_batch
BM_linear/500
BM_linear/512
BM_linear/1024
BM_linear/2048
BM_linear/4000
BM_linear/500#2
BM_skipped/2
registered'
ok "Google Benchmark: --benchmark_list_tests lists the cases" is "$names" "$work/compat" --benchmark_list_tests
ok "Google Benchmark: --benchmark_filter chooses cases" is 'BM_while' "$work/compat" --benchmark_list_tests --benchmark_filter=while
"$work/compat" --benchmark_min_time=0.02 --processes=2 --benchmark_out="$work/google.json" --json "$work/compat.json" >"$work/text" 2>&1
ok "Google Benchmark: all cases but the skipped one have a time" json "$work/compat.json" \
	'len([f for f in d["functions"] if f["time_ns"] is not None]) == 25'
ok "Google Benchmark: the reason of the skipped one is shown" grep -q 'no such size' "$work/text"
ok "Google Benchmark: --benchmark_out is in its own format" json "$work/google.json" \
	'"context" in d and any(b["name"].startswith("BM_while") for b in d["benchmarks"])'
ok "Google Benchmark: --benchmark_filter=all means everything" is "$names" "$work/compat" --benchmark_list_tests --benchmark_filter=all
ok "Google Benchmark: equal names are numbered, and a note says so" grep -q 'has the name of another' "$work/text"
ok "Google Benchmark: a case that is given twice is timed once" grep -q 'the same as another: timed once' "$work/text"
ok "Google Benchmark: KeepRunningBatch: the time is that of an iteration" json "$work/compat.json" \
	'(lambda t: 0.2 < t["BM_batch"] / t["BM_linear/500"] < 5)({f["name"]: f["time_ns"] for f in d["functions"]})'
ok "Google Benchmark: Complexity: the model that was asked for is fitted" json "$work/compat.json" \
	'[c["asked"]["model"] for c in d["complexity"] if c["name"] == "BM_linear"] == ["n"]'
ok "Google Benchmark: an inverted rate is shown as a time" grep -qE '^BM_linear/512 .* [0-9.]+ (ns|µs)$' "$work/text"
same_times()
{
	python3 - "$work/compat.json" "$work/google.json" <<-'EOF'
		import json, sys
		table, google = (json.load(open(name)) for name in sys.argv[1:])
		values = {f["name"]: f["process_ns"] for f in table["functions"] if f["time_ns"]}
		runs = [b for b in google["benchmarks"] if b["run_type"] == "iteration" and b["run_name"] in values]
		assert {b["run_name"] for b in runs} == set(values), "functions are missing"
		for b in runs:
		    # Of a function as short as the loop nothing may be left.
		    wanted = max(values[b["run_name"]][b["repetition_index"]], 0)
		    assert abs(b["real_time"] - wanted) <= 1e-6 * wanted, (b, wanted)
		    assert b["cpu_time"] > 0 or wanted < 1, b
	EOF
}
ok "Google Benchmark: --benchmark_out has the times of the table, and CPU times" same_times

# One case at a time; the last line of a program that must not run is its refusal.
one() { "$work/compat" --benchmark_filter='^BM_while$' --processes=2 "$@"; }
ok "Google Benchmark: --benchmark_min_time=100x is a number of iterations" one --benchmark_min_time=100x --json "$work/x.json"
ok "Google Benchmark: a sample has as many iterations" json "$work/x.json" '{s["calls"] for f in d["functions"] for s in f["slices"]} == {100}'
one --benchmark_min_time=soon >"$work/text" 2>&1
ok "Google Benchmark: a wrong --benchmark_min_time is refused by its own name" grep -q '^--benchmark_min_time=soon: use' "$work/text"
ok "Google Benchmark: --benchmark_format=csv prints its columns" is \
	'name,iterations,real_time,cpu_time,time_unit,bytes_per_second,items_per_second,label,error_occurred,error_message' \
	bash -c '"$@" 2>/dev/null | head -n 1' - "$work/compat" --benchmark_filter='^BM_while$' --processes=2 --benchmark_min_time=0.02 --benchmark_format=csv
cat >"$work/message.cc" <<-'EOF'
	#include <benchmark/benchmark.h>
	static void BM_message(benchmark::State &state)
	{
		state.SkipWithMessage("no such device");
		for (auto _ : state) {
		}
	}
	BENCHMARK(BM_message);
	BENCHMARK_MAIN();
EOF
ok "Google Benchmark: SkipWithMessage compiles" g++ -std=c++11 "${strict[@]}" "${compat[@]}" "$work/message.cc" -o "$work/message" "${flags[@]}"
ok "Google Benchmark: SkipWithMessage is no failure" "$work/message" --processes=2 --json "$work/message.json"
ok "Google Benchmark: its message is kept" json "$work/message.json" \
	'[(f["skipped"], f["error"]) for f in d["functions"]] == [("no such device", None)]'

# A thread that left its loop early would make about every run crash.
shared()
{
	for _ in 1 2 3 4 5; do
		"$work/compat" --benchmark_filter=BM_shared --benchmark_min_time=0.02 --processes=4 || return 1
	done
}
ok "Google Benchmark: one thread may free after the loop what all use in it" shared
ok "Google Benchmark: an unknown option is refused" fails "$work/compat" --nonsense
echo "1..$n"
exit $failed
