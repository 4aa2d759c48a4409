/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The text of a result: golden files, special cases, any names, widths and figures. */
#include "report/text.h"
#include "base/utf8.h"
#include "draw/terminal.h"
#include "fixture.h"
#include "golden.h"

#include <locale.h>

static char *page(const struct et_experiment *e, const struct et_judgement *j,
	struct et_text_options o, bool heading)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	if (heading)
		et_text_heading(e, &o, f);
	et_text_result(e, j, &o, f);
	fclose(f);
	return text;
}

static void check_page(const char *name, const struct et_experiment *e,
	const struct et_judgement *j, struct et_text_options o)
{
	ET_AUTO_FREE char *text = page(e, j, o, true);

	golden_check(name, text);
}

static void goldens(void)
{
	static const char *const names[] = { "gzip -k -9 -f data", "zstd -k -19 -f data", "xz" };
	struct et_experiment *e = fixture_experiment(names, 3);
	struct et_judgement j = fixture_judgement(e);

	et_warn(&j.commands[0].warnings, ET_WARN_FEW_VALUES, et_arg_count(4));
	et_warn(&j.commands[0].warnings, ET_WARN_SERIAL_UNTESTED, et_arg_count(4),
		et_arg_count(20));
	et_warn(&j.warnings, ET_WARN_VIRTUAL_MACHINE, et_arg_text("kvm"));
	j.contrasts[1].significant = false;
	j.contrasts[1].conclusion = ET_CONCLUDED_SAME_BY_HOLM;
	sample_of(&e->commands[1], 3)->measured.cpu_source = ET_CPU_BY_WAIT4;
	sample_of(&e->commands[1], 3)->ruling.marks = ET_MARK_LEFTOVERS;
	check_page("text-80.txt", e, &j, (struct et_text_options){ .width = 80 });
	check_page("text-verbose.txt", e, &j,
		(struct et_text_options){ .width = 80, .verbose = true });
	check_page("text-40.txt", e, &j, (struct et_text_options){ .width = 10 });
	check_page("text-color.txt", e, &j, (struct et_text_options){ .width = 80, .color = true });
	et_judgement_free(&j);
	et_experiment_free(e);
}

/* The text of one command whose samples were changed by fn. */
static char *page_after(void (*fn)(struct et_experiment *e, struct et_judgement *j), bool verbose)
{
	static const char *const names[] = { "a" };
	struct et_experiment *e = fixture_experiment(names, 1);
	struct et_judgement j = fixture_judgement(e);

	fn(e, &j);
	char *text =
		page(e, &j, (struct et_text_options){ .width = 80, .verbose = verbose }, false);
	et_judgement_free(&j);
	et_experiment_free(e);
	return text;
}

static void make_parallel(struct et_experiment *e, struct et_judgement *j)
{
	(void)j;
	for (size_t i = 0; i < e->commands[0].samples.n; i++)
		sample_of(&e->commands[0], i)->measured.cpu_ns =
			sample_of(&e->commands[0], i)->measured.elapsed_ns * 19 / 10;
}

static void make_imported(struct et_experiment *e, struct et_judgement *j)
{
	for (size_t i = 0; i < e->commands[0].samples.n; i++) {
		struct et_sample *s = sample_of(&e->commands[0], i);
		s->measured.cpu_ns = s->measured.user_ns = s->measured.system_ns =
			s->measured.wait_ns = s->measured.blocked_ns = ET_UNKNOWN;
		s->measured.steal_ns = s->measured.max_rss_bytes = ET_UNKNOWN;
	}
	j->commands[0].estimate[ET_METRIC_CPU] = (struct et_estimate){ 0 };
}

static void make_empty(struct et_experiment *e, struct et_judgement *j)
{
	for (size_t i = 0; i < e->commands[0].samples.n; i++)
		sample_of(&e->commands[0], i)->ruling.removal.by = ET_REMOVED_FAILED;
	j->commands[0].estimate[ET_METRIC_CPU] = j->commands[0].estimate[ET_METRIC_ELAPSED] =
		(struct et_estimate){ 0 };
}

static void make_duet(struct et_experiment *e, struct et_judgement *j)
{
	for (size_t i = 0; i < e->commands[0].samples.n; i++)
		sample_of(&e->commands[0], i)->place.arrangement = ET_DUET;
	j->commands[0].estimate[ET_METRIC_CPU] = j->commands[0].estimate[ET_METRIC_ELAPSED] =
		(struct et_estimate){ 0 };
}

static void make_single(struct et_experiment *e, struct et_judgement *j)
{
	for (size_t i = 2; i < e->commands[0].samples.n; i++)
		sample_of(&e->commands[0], i)->place.warmup = true;
	j->commands[0].estimate[ET_METRIC_CPU] = (struct et_estimate){ .n = 1,
		.mean = 5,
		.min = 5,
		.max = 5,
		.median = 5,
		.sd = NAN,
		.relative_error = NAN,
		.standard_uncertainty = NAN,
		.expanded_uncertainty = NAN,
		.lo = NAN,
		.hi = NAN,
		.coverage_factor = NAN };
}

/* The kept solo samples are 1 to 4; culprits took the CPU in sample 2. */
static void make_ledger(struct et_experiment *e, struct et_judgement *j)
{
	(void)j;
	fixture_ledger(e, 200000000);
}

/* Six culprits took the CPU in every sample: 32, 16 … 1 ms. */
static void make_crowd(struct et_experiment *e, struct et_judgement *j)
{
	make_ledger(e, j);
	for (size_t i = 0; i < e->commands[0].samples.n; i++) {
		struct et_sample *s = sample_of(&e->commands[0], i);
		s->measured.runnable_ns = 63000000;
		s->measured.n_culprits = 6;
		s->measured.culprits =
			et_realloc(s->measured.culprits, 6, sizeof(*s->measured.culprits));
		for (unsigned k = 0; k < 6; k++)
			s->measured.culprits[k] = (struct et_culprit){ .name = { (char)('f' - k) },
				.cpu_ns = 1000000u << k,
				.on_our_cpu_ns = 1000000u << k };
	}
}

static void make_parallel_ledger(struct et_experiment *e, struct et_judgement *j)
{
	make_ledger(e, j);
	for (size_t i = 0; i < e->commands[0].samples.n; i++)
		sample_of(&e->commands[0], i)->measured.cpu_ns = 600000000;
}

/* The kernel has no scheduler statistics. */
static void make_without_waits(struct et_experiment *e, struct et_judgement *j)
{
	(void)j;
	for (size_t i = 0; i < e->commands[0].samples.n; i++)
		sample_of(&e->commands[0], i)->measured.wait_ns = ET_UNKNOWN;
}

static void make_overlapping(struct et_experiment *e, struct et_judgement *j)
{
	(void)j;
	for (size_t i = 0; i < e->commands[0].samples.n; i++)
		sample_of(&e->commands[0], i)->measured.wait_ns =
			sample_of(&e->commands[0], i)->measured.elapsed_ns;
}

/* A machine that was slow in 432 of 1000 runs. */
static void make_slow(struct et_experiment *e, struct et_judgement *j)
{
	(void)j;
	for (uint32_t index = 7; index <= 1000; index++) {
		struct et_sample s = fixture_sample(0, 430000000, 412000000);
		bool slow = (index > 10 && index <= 300) || (index > 400 && index <= 540) ||
			    index == 600 || index == 602;
		s.place.round = index;
		if (slow)
			s.ruling.removal = (struct et_removal){ .by = ET_REMOVED_MACHINE_SLOW,
				.probe_ns = 25900 + 100 * index,
				.limit_ns = 24400 };
		et_experiment_add(e, &s);
	}
}

/* Samples of every second run are removed, and two daemons have their cutoffs. */
static void make_alternating(struct et_experiment *e, struct et_judgement *j)
{
	(void)j;
	for (uint32_t index = 7; index <= 40; index++) {
		struct et_sample s = fixture_sample(0, 430000000, 412000000);
		s.place.round = index;
		if (index % 2)
			s.ruling.removal = (struct et_removal){ .by = ET_REMOVED_TWO_SIGMA };
		else if (index > 30)
			s.ruling.removal = (struct et_removal){ .by = ET_REMOVED_DAEMON_CUTOFF,
				.daemon = "rngd",
				.cpu_ns = 2000000 + index,
				.cutoff_ns = 1000000 };
		et_experiment_add(e, &s);
	}
}

static void cases(void)
{
	static const struct {
		void (*fn)(struct et_experiment *e, struct et_judgement *j);
		const char *has;
		const char *lacks;
	} all[] = {
		{ make_ledger,
			"made of       on CPU 300 ms (75 %), runnable while others ran 60.0 ms "
			"(15 %),\n                asleep or waiting 20.0 ms (5.0 %), stolen 12.0 "
			"ms "
			"(3.0 %),\n                unexplained 8.00 ms (2.0 %)\n",
			"waiting for a CPU" },
		{ make_parallel_ledger,
			"in parallel   1.5 CPUs busy\n  made of       on CPU 300 ms (75 %), "
			"runnable "
			"while others ran 60.0 ms (15 %),\n                asleep or waiting 20.0 "
			"ms "
			"(5.0 %), stolen 6.00 ms (1.5 %),\n                unexplained 14.0 ms "
			"(3.5 "
			"%)\n",
			"waiting for a CPU" },
		{ make_without_waits, "unexplained", "asleep or waiting" },
		{ make_ledger,
			"taken by      cron 50.0 ms (12 %), etalon itself or interrupts 10.0 ms "
			"(2.5 %)\n",
			"also ran taken" },
		{ make_crowd,
			"taken by      a 32.0 ms (8.0 %), b 16.0 ms (4.0 %), c 8.00 ms (2.0 %), d\n"
			"                4.00 ms (1.0 %), e 2.00 ms (0.50 %), f 1.00 ms (0.25 %)\n",
			"more" },
		{ make_parallel, "1.9 CPUs busy", "made of" },
		{ make_imported, "elapsed time  431.0 ms ± 3.4 ms, 95 %", "user, system" },
		{ make_slow,
			"removed       sample 6: cron used 1.500 ms, its cutoff is 1.000 ms\n"
			"  removed       432 machine-slow (samples 11-300, 401-540, 600, 602; "
			"probe\n"
			"                27.00 µs … 86.10 µs, limit 24.40 µs)\n",
			"sample 11" },
		{ make_alternating,
			"removed       17 two-sigma (samples 7, 9, 11, 13, 15, 17, …; elapsed "
			"430.0 ms)\n  removed       5 daemon-cutoff (samples 32, 34, 36, 38, 40; "
			"rngd used 2.000 ms,\n                its cutoff is 1.000 ms)\n",
			"sample 32" },
		{ make_empty, "no sample was kept", "  CPU time      " },
		{ make_duet, "no solo samples", "  CPU time      " },
		{ make_single, "CPU time      5.000 ns ± –", "median," },
		{ make_overlapping, "runnable while others ran 18.9 ms (4.4 %)\n", "asleep" },
	};

	for (size_t i = 0; i < ET_LENGTH(all); i++) {
		ET_AUTO_FREE char *text = page_after(all[i].fn, true);
		if (!ok(strstr(text, all[i].has) && !strstr(text, all[i].lacks),
			    "case %zu: the text has its row, and not '%s'", i, all[i].lacks))
			printf("# %s\n", text);
		ET_AUTO_FREE char *brief = page_after(all[i].fn, false);
		ok(!strstr(text, "nan") && !strstr(text, "inf ") && !strstr(text, "-0") &&
				!strstr(brief, "nan") && !strstr(brief, "inf "),
			"case %zu: neither text has a NaN", i);
	}
}

static const char *const nasty[] = {
	"plain",
	"",
	"a very long command --with many --options and-a-word-that-is-very-long-indeed-and-does-"
	"not-end-before-it-has-filled-more-than-one-line-of-any-terminal-that-people-use-today-"
	"because-such-names-exist /usr/share/doc/something/somewhere/README.md",
	"line\none\rtwo\tthree\b\a\v\f",
	"\033[31mred\033[0m\033]0;title\007",
	"\x9b"
	"31m invalid \xff\xfe\xc0\xaf\xed\xa0\x80 end",
	"\xc2\x9b"
	"31m C1",
	"日本語のとても長い名前日本語のとても長い名前日本語のとても長い名前日本語のとても長い名前",
	"e\xcc\x81\xcc\x81 combining, \xe2\x80\xae reversed \xe2\x80\x8b hidden",
	"\x7f delete",
};

/* The first line that is wider than width or contains a control sequence; NULL if none. */
static char *bad_line(const char *text, int width)
{
	while (*text) {
		size_t n = strcspn(text, "\n");
		ET_AUTO_FREE char *line = et_strndup(text, n);
		ET_AUTO_FREE char *clean = et_clean(line, "");
		if (strcmp(line, clean) != 0 || et_columns(line) > width)
			return et_strdup(line);
		text += n + (text[n] == '\n');
	}
	return NULL;
}

static void widths(void)
{
	struct et_experiment *e = fixture_experiment(nasty, ET_LENGTH(nasty));
	struct et_judgement j = fixture_judgement(e);
	int bad = 0, pages = 0;

	for (size_t i = 0; i < ET_LENGTH(nasty); i++) {
		et_warn(&j.commands[i].warnings, ET_WARN_NO_LEDGER, et_arg_text(nasty[i]));
		et_warn(&j.contrasts[0].warnings, ET_WARN_NO_LEDGER, et_arg_text(nasty[i]));
		et_warn(&j.warnings, ET_WARN_NO_LEDGER, et_arg_text(nasty[i]));
	}
	e->label = et_strdup(nasty[4]);
	e->state = ET_STATE_INTERRUPTED;
	strcpy(e->host.cpu, nasty[4]);
	memcpy(sample_of(&e->commands[0], 2)->measured.culprits[0].name, nasty[4], 15);
	memcpy(sample_of(&e->commands[0], 5)->ruling.removal.daemon, "\033[31m", 6);
	e->n_environment = 1;
	e->environment = et_calloc(1, sizeof(*e->environment));
	e->environment[0] = (struct et_factor){ et_strdup(nasty[5]), et_strdup(nasty[4]),
		et_strdup(nasty[3]), false };
	for (int width = 40; width <= 200; width++) {
		for (int verbose = 0; verbose < 2; verbose++, pages++) {
			struct et_text_options o = { .width = width, .verbose = verbose };
			ET_AUTO_FREE char *text = page(e, &j, o, true);
			ET_AUTO_FREE char *line = bad_line(text, width);
			if (line && bad++ < 5)
				printf("# width %d: %s\n", width, line);
		}
	}
	ok(!bad, "%d texts with nasty names: every line fits and has no control sequence", pages);
	et_judgement_free(&j);
	et_experiment_free(e);
}

/* One of the figures that faulty arithmetic may produce. */
static double strange(uint64_t *state)
{
	static const double figures[] = { NAN, INFINITY, -INFINITY, -1, -0.0, 0, 1e-300, 1e-3, 1,
		999.9999, 5e8, 1e18, 1.8446744073709552e19, 1e300 };

	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return figures[(*state >> 33) % ET_LENGTH(figures)];
}

static void estimate_of(uint64_t *state, struct et_estimate *e)
{
	double *const figures[] = { &e->mean, &e->sd, &e->relative_error, &e->min, &e->max,
		&e->median, &e->q1, &e->q3, &e->coverage_factor, &e->expanded_uncertainty, &e->lo,
		&e->hi, &e->level };

	for (size_t i = 0; i < ET_LENGTH(figures); i++)
		*figures[i] = strange(state);
	e->n = *state >> 40 & 3;
}

static const char *bad_number(const char *text)
{
	for (const char *p = text; *p; p++) {
		if (strchr(" (", *p) && p[1] == '-' && p[2] >= '0' && p[2] <= '9')
			return p;
	}
	return strcasestr(text, "nan") ? strcasestr(text, "nan") : strstr(text, "inf");
}

static void strange_figures(void)
{
	static const char *const names[] = { "a", "b", "c" };
	struct et_experiment *e = fixture_experiment(names, 3);
	struct et_judgement j = fixture_judgement(e);
	uint64_t state = 1;
	int bad = 0;

	for (int i = 0; i < 3000; i++) {
		struct et_sample *s = sample_of(&e->commands[i % 3], 1 + i % 4);
		uint64_t *const counters[] = { &s->measured.elapsed_ns, &s->measured.cpu_ns,
			&s->measured.user_ns, &s->measured.wait_ns, &s->measured.blocked_ns,
			&s->measured.steal_ns };
		double ns = strange(&state);
		*counters[i % 6] = ns >= 0 && ns < 1e19 ? (uint64_t)ns : ET_UNKNOWN;
		for (size_t k = 0; k < 3; k++) {
			estimate_of(&state, &j.commands[k].estimate[ET_METRIC_ELAPSED]);
			estimate_of(&state, &j.commands[k].estimate[ET_METRIC_CPU]);
		}
		struct et_contrast *c = &j.contrasts[i & 1];
		c->ratio = strange(&state);
		c->lo = strange(&state);
		c->hi = strange(&state);
		c->p_holm = fabs(strange(&state));
		c->log_ratio_sd = fabs(strange(&state));
		struct et_text_options o = { .width = 40 + i % 100, .verbose = i & 4 };
		ET_AUTO_FREE char *text = page(e, &j, o, false);
		ET_AUTO_FREE char *line = bad_line(text, o.width);
		const char *found = line ? line : bad_number(text);
		if (found && bad++ < 5)
			printf("# %.*s\n", (int)strcspn(found, "\n"), found);
	}
	ok(!bad, "figures out of bounds: no NaN and no negative number is printed");
	et_judgement_free(&j);
	et_experiment_free(e);
}

static void terminal(void)
{
	ET_AUTO_FREE char *clean = et_clean("a\033b\nc\x7f\xff\xc2\x9b\xe2\x80\xae", "\n");
	ET_AUTO_FREE char *middle = et_shorten("abcdefghij", 5);
	ET_AUTO_FREE char *wide = et_shorten("日本語日本語", 6);
	ET_AUTO_FREE char *tiny = et_shorten("abc", 2);

	is_str(clean, "a␛b\nc␡���", "et_clean: control characters become pictures");
	is_str(middle, "ab…ij", "et_shorten: the middle is replaced by an ellipsis");
	is_str(wide, "日…語", "et_shorten: wide characters are not split");
	ok(et_columns(wide) <= 6, "et_shorten: wide characters fit");
	is_str(tiny, "ab", "et_shorten: two columns have no ellipsis");
	ok(et_columns("e\xcc\x81") == 1, "et_columns: a combining accent has no width");
}

int main(void)
{
	setlocale(LC_CTYPE, "C.UTF-8");
	terminal();
	goldens();
	cases();
	widths();
	strange_figures();
	return tap_done();
}
