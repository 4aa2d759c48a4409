/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `etalon doe init`: writes a first plan, with comments, or the schema of plans. */
#include "app/doe/doe.h"
#include "app/run/options.h"
#include "base/memstream.h"
#include "base/outfile.h"
#include "base/shell.h"
#include "base/utf8.h"
#include "cli/environment.h"
#include "host/machine.h"
#include "measure/child/child.h"
#include "model/design/design.h"
#include "protocol/parameters.h"

#include <link.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/stat.h>

/* The array `example`: a plan that runs as it is, in a few seconds. */
#include "app/doe/example.yaml.inc"

/* The comment by which editors find the schema, if it is installed. */
static void write_schema_line(FILE *out)
{
	if (access(ET_PLAN_SCHEMA, R_OK) == 0)
		fprintf(out, "# yaml-language-server: $schema=%s\n", ET_PLAN_SCHEMA);
}

static size_t add_options(
	const struct et_option *table, struct et_plan_schema_option *out, size_t n)
{
	for (; table->name; table++) {
		if (et_doe_refusal(table->name))
			continue;
		out[n++] = (struct et_plan_schema_option){ table->name, table->help, table->names,
			!table->arg };
	}
	return n;
}

static int write_text(const struct et_doe_request *r, FILE *out, struct et_error *err)
{
	if (r->schema) {
		struct et_plan_schema_option options[128];
		size_t n = add_options(et_run_options, options, 0);

		n = add_options(et_child_options, options, n);
		et_plan_write_schema(out, &(struct et_plan_schema){ options, n });
		return 0;
	}
	if (r->from)
		return et_doe_write_first(r->from, out, err);
	write_schema_line(out);
	fputs(example, out);
	return 0;
}

/* A plan may be the work of hours: no file is overwritten. An error leaves no empty file. */
static int write_file(const char *path, const char *text, struct et_error *err)
{
	struct et_outfile o;
	int rc = et_outfile_open(&o, path, 0, ET_EXIT_USAGE, err);

	if (rc)
		return rc;
	et_cleanup_close(&o.dir);
	if (!o.created) {
		close(o.fd);
		return et_fail_hint(err, EEXIST, ET_EXIT_USAGE, "name another file with --output",
			"%s exists, and is not overwritten", path);
	}
	FILE *out = fdopen(o.fd, "w");
	bool written = out && fputs(text, out) >= 0;
	if (!out || fclose(out) || !written)
		return et_fail_file(err, errno, ET_EXIT_OUTSIDE, path);
	return 0;
}

int et_doe_init(struct et_call *call, struct et_error *err)
{
	struct et_cli *cli = call->cli;
	const struct et_doe_request *r = call->ctx;
	struct et_memstream m;

	if (call->n)
		return et_hint(err,
			et_fail(err, EINVAL, ET_EXIT_USAGE, "doe init: unexpected '%s'",
				call->operands[0]),
			"use doe init --from '%s' if that is a command, or -o FILE to name the "
			"plan",
			call->operands[0]);
	int rc = write_text(r, et_memstream_open(&m), err);
	ET_AUTO_FREE char *text = et_memstream_close(&m);
	if (rc)
		return rc;
	if (!r->output || !strcmp(r->output, "-")) {
		fputs(text, stdout);
		return 0;
	}
	rc = write_file(r->output, text, err);
	if (rc == 0 && cli->verbosity >= 0 && !r->schema)
		printf("%s: run 'etalon doe plan %s' to see what it would do\n", r->output,
			r->output);
	return rc;
}

/* A first plan: factors that should not matter and often do, and threads if it uses OpenMP. */

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
	int rc = check_text(f->command, err) ?: et_split_words(f->command, &words, err);

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

static void add_factor(
	struct first *f, enum et_kind kind, const char *why, const char *const *levels)
{
	const char *name = et_factor_kinds[kind].name;
	size_t n = et_strv_length((char *const *)levels);

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
	char most[16];

	snprintf(most, sizeof(most), "%d", f->cpus);
	add_factor(f, ET_KIND_THREADS,
		"  # The program is linked with OpenMP: how much do more threads help?\n",
		(const char *const[]){ "1", most, NULL });
	add_factor(f, ET_KIND_AFFINITY,
		"  # Threads that the kernel moves between CPUs lose their caches.\n",
		(const char *const[]){ "none", "compact", f->cpus > 2 ? "scatter" : NULL, NULL });
}

static void write_factors(struct first *f)
{
	fputs("factors:\n", f->out);
	if (f->openmp && f->cpus > 1)
		write_threads(f);
	add_factor(f, ET_KIND_ENVIRONMENT_SIZE,
		"  # Bytes in an environment variable. They move the stack, which must not\n"
		"  # matter and often does: a faster version may only have a luckier layout\n"
		"  # (Mytkowicz et al. 2009).\n",
		(const char *const[]){ "0", "1000", NULL });
	if (f->openmp && f->cpus > 1)
		return;
	add_factor(f, ET_KIND_ASLR,
		"  # Random addresses: off makes every run alike, and may hide an unlucky "
		"layout.\n",
		(const char *const[]){ "on", "off", NULL });
}

/* Whether this machine can vary what belongs to the machine: typical levels are tried. */
static bool can_vary(const struct first *f, enum et_kind kind)
{
	static const char *const typical[ET_KINDS_OF_FACTORS][3] = {
		[ET_KIND_TURBO] = { "on", "off" },
		[ET_KIND_SMT] = { "on", "off" },
		[ET_KIND_HUGE_PAGES] = { "always", "never" },
		[ET_KIND_GOVERNOR] = { "performance" },
	};

	if (kind == ET_KIND_SERVICES)
		return f->machine.systemd;
	return !typical[kind][0] || et_doe_can_set(&f->machine, kind, typical[kind]);
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

	write_schema_line(f->out);
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

/* Reads which libraries a program needs (DT_NEEDED). The file may be damaged. */

struct elf {
	const char *bytes;
	size_t size;
	const ElfW(Phdr) * segments;
	size_t n_segments;
	const ElfW(Dyn) * tags;
	size_t n_tags;
};

static bool is_openmp(const char *library)
{
	return !strncmp(library, "libgomp.so", 10) || !strncmp(library, "libomp.so", 9) ||
	       !strncmp(library, "libiomp5.so", 11);
}

static bool read_head(struct elf *e)
{
	const ElfW(Ehdr) *head = (const void *)e->bytes;

	if (e->size < sizeof(*head) || memcmp(e->bytes, ELFMAG, SELFMAG) != 0 ||
		e->bytes[EI_CLASS] != (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32))
		return false;
	if (head->e_phoff > e->size || head->e_phoff % sizeof(void *) ||
		head->e_phnum > (e->size - head->e_phoff) / sizeof(*e->segments))
		return false;
	e->segments = (const void *)(e->bytes + head->e_phoff);
	e->n_segments = head->e_phnum;
	return true;
}

static bool find_tags(struct elf *e)
{
	for (size_t i = 0; i < e->n_segments; i++) {
		const ElfW(Phdr) *s = &e->segments[i];
		if (s->p_type != PT_DYNAMIC || s->p_offset > e->size ||
			s->p_offset % sizeof(void *))
			continue;
		e->tags = (const void *)(e->bytes + s->p_offset);
		e->n_tags = (e->size - s->p_offset) / sizeof(*e->tags);
	}
	for (size_t i = 0; i < e->n_tags; i++) {
		if (e->tags[i].d_tag == DT_NULL)
			e->n_tags = i;
	}
	return e->n_tags > 0;
}

/* The offset of the table of names, which is given by its address; the file's size: none. */
static size_t find_names(const struct elf *e)
{
	size_t address = 0;

	for (size_t i = 0; i < e->n_tags; i++)
		address = e->tags[i].d_tag == DT_STRTAB ? e->tags[i].d_un.d_ptr : address;
	for (size_t i = 0; i < e->n_segments; i++) {
		const ElfW(Phdr) *s = &e->segments[i];
		if (s->p_type == PT_LOAD && address >= s->p_vaddr &&
			address - s->p_vaddr < s->p_filesz && s->p_offset < e->size)
			return address - s->p_vaddr + s->p_offset;
	}
	return e->size;
}

static bool needs_openmp(struct elf *e)
{
	if (!read_head(e) || !find_tags(e))
		return false;
	size_t names = find_names(e);
	for (size_t i = 0; i < e->n_tags && names < e->size; i++) {
		size_t name = e->tags[i].d_un.d_val;
		if (e->tags[i].d_tag != DT_NEEDED || name >= e->size - names)
			continue;
		const char *library = e->bytes + names + name;
		if (memchr(library, '\0', e->size - names - name) && is_openmp(library))
			return true;
	}
	return false;
}

bool et_doe_uses_openmp(const char *path)
{
	ET_AUTO_FCLOSE FILE *f = fopen(path, "re");
	struct stat st;

	if (!f || fstat(fileno(f), &st) || !S_ISREG(st.st_mode) || st.st_size < EI_NIDENT)
		return false;
	char *bytes = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fileno(f), 0);
	if (bytes == MAP_FAILED)
		return false;
	bool found = needs_openmp(&(struct elf){ .bytes = bytes, .size = (size_t)st.st_size });
	munmap(bytes, (size_t)st.st_size);
	return found;
}
