/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `etalon completion SHELL`: completion scripts generated from the option tables. */
#include "cli/cli.h"
#include "cli/program.h"

#include <ctype.h>
#include <sys/wait.h>

static bool takes(const struct et_verb *v, const struct et_action *a, const struct et_option *o)
{
	unsigned takers = et_verb_takers(v, o);

	return !takers || takers & a->bit;
}

/* Calls fn for every option of a command, common ones too; of an action if that is not NULL. */
static void each_option(const struct et_verb *v, const struct et_action *a,
	void (*fn)(const struct et_verb *v, const struct et_option *o))
{
	struct et_option_walk at = { 0 };
	struct et_option o;

	while (et_verb_next_option(v, &at, &o)) {
		if (!a || takes(v, a, &o))
			fn(v, &o);
	}
}

static bool has_choices(const struct et_option *o)
{
	return et_option_choice(o, 0) || (o->values && strchr(o->values, '|'));
}

static void print_words(const char *values)
{
	for (; *values; values++)
		putchar(*values == '|' ? ' ' : *values);
}

static void print_choices(const struct et_option *o)
{
	if (!et_option_choice(o, 0))
		print_words(o->values);
	for (size_t i = 0; et_option_choice(o, i); i++)
		printf("%s%s", i ? " " : "", et_option_choice(o, i));
}

static bool has_operands(const struct et_verb *v)
{
	return v->actions || v->operand || (v->operands && strchr(v->operands, '|'));
}

static void print_operands(const struct et_verb *v)
{
	for (const struct et_action *a = v->actions; a && a->name; a++)
		printf("%s%s", a == v->actions ? "" : " ", a->name);
	if (v->operands)
		print_words(v->operands);
	for (size_t i = 0; v->operand && v->operand(i); i++)
		printf("%s%s", i ? " " : "", v->operand(i));
}

/* Prints text that is valid between single quotes in all three shells. */
static void print_quoted(const char *text)
{
	for (; *text; text++) {
		if (*text == '\'')
			fputs("’", stdout);
		else
			putchar(*text);
	}
}

static void bash_word(const struct et_verb *v, const struct et_option *o)
{
	(void)v;
	printf(" --%s", o->name);
	if (o->letter)
		printf(" -%c", o->letter);
}

static void bash_choices(const struct et_verb *v, const struct et_option *o)
{
	(void)v;
	if (has_choices(o)) {
		printf("\t\t--%s) COMPREPLY=($(compgen -W '", o->name);
		print_choices(o);
		printf("' -- \"$cur\")); return ;;\n");
	} else if (o->values) {
		printf("\t\t--%s) COMPREPLY=($(compgen -%c -- \"$cur\")); return ;;\n", o->name,
			strcmp(o->values, "USER") ? 'f' : 'u');
	}
}

/* Completes an operand. */
static void bash_operand(const struct et_verb *v)
{
	const char *o = v->operands;

	if (!o && !has_operands(v))
		printf("COMPREPLY=($(compgen -f -- \"$cur\"))");
	else if (o && !strcmp(o, "COMMAND"))
		printf("COMPREPLY=($(compgen -c -f -- \"$cur\"))");
	else if (o && !strcmp(o, "STORED"))
		printf("COMPREPLY=($(compgen -f -W "
		       "\"last $(etalon list -q 2>/dev/null | sed '1d;s/ .*//')\" -- \"$cur\"))");
	else {
		printf("COMPREPLY=($(compgen -W '");
		print_operands(v);
		/* A file may follow the word. */
		printf("' -- \"$cur\")); [ ${#COMPREPLY[@]} -gt 0 ] || "
		       "COMPREPLY=($(compgen -f -- \"$cur\"))");
	}
}

static void bash_begin(void)
{
	printf("# bash completion for etalon, made from its option tables\n"
	       "_etalon()\n{\n\tlocal cur=${COMP_WORDS[COMP_CWORD]} "
	       "prev=${COMP_WORDS[COMP_CWORD-1]} words\n\tCOMPREPLY=()\n"
	       "\tif [ \"$COMP_CWORD\" -eq 1 ]; then\n\t\tCOMPREPLY=($(compgen -W '");
	for (const struct et_verb *const *v = et_verbs; *v; v++)
		printf("%s ", (*v)->name);
	printf("--help --version' -- \"$cur\"))\n\t\treturn\n\tfi\n"
	       "\tcase ${COMP_WORDS[1]} in\n");
}

static void bash_verb(const struct et_verb *v)
{
	printf("\t%s) words='", v->name);
	each_option(v, NULL, bash_word);
	printf("'\n\t\tcase $prev in\n");
	each_option(v, NULL, bash_choices);
	printf("\t\tesac\n\t\tcase ${COMP_WORDS[2]-} in\n");
	for (const struct et_action *a = v->actions; a && a->name; a++) {
		printf("\t\t%s) words='", a->name);
		each_option(v, a, bash_word);
		printf("' ;;\n");
	}
	printf("\t\tesac\n\t\t[[ $cur == -* ]] || { ");
	bash_operand(v);
	printf("; return; } ;;\n");
}

/* The options and operands that are not offered after this one. */
static void zsh_excluded(const struct et_verb *v, const struct et_option *o)
{
	struct et_option_walk at = { 0 };
	struct et_option other;
	const char *before = "'(";

	for (const char *p = o->excludes; p && *p; p += strcspn(p, "|"), p += strspn(p, "|")) {
		if (isupper((unsigned char)*p)) {
			printf("%s*", before); /* all operands */
			before = " ";
		}
	}
	while (o->excludes && et_verb_next_option(v, &at, &other)) {
		if (et_option_excludes(o, &other)) {
			printf("%s--%s", before, other.name);
			before = " ";
		}
	}
	fputs(*before == ' ' ? ")'" : "", stdout);
}

static void zsh_spec(const struct et_verb *v, const struct et_option *o)
{
	zsh_excluded(v, o);
	printf("'--%s%s[", o->name, o->arg && o->arg[0] != '[' ? "=" : "");
	for (const char *p = o->help; *p; p++) {
		if (strchr("[]:\\", *p))
			putchar('\\');
		fputs(*p == '\'' ? "’" : (char[]){ *p, '\0' }, stdout);
	}
	putchar(']');
	if (o->arg && has_choices(o)) {
		printf(":value:(");
		print_choices(o);
		putchar(')');
	} else if (o->arg) {
		printf(":value:%s", o->values ? "_files" : "");
	}
	putchar('\'');
}

static void zsh_option(const struct et_verb *v, const struct et_option *o)
{
	if (et_verb_takers(v, o))
		return;
	printf("\t\t\t");
	zsh_spec(v, o);
	printf(" \\\n");
}

/* An option of some actions: it is offered after these, and before an action. */
static void zsh_own(const struct et_verb *v, const struct et_option *o)
{
	if (!et_verb_takers(v, o))
		return;
	printf("\t\t[[ $words[2] == (");
	for (const struct et_action *a = v->actions; a->name; a++) {
		if (takes(v, a, o))
			printf("%s|", a->name);
	}
	printf("-*|) ]] && own+=(");
	zsh_spec(v, o);
	printf(")\n");
}

static void zsh_begin(void)
{
	printf("#compdef etalon\n# zsh completion for etalon, made from its option tables\n"
	       "_etalon() {\n\tlocal -a commands=(\n");
	for (const struct et_verb *const *v = et_verbs; *v; v++) {
		printf("\t\t'%s:", (*v)->name);
		print_quoted((*v)->summary);
		printf("'\n");
	}
	printf("\t)\n\tif (( CURRENT == 2 )); then\n\t\t_describe command commands\n\t\treturn\n"
	       "\tfi\n\tlocal command=$words[2]\n\tshift words\n\t(( CURRENT-- ))\n"
	       "\tcase $command in\n");
}

static void zsh_verb(const struct et_verb *v)
{
	printf("\t%s)\n\t\tlocal -a own=()\n", v->name);
	each_option(v, NULL, zsh_own);
	printf("\t\t_arguments -s $own \\\n");
	each_option(v, NULL, zsh_option);
	if (has_operands(v)) {
		printf("\t\t\t'1:what:(");
		print_operands(v);
		printf(")' \\\n");
	}
	printf("\t\t\t'*:file:_files' ;;\n");
}

static void fish_option(const struct et_verb *v, const struct et_option *o)
{
	printf("complete -c etalon -n '");
	for (const struct et_action *a = v->actions; a && a->name; a++) {
		if (!takes(v, a, o))
			printf("not __fish_seen_subcommand_from %s; and ", a->name);
	}
	printf("__fish_seen_subcommand_from %s' -l %s", v->name, o->name);
	if (o->letter)
		printf(" -s %c", o->letter);
	if (o->arg && o->arg[0] != '[')
		printf(o->values && !has_choices(o) ? " -r" : " -x");
	if (has_choices(o)) {
		printf(" -a '");
		print_choices(o);
		printf("'");
	}
	printf(" -d '");
	print_quoted(o->help);
	printf("'\n");
}

static void fish_begin(void)
{
	printf("# fish completion for etalon, made from its option tables\n");
	for (const struct et_verb *const *v = et_verbs; *v; v++) {
		printf("complete -c etalon -n __fish_use_subcommand -f -a %s -d '", (*v)->name);
		print_quoted((*v)->summary);
		printf("'\n");
	}
}

static void fish_verb(const struct et_verb *v)
{
	each_option(v, NULL, fish_option);
	if (!has_operands(v))
		return;
	printf("complete -c etalon -n '__fish_seen_subcommand_from %s' -a '", v->name);
	print_operands(v);
	printf("'\n");
}

static const struct shell {
	const char *name;
	void (*begin)(void);
	void (*verb)(const struct et_verb *v); /* all about one command, without the others */
	const char *end;
} shells[] = {
	{ "bash", bash_begin, bash_verb,
		"\tesac\n\tCOMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
		"}\ncomplete -F _etalon etalon\n" },
	{ "zsh", zsh_begin, zsh_verb, "\tesac\n}\n_etalon \"$@\"\n" },
	{ "fish", fish_begin, fish_verb, "" },
};

static int run(struct et_cli *cli, int argc, char **argv);

const struct et_verb et_verb_completion = {
	.name = "completion",
	.operands = "bash|zsh|fish",
	.summary = "print a completion script for bash, zsh or fish",
	.usage = "bash|zsh|fish",
	.examples =
		"  mkdir -p ~/.local/share/bash-completion/completions\n"
		"  etalon completion bash > ~/.local/share/bash-completion/completions/etalon\n",
	.rights = ET_RIGHTS_READERS, /* it starts the programs of other commands */
	.run = run,
};

/* Lets the program of a command print the part of the script: it has the tables. */
static int ask(const struct shell *s, const struct et_verb *v, struct et_error *err)
{
	char *argv[] = { (char[]){ "etalon" }, (char[]){ "completion" }, (char *)s->name,
		(char *)v->name, NULL };
	int status;

	fflush(stdout);
	pid_t pid = fork();
	if (pid == 0)
		_exit(et_program_execute(v->program, argv, err) ? et_cli_fail(err) : 0);
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	/* 128 + SIGPIPE: nobody reads the script to its end, which et_cli_end finds, too. */
	if (pid > 0 && WIFEXITED(status) &&
		(WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == 128 + SIGPIPE))
		return 0;
	return et_fail(err, EIO, ET_EXIT_OUTSIDE, "%s failed", v->program);
}

static int write_part(const struct shell *s, const struct et_verb *v, struct et_error *err)
{
	if (v->program)
		return ask(s, v, err);
	s->verb(v);
	return 0;
}

static int write_script(const struct shell *s, struct et_error *err)
{
	char path[PATH_MAX];
	int rc = 0;

	/* Before a part of the script is printed. */
	for (const struct et_verb *const *v = et_verbs; rc == 0 && *v; v++)
		rc = (*v)->program ? et_program_find((*v)->program, path, err) : 0;
	if (rc)
		return rc;
	s->begin();
	for (const struct et_verb *const *v = et_verbs; rc == 0 && *v; v++)
		rc = write_part(s, *v, err);
	fputs(s->end, stdout);
	return rc;
}

/* "SHELL", or "SHELL COMMAND" if etalon asks. */
static int complete(const struct et_operands *ops, struct et_error *err)
{
	const struct et_verb *v = ops->n_before == 2 ? et_verb_find(ops->before[1]) : NULL;

	for (size_t i = 0; ops->n_before == 1 + (v != NULL) && i < ET_LENGTH(shells); i++) {
		if (!strcmp(ops->before[0], shells[i].name))
			return v ? write_part(&shells[i], v, err) : write_script(&shells[i], err);
	}
	return et_refuse(err, NULL, "completion: expected one shell: bash, zsh or fish");
}

static int run(struct et_cli *cli, int argc, char **argv)
{
	struct et_operands ops;
	struct et_error err;
	int status = et_cli_parse(cli, &et_verb_completion, argc, argv, NULL, &ops);

	if (status >= 0)
		return status;
	int rc = complete(&ops, &err);
	et_operands_free(&ops);
	return rc ? et_cli_fail(&err) : ET_EXIT_DONE;
}
