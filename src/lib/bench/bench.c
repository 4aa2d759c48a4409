/* SPDX-License-Identifier: MIT */
/*
 * The main function of a benchmark program. It alone may allocate by base/base.h, which ends the
 * program when memory runs out; it does not while a function is being timed.
 */
#include "base/display.h"
#include "base/outfile.h"
#include "lib/bench/output.h"
#include "lib/bench/worker.h"
#include "lib/slice/complexity.h"

#include <fcntl.h>
#include <locale.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

enum { SIGNALLED = 128, OUTPUTS = 5 };

/* --- files --- */

/* A file of results: opened before anything is timed, and replaced when the new one is whole. */
struct output {
	const char *path; /* NULL: not wanted; "-": standard output */
	void (*write)(const struct et_bench_results *r, FILE *out);
	struct et_outfile target; /* fd is -1 if it is not open */
};

static bool is_stdout(const struct output *f)
{
	return f->path && !strcmp(f->path, "-");
}

/* Fails if the file cannot be written. If it did not exist, it is not there afterwards either. */
static int open_file(struct output *f, struct et_error *err)
{
	struct et_outfile *o = &f->target;

	o->fd = o->dir = -1;
	if (!f->path || is_stdout(f))
		return 0;
	int rc = et_outfile_open(o, f->path, O_APPEND, ET_EXIT_OUTSIDE, err);
	if (rc == 0 && o->created && o->dir >= 0)
		unlinkat(o->dir, o->name, 0);
	return rc;
}

/* Writes to a descriptor and closes it. Returns 0 or -errno. */
static int fill(const struct output *f, const struct et_bench_results *r, int fd)
{
	FILE *out = fdopen(fd, "w");
	int rc = 0;

	if (!out) {
		close(fd);
		return -ENOMEM;
	}
	f->write(r, out);
	if (fflush(out) || ferror(out))
		rc = -errno;
	return fclose(out) && !rc ? -errno : rc;
}

/*
 * Creates a file to be renamed. Negative if that would change more than the contents: the old one
 * is not regular, not ours or has several links; or if the folder is not writable.
 */
static int open_beside(const struct et_outfile *o, char temporary[NAME_MAX + 1])
{
	struct stat st;

	if (o->dir < 0 || fstat(o->fd, &st) != 0 || !S_ISREG(st.st_mode) ||
		st.st_uid != geteuid() || st.st_nlink > 1)
		return -1;
	return et_outfile_beside(o, st.st_mode & 07777, temporary);
}

static int replace(const struct output *f, const struct et_bench_results *r)
{
	const struct et_outfile *o = &f->target;
	char temporary[NAME_MAX + 1];
	int fd = open_beside(o, temporary), rc;
	bool beside = fd >= 0;

	if (!beside && o->created && o->dir >= 0)
		return -EIO;
	/* Pipes and devices cannot be truncated. */
	if (!beside && ftruncate(o->fd, 0) != 0 && errno != EINVAL)
		return -errno;
	if (!beside)
		fd = fcntl(o->fd, F_DUPFD_CLOEXEC, 0);
	rc = fd < 0 ? -errno : fill(f, r, fd);
	if (beside && rc == 0 && renameat(o->dir, temporary, o->dir, o->name) != 0)
		rc = -errno;
	if (beside && rc)
		unlinkat(o->dir, temporary, 0);
	return rc;
}

static int write_file(struct output *f, const struct et_bench_results *r, struct et_error *err)
{
	int rc = 0;

	if (is_stdout(f)) {
		f->write(r, stdout);
		rc = fflush(stdout) || ferror(stdout) ? -errno : 0;
	} else if (f->path) {
		rc = replace(f, r);
	}
	return rc ? et_fail_file(err, -rc, ET_EXIT_OUTSIDE, f->path) : 0;
}

/* --- the judgement --- */

static const struct et_bench_row *row_of(const struct et_bench_results *r, const char *name)
{
	for (size_t i = 0; i < r->n; i++)
		if (!strcmp(r->rows[i].name, name))
			return &r->rows[i];
	return NULL;
}

static void compare(struct et_bench_row *row, const struct et_bench_row *past, unsigned flags,
	const struct et_bench_options *o)
{
	const struct et_bench_row *old = o->against ? row : past;

	row->has_old =
		old && et_bench_judge(old->slices, old->n_slices, true, flags, o->level, &row->old);
	if (row->has_old && o->against)
		et_bench_compare_pairs(
			row->slices, row->n_slices, flags, o->level, &row->comparison);
	else if (row->has_old)
		et_bench_compare_apart(row->slices, row->n_slices, old->slices, old->n_slices,
			flags, o->level, &row->comparison);
}

/* Judges each case. A function without a sample has failed, and the row says so. */
static void judge(struct et_bench_results *r, const struct et_bench_results *past,
	const struct et_bench_cases *cases, bool interrupted)
{
	for (size_t i = 0; i < r->n; i++) {
		struct et_bench_row *row = &r->rows[i];
		unsigned asked = (unsigned)r->options.statistic << ET_BENCH_ASKED_SHIFT;
		unsigned flags = (cases->list[i].bench->flags & UINT16_MAX) | asked;

		row->which = &cases->list[i];
		if (et_bench_judge(row->slices, row->n_slices, false, flags, r->options.level,
			    &row->estimate))
			compare(row, row_of(past, row->name), flags, &r->options);
		else if (!row->error)
			row->error = et_strdup(interrupted ? "interrupted before its first sample"
							   : "no sample was taken");
	}
}

/* Says why there is no interval, and that a signal ended the run before all samples were taken. */
static void note_run(struct et_bench_results *r, bool interrupted)
{
	size_t timed = 0;

	for (size_t i = 0; i < r->n; i++)
		timed += et_bench_timed(&r->rows[i]);
	if (timed && r->options.processes == 1 && r->options.repetitions <= 1)
		et_bench_note(r, "one process does not tell how others differ, so that there are "
				 "no intervals: omit --processes 1");
	r->cut_short = interrupted;
	if (interrupted)
		et_bench_note(
			r, timed ? "interrupted: the times are from fewer samples than planned"
				 : "interrupted before the first sample: nothing was timed");
}

static void print(const struct et_bench_results *r, const struct output *outputs)
{
	struct et_bench_page page = { .out = stdout };
	struct winsize size;

	for (size_t i = 0; i < OUTPUTS; i++)
		if (is_stdout(&outputs[i]))
			page.out = stderr;
	bool terminal = isatty(fileno(page.out));
	if (terminal && ioctl(fileno(page.out), TIOCGWINSZ, &size) == 0)
		page.columns = size.ws_col;
	page.color = r->options.color == ET_BENCH_AUTO ? terminal && !getenv("NO_COLOR")
						       : r->options.color == ET_BENCH_ALWAYS;
	if (!r->options.quiet)
		et_bench_text(r, &page);
}

/* Returns how many functions failed, and names them if the table does not. */
static size_t count_failed(const struct et_bench_results *r, const char *program)
{
	size_t failed = 0;

	for (size_t i = 0; i < r->n; i++) {
		if (!r->rows[i].error || r->rows[i].skipped)
			continue;
		if (r->options.quiet) {
			ET_AUTO_FREE char *why = et_clean(r->rows[i].error, "");

			fprintf(stderr, "%s: %s: %s\n", program, r->rows[i].name, why);
		}
		failed++;
	}
	return failed;
}

/* --fail-on-regression decides nothing if no function could be compared: that is no success. */
static int check_compared(const struct et_bench_results *r, const struct et_bench_comparisons *n,
	struct et_error *err)
{
	const struct et_bench_options *o = &r->options;

	if (!isfinite(o->fail_ratio) || n->decided)
		return 0;
	if (!n->compared)
		return et_refuse(err, NULL,
			"--fail-on-regression: %.150s has none of the functions that were timed",
			o->against ? o->against : o->baseline);
	return et_refuse(err,
		"use several processes, and functions that take longer than an empty call",
		"--fail-on-regression: all comparisons are too uncertain to decide");
}

/* Times, judges and reports. Returns -errno or the exit status. */
static int time_cases(struct et_bench_results *r, const struct et_bench_results *past,
	const struct et_bench_cases *cases, char **argv, struct output *outputs,
	struct et_error *err)
{
	struct et_bench_comparisons n;
	size_t regressions, failed;
	int signal = 0, rc = et_bench_run(cases, argv, r, &signal, err);

	if (rc)
		return rc;
	judge(r, past, cases, signal != 0);
	note_run(r, signal != 0);
	r->n_complexity = et_complexity_fit(r->rows, r->n, r->options.level, &r->complexity);
	regressions = et_bench_family(r->rows, r->n, r->options.fail_ratio, r->options.level);
	n = et_bench_count_compared(r);
	print(r, outputs);
	for (size_t i = 0; rc == 0 && i < OUTPUTS; i++)
		rc = write_file(&outputs[i], r, err);
	failed = count_failed(r, argv[0]);
	if (rc)
		return rc;
	if (signal)
		return SIGNALLED + signal;
	if (failed)
		return ET_EXIT_PROGRAM;
	rc = check_compared(r, &n, err);
	if (rc)
		return rc;
	return regressions ? ET_EXIT_REGRESSION : ET_EXIT_DONE;
}

/* Names the functions of the baseline that the program no longer has. */
static int check_baseline(const struct et_bench_cases *cases, const struct et_bench_results *past,
	struct et_bench_results *r, struct et_error *err)
{
	const struct et_bench_options *o = &r->options;
	ET_AUTO_FREE const char **names = et_calloc(past->n + 1, sizeof(*names));
	size_t n = 0;

	for (size_t i = 0; i < past->n; i++)
		if (!et_cases_find(cases, past->rows[i].name))
			names[n++] = past->rows[i].name;
	if (n == past->n && isfinite(o->fail_ratio))
		return et_refuse(err, "see their names with --list",
			"--fail-on-regression: %.150s has none of the functions", o->baseline);
	if (!o->filter && !o->exclude && !o->n_threads)
		et_bench_note_missing(r, o->baseline, names, n);
	return 0;
}

/* Says what became of equal names. */
static void note_names(const struct et_bench_cases *cases, struct et_bench_results *r)
{
	if (cases->numbered)
		et_bench_note(r,
			"%zu case%s the name of another, and %s a number after it: see --list",
			cases->numbered, cases->numbered == 1 ? " has" : "s have",
			cases->numbered == 1 ? "has" : "have");
	if (cases->dropped)
		et_bench_note(r, "%zu case%s the same as another: timed once", cases->dropped,
			cases->dropped == 1 ? " is" : "s are");
}

/* The baseline is read first: it may be the same file as that of --json. */
static int serve(const struct et_bench_cases *cases, char **argv, struct et_bench_results *r,
	struct et_error *err)
{
	const struct et_bench_options *o = &r->options;
	struct et_bench_results past = { 0 };
	struct output outputs[OUTPUTS] = {
		{ .path = o->json, .write = et_bench_json },
		{ .path = o->csv, .write = et_bench_csv },
		{ .path = o->markdown, .write = et_bench_markdown },
		{ .path = o->google, .write = et_bench_google_json },
		{ .path = o->google_csv, .write = et_bench_google_csv },
	};
	size_t opened = 0;
	int rc = o->baseline ? et_bench_read(o->baseline, &past, err) : 0;

	et_bench_context_collect("", argv[0], &r->context);
	note_names(cases, r);
	if (rc == 0 && o->baseline)
		rc = et_bench_comparable(o->baseline, r, &past, err);
	if (rc == 0 && o->baseline)
		rc = check_baseline(cases, &past, r, err);
	while (rc == 0 && opened < OUTPUTS)
		rc = open_file(&outputs[opened++], err);
	if (rc == 0) {
		rc = time_cases(r, &past, cases, argv, outputs, err);
		et_bench_run_end();
	}
	while (opened-- > 0) {
		et_cleanup_close(&outputs[opened].target.fd);
		et_cleanup_close(&outputs[opened].target.dir);
	}
	et_bench_results_free(&past);
	return rc;
}

/* Does what the options ask for. Returns the exit status or -errno. */
static int act(char **argv, const struct etalon_bench *benches, size_t n,
	enum et_bench_action action, struct et_bench_results *r, struct et_error *err)
{
	struct et_bench_options *o = &r->options;
	struct et_bench_cases cases = { 0 };

	if (action == ET_BENCH_HELP) {
		et_bench_options_help(argv[0], stdout);
		return 0;
	}
	if (action == ET_BENCH_VERSION) {
		fprintf(stdout, "libetalon %s\n", etalon_version());
		return 0;
	}
	int rc = et_cases_build(benches, n, o->threads, o->n_threads, &cases, err);
	if (rc == 0 && (o->filter || o->exclude))
		rc = et_cases_filter(&cases, o->filter, o->exclude, err);
	for (size_t i = 0; rc == 0 && o->list && i < cases.n; i++)
		fprintf(stdout, "%s\n", cases.list[i].name);
	if (rc == 0 && !o->list)
		rc = serve(&cases, argv, r, err);
	et_cases_free(&cases);
	return rc;
}

static int run_main(int argc, char **argv, const struct etalon_bench *benches, size_t n)
{
	struct et_bench_results r = { 0 };
	enum et_bench_action action;
	struct et_error err = { 0 };
	int rc = et_bench_options_parse(argc, argv, &r.options, &action, &err);

	if (rc == 0)
		rc = act(argv, benches, n, action, &r, &err);
	if (rc >= 0 && (fflush(stdout) || ferror(stdout)))
		rc = et_fail(&err, EIO, ET_EXIT_OUTSIDE, "cannot write to standard output");
	et_bench_options_free(&r.options);
	et_bench_results_free(&r);
	if (rc >= 0)
		return rc;
	/* Errors may quote a file or another program. */
	ET_AUTO_FREE char *what = et_clean(err.what, ""), *hint = et_clean(err.hint, "");
	fprintf(stderr, "%s: %s\n", argv[0], what);
	if (hint[0])
		fprintf(stderr, "hint: %s\n", hint);
	return (int)err.exit;
}

int etalon_bench_main(int argc, char **argv, const struct etalon_bench *benches, size_t n)
{
	locale_t c, before = (locale_t)0;
	int status;

	if (argc < 1 || !argv || !argv[0])
		return ET_EXIT_USAGE;
	/* Numbers in options, files and messages have a point, whatever the user's locale is. */
	c = newlocale(LC_NUMERIC_MASK, "C", duplocale(LC_GLOBAL_LOCALE));
	if (c)
		before = uselocale(c);
	if (!et_worker_serve(benches, n, &status))
		status = run_main(argc, argv, benches, n);
	if (c) {
		uselocale(before);
		freelocale(c);
	}
	return status;
}
