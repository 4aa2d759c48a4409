#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# `etalon show` and `export`: how an experiment is named, the formats, and errors on bad usage.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

gives 4 "show: without a store it fails" "$ETALON" show
says "nothing is stored yet in $ETALON_STORE"
seq 1 5 | "$ETALON" import -q --store "sqlite:$dir/empty.db" - >"$dir/imported"
"$ETALON" rm -q --store "sqlite:$dir/empty.db" last
gives 2 "show: with an empty store it fails" "$ETALON" show --store "sqlite:$dir/empty.db"
says "nothing is stored yet in"
"$KEEP_SPECIMEN" "$ETALON_STORE" mine || exit 1
id=20261115-085506-1f3a9c

gives 0 "show: the default is the last experiment" "$ETALON" show
says "$id"
says "413.6 ms ± "
says "2  a|b,\"c\"␊␛[31m"
says "2 is slower than 1 by 2."
gives 0 "show: an id is accepted" "$ETALON" show $id
gives 0 "show: the beginning of an id is accepted" "$ETALON" show 20261115
gives 0 "show: the end of an id is accepted" "$ETALON" show ${id##*-}
says "$id"
gives 0 "show: a label is accepted" "$ETALON" show mine
gives 0 "show: -v succeeds" "$ETALON" show -v
says "▲ median"
gives 0 "show: --color always succeeds" "$ETALON" show --color always
ok "show: --color always colours the output" grep -qF "$(printf '\033[1;32m')" "$dir/out"
gives 0 "show: --color never succeeds" env TERM=xterm "$ETALON" show --color never
! grep -q "$(printf '\033')" "$dir/out"
holds $? "show: --color never writes no escape sequence"
gives 0 "show: --json succeeds" "$ETALON" show --json
python3 -c 'import json,sys; assert json.load(open(sys.argv[1]))["id"] == sys.argv[2]' "$dir/out" $id
holds $? "show: --json prints the native record"
gives 2 "show: an unknown experiment is rejected" "$ETALON" show nosuch
says nosuch
gives 2 "show: two experiments are rejected" "$ETALON" show a b
gives 2 "show: an unknown option is rejected" "$ETALON" show --nosuch
gives 4 "show: a full disk gives exit status 4" sh -c '"$1" show > /dev/full' sh "$ETALON"
says "standard output: No space left on device"

for format in json hyperfine csv markdown asciidoc orgmode; do
	gives 0 "export: --format $format succeeds" "$ETALON" export --format $format
	[ -s "$dir/out" ]
	holds $? "export: --format $format writes something"
done
gives 0 "export: -o FILE succeeds" "$ETALON" export -f csv -o "$dir/file.csv" last
python3 -c 'import csv,sys; rows = list(csv.DictReader(open(sys.argv[1])))
assert len(rows) == 12 and rows[0]["pt_ns"] == "412300000" and rows[0]["blocked_ns"] == ""' "$dir/file.csv"
holds $? "export: -o FILE writes one CSV row per sample"
gives 2 "export: an unknown format is rejected" "$ETALON" export --format pdf
says "hyperfine"
gives 4 "export: a file that cannot be written gives exit status 4" "$ETALON" export -o "$dir/no/where"
says "No such file or directory"
done_testing
