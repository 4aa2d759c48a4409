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
#include "build/folder.h"
#include "cli/signals.h"
#include "measure/child/environ.h"
#include "measure/child/hook.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

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

/* --- running one --- */

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

char *et_doe_build_name(const struct et_design *d, uint32_t command)
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
		ET_AUTO_FREE char *name = et_doe_build_name(b->e->design, command);
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
	ET_AUTO_FREE char *text = NULL, *name = et_doe_build_name(d, command);
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
