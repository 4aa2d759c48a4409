#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# show and export of a kept experiment: which one, in which form, and what bad usage gets.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

gives 4 "no store yet" "$ETALON" show
"$KEEP_SPECIMEN" "$ETALON_STORE" mine || exit 1
id=20261115-085506-1f3a9c

gives 0 "show the last" "$ETALON" show
says "$id"
says "CPU time      413.6 ms"
says "a|b,\"c\"␊␛[31m vs gzip -k -9 -f data: 1.02"
gives 0 "show by id" "$ETALON" show $id
gives 0 "show by the beginning of an id" "$ETALON" show 20261115
gives 0 "show by label" "$ETALON" show mine
gives 0 "show with more" "$ETALON" show -v
says "▲ median"
gives 0 "show in colour" "$ETALON" show --color always
says "$(printf '\033[1;32m')"
gives 0 "show without" env TERM=xterm "$ETALON" show --color never
! grep -q "$(printf '\033')" "$dir/out"
holds $? "no escape sequence reaches the output"
gives 0 "show as JSON" "$ETALON" show --json
python3 -c 'import json,sys; assert json.load(open(sys.argv[1]))["id"] == sys.argv[2]' "$dir/out" $id
holds $? "which is JSON"
gives 2 "show what is not there" "$ETALON" show nosuch
says nosuch
gives 2 "show two" "$ETALON" show a b
gives 2 "an unknown option" "$ETALON" show --nosuch
gives 4 "a full disk" sh -c '"$1" show > /dev/full' sh "$ETALON"
says "standard output: No space left on device"

for format in json hyperfine csv markdown asciidoc orgmode; do
	gives 0 "export as $format" "$ETALON" export --format $format
	[ -s "$dir/out" ]
	holds $? "$format is not empty"
done
gives 0 "export to a file" "$ETALON" export -f csv -o "$dir/file.csv" last
python3 -c 'import csv,sys; rows = list(csv.DictReader(open(sys.argv[1])))
assert len(rows) == 12 and rows[0]["pt_ns"] == "412300000" and rows[0]["blocked_ns"] == ""' "$dir/file.csv"
holds $? "which is CSV"
gives 2 "an unknown format" "$ETALON" export --format pdf
says "hyperfine"
gives 4 "a file that cannot be written" "$ETALON" export -o "$dir/no/where"
says "No such file or directory"
done_testing
