/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `etalon lab kbest-coverage`: invokes `etalon lab functions` again and again. */
#include "lab/kbest_coverage.h"
#include "app/lab/experiments.h"
#include "base/program.h"
#include "lib/bench/output.h"

#include <sys/mman.h>
#include <sys/wait.h>

enum { DEFAULT_INVOCATIONS = 20 };

static const double LEVEL = 0.95;

/* Runs the benchmark program once; its results go to the file, errors to standard error. */
static int invoke(struct et_lab_request *r, int file, struct et_error *err)
{
	const char *words[] = { "/proc/self/exe", "lab", "functions", "--quiet", "--json", "-",
		r->measure.filter ? "--filter" : NULL, r->measure.filter, NULL };
	int status = 0;
	pid_t pid;
	int rc = et_spawn((char *const *)words, environ, file, STDERR_FILENO, false, &pid);

	/* After a signal, which the program gets too if the terminal sent it, it is ended. */
	while (rc == 0 && waitpid(pid, &status, 0) < 0) {
		rc = errno == EINTR ? 0 : -errno;
		if (rc == 0 && r->interrupt->signal)
			kill(pid, SIGTERM);
	}
	if (rc)
		return et_fail_errno(err, -rc, ET_EXIT_ENVIRONMENT, "lab functions");
	if (r->interrupt->signal)
		return -EINTR;
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return 0;
	return et_fail_hint(err, EIO,
		WIFEXITED(status) ? (enum et_exit)WEXITSTATUS(status) : ET_EXIT_PROGRAM,
		"run 'etalon lab functions' alone to see why", "the benchmark program failed");
}

static int add_invocation(
	struct et_lab_request *r, struct et_kbest_coverage *c, struct et_error *err)
{
	struct et_bench_results results = { 0 };
	char path[64];

	ET_AUTO_CLOSE int file = memfd_create("etalon-functions", MFD_CLOEXEC);
	if (file < 0)
		return et_fail_errno(err, errno, ET_EXIT_ENVIRONMENT, "memory for results");
	int rc = invoke(r, file, err);
	if (rc)
		return rc;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
	rc = et_bench_read(path, &results, err);
	if (rc)
		return rc;
	et_kbest_coverage_add(c, &results);
	et_bench_results_free(&results);
	return 0;
}

/* --- text and JSON --- */

/* The promises about alarms, coverage, and width of intervals relative to the true spread. */
static const double most_alarms = 0.05, least = 0.93, most = 0.97, widest = 3;

/* Marks a figure that is certainly ('!') or perhaps ('?') outside of what is promised. */
static void add_share(struct et_table *t, double share, bool bad, bool surely)
{
	char text[32] = "- ";

	if (!isnan(share))
		snprintf(text, sizeof(text), "%.1f%c", 100 * share,
			!bad     ? ' '
			: surely ? '!'
				 : '?');
	et_table_text(t, text, "", !isnan(share) && bad && surely ? "31" : NULL);
}

static void add_row(const struct et_kbest_coverage_row *row, struct et_table *t)
{
	struct et_kbest_attained a = et_kbest_attained(row);
	const double halves[] = { 50 * a.width, 50 * a.spread };
	char buf[ET_FIGURE];

	et_table_add(t, "%s\t%s\t%s", row->name, et_format_rounded(a.ns, 4, buf),
		et_kbest_statistic_names[a.statistic]);
	add_share(t, a.alarms, a.alarms > most_alarms, a.lo > most_alarms);
	add_share(t, a.another, a.another < least || a.another > most, a.another < least);
	add_share(t, a.long_run, a.long_run < least, a.long_run < least);
	for (size_t i = 0; i < ET_LENGTH(halves); i++) {
		snprintf(buf, sizeof(buf), "%.3f", halves[i]);
		et_table_add(t, "%s", isfinite(halves[i]) ? buf : "- ");
	}
	snprintf(buf, sizeof(buf), "%.2f%c", a.width / a.spread,
		a.width / a.spread > widest ? '!' : ' ');
	et_table_add(t, "%s", a.spread > 0 ? buf : "- ");
}

static void print_text(const void *result, const struct et_page *page)
{
	const struct et_kbest_coverage *c = result;
	static const struct et_table_column columns[] = { ET_COLUMN(TEXT, "function"),
		ET_COLUMN(NUMBER, "time"), ET_COLUMN(NUMBER, "statistic"),
		ET_COLUMN(NUMBER, "alarms %"), ET_COLUMN(NUMBER, "another %"),
		ET_COLUMN(NUMBER, "long run %"), ET_COLUMN(NUMBER, "said ± %"),
		ET_COLUMN(NUMBER, "true ± %"), ET_COLUMN(NUMBER, "wider") };
	struct et_table t = { ET_COLUMNS(columns), .split = true };

	et_lab_text(page,
		"The same benchmark program, invoked %zu times. alarms: of comparisons of each "
		"invocation with the one before, as --baseline makes them, those that found a "
		"difference (at most %.0f %%). another: of the answers of all other invocations, "
		"those within the interval (%.0f to %.0f %%); long run: of the intervals, those "
		"that contain the mean of all other answers. said: half the interval; true: half "
		"of what holds 95 %% of the answers; wider: their ratio (at most %.0f). !: "
		"outside; ?: perhaps.",
		c->invocations, 100 * most_alarms, 100 * least, 100 * most, widest);
	putc('\n', page->out);
	for (size_t i = 0; i < c->n; i++)
		add_row(&c->rows[i], &t);
	et_table_print(&t, page);
}

ET_FIELDS(attained_fields, ET_KEY(et_kbest_attained, "alarm_share", alarms),
	ET_KEY_SPAN(et_kbest_attained, "alarm_interval", lo, hi),
	ET_KEY(et_kbest_attained, "covers_another", another),
	ET_KEY(et_kbest_attained, "covers_long_run", long_run),
	ET_KEY(et_kbest_attained, "interval_width", width),
	ET_KEY(et_kbest_attained, "true_width", spread));

static void write_functions(struct et_json *w, const char *key, const void *result)
{
	const struct et_kbest_coverage *c = result;

	et_json_array(w, key);
	for (const struct et_kbest_coverage_row *row = c->rows; row < c->rows + c->n; row++) {
		struct et_kbest_attained a = et_kbest_attained(row);
		et_json_object(w, NULL);
		et_json_string(w, "name", row->name);
		et_json_u64(w, "invocations", row->n);
		et_json_double(w, "time_ns", a.ns);
		et_json_string(w, "statistic", et_kbest_statistic_names[a.statistic]);
		et_json_double(w, "chosen", a.chosen);
		et_json_u64(w, "compared", row->compared);
		et_json_u64(w, "alarms", row->alarms);
		et_fields_write(w, attained_fields, &a);
		et_json_array(w, "answers");
		for (size_t i = 0; i < row->n; i++) {
			et_json_flat_array(w, NULL);
			et_json_double(w, NULL, row->answers[i].ns);
			et_json_double(w, NULL, row->answers[i].lo_ns);
			et_json_double(w, NULL, row->answers[i].hi_ns);
			et_json_end(w);
		}
		et_json_end(w);
		et_json_end(w);
	}
	et_json_end(w);
}

/* --- steps --- */

/* Nothing is stored, so an early end leaves nothing to be reported. */
static int invoke_all(struct et_lab_request *r, void *result, struct et_error *err)
{
	uint32_t n =
		r->given & ET_LAB_REPETITIONS ? r->simulation.repetitions : DEFAULT_INVOCATIONS;
	struct et_kbest_coverage *c = result;
	int rc = 0;

	c->level = LEVEL;
	for (uint32_t i = 0; rc == 0 && i < n && et_lab_draw_progress(r, i, n); i++)
		rc = add_invocation(r, c, err);
	return rc == -EINTR ? 0 : rc;
}

const struct et_lab et_lab_kbest_coverage = { .size = sizeof(struct et_kbest_coverage),
	.simulate = invoke_all,
	.fields = ET_TABLE(ET_KEYS(et_kbest_coverage, invocations, level),
		ET_KEY_MADE("functions", write_functions)),
	.text = print_text,
	.free = et_kbest_coverage_free };
