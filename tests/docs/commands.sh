#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Every command has a man page, completion and its own test, and its man page lists the same options
# as its help.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/../cli/lib.sh"

# The long options that a page explains: those in lines that begin with a bold option.
page_options()
{
	grep -E '^\*-' "$1" | grep -oE '(^|[*, ])--[a-z][a-z-]*' | sed 's/.*--//' | sort
}

# The short ones, as letter=long.
page_letters()
{
	sed -nE 's/^\*-([A-Za-z])\*, \*--([a-z-]+)\*.*/\1=\2/p' "$1" | sort
}

help_letters()
{
	"$ETALON" "$1" --help |
		sed -nE '/^options:/,$ s/^ *-([A-Za-z]), --([a-z-]+).*/\1=\2/p' | sort
}

mapfile -t tests < <(find "$root/tests/cli" -name '*.sh' ! -name usage.sh ! -name lib.sh)
common=$root/man/etalon.1.scd
like 'the overview explains the common options' "$(page_options "$common" | tr '\n' ' ')" \
	'^color help progress quiet store verbose version $'

for command in $(commands); do
	page=$root/man/etalon-$command.1.scd
	ok "$command has a man page" test -f "$page" || continue
	ok "$command's page is built" grep -q "'etalon-$command'" "$root/man/meson.build"
	ok "$command is in the overview" grep -q "^\*etalon-$command\*(1)" "$common"
	ok "$command's page shows an example" grep -q "^\\\$ .*etalon $command" "$page"
	ok "$command has a test of its own" grep -qE "(etalon|ETALON\"?) $command( |\$)" "${tests[@]}"
	like "bash completes $command" "$(etalon completion bash)" "[' ]$command "

	is "no option of $command is missing in its page" \
		"$(comm -23 <(options "$command" | sort) \
			<({ page_options "$page"; page_options "$common"; } | sort -u))" ''
	is "$command's page invents no option" \
		"$(comm -13 <(options "$command" | sort) <(page_options "$page"))" ''
	is "$command's page invents no option letter" \
		"$(comm -13 <({ help_letters "$command"; page_letters "$common"; } | sort -u) \
			<(page_letters "$page"))" ''
	is "no option letter of $command is missing in its page" "$(comm -23 <(help_letters "$command") \
		<({ page_letters "$page"; page_letters "$common"; } | sort -u))" ''
done

for page in "$root"/man/etalon-*.1.scd; do
	name=$(basename "$page" .1.scd)
	like "$name belongs to a command" " $(commands | tr '\n' ' ')" " ${name#etalon-} "
done

done_testing
