#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# etalon profile --from: files of other profilers. The figures are compared with those that the
# profilers print themselves, on files that are made here where the profilers are installed.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
data=$root/tests/data/profile

# table FILE: name, self, total and calls of each function in the JSON, by name
table()
{
	python3 -c 'import json, sys
for f in sorted(json.load(open(sys.argv[1]))["functions"], key=lambda f: f["name"]):
    print(f["name"], *("%.10g" % f[k] if f[k] is not None else "-"
                       for k in ("mean_samples", "total_samples", "calls")), sep="\t")' "$1"
}

# --- captured files ---

run etalon profile --from "$data/perf-flat.txt" --json nosuch/flat.json
like 'from: a file that cannot be written is an error' "$status $err" '^4 etalon: nosuch/flat.json: No such'
exits 'from: the text of perf script is read' 0 etalon profile --from "$data/perf-flat.txt" --json flat.json
is 'from: perf script has the samples that perf report counts' "$(table flat.json)" \
	$'leaf\t24\t24\t-\nother\t13\t13\t-'
exits 'from: one of several events is read' 0 \
	etalon profile --from "$data/perf-chains.txt" --event cpu-clock --json chains.json
is 'from: call chains give total times' "$(table chains.json)" \
	$'__libc_start_call_main\t0\t5\t-\nouter\t5\t5\t-'
refuses 'from: several events are refused if none is chosen' 2 \
	"perf-chains.txt:[0-9]+: it has samples of 'page-faults' and of 'cpu-clock'" \
	etalon profile --from "$data/perf-chains.txt"
like 'from: the hint names the option' "$err" 'choose one of them with --event'
exits 'from: the text of gprof is read' 0 etalon profile --from "$data/gprof.txt" --json gprof.json
is "from: gprof's seconds are samples, and its calls are kept" "$(table gprof.json | cut -f 1,2,4)" \
	$'A<double>::operator()(double) const\t20\t1\nA<long>::operator()(long) const\t2\t50000\nuncounted()\t2\t-'
exits 'from: callgrind is read' 0 etalon profile --from "$data/callgrind-lines.out" --json callgrind.json
like "from: callgrind's costs are called instructions" "$out" 'function +module +self % +total % +instructions '
like "from: callgrind's costs are those of callgrind_annotate" "$(table callgrind.json)" \
	$'leaf\t1300\t1300\t8\nleft\t8\t918\t1\nright\t20\t410\t2\nwork\t13\t1408\t1$'

# --- repetitions, and two programs ---

for i in 1 2 3 4 5 6; do
	printf 'main;work %d\nmain;rest %d\nmain 10\n' $((100 + i % 3)) $((50 + i)) >old$i
	printf 'main;work %d\nmain;rest %d\nmain 10\n' $((140 + i % 2)) $((50 + i)) >new$i
done
exits 'from: several files are repetitions' 0 etalon profile --from old1 old2 old3 old4 old5 old6 --json old.json
is 'from: the mean of the repetitions is that of the files' "$(table old.json | cut -f 1-3)" \
	$'main\t10\t164.5\nrest\t53.5\t53.5\nwork\t101\t101'
run jq -c '[.runs, .way, .event, .call_graph != "none"]' old.json
is 'from: the record says where the samples come from' "$out" '[6,"imported","samples",true]'
exits 'from: two groups of files are compared' 0 \
	etalon profile --compare --from old1 old2 old3 old4 old5 old6 --json two.json -- new1 new2 new3 new4 new5 new6
run jq -c '[.comparison.functions[] | select(.significant) | .name]' two.json
is 'from: the function that changed is found' "$out" '["work"]'
cat old1 >pipe
run sh -c 'etalon profile --from - --json - <pipe 2>/dev/null'
json 'from: - is standard input' "d['samples_total']['mean'] == 162"

like 'from: --help has the comparison of files' "$(etalon profile --help)" 'profile \[options\] --compare --from OLD… -- NEW…'

# --- the store ---

run etalon list --json
is 'from: files are not kept without a label' "$out" '[]'
exits 'from: a label keeps the profile' 0 etalon profile --label old --from old1 old2 old3 old4 old5 old6
like 'from: the output says where it is' "$out" 'kept as [-0-9a-f]+: etalon show'
exits 'from: a label keeps it in another store' 0 etalon profile --label other --store "$work/other store.db" --from old1 old2 old3
like 'from: the output names the other store' "$out" "kept as [-0-9a-f]+: etalon show --store '$work/other store.db'"
exits 'from: a kept profile can be exported' 0 etalon export old
json 'from: the record has the counts of each run' \
	"[r['samples'] for r in d['profile']['runs']] == [162, 164, 163, 165, 167, 166] and d['profile']['way'] == 'imported'"
exits 'from: a kept profile has the same result' 0 etalon export -f profile -o again.json old
is 'from: a kept profile has the same functions' "$(table again.json)" "$(table old.json)"
exits 'from: callgrind is kept' 0 etalon profile --label calls --from "$data/callgrind-lines.out"
exits 'from: its calls are kept' 0 etalon export -f profile -o again.json calls
is 'from: a kept profile has the same calls' "$(table again.json)" "$(table callgrind.json)"

# --- bad input ---

refuses 'from: a missing file is refused' 2 'none: No such file' etalon profile --from none
like 'from: a hint says what --from takes' "$err" 'hint: --from takes files of profilers, or the id or label'
refuses 'from: a folder is refused' 2 'home: Is a directory' etalon profile --from home
printf 'main;work 3\nmain;work\n' >odd
refuses 'from: a bad line is refused' 2 "odd:2: the line ends with 'main;work'" etalon profile --from old1 odd
gzip -c old1 >old1.gz
refuses 'from: a compressed file is refused' 2 'old1.gz: it is compressed by gzip' etalon profile --from old1.gz
like 'from: the hint says how to decompress it' "$err" 'hint: .*gunzip'
printf 'gmon\1\0\0\0' >gmon.out
refuses 'from: gmon.out alone is refused' 2 'gmon.out: the program that wrote it is not known' \
	etalon profile --from gmon.out
like 'from: the hint names the program first' "$err" 'hint: .*--from PROGRAM gmon.out'
refuses 'from: a program alone is refused' 2 'it is a program, not a profile' etalon profile --from "$ETALON"
run env PATH="$work/bin" "$(command -v bash)" -c 'printf "PERFILE2\0" >perf.data; etalon profile --from perf.data'
like 'from: perf.data without perf is refused' "$status $err" '^3 etalon: cannot start perf.*hint: install perf'
printf 'a 1\033[31m;b\xff 2\n' >control
exits 'from: control characters are read' 0 etalon profile --from control
unlike 'from: control characters do not reach the terminal' "$out" $'\033'
head -c 100000 /dev/urandom >garbage
run etalon profile --from garbage
like 'from: garbage is refused' "$status $err" '^2 etalon: garbage'

# --- live files ---

cat >work.c <<'EOF'
static volatile unsigned long sink = 1;
/* A chain of multiplications: every processor needs some cycles for each. */
__attribute__((noinline)) void leaf(unsigned long n)
{
	unsigned long x = sink;
	for (unsigned long i = 0; i < n; i++)
		x = x * 6364136223846793005 + i;
	sink = x;
}
__attribute__((noinline)) void few(void) { leaf(1000000); sink++; }
__attribute__((noinline)) void many(void) { for (int i = 0; i < 20; i++) leaf(1000000); sink++; }
int main(void) { for (int i = 0; i < LOOPS; i++) { few(); many(); } return 0; }
EOF

# by_name: sums up functions of the same name, which several files may have
by_name()
{
	awk -F '\t' '$2 > 0 && $1 != "[unknown]" { sum[$1] += $2 }
	END { for (f in sum) print f "\t" sum[f] }' | LC_ALL=C sort
}

# --- stripped programs: perf prints [unknown], but their functions are known ---

# record_stripped OPTION...: profiles the program without symbols
record_stripped()
{
	cc -O1 -fno-omit-frame-pointer -fno-optimize-sibling-calls -fasynchronous-unwind-tables -Wl,--build-id \
		-DLOOPS=4 -o named work.c && strip -o bare named &&
		perf record -q "$@" -e cpu-clock -F 2000 -o bare.data ./bare >/dev/null 2>&1
}
# known FILE: how many of 100 samples are in the function leaf, by its place in the file
known()
{
	python3 - "$1" "$(nm named | awk '$3 == "leaf" { print $1 }')" <<-'PY'
	import json, sys
	all = json.load(open(sys.argv[1]))["functions"]
	name = "[0x%x]" % int(sys.argv[2], 16)
	sum = sum(f["mean_samples"] for f in all)
	print(int(100 * max([f["mean_samples"] for f in all if f["name"] == name], default=0) / sum))
	PY
}
if ! command -v perf >/dev/null || ! command -v strip >/dev/null || ! record_stripped ||
	etalon --version | grep -q 'no libdw'; then
	skip 'from: functions of a stripped program are known' 'perf record, strip or libdw is missing'
else
	exits 'from: perf.data of a stripped program is read' 0 etalon profile --from bare.data --json bare.json
	like 'from: functions of a stripped program are known' "$(known bare.json)" '^([89][0-9]|100)$'
	like 'from: a note says that symbols are missing' "$(tr '\n' ' ' <.out)" 'code without +symbols, for +instance in .*bare'
	record_stripped -g
	etalon profile --from bare.data --json bare.json >/dev/null
	like 'from: functions of a stripped program are known in call chains' "$(known bare.json)" '^([89][0-9]|100)$'
	cc -O2 -Wl,--build-id -DLOOPS=3 -s -o bare work.c
	etalon profile --from bare.data --json bare.json >/dev/null
	is 'from: a program that was built again is not taken for the old one' "$(known bare.json)" 0
fi

# Function totals agree with perf report on the same perf.data.
live_perf()
{
	cc -O1 -g -fno-omit-frame-pointer -fno-optimize-sibling-calls -DLOOPS=4 -o work work.c &&
		perf record -q -g -e cpu-clock -F 2000 -o perf.data ./work >/dev/null 2>&1
}
if ! command -v perf >/dev/null || ! live_perf; then
	skip 'from: perf.data is read' 'perf record does not work here'
	skip 'from: function totals agree with perf report' 'perf record does not work here'
	skip 'from: folded stacks of perf script agree' 'perf record does not work here'
else
	exits 'from: perf.data is read' 0 etalon profile --from perf.data --json live.json
	# perf itself reads the longer one without a word. The header says where the samples are.
	read -r start size < <(od -A n -t u8 -j 40 -N 16 perf.data)
	for share in 10 50; do
		head -c $((start + size * share / 100)) perf.data >broken
		run etalon profile --from broken
		like "from: a perf.data with $share % of its samples is refused" "$status $err" '^2 .*cut off.*record again'
	done
	# Addresses without a symbol are rows of their own in perf report.
	perf report -i perf.data --stdio --no-children -g none --no-inline -F sample,sym 2>/dev/null |
		awk '$1 ~ /^[0-9]+$/ { n = $1; $1 = $2 = ""; sub(/^ +/, ""); if ($0 !~ /^0x/) sum[$0] += n }
		END { for (f in sum) print f "\t" sum[f] }' | LC_ALL=C sort >counted
	table live.json | by_name >ours
	[ -s counted ] && cmp -s counted ours
	holds $? 'from: function totals agree with perf report' || note "$(diff counted ours)"
	perf script --no-inline -i perf.data 2>/dev/null | python3 -c 'import re, sys
stacks, chain = {}, []
for line in list(sys.stdin) + ["\n"]:
    m = re.match(r"\t\s*[0-9a-f]+ (.*) \(([^()]*)\)$", line)
    if m:
        chain.append(re.sub(r"\+0x[0-9a-f]+$", "", m.group(1)))
    elif chain:
        stack = ";".join(reversed(chain))
        stacks[stack] = stacks.get(stack, 0) + 1
        chain = []
for stack, n in stacks.items():
    print(stack, n)' >folded
	etalon profile --from folded --json folded.json >/dev/null 2>&1
	table folded.json | by_name >ours2
	[ -s ours2 ] && cmp -s ours ours2
	holds $? 'from: folded stacks of perf script agree' || note "$(diff ours ours2)"
fi

# gprof's table is that of the text; here gprof is started by etalon.
live_gprof()
{
	cc -O1 -pg -DLOOPS=8 -o work-pg work.c && ./work-pg && gprof -b -p ./work-pg gmon.out >gprof.txt
}
rm -f gmon.out
if ! command -v gprof >/dev/null || ! live_gprof 2>/dev/null; then
	skip 'from: gmon.out is read after its program' 'gprof does not work here'
	skip "from: gmon.out gives gprof's own table" 'gprof does not work here'
else
	exits 'from: gmon.out is read after its program' 0 etalon profile --from ./work-pg gmon.out --json gmon.json
	awk '$NF ~ /^(leaf|few|many)$/ && $1 ~ /^[0-9.]+$/ && NF == 7 && $3 > 0 { printf "%s\t%.0f\t%d\n", $7, $3 * 100, $4 }' gprof.txt |
		LC_ALL=C sort >report
	table gmon.json | cut -f 1,2,4 | grep -E '^(leaf|few|many)' >ours
	[ -s report ] && cmp -s report ours
	holds $? "from: gmon.out gives gprof's own table" || note "$(diff report ours)"
	cp gmon.out broken && truncate -s 30 broken
	run etalon profile --from ./work-pg broken
	like 'from: a truncated gmon.out is refused' "$status $err" '^2 etalon: gprof failed'
	like 'from: the hint for a truncated gmon.out is to record again' "$err" 'hint: .*cut off.* record again'
fi

# Inclusive costs and calls of a real program agree with callgrind_annotate.
live_callgrind()
{
	cc -O1 -g -DLOOPS=1 -o work-cg work.c &&
		sed -i 's/1000000/1000/g' work.c && cc -O1 -g -DLOOPS=1 -o work-cg work.c &&
		valgrind -q --tool=callgrind --callgrind-out-file=callgrind.out ./work-cg 2>/dev/null &&
		callgrind_annotate --threshold=100 --inclusive=yes callgrind.out >annotated
}
if ! command -v callgrind_annotate >/dev/null || ! live_callgrind 2>/dev/null; then
	skip 'from: callgrind.out is read' 'callgrind does not work here'
	skip 'from: inclusive costs agree with callgrind_annotate' 'callgrind does not work here'
else
	exits 'from: callgrind.out is read' 0 etalon profile --from callgrind.out --json callgrind.json
	sed -nE 's/^ *([0-9,]+) \([ 0-9.]*%\)  [^=]*work\.c:(leaf|few|many|main)( .*)?$/\2\t\1/p' annotated | tr -d , |
		LC_ALL=C sort -u >report
	table callgrind.json | awk -F '\t' '$1 ~ /^(leaf|few|many|main)$/ { print $1 "\t" $3 }' >ours
	[ "$(wc -l <report)" -eq 4 ] && cmp -s report ours
	holds $? 'from: inclusive costs agree with callgrind_annotate' || note "$(diff report ours)"
fi
printf 'a;b 30\na 70\n' >one.folded
like 'profile --from: one run has an answer without a claim about its order' "$(etalon profile --from one.folded | head -n 1)" \
	'^a has 70\.00 % of the samples, then b 30\.00 %; one run shows no uncertainty'

done_testing
