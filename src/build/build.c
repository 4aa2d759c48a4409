/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Runs build commands. All that touches the folders of builds is done by shells with the rights of
 * the user who builds: root must not write into folders of others.
 */
#include "build/build.h"
#include "base/alloc.h"
#include "base/display.h"
#include "base/hash.h"
#include "base/parse.h"
#include "cli/signals.h"
#include "measure/child/environ.h"
#include "measure/child/hook.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

/* --- the output of build commands, as errors quote it --- */

/* Keeps as many of the last lines as an error can quote. */
void et_doe_output_last(FILE *output, char *buf, size_t size)
{
	long end = fseek(output, 0, SEEK_END) ? 0 : ftell(output);
	long from = end > (long)size - 1 ? end - (long)size + 1 : 0;

	size_t n = fseek(output, from, SEEK_SET) ? 0 : fread(buf, 1, size - 1, output);
	buf[n] = '\0';
	for (size_t i = 0; i < n; i++) {
		if (!buf[i])
			buf[i] = ' ';
	}
	char *line = from ? strchr(buf, '\n') : NULL;
	if (line && line[1])
		memmove(buf, line + 1, strlen(line + 1) + 1);
}

/* The first line with an error, which the last lines of a long output do not show; or NULL. */
static char *first_error(FILE *output, const char *shown)
{
	ET_AUTO_FREE char *line = NULL;
	size_t size = 0;

	rewind(output);
	while (getline(&line, &size, output) > 0) {
		line[strcspn(line, "\n")] = '\0';
		if (!strstr(line, "error") && !strstr(line, "Error"))
			continue;
		return strstr(shown, line) ? NULL : et_asprintf("%.160s\n…\n", line);
	}
	return NULL;
}

/* The lines that explain a failure, as many as an error can quote. */
void et_doe_output_failure(FILE *output, char *lines, size_t size)
{
	ET_AUTO_FREE char *first = first_error(output, lines);

	if (!first)
		return;
	ET_AUTO_FREE char *last = et_strdup(lines);
	size_t room = size - strlen(first) - 1,
	       from = strlen(last) > room ? strlen(last) - room : 0;
	const char *begin = from ? strchr(last + from, '\n') : last;
	snprintf(lines, size, "%s%s", first, begin ? begin + (from > 0) : "");
}

/* --- builds that gave the same program --- */

/* The name of a build, such as "loop (opt=-O2)". */
static char *name_of(const struct et_design *d, uint32_t command)
{
	const struct et_design_program *p = &d->programs[et_design_program_of(d, command)];
	ET_AUTO_FREE char *levels = NULL;

	for (size_t i = 0; i < d->n_factors; i++) {
		if (et_design_names(p->build, d->factors[i].name))
			et_append(&levels, ", ", "%s=%s", d->factors[i].name,
				et_design_level(d, command, i));
	}
	return levels ? et_asprintf("%s (%s)", p->name, levels) : et_strdup(p->name);
}

/*
 * Finds builds that gave the same program. A makefile that does not notice changed options is the
 * usual cause, and the experiment would find no effect of them.
 */

struct product {
	uint64_t bytes, hash; /* bytes is 0 if there is no such file */
	size_t program;
	uint32_t command;
};

static void read_product(const char *path, struct product *p)
{
	ET_AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode) || !st.st_size)
		return;
	char *text = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (text == MAP_FAILED)
		return;
	p->bytes = (uint64_t)st.st_size;
	p->hash = et_hash_bytes(text, p->bytes);
	munmap(text, p->bytes);
}

static void warn_same(
	const struct et_experiment *e, uint32_t a, uint32_t b, struct et_warnings *warnings)
{
	ET_AUTO_FREE char *first = name_of(e->design, a);
	ET_AUTO_FREE char *second = name_of(e->design, b);

	et_warn(warnings, ET_WARN_BUILDS_SAME, et_arg_text(first), et_arg_text(second));
}

void et_doe_build_compare(const struct et_experiment *e, struct et_warnings *warnings)
{
	const struct et_design *d = e->design;
	ET_AUTO_FREE struct product *list = et_calloc(e->n_commands, sizeof(*list));
	ET_AUTO_FREE bool *warned = et_calloc(d->n_programs, sizeof(*warned));
	struct et_hash seen = { .width = sizeof(uint64_t) };
	size_t n = 0;

	for (uint32_t c = 0; c < e->n_commands; c++) {
		ET_AUTO_FREE char *folder = et_doe_build_folder(e, c);
		const char *path = e->commands[c].argv[0];
		if (!folder || strncmp(path, folder, strlen(folder)))
			continue;
		uint64_t *known = et_hash_put(&seen, et_hash_text(path));
		if ((*known)++)
			continue;
		struct product *p = &list[n];
		*p = (struct product){ .program = et_design_program_of(d, c), .command = c };
		read_product(path, p);
		for (size_t i = 0; i < n && p->bytes && !warned[p->program]; i++) {
			if (list[i].program != p->program || list[i].bytes != p->bytes ||
				list[i].hash != p->hash)
				continue;
			warn_same(e, list[i].command, c, warnings);
			warned[p->program] = true;
		}
		n++;
	}
	et_hash_free(&seen);
}

/* --- running one --- */

extern char **environ;

struct builder {
	struct et_cli *cli;
	const struct et_experiment *e;
	struct et_hook hook;
	FILE *output; /* of the build command that runs */
	struct et_identity identity;
	struct et_dispositions dispositions;
	char **envp;
	struct et_hash done; /* by folder */
};

static int run_text(struct builder *b, const char *what, const char *text, struct et_error *err)
{
	char lines[sizeof(err->quoted)];

	if (ftruncate(fileno(b->output), 0) == 0)
		rewind(b->output);
	int rc = et_hook_run(&b->hook, what, text, err);
	if (rc == -EINTR)
		return et_fail(err, EINTR, (enum et_exit)(128 + b->hook.interrupt->signal),
			"interrupted while programs were built; nothing was measured");
	et_doe_output_last(b->output, lines, sizeof(lines));
	if (rc) {
		et_doe_output_failure(b->output, lines, sizeof(lines));
		et_hint(err, rc, "correct it, and run this again; nothing was measured");
		return et_quote(err, rc, lines);
	}
	if (b->cli->verbosity > 0)
		fputs(lines, stderr);
	return 0;
}

/* The folder is made anew: nothing of an earlier build can be taken for the product of this one. */
static int make_folder(struct builder *b, const char *folder, struct et_error *err)
{
	ET_AUTO_FREE char *quoted = et_join_words((char *[]){ (char *)folder, NULL });
	ET_AUTO_FREE char *text =
		et_asprintf("umask 077; rm -rf -- %s && mkdir -p -- %s", quoted, quoted);

	int rc = run_text(b, "making the folder of a build", text, err);
	if (rc == 0 || rc == -EINTR)
		return rc;
	char lines[sizeof(err->quoted)];
	snprintf(lines, sizeof(lines), "%s", err ? err->quoted : "");
	rc = et_hint(err,
		et_fail(err, -rc, ET_EXIT_OUTSIDE, "cannot make the folder of builds '%s'", folder),
		"%s",
		b->hook.identity ? "give the user of the programs a home"
				 : "set XDG_CACHE_HOME to a folder that you can write");
	return et_quote(err, rc, lines);
}

/* Copies the program, and marks the build as complete. */
static int keep_product(
	struct builder *b, uint32_t command, const char *folder, struct et_error *err)
{
	ET_AUTO_FREE char *product = NULL, *copy = NULL, *path = NULL;
	int rc = et_doe_build_product(b->e, command, &product, &copy, err);

	if (rc)
		return rc;
	if (product && et_child_resolve(product, NULL, b->e->child.directory, &path, NULL)) {
		ET_AUTO_FREE char *name = name_of(b->e->design, command);
		return et_hint(err,
			et_fail(err, ENOENT, ET_EXIT_PROGRAM, "the build of %s made no program %s",
				name, product),
			"correct the build, or let it write into {build} and run {build}/NAME");
	}
	char *words[] = { (char *)"cp", (char *)"--", product ? path : (char *)"", copy, NULL };
	ET_AUTO_FREE char *copying = product ? et_join_words(words) : et_strdup("true");
	ET_AUTO_FREE char *quoted = et_join_words((char *[]){ (char *)folder, NULL });
	ET_AUTO_FREE char *text =
		et_asprintf("umask 077; %s && : >%s/" ET_DOE_BUILT, copying, quoted);
	return run_text(b, "keeping a build", text, err);
}

/* A level with a space is several words for the shell, unless it is in quotes. */
static void hint_spaces(const struct et_design *d, uint32_t command, const char *build, int rc,
	struct et_error *err)
{
	for (size_t i = 0; i < d->n_factors; i++) {
		const char *name = d->factors[i].name;
		if (strchr(et_design_level(d, command, i), ' ') && et_design_names(build, name) &&
			d->factors[i].kind != ET_KIND_LINK_ORDER)
			et_hint(err, rc,
				"correct it, and run this again; quote a level that has spaces if "
				"it is one word: CFLAGS='{%s}'",
				name);
	}
}

static int build_one(struct builder *b, uint32_t command, const char *folder, struct et_error *err)
{
	const struct et_design *d = b->e->design;
	ET_AUTO_FREE char *text = NULL, *name = name_of(d, command);
	const char *plain = d->programs[et_design_program_of(d, command)].build;
	int rc = et_doe_fill(b->e, command, plain, &text, err);

	if (rc)
		return rc;
	if (b->cli->verbosity > 0 || b->cli->progress)
		et_say(stderr, "building %s: %s\n", name, text);
	rc = make_folder(b, folder, err);
	if (rc)
		return rc;
	ET_AUTO_FREE char *what = et_asprintf("the build of %s,", name);
	rc = run_text(b, what, text, err);
	if (rc && rc != -EINTR)
		hint_spaces(d, command, plain, rc, err);
	return rc ? rc : keep_product(b, command, folder, err);
}

/* --- running all --- */

static int open_builder(struct builder *b, struct et_error *err)
{
	const struct et_child_spec *child = &b->e->child;
	bool other = child->user && geteuid() == 0;
	int rc = other ? et_identity_find(child->user, &b->identity, err) : 0;

	if (rc)
		return rc;
	b->output = tmpfile();
	if (!b->output)
		return et_fail_errno(err, errno, ET_EXIT_OUTSIDE,
			"cannot make a temporary file for the output of builds");
	fcntl(fileno(b->output), F_SETFD, FD_CLOEXEC);
	b->envp = et_environ_make(environ, other ? &b->identity : NULL, child->pass_env);
	b->hook = (struct et_hook){ .directory = child->directory,
		.envp = b->envp,
		.path_variable = et_environ_get(b->envp, "PATH"),
		.identity = other ? &b->identity : NULL,
		.out_fd = fileno(b->output),
		.home_fd = -1,
		.dispositions = &b->dispositions,
		.interrupt = et_signals_install() };
	sigprocmask(SIG_BLOCK, NULL, &b->hook.signals);
	et_dispositions_read(&b->hook.interrupt->ignored, &b->dispositions);
	return 0;
}

static void close_builder(struct builder *b)
{
	if (b->output)
		fclose(b->output);
	et_strv_free(b->envp);
	et_identity_free(&b->identity);
	et_hash_free(&b->done);
}

static bool has_builds(const struct et_design *d)
{
	for (size_t i = 0; i < d->n_programs; i++) {
		if (d->programs[i].build)
			return true;
	}
	return false;
}

int et_doe_build(struct et_cli *cli, const struct et_experiment *e, bool keep, struct et_error *err)
{
	struct builder b = { .cli = cli, .e = e, .done = { .width = sizeof(uint64_t) } };
	const struct et_design *d = e->design;

	if (!has_builds(d))
		return 0;
	int rc = et_doe_folder_check(e, err);
	if (rc == 0)
		rc = open_builder(&b, err);
	for (uint32_t c = 0; rc == 0 && c < d->n_treatments * d->n_programs; c++) {
		ET_AUTO_FREE char *folder = et_doe_build_folder(e, c);
		uint64_t *done = folder ? et_hash_put(&b.done, et_hash_text(folder)) : NULL;
		if (!done || *done || (keep && et_doe_build_kept(e, c)))
			continue;
		*done = 1;
		rc = build_one(&b, c, folder, err);
	}
	close_builder(&b);
	if (rc == 0) {
		struct et_warnings warnings = { 0 };
		et_doe_build_compare(e, &warnings);
		et_cli_warn(&warnings);
	}
	return rc;
}
