/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Performs the experiments of the lab: what they have in common, from the store to the picture. */
#include "app/lab/experiments.h"
#include "base/clock.h"
#include "base/display.h"
#include "conduct/measuring.h"
#include "host/host.h"
#include "lab/old_series.h"
#include "measure/child/child.h"
#include "model/experiment/figure.h"
#include "source/operand.h"

#include <dirent.h>
#include <sys/random.h>

bool et_lab_draw_progress(void *ctx, uint64_t done, uint64_t total)
{
	struct et_lab_request *r = ctx;
	uint64_t now = et_clock_read_ns(CLOCK_MONOTONIC);
	struct et_progress_state state = {
		.name = r->name, .done = done, .total = total, .elapsed_ns = now - r->started_ns
	};

	et_progress_draw(&r->progress, &state, now);
	return !r->interrupt->signal;
}

struct et_lab_grid et_lab_grid(const struct et_lab_request *r, const struct et_lab_grid *usual)
{
	const struct et_lab_measure *m = &r->measure;
	struct et_lab_grid g = *usual;

	for (size_t i = 0; i < m->loads.n; i++)
		g.loads[i] = (unsigned)m->loads.numbers[i];
	if (m->loads.n)
		g.n_loads = m->loads.n;
	if (m->lengths_ns.n) {
		memcpy(g.lengths_ns, m->lengths_ns.numbers, sizeof(g.lengths_ns));
		g.n_lengths = m->lengths_ns.n;
	}
	if (m->runs)
		g.runs = (uint32_t)m->runs;
	return g;
}

/* --- printing --- */

void et_lab_table(struct et_table *t, const struct et_page *page)
{
	et_table_print(t, page);
	putc('\n', page->out);
}

void et_lab_chart(struct et_chart *c, const struct et_page *page)
{
	et_chart_print(c, page);
	putc('\n', page->out);
}

const char *et_format_error(double error, char buf[ET_FIGURE])
{
	double percent = 100 * error;
	int decimals = fabs(percent) < 9.995 ? 2 : fabs(percent) < 99.95 ? 1 : 0;

	if (isnan(percent))
		snprintf(buf, ET_FIGURE, ET_DASH);
	else
		snprintf(buf, ET_FIGURE, "%+.*f", decimals, percent);
	return buf;
}

const char *et_format_three(double ns, char buf[ET_FIGURE])
{
	return et_format_rounded(ns, 3, buf);
}

double et_lab_share(uint64_t k, uint64_t n)
{
	return n ? (double)k / (double)n : NAN;
}

const char *et_lab_format_share(double share, char buf[ET_FIGURE])
{
	snprintf(buf, ET_FIGURE, isnan(share) ? "" : "%.1f", 100 * share);
	return buf;
}

void et_lab_print_cases(struct et_table *t, const struct et_page *page)
{
	et_lab_text(page, "%s", t->caption);
	putc('\n', page->out);
	t->number = NULL;
	et_table_print(t, page);
}

ET_FIELDS(stored_fields, ET_KEYS(et_experiment, id, label),
	ET_KEY_NAME(et_experiment, "state", state, et_state_names));

void et_lab_json_experiments(struct et_json *w, const struct et_experiment *const *list, size_t n)
{
	et_json_array(w, "experiments");
	for (size_t i = 0; i < n; i++)
		et_fields_flat(w, NULL, stored_fields, list[i]);
	et_json_end(w);
}

void et_lab_json(const struct et_lab *lab, const char *name, const struct et_experiment *e,
	const void *result, FILE *out)
{
	struct et_json w;

	et_json_init(&w, out, 2);
	et_json_object(&w, NULL);
	et_json_string(&w, "experiment", name);
	if (e)
		et_fields_write(&w, stored_fields, e);
	et_fields_write(&w, lab->fields, result);
	et_json_end(&w);
}

void et_lab_draw(const struct et_lab *lab, const void *result, FILE *out)
{
	struct et_chart_to to = { .file = out };

	if (lab->sheet)
		to.sheet = et_svg_sheet_new(lab->sheet_width);
	lab->draw(result, &to);
	if (lab->sheet)
		et_svg_sheet_write(to.sheet, lab->sheet, out);
}

int et_lab_show(struct et_lab_request *r, const struct et_lab *lab, const struct et_experiment *e,
	const void *result, struct et_error *err)
{
	FILE *svg = r->svg.open ? et_output_begin(&r->svg, err) : NULL;

	if (r->svg.open && !svg)
		return -EIO;
	if (r->given & ET_LAB_JSON)
		et_lab_json(lab, r->name, e, result, r->page.out);
	else
		lab->text(result, &r->page);
	if (svg)
		et_lab_draw(lab, result, svg);
	return 0;
}

int et_lab_conclude(const struct et_lab_request *r, const char *name, bool study, int rc)
{
	const char *quote = study ? "'" : "";

	if (study && rc && rc != -EINTR)
		return rc;
	if (name && !r->measure.from && !(r->given & ET_LAB_JSON) && r->cli->verbosity >= 0) {
		ET_AUTO_FREE char *clean = et_cli_store_shown(r->cli);
		fprintf(r->page.out, "\nstored as %s%s%s in %s\n", quote, name, quote, clean);
	}
	if (rc == -EINTR)
		et_say(stderr, "etalon: interrupted; every finished sample is stored\n%s",
			study ? "hint: run the same command with --resume to continue\n" : "");
	return rc;
}

/* --- experiments that time functions --- */

/* Opens the store first: a wrong path must not fail after an hour. -EINTR: a part is stored. */
static int time_functions(struct et_lab_request *r, const struct et_lab *lab,
	struct et_experiment **out, struct et_error *err)
{
	struct et_store *store;
	int rc = et_stored_open(r->cli, ET_STORE_WRITE, &store, err);

	if (rc)
		return rc;
	struct et_experiment *e = et_figures_new(r->name);
	rc = lab->time(r, e, err);
	et_progress_erase(&r->progress);
	uint64_t random = 0, now = et_clock_real.wall_ns(NULL);
	if (rc == 0 && getrandom(&random, sizeof(random), 0) < 0)
		rc = et_fail_errno(err, errno, ET_EXIT_ENVIRONMENT, "cannot get random numbers");
	et_experiment_name(e, now, random);
	e->started_wall_ns = now - (et_clock_read_ns(CLOCK_MONOTONIC) - r->started_ns);
	e->finished_wall_ns = now;
	e->state = r->interrupt->signal ? ET_STATE_INTERRUPTED : ET_STATE_DONE;
	e->label = r->measure.label ? et_strdup(r->measure.label) : et_asprintf("lab %s", r->name);
	et_host_read("", &e->host);
	e->origin = ET_ORIGIN_MEASURED; /* no machine: --resume must not find it */
	if (rc == 0)
		rc = et_store_keep(store, e, err);
	et_store_close(store);
	if (rc) {
		et_experiment_free(e);
		return rc;
	}
	*out = e;
	return r->interrupt->signal ? -EINTR : 0;
}

/* --- experiments that measure programs --- */

int et_lab_measure(struct et_lab_request *r, struct et_experiment *e, uint64_t usual_runs,
	struct et_experiment **out, struct et_error *err)
{
	e->label = r->measure.label ? et_strdup(r->measure.label) : et_asprintf("lab %s", r->name);
	e->plan.order = ET_ORDER_RANDOM;
	e->plan.runs = (uint32_t)(r->measure.runs ? r->measure.runs : usual_runs);
	e->plan.seed = r->simulation.seed;
	e->plan.pace = r->given & ET_LAB_PACE;
	return et_measure(r->cli, r->interrupt, e, NULL, NULL, out, err);
}

void et_lab_announce(
	const struct et_lab_request *r, size_t n, const char *what, uint32_t runs, double seconds)
{
	bool hours = seconds >= 7200, minutes = seconds >= 120;

	if (r->cli->verbosity >= 0)
		et_say(stderr, "etalon: %zu %s, %" PRIu32 " runs each: about %.*f %s\n", n, what,
			runs, hours ? 1 : 0,
			minutes ? seconds / (hours ? 3600 : 60) : fmax(1, seconds),
			hours     ? "h"
			: minutes ? "min"
				  : "s");
}

/* Debian installs games in a folder that is not in every PATH. */
char *et_lab_find(const char *program)
{
	const char *path = getenv("PATH");
	ET_AUTO_FREE char *where =
		et_asprintf("%s:/usr/games", path && *path ? path : "/usr/local/bin:/usr/bin:/bin");
	char *found = NULL;

	return et_child_resolve(program, where, NULL, &found, NULL) ? NULL : found;
}

char *et_lab_task(uint64_t length_ns)
{
	return et_asprintf("INC%.6g", 1e-9 * (double)length_ns);
}

int et_lab_folder_make(char **out, struct et_error *err)
{
	const char *parent = getenv("TMPDIR");

	*out = et_asprintf("%s/etalon-lab.XXXXXX", parent && *parent ? parent : "/tmp");
	if (mkdtemp(*out))
		return 0;
	int rc = et_fail_file(err, errno, ET_EXIT_OUTSIDE, *out);
	free(*out);
	*out = NULL;
	return rc;
}

void et_lab_folder_remove(char *folder)
{
	DIR *d = folder ? opendir(folder) : NULL;

	for (struct dirent *f = d ? readdir(d) : NULL; f; f = readdir(d))
		unlinkat(dirfd(d), f->d_name, 0); /* fails for "." and ".." */
	if (d)
		closedir(d);
	if (folder)
		rmdir(folder);
	free(folder);
}

/* --- all --- */

static int fetch(const struct et_lab_request *r, struct et_experiment **e, struct et_error *err)
{
	struct et_stored s = { 0 };
	int rc = et_operand_load(r->cli, r->measure.from, &s, err);

	et_store_close(s.store);
	*e = s.experiment;
	return rc;
}

static int obtain(struct et_lab_request *r, const struct et_lab *lab, void *result,
	struct et_experiment **e, struct et_error *err)
{
	int rc = lab->simulate     ? lab->simulate(r, result, err)
		 : r->measure.from ? fetch(r, e, err)
		 : lab->time       ? time_functions(r, lab, e, err)
				   : lab->measure(r, result, e, err);

	et_progress_erase(&r->progress);
	if (!*e || (rc && rc != -EINTR))
		return rc;
	et_old_series_read(*e);
	int read = lab->read ? lab->read(*e, result, err) : lab->read_as(r, *e, result, err);
	return read ? read : rc;
}

int et_lab_perform(struct et_lab_request *r, const struct et_lab *lab, struct et_error *err)
{
	struct et_experiment *e = NULL;

	if (lab->perform)
		return lab->perform(r, err);
	ET_AUTO_FREE void *result = et_calloc(1, lab->size);
	int rc = obtain(r, lab, result, &e, err);
	if ((rc == 0 || rc == -EINTR) && (e || lab->simulate)) {
		int shown = et_lab_show(r, lab, e, result, err);
		rc = shown ? shown : rc;
	}
	if (lab->free)
		lab->free(result);
	rc = et_lab_conclude(r, e ? e->id : NULL, false, rc);
	et_experiment_free(e);
	return rc;
}

int et_lab_run(struct et_call *call, struct et_error *err)
{
	return et_lab_perform(call->ctx, call->action->context, err);
}
