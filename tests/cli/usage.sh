#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What every command has in common: help, version, errors with a cure.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

refuses 'no command at all' 2 'no command' etalon
like 'says what to type' "$err" 'hint: .*etalon run'
refuses 'an unknown command' 2 "unknown command 'rnu'" etalon rnu
refuses 'an option in place of a command' 2 'unknown option --nosuch' etalon --nosuch
unlike 'is nothing to measure' "$err" "etalon run '--nosuch'"
refuses 'an empty command' 2 "unknown command ''" etalon ''

exits '--version' 0 etalon --version
like 'names tool and version' "$out" '^etalon [0-9]+\.[0-9]+\.[0-9]+'
exits '--help' 0 etalon --help
like 'shows an example' "$out" 'etalon run '
is 'and nothing on stderr' "$err" ''
ok 'fits 80 columns' test -z "$(COLUMNS=80 etalon --help | grep -E '.{81,}')"
ok 'and 60' test -z "$(COLUMNS=60 etalon --help | grep -vE '^example|^.etalon' | grep -E '.{61,}')"
short=$out
exits '-h' 0 etalon -h
is 'is the same' "$out" "$short"

ok 'there are commands' test -n "$(commands)"
for command in $(commands); do
	exits "$command --help" 0 etalon "$command" --help
	like "$command --help shows usage" "$out" "usage: +etalon $command"
	like "$command --help shows an example" "$out" $'\nexamples:\n  .*etalon '"$command"
	like "$command --help shows options" "$out" '--help +show this help'
	is "$command --help leaves stderr empty" "$err" ''
	ok "$command --help fits 80 columns" test -z "$(COLUMNS=80 etalon "$command" --help | grep -E '.{81,}')"
	exits "$command --version" 0 etalon "$command" --version
	refuses "$command with an unknown option" 2 'unknown option --nosuch-option' \
		etalon "$command" --nosuch-option
	like "$command: the hint names its help" "$err" "hint: .*etalon $command --help"
	refuses "$command with a wrong --color" 2 "--color: 'pink'" etalon "$command" --color pink
	refuses "$command with a wrong --progress" 2 "--progress: '1'" etalon "$command" --progress 1
done

done_testing
