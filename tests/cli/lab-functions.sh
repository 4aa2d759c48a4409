#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# `etalon lab functions` and `kbest-coverage`: the functions, the table, JSON, bad input. No figure is
# compared with a fixed time: the machine may be busy.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

exits 'lab functions: --list succeeds' 0 etalon lab functions --list
is 'lab functions: these are the functions' "$(paste -sd ' ' .out)" \
	'copy-8k copy-64k look-up sort count malloc loop-100ms loop-500ms'
exits 'lab functions: an unknown option is refused' 2 etalon lab functions --no-such
exits 'lab functions: it comes first' 2 etalon lab --json functions
like 'lab functions: the error says so' "$err" "'functions' must be the first argument"

# --- kbest-coverage
run etalon lab kbest-coverage --repetitions 2 --filter '^(malloc|count)$'
if [ "$status" -eq 3 ]; then
	skip 'lab kbest-coverage: it succeeds' "$err"
	done_testing
fi
is 'lab kbest-coverage: it succeeds' "$status" 0
is 'lab kbest-coverage: each function has a row' "$(awk '/^(malloc|count) .*(best|median|mean)/ { print $1 }' .out | sort | paste -sd ' ')" 'count malloc'
fits 'lab kbest-coverage: no line is longer than 80 columns'
is 'lab kbest-coverage: no progress is drawn if stderr is no terminal' "$err" ''
exits 'lab kbest-coverage: --json succeeds' 0 etalon lab kbest-coverage --repetitions 2 --filter '^malloc$' --json
json 'lab kbest-coverage: JSON has the function with both invocations' \
	'[(f["name"], f["invocations"], len(f["answers"])) for f in d["functions"]] == [("malloc", 2, 2)]'
json 'lab kbest-coverage: JSON has the comparison, as a share and in numbers' \
	'all(f["compared"] == 1 and f["alarm_share"] == f["alarms"] for f in d["functions"])'
json 'lab kbest-coverage: the coverage follows from the answers' 'all(f["covers_another"] == sum(
	a[1] <= b[0] <= a[2] for a in f["answers"] for b in f["answers"] if a != b) / 2 for f in d["functions"])'
json 'lab kbest-coverage: the time is the mean of the answers' 'all(abs(f["time_ns"] /
	(sum(a[0] for a in f["answers"]) / 2) - 1) < 1e-9 for f in d["functions"])'
exits 'lab kbest-coverage: a filter that no function matches is an error' 2 etalon lab kbest-coverage --filter no-such
like 'lab kbest-coverage: the error has a hint' "$err" "hint: run 'etalon lab functions' alone"
exits 'lab kbest-coverage: 0 repetitions are refused' 2 etalon lab kbest-coverage --repetitions 0
done_testing
