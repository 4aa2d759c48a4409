#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Learned cutoffs that cannot be used: damaged, empty, or of another machine or kernel. Each gives one line
# with a cure, and no sample is lost.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

etalon put inc --seconds 1ms # calibrates now, not within a sample
cat >record.json <<'JSON'
{"short_run": {"samples": 100, "sample_seconds": 1, "central": [],
	"l_samples": [{"sample": 50, "pt": [["cronjob", 10]]}]}}
JSON
exits 'daemons analyse: a record is stored for later tests' 0 etalon daemons analyse --keep record.json

# change PYTHON: changes the stored cutoffs d
cat >change.py <<'PY'
import json, sqlite3, sys
db = sqlite3.connect("store.db")
key, value = db.execute("SELECT key, value FROM fact WHERE key LIKE 'daemon-cutoffs%'").fetchone()
try:
    good = open("good.json").read()
except FileNotFoundError:
    open("good.json", "w").write(value)
    good = value
d = json.loads(good)
exec(sys.argv[1])
db.execute("UPDATE fact SET value = ? WHERE key = ?", (d if isinstance(d, str) else json.dumps(d), key))
db.commit()
PY
change()
{
	python3 change.py "$1"
}

# damaged WHAT PYTHON REGEX: show and run name the damage and the cure; run fails before it runs anything
damaged()
{
	change "$2"
	refuses "daemons show: cutoffs with $1 are refused" 4 "cutoffs in this store cannot be read: $3" etalon daemons show
	like "daemons show: the hint for $1 is a cure" "$err" "hint: run 'etalon daemons learn' to make new ones, or 'etalon daemons forget'"
	is "daemons show: the error for $1 is one line" "$(wc -l <.err)" 2
	refuses "run: cutoffs with $1 are refused" 4 "$3" etalon run -r 1 'touch ran'
	ok "run: with $1 no program is run" test ! -e ran
}
damaged 'a negative final cutoff' 'd["daemons"][0]["final_ms"] = [-1]' 'a cutoff is negative'
damaged 'a negative cutoff of the short run' 'd["daemons"][0]["short_ms"] = -1' 'a time is negative'
damaged 'a negative period' 'd["daemons"][0]["period_s"] = -60' 'a time is negative'
damaged 'a daemon without a cutoff' 'd["daemons"][0]["final_ms"] = []' 'a daemon has no cutoff'
damaged 'samples of negative length' 'd["short_seconds"] = -1' 'a time is negative'
damaged 'no sample at all' 'd["short_runs"] = 0' 'they were learned from no sample'
damaged 'no list of daemons' 'd = {}' 'they have no list of daemons'
damaged 'text that is not JSON' 'd = "{"' 'they are not JSON'
exits 'run: --protocol raw needs no cutoffs' 0 etalon run -q --protocol raw -r 1 true
exits 'daemons learn: it replaces damaged cutoffs' 0 etalon daemons learn --busy -q --short-runs 10 --short-seconds 5ms --long-runs 0
exits 'daemons show: the new cutoffs are shown' 0 etalon daemons show

change 'd["daemons"] = []'
exits 'daemons show: a learning that found no daemon is shown' 0 etalon daemons show
like 'daemons show: a learning that found no daemon says so first' "$(tr '\n' ' ' <<<"$out" | tr -s ' ')" '^0 daemons of [^ ]+, learned .* ago no daemon has a cutoff, so no sample is removed because of one'
exits 'run: a learning that found no daemon is no error' 0 etalon run -q -r 1 true

change 'd["machine"] = "another machine"'
exits 'daemons show: cutoffs of another machine are shown' 0 etalon daemons show
like 'daemons show: cutoffs of another machine give a warning with a cure' "$(tr '\n' ' ' <<<"$out" | tr -s ' ')" \
	"warning: the daemons' cutoffs were learned on another machine of this name, so no sample is removed by them; learn new ones with 'etalon daemons learn'"
ok 'daemons show: the warning about another machine has its code' bash -c \
	'etalon daemons show --json | jq -e "[.warnings[].code] == [\"cutoffs-other-machine\"]"'
exits 'run: cutoffs of another machine are no error' 0 etalon run -q -r 1 --json run.json true
ok 'run: cutoffs of another machine remove no sample' jq -e '.commands[0].result.removed == 0' run.json

change 'd["kernel"] = "5.0.0-old"'
ok 'daemons show: the warning about another kernel has its code' bash -c \
	'etalon daemons show --json | jq -e "[.warnings[].code] == [\"cutoffs-other-kernel\"]"'

done_testing
