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
like 'docs: etalon(1) explains the common options' "$(page_options "$common" | tr '\n' ' ')" \
	'^color help progress quiet store verbose version $'

for command in $(commands); do
	page=$root/man/etalon-$command.1.scd
	ok "docs: $command has a man page" test -f "$page" || continue
	ok "docs: the man page of $command is built" grep -q "'etalon-$command'" "$root/man/meson.build"
	ok "docs: etalon(1) lists $command" grep -q "^\*etalon-$command\*(1)" "$common"
	ok "docs: the man page of $command shows an example" grep -q "^\\\$ .*etalon $command" "$page"
	ok "docs: $command has a test of its own" grep -qE "(etalon|ETALON\"?) $command( |\$)" "${tests[@]}"
	like "docs: bash completes $command" "$(etalon completion bash)" "[' ]$command "

	is "docs: every option of $command is in its man page" \
		"$(comm -23 <(options "$command" | sort) \
			<({ page_options "$page"; page_options "$common"; } | sort -u))" ''
	is "docs: the man page of $command has no other options" \
		"$(comm -13 <(options "$command" | sort) <(page_options "$page"))" ''
	is "docs: the man page of $command has no other option letters" \
		"$(comm -13 <({ help_letters "$command"; page_letters "$common"; } | sort -u) \
			<(page_letters "$page"))" ''
	is "docs: every option letter of $command is in its man page" "$(comm -23 <(help_letters "$command") \
		<({ page_letters "$page"; page_letters "$common"; } | sort -u))" ''
done

for page in "$root"/man/etalon-*.1.scd; do
	name=$(basename "$page" .1.scd)
	like "docs: the man page $name belongs to a command" " $(commands | tr '\n' ' ')" " ${name#etalon-} "
done

done_testing
