/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A first plan for a command: factors that should not matter and often do, and threads if the
 * program is built with OpenMP. Only factors that this machine can vary are in it.
 */
#include "app/doe/first.h"
#include "app/doe/doe.h"
#include "base/alloc.h"
#include "base/parse.h"
#include "base/shell.h"
#include "base/utf8.h"
#include "cli/environment.h"
#include "host/machine.h"
#include "measure/child/child.h"
#include "model/design/design.h"
#include "protocol/parameters.h"

#include <errno.h>
#include <sched.h>
#include <string.h>

enum { MOST_ARGUMENT = 40 };

struct first {
	const char *command;
	char *name;     /* of the program, without its folder */
	char *argument; /* the first; NULL: there is none that could be part of a name */
	bool shell;     /* the command needs one */
	bool openmp;
	int cpus;
	struct et_machine machine;
	FILE *out;
	size_t treatments;
};

/* --- what is known of the command --- */

/* The plan is UTF-8, and {word} in it is a factor. */
static int check_text(const char *command, struct et_error *err)
{
	for (const char *s = command; *s;) {
		size_t len = et_utf8_length(s), word = strcspn(s + 1, "{}");
		if (!len || (unsigned char)*s < ' ')
			return et_fail(err, EINVAL, ET_EXIT_USAGE,
				"--from: the command must be one line of text (UTF-8)");
		ET_AUTO_FREE char *name = et_strndup(s + 1, word);
		bool dollar = s > command && s[-1] == '$';
		if (*s == '{' && s[1 + word] == '}' && !dollar && et_parameter_is_name(name))
			return et_hint(err,
				et_fail(err, EINVAL, ET_EXIT_USAGE,
					"--from: {%s} would be a factor of the plan", name),
				"write { %s } if the program is to get it; or begin with 'etalon "
				"doe init' and add a factor of kind parameter",
				name);
		s += len;
	}
	return 0;
}

static int read_command(struct first *f, struct et_error *err)
{
	char **words = NULL;
	ET_AUTO_FREE char *path = NULL;
	size_t len;
	int rc = check_text(f->command, err);

	if (rc == 0)
		rc = et_split_words(f->command, &words, err);
	if (rc)
		return rc;
	const char *slash = strrchr(words[0], '/');
	f->shell = et_shell_syntax(f->command, &len) || et_shell_builtin(words[0]);
	f->name = et_strdup(f->shell ? "command" : slash && slash[1] ? slash + 1 : words[0]);
	if (!f->shell && words[1] && strlen(words[1]) <= MOST_ARGUMENT)
		f->argument = et_strdup(words[1]);
	if (!f->shell)
		rc = et_child_resolve(words[0], getenv("PATH"), NULL, &path, err);
	f->openmp = rc == 0 && path && et_doe_uses_openmp(path);
	et_strv_free(words);
	return rc;
}

/* --- the plan --- */

static void add_factor(struct first *f, enum et_kind kind, const char *why, char *const *levels)
{
	const char *name = et_factor_kinds[kind].name;
	size_t n = et_strv_length(levels);

	if (!et_doe_can_set(&f->machine, kind, levels)) {
		fprintf(f->out, "  # This machine cannot vary the factor %s.\n", name);
		return;
	}
	fprintf(f->out, "%s  - name: %s\n    kind: %s\n    levels: [", why, name, name);
	for (size_t i = 0; i < n; i++)
		fprintf(f->out, "%s%s", levels[i], i + 1 < n ? ", " : "]\n");
	f->treatments *= n;
}

static void write_threads(struct first *f)
{
	char most[16], one[] = "1", none[] = "none", compact[] = "compact", scatter[] = "scatter";

	snprintf(most, sizeof(most), "%d", f->cpus);
	add_factor(f, ET_KIND_THREADS,
		"  # The program is linked with OpenMP: how much do more threads help?\n",
		(char *[]){ one, most, NULL });
	add_factor(f, ET_KIND_AFFINITY,
		"  # Threads that the kernel moves between CPUs lose their caches.\n",
		(char *[]){ none, compact, f->cpus > 2 ? scatter : NULL, NULL });
}

static void write_factors(struct first *f)
{
	char none[] = "0", some[] = "1000", on[] = "on", off[] = "off";

	fputs("factors:\n", f->out);
	if (f->openmp && f->cpus > 1)
		write_threads(f);
	add_factor(f, ET_KIND_ENVIRONMENT_SIZE,
		"  # Bytes in an environment variable. They move the stack, which must not\n"
		"  # matter and often does: a faster version may only have a luckier layout\n"
		"  # (Mytkowicz et al. 2009).\n",
		(char *[]){ none, some, NULL });
	if (f->openmp && f->cpus > 1)
		return;
	add_factor(f, ET_KIND_ASLR,
		"  # Random addresses: off makes every run alike, and may hide an unlucky "
		"layout.\n",
		(char *[]){ on, off, NULL });
}

/* Whether this machine can vary what belongs to the machine: typical levels are tried. */
static bool can_vary(const struct first *f, enum et_kind kind)
{
	char on[] = "on", off[] = "off", always[] = "always", never[] = "never";
	char performance[] = "performance";

	switch (kind) {
	case ET_KIND_TURBO:
	case ET_KIND_SMT:
		return et_doe_can_set(&f->machine, kind, (char *[]){ on, off, NULL });
	case ET_KIND_HUGE_PAGES:
		return et_doe_can_set(&f->machine, kind, (char *[]){ always, never, NULL });
	case ET_KIND_SERVICES:
		return f->machine.systemd;
	case ET_KIND_GOVERNOR:
		return et_doe_can_set(&f->machine, kind, (char *[]){ performance, NULL });
	default:
		return true;
	}
}

/* Lines of at most 80 columns. */
static void write_comment(FILE *out, char *text)
{
	enum { INDENT = 4, MOST = 80 };
	char *rest = text, *word;
	size_t column = INDENT;

	fputs("#  ", out);
	while ((word = strsep(&rest, " "))) {
		if (column + strlen(word) > MOST) {
			fputs("\n#     ", out);
			column = INDENT + 3;
		}
		column += (size_t)fprintf(out, " %s", word);
	}
	putc('\n', out);
}

/* All kinds, each with what its levels are. */
static void write_kinds(const struct first *f)
{
	fputs("\n# All kinds of factors; 'etalon doe plan' checks every level on this machine:\n",
		f->out);
	for (size_t i = 0; i < ET_KINDS_OF_FACTORS; i++) {
		ET_AUTO_FREE char *line =
			et_asprintf("%s: %s%s", et_factor_kinds[i].name, et_factor_kinds[i].what,
				can_vary(f, (enum et_kind)i) ? "" : " (not now on this machine)");
		write_comment(f->out, line);
	}
}

/* In single quotes, where only these need care. */
static void write_quoted(FILE *out, const char *text)
{
	putc('\'', out);
	for (; *text; text++)
		fputs((char[]){ *text, *text == '\'' ? '\'' : '\0', '\0' }, out);
	fputs("'\n", out);
}

static void write_plan(struct first *f)
{
	bool parallel = f->openmp && f->cpus > 1;

	et_doe_write_schema_line(f->out);
	fputs("# A first plan. 'etalon doe plan FILE' shows what would be run and how long it\n"
	      "# would take, 'etalon doe run FILE' runs it, and 'etalon doe analyse FILE' shows\n"
	      "# what matters. etalon-plan(5) explains every key.\n\nname: ",
		f->out);
	ET_AUTO_FREE char *name = et_asprintf("first look at %s%s%s", f->name,
		f->argument ? " " : "", f->argument ? f->argument : "");
	write_quoted(f->out, name);
	fputs("\nprograms:\n  - name: ", f->out);
	write_quoted(f->out, f->name);
	fputs("    command: ", f->out);
	write_quoted(f->out, f->command);
	putc('\n', f->out);
	write_factors(f);
	fprintf(f->out,
		"\ndesign: full        # all %zu combinations of levels\n"
		"replications: 31    # runs under each of them, %zu in all\n"
		"discard: 1          # the first of them only fills caches\n"
		"order: random       # so that slow minutes of the machine meet all treatments\n"
		"response: %s        # %s\n",
		f->treatments, f->treatments * 31, parallel ? "et" : "pt",
		parallel ? "elapsed time: threads share the CPU time"
			 : "CPU time; or et (elapsed time), max_rss, …");
	if (f->shell)
		fputs("run: { shell: sh }  # the command needs a shell, whose time is measured, "
		      "too\n",
			f->out);
	write_kinds(f);
}

int et_doe_write_first(const char *command, FILE *out, struct et_error *err)
{
	struct first f = { .command = command, .out = out, .cpus = 1, .treatments = 1 };
	cpu_set_t allowed;
	int rc = read_command(&f, err);

	if (sched_getaffinity(0, sizeof(allowed), &allowed) == 0)
		f.cpus = CPU_COUNT(&allowed);
	if (rc == 0) {
		et_cli_machine(&f.machine);
		write_plan(&f);
		et_machine_free(&f.machine);
	}
	free(f.name);
	free(f.argument);
	return rc;
}
