#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# `etalon doe`: its actions, and errors on bad input.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

exits 'doe: without an action it fails' 2 etalon doe
like 'doe: the error lists the actions' "$err" "hint: use 'doe init'"
exits 'doe: a mistyped action fails' 2 etalon doe plna
like 'doe: the hint is the nearest action' "$err" "did you mean 'doe plan'"

done_testing
