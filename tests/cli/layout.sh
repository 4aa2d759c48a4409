#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# run --randomise-layout: each run has another size of its environment.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
: "${TREATMENT_VIEW:=$root/build/tests/cli/treatment-view}"

if [ "$(cat /proc/sys/kernel/randomize_va_space)" = 0 ]; then
	refuses 'layout: a machine that randomises no addresses is reported' 3 'randomize_va_space' \
		etalon run -r 1 --randomise-layout true
	done_testing
fi

# seen FILE KEY: the values of a key, one per run
seen()
{
	sed -n "s/.*\(^\|;\)$2=\([^;]*\).*/\2/p" "$1"
}

# distinct FILE KEY: how many different values there are
distinct()
{
	seen "$1" "$2" | sort -u | wc -l
}

view=(-w 1 -r 12 --seed 7 --no-ledger)

run etalon run "${view[@]}" -- "$TREATMENT_VIEW" plain
is 'layout: without the option there is no padding' "$(seen plain pad | sort -u)" no0

run etalon run "${view[@]}" --randomise-layout --json first.json -- "$TREATMENT_VIEW" first
is 'layout: all runs are made' "$status" 0
is 'layout: each run has another padding' "$(distinct first pad)" 13
is 'layout: no padding is longer than a page' "$(seen first pad | awk '$1 > 4096')" ''
is 'layout: the paddings are spread over the page' \
	"$(seen first pad | awk '{ low += $1 < 2048; high += $1 >= 2048 } END { print (low > 0 && high > 0) }')" 1
is 'layout: nothing else of the environment changes' "$(distinct first rest)" 1
is 'layout: the environment is that of a run without the option' "$(seen first rest | head -1)" "$(seen plain rest | head -1)"
is 'layout: arguments and path stay as they are' \
	"$(distinct first arguments) $(distinct first path) $(distinct first argc)" '1 1 1'
is 'layout: the record has it' "$(jq .plan.randomise_layout first.json)" true
# Where the arguments are within their page follows from the padding, whatever the address of the page is.
offsets()
{
	seen "$1" argv | sed 's/.*\(...\)$/\1/'
}
ok 'layout: the arguments move within their page' \
	test "$(offsets first | sort -u | wc -l)" -ge 11
ok 'layout: without the option they hardly do' test "$(offsets plain | sort -u | wc -l)" -le 3

run etalon run "${view[@]}" --randomise-layout -- "$TREATMENT_VIEW" again
is 'layout: the same seed repeats the paddings' "$(seen again pad)" "$(seen first pad)"
run etalon run -w 1 -r 12 --seed 8 --no-ledger --randomise-layout -- "$TREATMENT_VIEW" other
ok 'layout: another seed has other paddings' test "$(seen other pad)" != "$(seen first pad)"

# Address space randomisation is on, also if the caller has turned it off.
if setarch -R true 2>/dev/null; then
	run setarch -R etalon run "${view[@]}" -- "$TREATMENT_VIEW" fixed
	is 'layout: without the option the caller decides about randomisation' "$(seen fixed aslr | sort -u)" off
	ok 'layout: without randomisation the stack hardly moves' test "$(distinct fixed stack)" -le 3
	run setarch -R etalon run "${view[@]}" --randomise-layout -- "$TREATMENT_VIEW" on
	is 'layout: the option turns randomisation on' "$(seen on aslr | sort -u)" on
	ok 'layout: with randomisation each run has another stack' test "$(distinct on stack)" -ge 12
else
	skip 'layout: the option turns randomisation on' 'setarch -R is not allowed here'
fi

# Duets: both programs have paddings of their own.
run etalon run -w 0 -r 4 --seed 7 --order duet --no-ledger --randomise-layout "'$TREATMENT_VIEW' a" "'$TREATMENT_VIEW' b"
is 'layout: duets are made' "$status" 0
cat a b >both
ok 'layout: both programs of a duet have paddings of their own' \
	test "$(distinct both pad)" -eq "$(wc -l <both)"
run etalon run -w 0 -r 6 --seed 7 --pace --no-ledger --randomise-layout "'$TREATMENT_VIEW' paced"
is 'layout: each paced run has another padding' "$(distinct paced pad)" "$(wc -l <paced)"
if [ "$(id -u)" = 0 ]; then
	public=$(mktemp -d /tmp/etalon-layout.XXXXXX)
	chmod 777 "$public"
	cp "$TREATMENT_VIEW" "$public/view"
	chmod 755 "$public/view"
	run etalon run "${view[@]}" --randomise-layout --user nobody --output null "$public/view $public/seen"
	is 'layout: another user gets the same paddings' "$(seen "$public/seen" pad)" "$(seen first pad)"
	rm -rf "$public"
else
	skip 'layout: another user gets the same paddings' 'needs root'
fi

# A resumed experiment continues with the paddings that were to come.
cat >killer <<'END'
#!/bin/sh
"$1" killed
[ "$(wc -l <killed)" -ne 6 ] || kill -9 $PPID
END
chmod +x killer
run etalon run "${view[@]}" --randomise-layout "./killer '$TREATMENT_VIEW'"
is 'layout: an experiment can be killed' "$status" 137
run etalon run --resume
is 'layout: a killed experiment continues' "$status" 0
# After a warm-up run of its own, it repeats the run that was killed, and those that were not yet on disk.
rest=$(seen killed pad | tail -n +8)
is 'layout: a resumed experiment continues with the paddings that were to come' \
	"$rest" "$(seen first pad | tail -n "$(wc -l <<<"$rest")")"
run etalon run -w 1 -r 5 --seed 7 --no-ledger --randomise-layout --label part -- "$TREATMENT_VIEW" short
is 'layout: fewer runs have the same first paddings' "$(seen short pad)" "$(seen first pad | head -6)"
run etalon show part
like 'layout: show names the random layout' "$out" 'layout +random in each run'
run etalon export --format json part
is 'layout: a stored experiment keeps it' "$(jq .plan.randomise_layout <<<"$out")" true
done_testing
