/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Runs build commands. All that touches the folders of builds is done by shells with the rights of
 * the user who builds: root must not write into folders of others.
 */
#include "build/build.h"
#include "base/display.h"
#include "base/hash.h"
#include "base/parse.h"
#include "cli/signals.h"
#include "measure/child/child.h"
#include "measure/child/environ.h"
#include "measure/child/hook.h"
#include "num/rng.h"

#include <fcntl.h>
#include <pwd.h>
#include <sys/mman.h>
#include <sys/stat.h>

/* The cache of builds. A folder is named by a hash of all that decides a build but the sources. */

static const struct et_design_program *program_of(const struct et_experiment *e, uint32_t command)
{
	return &e->design->programs[et_design_program_of(e->design, command)];
}

/* Root's own folder: a HOME that sudo has kept may belong to the caller. */
static char *cache(const struct et_child_spec *child)
{
	const char *given = getenv("XDG_CACHE_HOME");
	const struct passwd *user = child->user && geteuid() == 0 ? getpwnam(child->user) : NULL;

	if (user && user->pw_uid)
		return et_asprintf("%s/.cache/etalon/build", user->pw_dir);
	if (given && given[0] == '/')
		return et_asprintf("%s/etalon/build", given);
	return et_asprintf("%s/.cache/etalon/build", et_cli_home());
}

/* The program that a command runs, as the plan spells it. */
static char *first_word(const char *command)
{
	char **words = NULL;

	if (et_split_words(command, &words, NULL))
		return et_strdup("");
	char *first = et_strdup(words[0]);
	et_strv_free(words);
	return first;
}

/* The factors whose levels decide a build: the build names them, or the path of its product. */
static bool decides(const struct et_design_program *p, const char *product, const char *factor)
{
	return et_design_names(p->build, factor) || et_design_names(product, factor);
}

static size_t count_builds(const struct et_design *d, const struct et_design_program *p)
{
	ET_AUTO_FREE char *product = first_word(p->command);
	size_t n = 1;

	for (size_t i = 0; i < d->n_factors && n <= 1; i++)
		n *= decides(p, product, d->factors[i].name) ? d->factors[i].n_levels : 1;
	return n;
}

char *et_doe_build_folder(const struct et_experiment *e, uint32_t command)
{
	const struct et_design *d = e->design;
	const struct et_design_program *p = program_of(e, command);
	ET_AUTO_FREE char *here =
		e->child.directory ? et_strdup(e->child.directory) : get_current_dir_name();
	ET_AUTO_FREE char *product = first_word(p->command), *base = cache(&e->child);

	if (!p->build)
		return NULL;
	ET_AUTO_FREE char *key =
		et_asprintf("%s\n%s\n%s\n%s", here ?: "", p->name, p->build, product);
	/* Machines of a campaign may share a home, and each builds for itself. */
	if (e->member.campaign[0])
		et_append(&key, "\n", "%s\n%s", e->member.campaign, e->member.node);
	for (size_t i = 0; i < d->n_factors; i++) {
		const struct et_design_factor *f = &d->factors[i];
		if (!decides(p, product, f->name))
			continue;
		et_append(&key, "\n", "%s=%s", f->name, et_design_level(d, command, i));
		for (size_t k = 0; f->objects && f->objects[k]; k++)
			et_append(&key, "\n", "%s", f->objects[k]);
	}
	return et_asprintf("%s/%016" PRIx64, base, et_hash_text(key));
}

/* Builds of one file in several ways would overwrite each other. */
static int refuse(const char *name, const char *why, struct et_error *err)
{
	return et_refuse(err,
		"let the build write its files into {build}, and name {build} in the command",
		"program '%s' has several builds, and %s: all of them would run the last", name,
		why);
}

/*
 * Sets *product to the file that the build of a command makes and runs, and *copy to the copy that
 * is run instead; both stay NULL if it names {build} or has only one build. The caller frees them.
 */
static int find_product(const struct et_experiment *e, uint32_t command, char **product,
	char **copy, struct et_error *err)
{
	const struct et_design_program *p = program_of(e, command);
	ET_AUTO_FREE char *plain = first_word(p->command), *filled = NULL;

	if (!p->build || et_design_names(p->command, "build") || count_builds(e->design, p) == 1)
		return 0;
	if (e->child.shell)
		return refuse(p->name, "a shell runs its command", err);
	int rc = et_doe_fill(e, command, plain, &filled, err);
	if (rc)
		return rc;
	if (!strchr(filled, '/'))
		return refuse(p->name, "its command runs a program of PATH", err);
	ET_AUTO_FREE char *folder = et_doe_build_folder(e, command);
	/* If levels are part of its name, the names may differ in length. */
	const char *name = strchr(plain, '{') ? "program" : strrchr(filled, '/') + 1;
	*copy = et_asprintf("%s/%s", folder, name);
	*product = et_strdup(filled);
	return 0;
}

int et_doe_build_use(
	const struct et_experiment *e, uint32_t command, char **argv, struct et_error *err)
{
	ET_AUTO_FREE char *product = NULL;
	char *copy = NULL;
	int rc = find_product(e, command, &product, &copy, err);

	if (rc || !copy)
		return rc;
	free(argv[0]);
	argv[0] = copy;
	return 0;
}

bool et_doe_build_kept(const struct et_experiment *e, uint32_t command)
{
	ET_AUTO_FREE char *folder = et_doe_build_folder(e, command);
	ET_AUTO_FREE char *product = NULL, *copy = NULL;

	if (!folder)
		return true;
	if (find_product(e, command, &product, &copy, NULL))
		return false;
	ET_AUTO_FREE char *mark = et_asprintf("%s/" ET_DOE_BUILT, folder);
	return access(mark, F_OK) == 0 && (!copy || access(copy, X_OK) == 0);
}

static bool only_root_writes(const char *path)
{
	struct stat st;

	if (stat(path, &st))
		return errno == ENOENT;
	return st.st_uid == 0 && (!(st.st_mode & (S_IWGRP | S_IWOTH)) || st.st_mode & S_ISVTX);
}

/* Refuses a cache of root's that others could write to: its programs run as root. */
static int check_folder(const struct et_experiment *e, struct et_error *err)
{
	ET_AUTO_FREE char *path = cache(&e->child);

	if (geteuid() != 0 || e->child.user)
		return 0;
	for (char *slash = path + strlen(path); slash; slash = strrchr(path, '/')) {
		*slash = '\0';
		if (!only_root_writes(*path ? path : "/"))
			return et_fail_hint(err, EPERM, ET_EXIT_ENVIRONMENT,
				"set XDG_CACHE_HOME to a folder that only root can write",
				"builds would be kept below '%s', which others than root "
				"can write",
				*path ? path : "/");
	}
	return 0;
}

/* Texts of plans: replaces {factor} and {build} in commands and build commands. */

/* --- link order --- */

static int parse_order(const char *level, uint64_t *seed, struct et_error *err)
{
	if (!strcmp(level, "given") || !strcmp(level, "reversed"))
		return 0;
	if (strncmp(level, "random:", 7))
		return et_fail(err, EINVAL, ET_EXIT_USAGE,
			"'%s' is not an order of objects: given, reversed, or random:N", level);
	return et_parse_u64("random", level + 7, 0, INT64_MAX, seed, err);
}

/* The words to order may have spaces, so they are quoted as a shell needs it. */
static char *order_objects(const struct et_design_factor *f, const char *level)
{
	size_t n = f->objects ? et_strv_length(f->objects) : 0;
	ET_AUTO_FREE char **words = et_calloc(n + 1, sizeof(*words));
	ET_AUTO_FREE uint32_t *order = et_calloc(n + 1, sizeof(*order));
	uint64_t seed = 0;
	struct et_rng rng;

	for (size_t i = 0; i < n; i++)
		order[i] = (uint32_t)(strcmp(level, "reversed") ? i : n - 1 - i);
	if (parse_order(level, &seed, NULL) == 0 && !strncmp(level, "random:", 7)) {
		et_rng_seed(&rng, seed, 0);
		et_shuffle(&rng, order, n, sizeof(uint32_t));
	}
	for (size_t i = 0; i < n; i++)
		words[i] = f->objects[order[i]];
	return et_join_words(words);
}

/* --- texts --- */

struct filling {
	const struct et_experiment *e;
	uint32_t command;
};

/* The names whose value is no level. */
static char *find_value(void *ctx, const char *name)
{
	const struct filling *f = ctx;
	const struct et_design *d = f->e->design;

	for (size_t i = 0; i < d->n_factors; i++) {
		const struct et_design_factor *factor = &d->factors[i];
		if (factor->kind == ET_KIND_LINK_ORDER && !strcmp(factor->name, name))
			return order_objects(factor, et_design_level(d, f->command, i));
	}
	if (strcmp(name, "build"))
		return NULL;
	ET_AUTO_FREE char *folder = et_doe_build_folder(f->e, f->command);
	return folder ? et_join_words((char *[]){ folder, NULL }) : NULL;
}

int et_doe_fill(const struct et_experiment *e, uint32_t command, const char *text, char **out,
	struct et_error *err)
{
	struct filling f = { e, command };

	if (!program_of(e, command)->build && et_design_names(text, "build"))
		return et_fail_hint(err, ENOENT, ET_EXIT_USAGE,
			"add a build command, or name the program's file",
			"{build} in '%s': the program has no build", text);
	return et_design_fill(
		e->design, command, text, &(struct et_design_value){ find_value, &f }, out, err);
}

/* --- levels --- */

static int find_compiler(const char *level, struct et_error *err)
{
	char **words = NULL;
	ET_AUTO_FREE char *path = NULL;
	int rc = et_split_words(level, &words, err);

	if (rc)
		return rc;
	if (et_child_resolve(words[0], getenv("PATH"), NULL, &path, err))
		rc = et_fail_hint(err, ENOENT, ET_EXIT_ENVIRONMENT,
			"install it, or remove the level",
			"there is no compiler '%s' on this machine", words[0]);
	et_strv_free(words);
	return rc;
}

int et_doe_build_check(const struct et_design_factor *f, size_t level, struct et_error *err)
{
	uint64_t seed;

	if (f->kind == ET_KIND_COMPILER)
		return find_compiler(f->levels[level], err);
	if (f->kind != ET_KIND_LINK_ORDER)
		return 0;
	if (!f->objects || !f->objects[0] || !f->objects[1])
		return et_fail(err, EINVAL, ET_EXIT_USAGE,
			"factor '%s' needs at least two words in 'objects' to order", f->name);
	return parse_order(f->levels[level], &seed, err);
}

/* --- the output of build commands, as errors quote it --- */

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

/* Finds equal builds: a makefile that does not notice changed options would hide their effect. */

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
			ET_AUTO_FREE char *a = name_of(d, list[i].command), *b = name_of(d, c);
			et_warn(warnings, ET_WARN_BUILDS_SAME, et_arg_text(a), et_arg_text(b));
			warned[p->program] = true;
		}
		n++;
	}
	et_hash_free(&seen);
}

/* --- running one --- */

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
	int rc = find_product(b->e, command, &product, &copy, err);

	if (rc)
		return rc;
	if (product && et_child_resolve(product, NULL, b->e->child.directory, &path, NULL)) {
		ET_AUTO_FREE char *name = name_of(b->e->design, command);
		return et_fail_hint(err, ENOENT, ET_EXIT_PROGRAM,
			"correct the build, or let it write into {build} and run {build}/NAME",
			"the build of %s made no program %s", name, product);
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
	const char *plain = program_of(b->e, command)->build;
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
	int rc = check_folder(e, err) ?: open_builder(&b, err);
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
