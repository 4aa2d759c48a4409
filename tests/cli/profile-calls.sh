#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# `etalon profile --calls`: counts are exact against a program with known numbers of calls.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

program=("$ETALON" put fragment --calls 1000 --seconds 50ms)
profile=("$ETALON" profile -r 2 -w 0 -F 2000)

run "${profile[@]}" -- "${program[@]}"
if [ "$status" -ne 0 ] || [[ $out != *fn2* ]]; then
	skip "calls: they are exact" "this machine or build does not name functions: ${err%%$'\n'*}"
	done_testing
fi
gives 0 "calls: numbers that the user knows are accepted" "${profile[@]}" --calls=fn2=800 -- "${program[@]}"
gives 0 "calls: they are exported" "$ETALON" export
json "calls: they are stored" '[c["calls"] for c in d["profile"]["calls"]] == [800]'

run "${profile[@]}" --calls -- "${program[@]}"
if [ "$status" -eq 3 ]; then
	like "calls: a refusal has a hint" "$err" 'hint: '
	skip "calls: they are exact" "${err%%$'\n'*}"
else
	is "calls: profile --calls succeeds" "$status" 0
	like "calls: the slowdown and the limit are announced" "$err" 'ended after 30 s: each call takes 1 to 20 µs longer'
	gives 0 "calls: the record is exported" "$ETALON" export
	# Two calls of fn1, then eight of fn2.
	json "calls: the numbers of calls are exact" '(lambda p: {p["functions"][c["function"]]["name"]:
		c["calls"] for c in p["calls"]})(d["profile"]).items() >= {"fn1": 200, "fn2": 800}.items()'
	json "calls: the run that counts is no sample" 'len(d["profile"]["runs"]) == 2'

	# The file is older than the profile, but it is another one.
	mkdir -p one two
	printf 'int work(volatile int *x) { return ++*x; }\nint main(void) { volatile int x = 0; while (work(&x) < 9000000); return 0; }\n' >work.c
	if cc -O1 -fno-inline -Wl,--build-id -o one/work work.c 2>/dev/null &&
		cc -O1 -fno-inline -Wl,--build-id -DOTHER -o two/work -g work.c 2>/dev/null; then
		run "${profile[@]}" --calls --conclude 'test -e three || { test -e once && mv one three && mv two one; touch once; }' -- "$PWD/one/work"
		# Unless functions of other files were sampled, too, nothing is left to count.
		like "calls: a program of another build is refused" "$status" '^[03]$'
		like "calls: a program of another build is named as the cause" "$err" 'files? changed'
	else
		skip "calls: a program of another build is refused" "there is no compiler"
	fi

	# Ten million calls take seconds with probes, and a few tenths of a second without.
	long=("$ETALON" put fragment --calls 10000000 --seconds 200ms)
	run "${profile[@]}" --time-limit 3s --calls -- "${long[@]}"
	is "calls: a run that takes too long does not spoil the profile" "$status" 0
	like "calls: a run that takes too long is ended" "$err" 'took longer than 3 s, so it was ended'
	gives 0 "calls: the profile is stored" "$ETALON" export
	json "calls: a run that was ended gives no numbers" 'd["state"] == "done" and not d["profile"]["calls"]'

	env --default-signal=INT "${profile[@]}" --calls -- "${long[@]}" >out.txt 2>err.txt &
	pid=$!
	wait_until "grep -q '^counting' err.txt"
	kill -INT "$pid"
	wait "$pid"
	is "calls: an interrupted count ends with the status of the signal" $? 130
	like "calls: an interrupted count leaves the profile" "$(cat out.txt)" 'fn2'
	like "calls: an interrupted count says so" "$(cat err.txt)" 'interrupted; the profile is stored'
fi
done_testing
