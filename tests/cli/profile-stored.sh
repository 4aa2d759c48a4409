#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A profile in the store: list, show, export, import, report and rm, without measuring one.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

python3 - <<'PY' >"$dir/record.json"
import json
functions = [{"name": n, "module": "/bin/a", "space": "user"} for n in ("main", "work", "idle\x1b[2J")]
runs = [{"command": 0, "order": i, "samples": 100 + i, "period": 1e6,
    "counts": [[1, 10, 0], [2, 80 + i, 3], [3, 10, 0]]} for i in range(1, 7)]
print(json.dumps({"etalon": 1, "id": "20261116-110000-00aa11", "label": "mine", "protocol": "raw",
    "metric": "pt", "plan": {"runs": 6}, "commands": [{"name": "a", "argv": ["a"],
    "samples": [{"order": i, "et_ns": 10**8, "pt_ns": 10**8} for i in range(1, 7)]}],
    "profile": {"plan": {"rate_hz": 1000, "chains": "fp"}, "event": "cpu-clock", "way": "cgroup",
    "functions": functions, "nodes": [[0, 0], [1, 1], [1, 2]], "runs": runs,
    "calls": [{"command": 0, "function": 1, "calls": 1000}]}}))
PY
gives 0 "import: a record with a profile is read" "$ETALON" import "$dir/record.json"
gives 0 "list: a profile is listed" "$ETALON" list
says "[p] a"
gives 0 "list: --json succeeds" "$ETALON" list --json
json "list: JSON says that it is a profile" 'd[0]["profile"] is True'

gives 0 "show: a profile is shown" "$ETALON" show mine
says "work"
says "81."
! grep -q "$(printf '\033')" "$dir/out"
holds $? "show: a name of a function does not control the terminal"
gives 2 "show: a profile is not judged again" "$ETALON" show --rejudge mine
says "is a profile"

gives 0 "export: the native record is the default" "$ETALON" export mine -o "$dir/first.json"
gives 0 "rm: a profile is removed" "$ETALON" rm mine
gives 0 "import: the exported record is read" "$ETALON" import "$dir/first.json"
gives 0 "export: it is exported again" "$ETALON" export mine -o "$dir/second.json"
ok "export: a profile comes back unchanged from a record" cmp "$dir/first.json" "$dir/second.json"
gives 0 "export: the record goes to stdout" "$ETALON" export mine
json "export: the record has all runs" 'len(d["profile"]["runs"]) == 6'
for format in csv profile profile-csv folded speedscope flame html; do
	gives 0 "export: a profile has the format $format" "$ETALON" export -f $format mine
	ok "export: $format is not empty" test -s "$dir/out"
done
gives 2 "export: a profile has no format of hyperfine" "$ETALON" export -f hyperfine mine
says "is a profile, which has no format 'hyperfine'"
gives 0 "report: a page of a profile is written" "$ETALON" report -o "$dir/page.html" mine
ok "report: the page has the function" grep -q work "$dir/page.html"
gives 0 "export: the page goes to stdout" "$ETALON" export -f html mine
ok "export: the page is that of report" cmp "$dir/page.html" "$dir/out"
gives 2 "report: a profile is not judged again" "$ETALON" report --rejudge -o "$dir/page.html" mine
says "is a profile"

seq 1 5 | "$ETALON" import -q --label times - >/dev/null
gives 2 "export: other experiments have no folded stacks" "$ETALON" export -f folded times
says "is not a profile"
gives 2 "report: a profile has a page of its own" "$ETALON" report -o "$dir/page.html" mine times
says "a page of its own"

sed 's/"counts": \[\[1, 10, 0\]/"counts": [[9, 10, 0]/' "$dir/record.json" >"$dir/bad.json"
gives 2 "import: counts of an unknown context are refused" "$ETALON" import "$dir/bad.json"
says "profile.runs[0].counts[0]"

# A kept profile is judged again with other options.
gives 0 "from: a kept profile is shown" "$ETALON" profile --from mine
cp "$dir/out" "$dir/shown"
gives 0 "show: it is shown without options" "$ETALON" show mine
grep -qF "$(head -1 "$dir/shown")" "$dir/out"
holds $? "from: without options it is the same answer"
gives 0 "from: it is judged again" "$ETALON" profile --each --total --from mine --json "$dir/again.json"
ok "from: with the options of the command" python3 -c '
import json, sys
d = json.load(open(sys.argv[1]))
assert d["statements"] == 1 and d["runs"] == 6 and d["functions"][0]["name"] == "main", d["functions"][0]' "$dir/again.json"
gives 2 "from: another experiment is no profile" "$ETALON" profile --from times
says "is not a profile"
gives 2 "from: a kept profile is not kept twice" "$ETALON" profile --label twice --from mine
says "omit --label"
gives 2 "from: neither a file nor an experiment" "$ETALON" profile --from nowhere
says "No such file"

# Two kept profiles are compared.
sed 's/00aa11/00aa44/; s/"mine"/"slower"/; s/"name": "a"/"name": "b"/; s/\[2, 8\([0-9]\), 3\]/[2, 9\1, 3]/g; s/"samples": 10\([0-9]\)/"samples": 11\1/g' \
	"$dir/record.json" >"$dir/slower.json"
gives 0 "import: a second profile is read" "$ETALON" import "$dir/slower.json"
gives 0 "compare: two kept profiles are compared" "$ETALON" profile --compare --json "$dir/kept.json" --from mine -- slower
says "1 of 3 functions changed"
ok "compare: the differences are those of the two records" python3 -c '
import json, sys
d = json.load(open(sys.argv[1]))
f = d["comparison"]["functions"]
assert f[0]["name"] == "work" and f[0]["significant"] and abs(f[0]["difference"] - 10) < 1e-9, f[0]
assert [c["runs"] for c in d["commands"]] == [6, 6] and not any(x["significant"] for x in f[1:])
assert [w["code"] for w in d["comparison"]["warnings"]] == ["sequential-order"], d["comparison"]["warnings"]' "$dir/kept.json"
gives 0 "compare: an id works as well" "$ETALON" profile -q --compare --from 20261116-110000-00aa11 -- 20261116-110000-00aa44
gives 2 "compare: the second must be kept, too" "$ETALON" profile --compare --from mine -- nowhere
says "'nowhere' is not a kept profile"
gives 2 "compare: it must be a profile" "$ETALON" profile --compare --from mine -- times
says "is not a profile"

# The state of an experiment that is refused does not change.
python3 - "$dir/record.json" "$dir" <<'PY'
import json, sys
d = json.load(open(sys.argv[1]))
d.update(state="interrupted", plan={"runs": 9})
d["commands"][0].update(name="true", argv=["true"], samples=[])
d["profile"].update(runs=[])
study = {"name": "t/20261116-110000", "lab": "triangle", "part": "random"}
for name, id, more in (("cut", "20261116-110000-00aa22", {"label": "cut"}),
        ("part", "20261116-110000-00aa33", {"label": "t/20261116-110000/random", "study": study}),
        ("shape", "20261116-110000-00aa55", {"label": "ci/20261116-110000/main"})):
    json.dump(dict(d, id=id, **more), open(f"{sys.argv[2]}/{name}.json", "w"))
PY
state() { "$ETALON" list --json | python3 -c 'import json, sys; print(*sorted(e["state"] for e in json.load(sys.stdin) if e["id"] == sys.argv[1]))' "$1"; }
gives 0 "import: an interrupted profile is read" "$ETALON" import "$dir/cut.json"
gives 0 "import: a part of a study is read" "$ETALON" import "$dir/part.json"
ok "resume: the profile is interrupted" test "$(state 20261116-110000-00aa22)" = interrupted
gives 2 "resume: run does not continue a profile" "$ETALON" run --resume 20261116-110000-00aa22 --trust-record
says "etalon profile --resume 20261116-110000-00aa22"
ok "resume: the profile is still interrupted" test "$(state 20261116-110000-00aa22)" = interrupted
gives 2 "resume: profile does not continue a part of a study" "$ETALON" profile --resume 20261116-110000-00aa33 --trust-record
says "etalon lab triangle --resume"
gives 2 "resume: nor does run" "$ETALON" run --resume 20261116-110000-00aa33 --trust-record
says "etalon lab triangle --resume"
ok "resume: the part is still interrupted" test "$(state 20261116-110000-00aa33)" = interrupted
gives 0 "export: the record of a part is written" "$ETALON" export -f json 20261116-110000-00aa33
json "export: the record names the study, the experiment of lab and the part" \
	'd["study"] == {"name": "t/20261116-110000", "lab": "triangle", "part": "random"}'

# A label is a name: its shape makes nothing a part of a study.
gives 0 "import: a label may look like that of a study" "$ETALON" import "$dir/shape.json"
gives 2 "resume: run does not take a label for a study" "$ETALON" run --resume 20261116-110000-00aa55 --trust-record
says "etalon profile --resume 20261116-110000-00aa55"
"$ETALON" profile -q --resume 20261116-110000-00aa55 --trust-record >"$dir/out" 2>&1
! grep -q 'study' "$dir/out"
holds $? "resume: profile does not take a label for a study"
done_testing
