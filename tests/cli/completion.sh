#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The completion scripts: valid in their shells, and every option of every command is in them.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

for shell in bash zsh fish; do
	exits "completion $shell" 0 etalon completion $shell
	etalon completion $shell >"$shell.txt"
	if command -v $shell >/dev/null; then
		ok "$shell takes it" $shell -n "$shell.txt"
	else
		skip "$shell takes it" "no $shell here"
	fi
done

# block SHELL COMMAND: the lines about that command
block()
{
	case $1 in
	bash) grep -P "^\t$2\) words=" bash.txt ;;
	zsh) sed -n "/^\t$2)\$/,/;;\$/p" zsh.txt ;;
	fish) grep "__fish_seen_subcommand_from $2'" fish.txt ;;
	esac
}

for command in $(commands); do
	for shell in bash zsh fish; do
		text=$(block $shell "$command")
		missing=
		for option in $(options "$command"); do
			case $shell in
			bash) [[ $text =~ \ --${option}[\ \'] ]] ;;
			zsh) [[ $text =~ \'--${option}[=[] ]] ;;
			fish) [[ $text =~ \ -l\ $option\  ]] ;;
			esac || missing+=" $option"
		done
		is "$shell knows every option of $command" "$missing" ''
	done
done

# complete WORD…: what bash offers for the last word
complete_words()
{
	bash -c '. ./bash.txt; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _etalon
		printf "%s\n" "${COMPREPLY[@]}"' - "$@"
}

like 'bash completes a command' "$(complete_words etalon comple)" '^completion$'
like 'bash completes an option' "$(complete_words etalon completion --he)" '^--help$'
is 'bash completes the choices of an option' \
	"$(complete_words etalon completion --color '' | tr '\n' ' ')" 'auto always never '

is 'bash completes a shell' "$(complete_words etalon completion z)" zsh
is 'bash completes a program under test' "$(complete_words etalon put ma | tr '\n' ' ')" 'matc matr '
is 'bash completes what daemons does' "$(complete_words etalon daemons l)" learn
is 'bash completes every experiment of lab' "$(complete_words etalon lab '' | sed 1d | sort)" \
	"$(etalon lab list | sed 's/ .*//' | sort)"
like 'so does fish' "$(cat fish.txt)" "from lab' -a 'list .*emp-versions"
like 'and zsh' "$(cat zsh.txt)" "'1:what:\\(learn show analyse\\)'"
touch daemons.json
is 'a file may follow' "$(complete_words etalon daemons analyse daem)" daemons.json
etalon run -q -r 1 true >/dev/null
like 'bash completes what is kept' "$(complete_words etalon show 20)" '^20[0-9]{6}-'

refuses 'no shell named' 2 'bash, zsh or fish' etalon completion
refuses 'an unknown shell' 2 'bash, zsh or fish' etalon completion csh
refuses 'two shells' 2 'bash, zsh or fish' etalon completion bash zsh

done_testing
