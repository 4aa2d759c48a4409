# shellcheck shell=bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Functions that all benchmarks share. A script begins with
#	. "$(dirname "$0")/lib.sh" "$@"
# and is called with the path of etalon. BENCH_QUICK=1 makes sizes so small that the figures mean
# nothing; it only shows that the script runs. BENCH_NAME=N sets one size (see `size`).
set -euo pipefail
export LC_ALL=C.UTF-8

bench=$(basename "$0")
if [ $# -ne 1 ] || [ ! -x "$1" ]; then
	echo "usage: bench/$bench PATH/OF/etalon" >&2
	exit 2
fi
etalon=$(realpath "$1")
build=$(dirname "$etalon")
tools=$build/bench
quick=${BENCH_QUICK:-}
results=${BENCH_RESULTS:-$build/bench-results.jsonl}
numbers=$tools/bench-numbers

work=$(mktemp -d "${TMPDIR:-/tmp}/etalon-bench.XXXXXX")
helpers=()
finish()
{
	[ ${#helpers[@]} -eq 0 ] || kill "${helpers[@]}" 2>/dev/null || true
	rm -rf "$work"
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
export ETALON_STORE=sqlite:$work/store.db

have() { command -v "$1" >/dev/null 2>&1; }

say() { printf '%s: %s\n' "$bench" "$*" >&2; }

progress() { [ ! -t 2 ] || printf '\r%s: %s\033[K' "$bench" "$*" >&2; }
progress_end() { [ ! -t 2 ] || printf '\r\033[K' >&2; }

# size NAME FULL QUICK: prints BENCH_NAME if it is set, else QUICK with BENCH_QUICK, else FULL
size()
{
	local set=BENCH_$1
	if [ -n "${!set:-}" ]; then
		echo "${!set}"
	elif [ -n "$quick" ]; then
		echo "$3"
	else
		echo "$2"
	fi
}

# holds FIGURE OP LIMIT: succeeds if it holds; OP is <=, >=, or within (|figure - 1| <= limit)
holds()
{
	awk -v x="$1" -v op="$2" -v limit="$3" 'BEGIN {
		if (x + 0 != x) exit 1
		if (op == "within") exit !(x >= 1 - limit && x <= 1 + limit)
		exit !(op == "<=" ? x <= limit : x >= limit) }'
}

# short NUMBER: prints it with four significant digits
short() { awk -v x="$1" 'BEGIN { if (x == x + 0) printf "%.4g", x; else printf "%s", x }'; }

# record TEXT OP LIMIT FIGURE NOTE HELD: appends a line of JSON to the results; OP and LIMIT may be
# empty
record()
{
	local number=null
	[[ $4 != *[!0-9.eE+-]* && -n $4 ]] && number=$4
	printf '{"bench": "%s", "text": "%s", "op": "%s", "limit": %s, "figure": %s, ' \
		"$bench" "$1" "$2" "${3:-null}" "$number"
	printf '"note": "%s", "held": %s, "quick": %s, "time": "%s"}\n' "$5" "$6" \
		"$([ -n "$quick" ] && echo true || echo false)" "$(date -u +%FT%TZ)"
} >>"$results"

# claim TEXT OP LIMIT FIGURE [NOTE]: prints whether the claim holds, and records it
claim()
{
	local held=false word='NOT held' note=${5:-} figure
	figure=$(short "$4")
	if holds "$4" "$2" "$3"; then
		held=true word=held
	fi
	printf 'claim %s %s %s   figure %s%s   %s\n' "$1" "$2" "$3" "$figure" \
		"${note:+ ($note)}" "$word"
	record "$1" "$2" "$3" "$figure" "$note" $held
}

# fact TEXT FIGURE [NOTE]: prints and records a figure about which nothing is claimed
fact()
{
	printf 'fact  %s   figure %s%s\n' "$1" "$(short "$2")" "${3:+ ($3)}"
	record "$1" '' '' "$(short "$2")" "${3:-}" null
}

# column FILE.csv WARMUP NAME…: prints these columns of etalon's CSV; WARMUP is all (with warm-up) or
# kept (without)
column()
{
	local file=$1 which=$2
	shift 2
	awk -F, -v which="$which" -v names="$*" '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; n = split(names, name, " "); next }
		which == "all" || $at["warmup"] == "false" {
			for (i = 1; i <= n; i++)
				printf "%s%s", $at[name[i]], i < n ? OFS : ORS
		}' "$file"
}

# times FILE.json NUMBER: prints the times of hyperfine's result NUMBER (1, 2) in nanoseconds
times()
{
	awk -v wanted="$2" '/"times"/ { n++; inside = 1; next }
		/\]/ { inside = 0 }
		inside && n == wanted { gsub(/[ ,]/, ""); printf "%.0f\n", $0 * 1e9 }' "$1"
}

# inc N: prints a command that counts to N in a register
inc()
{
	if "$etalon" put inc --iterations 1 >/dev/null 2>&1; then
		echo "$etalon put inc --iterations $1"
	else
		echo "$tools/bench-work inc $1"
	fi
}

# count_for SECONDS: prints the N for which `inc N` takes about that long on this machine
count_for()
{
	local probe=20000000 fastest
	# shellcheck disable=SC2046 # words of a command
	fastest=$("$tools/bench-bare" 10 $(inc $probe) | awk '$1 != "total" { print $2 }' |
		sort -n | head -n 1)
	awk -v n=$probe -v ns="$fastest" -v s="$1" 'BEGIN { printf "%.0f\n", n * s * 1e9 / ns }'
}

now_us() { echo "${EPOCHREALTIME/[.,]/}"; }

# noise: prints how unsteady the machine is now
noise()
{
	# shellcheck disable=SC2046 # words of a command
	"$tools/bench-bare" "$(size NOISE 30 3)" $(inc "$(count_for 0.03)") |
		awk '$1 != "total" { print $2 }' >"$work/noise"
	"$numbers" summary "$work/noise" | awk '{
		printf "CPU time of a 30 ms loop varies by %.1f %% (sd)\n", 100 * $3 / $2 }'
	printf 'load average %s, %s CPUs\n' "$(cut -d ' ' -f 1-3 /proc/loadavg)" "$(nproc)"
}
