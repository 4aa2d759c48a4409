/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Recognizes the format of each file, and makes an experiment of the runs that were read. */
#include "profile/readers/read.h"
#include "model/experiment/field.h"
#include "profile/readers/helper.h"
#include "profile/readers/reader.h"

#include <fcntl.h>
#include <sys/stat.h>

#define FUNCTIONS(word, name) { et_is_##name, et_read_##name },
#define WORD(word, name) word,

static const struct format {
	bool (*is)(const char *line);
	int (*read)(struct et_reader *r);
} formats[] = { ET_PROFILE_READERS(FUNCTIONS) };

const char *const et_profile_format_names[] = { "auto", ET_PROFILE_READERS(WORD) NULL };

/* --- files that other programs read --- */

/* Reads what the program argv prints in the format `read`; name and hint are for errors. */
static int read_output(struct et_reader *r, char *const *argv, int (*read)(struct et_reader *),
	const char *name, const char *hint)
{
	struct et_helper h;
	int rc = et_helper_start(&h, argv, r->err);

	if (rc)
		return et_hint(r->err, rc, "%s", hint);
	et_lines_free(&r->lines);
	r->lines = (struct et_lines){ .in = h.out, .longest = ET_READER_LONGEST_LINE };
	rc = h.out ? read(r) : -ENOMEM;
	rc = et_helper_end(&h, rc, name, r->err);
	if (rc && r->err && !r->err->hint[0])
		et_hint(r->err, rc, "if the file is cut off or damaged, record again");
	return rc;
}

static int read_ids(struct et_reader *r)
{
	char *line;

	r->maps = r->maps ? r->maps : et_perf_maps_new();
	while (et_reader_line(r, &line) > 0)
		et_perf_maps_add_id(r->maps, line);
	return r->rc;
}

/* The records of mappings have no build ids by default. Without them, code remains [unknown]. */
static void read_build_ids(struct et_reader *r)
{
	char *const argv[] = { (char *)"perf", (char *)"buildid-list", (char *)"-i",
		(char *)r->path, NULL };
	struct et_error *kept = r->err, ignored = { 0 };

	r->err = &ignored;
	(void)!read_output(r, argv, read_ids, "perf buildid-list", "");
	r->err = kept;
	r->rc = 0;
}

/*
 * Whether samples are missing at the end of a perf.data: perf itself (6.1) reads the rest without a
 * word. Its header has a magic number, its own size, the size of an attribute, and where the
 * attributes and the samples are; the header of a file that was written to a pipe is shorter.
 */
static bool is_cut_off(const struct et_reader *r)
{
	enum { SIZE = 1, SAMPLES_AT = 5, SAMPLES_SIZE, WORDS };
	uint64_t header[WORDS];
	struct stat st;

	if (r->lines.end - r->lines.pos < sizeof(header) || fstat(fileno(r->lines.in), &st))
		return false;
	memcpy(header, r->lines.buf + r->lines.pos, sizeof(header));
	uint64_t size = (uint64_t)st.st_size, at = header[SAMPLES_AT];
	return header[SIZE] > sizeof(header) && (at > size || header[SAMPLES_SIZE] > size - at);
}

static int read_perf_data(struct et_reader *r)
{
	/* Without --no-inline perf starts addr2line for each address, which takes minutes. */
	char *const argv[] = { (char *)"perf", (char *)"script", (char *)"--no-inline",
		(char *)"--show-lost-events", (char *)"--show-mmap-events",
		(char *)"--show-task-events", (char *)"-i", (char *)r->path, NULL };

	if (!r->path)
		return et_reader_fail(r, "use 'perf script -i perf.data', and read its output",
			"it is a file of perf record, not text");
	if (is_cut_off(r))
		return et_reader_fail(r, "copy it again, or record again",
			"it is cut off: samples at its end are missing");
	read_build_ids(r);
	return read_output(r, argv, et_read_perf_script, "perf script",
		"install perf, or run 'perf script -i FILE' where it is and read its output");
}

/* A path that no program takes for an option. */
static char *safe_path(const char *path)
{
	return et_asprintf("%s%s", path[0] == '-' ? "./" : "", path);
}

static int read_gmon(struct et_reader *r)
{
	if (!r->path)
		return et_reader_fail(r, "use 'gprof -b -p PROGRAM gmon.out', and read its output",
			"it is a file gmon.out, not text");
	if (!r->program)
		return et_reader_fail(r, "name the program before it: --from PROGRAM gmon.out",
			"the program that wrote it is not known");
	ET_AUTO_FREE char *program = safe_path(r->program), *file = safe_path(r->path);
	char *const argv[] = { (char *)"gprof", (char *)"-b", (char *)"-p", program, file, NULL };
	return read_output(r, argv, et_read_gprof, "gprof",
		"install binutils, or run 'gprof -b -p PROGRAM gmon.out' where it is and read its "
		"output");
}

static int take_program(struct et_reader *r)
{
	if (!r->path)
		return et_reader_fail(
			r, "read the output of a profiler", "it is a program, not a profile");
	r->program = r->path;
	return 0;
}

/* --- the format of a file --- */

/* Files that are not text are known by their first bytes, and some by a NUL soon after them. */
static const struct magic {
	const char *bytes;
	int (*read)(struct et_reader *r); /* wants a NUL; NULL: the file is refused */
	const char *what, *hint;
} magics[] = {
	{ "PERFILE2", read_perf_data, NULL, NULL },
	{ "gmon\1", read_gmon, NULL, NULL },
	{ "\177ELF", take_program, NULL, NULL },
	{ "\x1f\x8b", NULL, "it is compressed by gzip", "decompress it with gunzip first" },
	{ "\3757zXZ", NULL, "it is compressed by xz", "decompress it with unxz first" },
	{ "\x28\xb5\x2f\xfd", NULL, "it is compressed by zstd", "decompress it with unzstd first" },
	{ "BZh9", NULL, "it is compressed by bzip2", "decompress it with bunzip2 first" },
};

static const struct magic *find_magic(const char *bytes, size_t n)
{
	for (size_t i = 0; i < ET_LENGTH(magics); i++) {
		size_t length = strlen(magics[i].bytes);
		if (n >= length && !memcmp(bytes, magics[i].bytes, length) &&
			(!magics[i].read || memchr(bytes, '\0', n < 64 ? n : 64)))
			return &magics[i];
	}
	return NULL;
}

bool et_profile_is_binary(const char *path)
{
	struct stat st;

	/* To open a FIFO would wait for its writer, or lose what it writes. */
	if (stat(path, &st) || !S_ISREG(st.st_mode))
		return false;
	ET_AUTO_CLOSE int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	char bytes[64];
	ssize_t n = fd < 0 ? -1 : pread(fd, bytes, sizeof(bytes), 0);
	const struct magic *m = n > 0 ? find_magic(bytes, (size_t)n) : NULL;

	return m && (m->read == read_perf_data || m->read == read_gmon);
}

/* Copies the first line that is neither empty nor a comment. Returns false if there is none. */
static bool first_line(const char *bytes, size_t n, char *out, size_t size)
{
	while (n) {
		const char *feed = memchr(bytes, '\n', n);
		size_t length = feed ? (size_t)(feed - bytes) : n;
		size_t blank = 0;

		while (blank < length && strchr(" \t\r", bytes[blank]) && bytes[blank])
			blank++;
		if (blank < length && (bytes[blank] != '#')) {
			if (bytes[length - 1] == '\r')
				length--;
			snprintf(out, size, "%.*s", (int)(length < size ? length : size), bytes);
			return true;
		}
		bytes += feed ? length + 1 : n;
		n -= feed ? length + 1 : n;
	}
	return false;
}

static int recognize(struct et_reader *r, const struct format **out)
{
	ET_AUTO_FREE char *line = et_alloc(ET_READER_LONGEST_LINE);

	if (!first_line(r->lines.buf + r->lines.pos, r->lines.end - r->lines.pos, line,
		    ET_READER_LONGEST_LINE))
		return et_reader_fail(
			r, "use a file that a profiler has written", "it has no samples");
	for (size_t i = 0; i < ET_LENGTH(formats); i++) {
		if (formats[i].is(line)) {
			*out = &formats[i];
			return 0;
		}
	}
	if (line[0] == '{' || line[0] == '[')
		return et_reader_fail(r,
			"use etalon import for a record of etalon; of other profilers, use folded "
			"stacks",
			"it is JSON, which is not read here");
	return et_reader_fail(r,
		"use the text of perf script (with its default fields, without -F), gprof -b -p or "
		"callgrind, or folded stacks; --format names it",
		"its format is not known ('%.40s')", line);
}

/* --- files --- */

static int read_stream(struct et_reader *r, int format)
{
	static const char bom[] = "\xef\xbb\xbf";
	int rc = et_lines_fill(&r->lines);

	if (rc)
		return et_reader_fail_file(r, rc);
	const char *bytes = r->lines.buf + r->lines.pos;
	size_t n = r->lines.end - r->lines.pos;
	const struct magic *m = find_magic(bytes, n);
	if (m && m->read)
		return m->read(r);
	if (m)
		return et_reader_fail(r, m->hint, "%s", m->what);
	if (n >= strlen(bom) && !memcmp(bytes, bom, strlen(bom)))
		r->lines.pos += strlen(bom);
	const struct format *f = format ? &formats[format - 1] : NULL;
	rc = f ? 0 : recognize(r, &f);
	return rc ? rc : f->read(r);
}

static int read_text(struct et_reader *r, FILE *in, const char *name, const char *path, int format)
{
	r->name = name;
	r->path = path;
	r->lines = (struct et_lines){ .in = in, .longest = ET_READER_LONGEST_LINE };
	int rc = read_stream(r, format);
	et_lines_free(&r->lines);
	r->lines = (struct et_lines){ 0 };
	return rc;
}

static int read_file(struct et_reader *r, const char *path, int format)
{
	if (!strcmp(path, "-"))
		return read_text(r, stdin, "standard input", NULL, format);
	ET_AUTO_FCLOSE FILE *in = fopen(path, "re");
	if (!in)
		return et_hint(r->err, et_fail_file(r->err, errno, ET_EXIT_USAGE, path),
			"--from takes files of profilers, or the id or label of a kept profile, as "
			"'etalon list' shows it");
	return read_text(r, in, path, path, format);
}

/* --- the experiment --- */

/* Adds a command with its runs; takes the name. */
static void add_runs(struct et_experiment *e, struct et_reader *r, char *name)
{
	uint32_t command = (uint32_t)e->n_commands;
	struct et_command *c = et_experiment_add_command(e, name, et_calloc(1, sizeof(char *)));
	size_t before = e->profile->n_runs;
	uint32_t order = before ? e->profile->runs[before - 1].order : 0;

	free(c->text);
	et_reader_command(r, r->program ? r->program : name);
	c->text = r->command;
	r->command = NULL;
	for (size_t i = 0; i < r->n_runs; i++) {
		struct et_sample s = { 0 };

		et_fields_set_missing(et_sample_fields, &s);
		s.place.command = command;
		s.place.order = ++order;
		s.place.round = (uint32_t)i + 1;
		s.measured.exit_code = 0;
		s.measured.profile = &r->runs[i];
		et_experiment_add(e, &s);
	}
	for (size_t i = 0; i < r->calls_room; i++) {
		if (!isnan(r->calls[i]))
			et_profile_set_calls(
				e->profile, command, (uint32_t)i, r->calls[i] / (double)r->n_runs);
	}
	if (e->plan.runs < r->n_runs)
		e->plan.runs = (uint32_t)r->n_runs;
}

int et_profile_add_files(struct et_experiment *e, char *const *paths, size_t n,
	const struct et_profile_read_options *o, struct et_error *err)
{
	struct et_reader r = { .profile = e->profile, .wanted = o->event, .err = err };
	int rc = n ? 0
		   : et_refuse(err, "name the files of a profiler, one per run", "no file to read");

	for (size_t i = 0; i < n && !rc; i++) {
		size_t before = r.n_runs;
		rc = read_file(&r, paths[i], o->format);
		if (r.n_runs > before) {
			r.last = r.name;
			r.first = r.first ? r.first : r.last;
		}
	}
	if (!rc && !r.n_runs)
		rc = et_refuse(err,
			"name the files gmon.out after it, or a file of another profiler",
			"%.100s: it is a program, not a profile", r.program);
	if (!rc)
		add_runs(e, &r,
			r.first == r.last ? et_strdup(r.first)
					  : et_asprintf("%s … %s", r.first, r.last));
	et_reader_free(&r);
	return rc;
}

static struct et_experiment *new_experiment(void)
{
	struct et_profile_plan plan = { .event = "imported" };
	struct et_experiment *e = et_calloc(1, sizeof(*e));

	e->state = ET_STATE_DONE;
	e->origin = ET_ORIGIN_IMPORTED;
	e->protocol = ET_PROTOCOL_RAW;
	e->metric = ET_METRIC_ELAPSED;
	e->plan = (struct et_plan){ .order = ET_ORDER_SEQUENTIAL, .level = 0.95 };
	e->profile = et_profile_new(&plan);
	e->profile->way = ET_PROFILE_IMPORTED;
	e->profile->kernel_allowed = true;
	return e;
}

int et_profile_read_stream(FILE *in, const char *name, const struct et_profile_read_options *o,
	struct et_experiment **out, struct et_error *err)
{
	struct et_experiment *e = new_experiment();
	struct et_reader r = { .profile = e->profile, .wanted = o->event, .err = err };
	int rc = read_text(&r, in, name, NULL, o->format);

	if (!rc)
		add_runs(e, &r, et_strdup(name));
	et_reader_free(&r);
	if (rc)
		et_experiment_free(e);
	else
		*out = e;
	return rc;
}

int et_profile_read_files(char *const *paths, size_t n, const struct et_profile_read_options *o,
	struct et_experiment **out, struct et_error *err)
{
	struct et_experiment *e = new_experiment();
	int rc = et_profile_add_files(e, paths, n, o, err);

	if (rc)
		et_experiment_free(e);
	else
		*out = e;
	return rc;
}
