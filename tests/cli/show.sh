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
gives 0 "list: a store that does not exist is empty" "$ETALON" list --store "sqlite:$dir/none.db"
says "etalon run --store sqlite:$dir/none.db 'sleep 0.1'"
# They rise, and have two modes.
seq 1 60 | awk '{ print 10 + $1 / 100 + 10 * ($1 > 30) + ($1 % 7) / 50 }' |
	"$ETALON" import -q --store "$dir/a store.db" - >"$dir/imported"
gives 0 "show: an experiment of another store, with more notes than fit" env COLUMNS=40 "$ETALON" show --store "$dir/a store.db"
says "1 more note: etalon show -v --store '$dir/a store.db' $(cat "$dir/imported")"
"$KEEP_SPECIMEN" "$ETALON_STORE" mine || exit 1
id=20261115-085506-1f3a9c

gives 0 "show: the default is the last experiment" "$ETALON" show
says "$id"
says "413.6 ms ± "
says "[2]  a|b,\"c\"␊␛[31m"
says "[2] is slower than [1] by 2."
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

# A learning run: raw, every sample kept. cron spoilt runs 3 and 9; run 14 took longer by CPU time,
# run 15 by elapsed time.
python3 - <<'PY' >"$dir/learning.json"
import json, platform
ms = 10**6
def sample(i):
    cron = [{"name": "cron", "pid": 7, "pt_ns": 20 * ms}] if i in (3, 9) else []
    return {"order": i, "et_ns": 1000 * ms + i % 5 * 10**5 + 500 * ms * (i == 15),
        "pt_ns": 990 * ms + i % 4 * 10**5 + 400 * ms * (i == 14), "interference": cron}
print(json.dumps({"etalon": 1, "label": "learning", "protocol": "raw", "metric": "pt",
    "image_source": "taskstats", "plan": {"keep_all": True, "level": 0.95},
    "host": {"name": platform.node()}, "started_wall_ns": 10**18,
    "commands": [{"name": "inc", "samples": [sample(i) for i in range(1, 21)]}]}))
PY
cat >"$dir/daemons.json" <<'JSON'
{"short_run": {"samples": 100, "sample_seconds": 1, "central": [],
	"l_samples": [{"sample": 50, "pt": [["cron", 10]]}]}}
JSON
# judged WANT NAME: protocol, metric, keep_all, state of check I, and the removed runs of the record in $dir/out
judged()
{
	local got
	got=$(python3 -c 'import json,sys
e = json.load(open(sys.argv[1]))
print(e["protocol"], e["metric"], e["plan"]["keep_all"], e["first_check"]["state"],
	*[str(s["order"]) + s["removed"]["by"][0] for s in e["commands"][0]["samples"] if s["removed"]])' "$dir/out")
	[ "$got" = "$1" ]
	holds $? "$2"
}
gives 0 "rejudge: a learning run is imported" "$ETALON" import -q "$dir/learning.json"
gives 0 "rejudge: before anything was learned it succeeds" "$ETALON" show --rejudge learning
says "check I not done: nothing was learned here"
says "judged again by emp, CPU time: 1 of 20 samples removed (check I 0, check II 1), 0 before"
gives 0 "rejudge: cutoffs are stored" "$ETALON" daemons analyse --keep "$dir/daemons.json"
gives 0 "rejudge: a learning run is judged by emp" "$ETALON" show --rejudge learning
says "judged again by emp, CPU time: 3 of 20 samples removed (check I 2, check II 1), 0 before; not stored"
says "check I: 1 cutoff learned 20"
says ", later than this run, removed 2"
gives 0 "rejudge: --json succeeds" "$ETALON" show --rejudge --json learning
judged "emp pt False done 3d 9d 14t" "rejudge: JSON has the new rulings"
gives 0 "rejudge: --metric et succeeds" "$ETALON" show --rejudge --metric et --json learning
judged "emp et False done 3d 9d 15t" "rejudge: by elapsed time another sample is removed"
gives 0 "rejudge: --protocol cause succeeds" "$ETALON" show --rejudge --protocol cause --json learning
judged "cause pt False done 3d 9d" "rejudge: protocol cause removes no sample by its value"
gives 0 "rejudge: show without it succeeds" "$ETALON" show --json learning
judged "raw pt True none" "rejudge: the store does not change without --keep"
gives 0 "rejudge: --keep succeeds" "$ETALON" show --rejudge --keep learning
says "0 before; stored"
gives 0 "rejudge: the kept experiment is shown" "$ETALON" show --json learning
judged "emp pt False done 3d 9d 14t" "rejudge: --keep stores the rulings and the protocol"
cp "$dir/out" "$dir/again.json"
gives 0 "rejudge: the exported record is imported" "$ETALON" import -q --copy --label again "$dir/again.json"
gives 0 "rejudge: the copy is shown" "$ETALON" show --json again
judged "emp pt False done 3d 9d 14t" "rejudge: export and import keep the state of check I"
gives 2 "show: --keep without --rejudge is rejected" "$ETALON" show --keep
says "--keep needs --rejudge"
gives 2 "show: --protocol without --rejudge is rejected" "$ETALON" show --protocol emp
gives 2 "rejudge: --protocol kbest is rejected" "$ETALON" show --rejudge --protocol kbest
says "emp"
"$ETALON" rm -q learning again

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
