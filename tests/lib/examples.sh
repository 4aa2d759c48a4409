#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The example programs and those in the manual compile with the flags of pkg-config and run.
# Usage: examples.sh SOURCE_ROOT BUILD_ROOT
# shellcheck disable=SC2317 # functions are called through ok
set -u
root=$1 build=$2
work=$(mktemp -d "${TMPDIR:-/tmp}/etalon-examples.XXXXXX")
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

gives()
{
	local wanted=$1
	shift
	"$@"
	[ $? -eq "$wanted" ]
}

json() { python3 -c "import json, sys; d = json.load(open(sys.argv[1])); assert $2, str(d)[:2000]" "$1"; }

# The flags for the library in the build folder.
read -ra flags < <(PKG_CONFIG_PATH=$build/meson-uninstalled pkg-config --cflags --libs etalon)
export LD_LIBRARY_PATH=$build
ok 'pkg-config prints flags for libetalon' test ${#flags[@]} -gt 0

compile()
{
	local source=$1
	case $source in
	*/google.cc) g++ -std=c++11 -O2 -pedantic -Wall -Wextra -Werror -I "$root/include/etalon/compat" "$source" "${flags[@]}" -o "$2" ;;
	*.cc) g++ -std=c++11 -O2 -pedantic -Wall -Wextra -Werror "$source" "${flags[@]}" -o "$2" ;;
	*) gcc -std=c99 -O2 -pedantic -Wall -Wextra -Werror "$source" "${flags[@]}" -o "$2" ;;
	esac
}

# Programs in the manual are the fenced blocks that begin with an include. scdoc reads a backslash as
# an escape.
awk -v out="$work/manual-" '/^```/ { inside = !inside; fresh = inside; next }
	inside && fresh && /^#include/ { file = out (++count) ".c" }
	inside && fresh && !/^#include/ { file = "" }
	{ fresh = 0 }
	inside && file { gsub(/\\\\/, "\\"); print > file }' "$root/man/etalon.3.scd"
ok 'the manual contains programs' test -f "$work/manual-1.c"
for source in "$work"/manual-*.c; do
	! grep -q 'etalon.hpp' "$source" || mv "$source" "${source%.c}.cc"
done

for source in "$root"/examples/*.c "$root"/examples/*.cc "$work"/manual-*.c "$work"/manual-*.cc; do
	name=$(basename "$source")
	ok "$name compiles" compile "$source" "$work/${name%%.*}"
	options=()
	if grep -qE '(ETALON_|BENCHMARK_)MAIN|ETALON_REGISTERED_MAIN|etalon_bench_main' "$source"; then
		options=(--case-time 20ms --processes 3)
	fi
	ok "$name runs" "$work/${name%%.*}" "${options[@]}"
done

sum=("$work/sum" --case-time 20ms --processes 5)
ok '--list prints the names of the functions' test "$("${sum[@]}" --list)" = $'sum_forward\nsum_pairs'
ok '--json writes a file' "${sum[@]}" --json "$work/a.json"
ok '--json: the file has the functions and their times' json "$work/a.json" \
	'[f["name"] for f in d["functions"]] == ["sum_forward", "sum_pairs"] and d["functions"][0]["time_ns"] > 100'
ok '--json -: standard output has nothing but JSON' bash -c '"$@" --json - 2>/dev/null | python3 -m json.tool' - "${sum[@]}"
ok '--statistic: the answer is what was asked for' json <("${sum[@]}" --statistic median --json - 2>/dev/null) \
	'all(f["statistic"] == "median" for f in d["functions"])'
ok '--filter selects functions by a regular expression' bash -c '[ "$("$@" --filter "pair.$" --list)" = sum_pairs ]' - "${sum[@]}"
# Baselines so extreme that every machine is slower, or faster: the times of sum_forward times a factor. A
# hundredth is 9 ns, which is still more than the cost of a call.
baseline()
{
	python3 - "$work/a.json" "$1" <<-'EOF'
		import json, sys
		d = json.load(open(sys.argv[1]))
		d["functions"] = d["functions"][:1]
		for s in d["functions"][0]["slices"]:
		    for column in "ns", "cpu_ns":
		        s[column] = [x * float(sys.argv[2]) for x in s[column]]
		print(json.dumps(d))
	EOF
}
"${sum[@]}" --json "$work/a.json" >/dev/null
baseline 0.01 >"$work/fast.json"
baseline 1000 >"$work/slow.json"
ok '--fail-on-regression: exit status 5 for a regression' gives 5 "${sum[@]}" --baseline "$work/fast.json" --fail-on-regression --filter forward
ok '--baseline alone: exit status 0 in spite of a regression' gives 0 "${sum[@]}" --baseline "$work/fast.json" --filter forward
"${sum[@]}" --baseline "$work/slow.json" --fail-on-regression >"$work/text"
ok '--fail-on-regression: exit status 0 without a regression' test $? -eq 0
ok '--baseline: a faster function is reported as faster' grep -q 'faster' "$work/text"
ok '--baseline: a function that the baseline lacks is reported' grep -q 'sum_pairs .* new$' "$work/text"
"${sum[@]}" --json "$work/b.json" --baseline "$work/slow.json" >/dev/null
ok '--json: the file has the comparison with the baseline' json "$work/b.json" 'd["functions"][0]["baseline"]["verdict"] == "faster"'
ok '--json may overwrite the file of --baseline' "${sum[@]}" --json "$work/b.json" --baseline "$work/b.json"
ok '--baseline: times with a warm cache are refused for --cold' gives 2 "${sum[@]}" --cold --baseline "$work/b.json"
echo '{"functions": [{"name": 3}]}' >"$work/bad.json"
for wrong in '-k 3' '--epsilon 1%' '-M 0' '--filter nothing' '--filter (' 'word' \
	'--nonsense' '--fail-on-regression' '--clock sundial' '--threads 0' '--seed 9223372036854775808' '--cold=warm' '--case-time 0'; do
	# shellcheck disable=SC2086 # words
	ok "exit status 2 for $wrong" gives 2 "$work/sum" $wrong
done
"$work/sum" --nosuch 2>"$work/errors"
ok 'an unknown option: the hint names the program itself' grep -qx "hint: '$work/sum --help' lists the options" "$work/errors"
for wrong in /nonexistent /dev/null "$work/bad.json"; do
	ok "exit status 4 for --baseline $(basename "$wrong")" gives 4 "$work/sum" --baseline "$wrong"
done
ok 'exit status 4 for --json in a missing folder' gives 4 "$work/sum" --json /nonexistent/x
ok 'exit status 4 if the JSON does not fit on the disk' gives 4 "${sum[@]}" --json /dev/full
ok 'exit status 4 if standard output does not fit on the disk' gives 4 bash -c '"$@" >/dev/full' - "${sum[@]}" --filter pairs
ok '--help lists --baseline' grep -q -- '--baseline' <("$work/sum" --help)
documented()
{
	local option missing=0
	for option in $("$work/sum" --help | grep -oE '^ +(-., )?--[a-z-]+' | grep -oE -- '--.*'); do
		grep -qF -- "*$option*" "$root/man/etalon.3.scd" || { echo "$option"; missing=1; }
	done
	return "$missing"
}
ok 'the manual has every option of --help' documented
ok '--help fits into 80 columns' bash -c '! "$@" --help | grep -E "^.{81}"' - "$work/sum"
echo "1..$n"
exit $failed
