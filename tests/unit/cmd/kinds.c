/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of kinds of experiments: which row an experiment has, and what every row must have. */
#include "base/base.h"
#include "model/design/design.h"
#include "source/kind.h"
#include "tap.h"

#include <errno.h>

static const struct et_cli cli = { .kinds = et_kinds };
static struct et_design design = { .name = (char *)"nightly" };
static struct et_profile profile;
static struct et_experiment plain = { .id = "20261115-085506-aaaaaa" },
			    designed = { .id = "20261115-085506-bbbbbb", .design = &design },
			    profiled = { .id = "20261115-085506-cccccc", .profile = &profile },
			    both = { .id = "20261115-085506-dddddd",
				    .design = &design,
				    .profile = &profile };
static struct et_error err;

static void test_rows(void)
{
	bool printed = true, last = false;

	for (size_t i = 0; et_kinds[i]; i++) {
		printed = printed && et_kinds[i]->print &&
			  !et_kinds[i]->formats == !et_kinds[i]->write;
		last = et_kinds[i] == &et_stored_plain;
	}
	ok(printed, "kinds: every row prints, and writes the formats that it has");
	ok(last, "kinds: the last row is that of plain experiments");
	ok(!et_stored_plain.more && et_stored_plain.formats && et_stored_plain.refuse,
		"kinds: the last row leaves nothing to others");
}

static const char *mark_of(bool has_design, bool has_profile)
{
	const struct et_summary s = { .design = has_design, .profile = has_profile };

	return et_stored_mark(&cli, &s);
}

static void test_marks(void)
{
	is_str(mark_of(false, false), "", "marks: a plain experiment has none");
	is_str(mark_of(false, true), "[p] ", "marks: a profile is marked as one");
	is_str(mark_of(true, false), "[doe] ", "marks: a designed experiment is marked as one");
	is_str(mark_of(true, true), "[doe] ",
		"marks: a designed experiment is marked as one, even if it profiles");
}

static void test_resume(void)
{
	ok(et_stored_check_resume(&cli, "run", &plain, &err) == 0 &&
			et_stored_check_resume(&cli, "emp", &plain, &err) == 0,
		"resume: run and emp continue plain experiments");
	ok(et_stored_check_resume(&cli, "profile", &plain, &err) == -EINVAL &&
			strstr(err.hint, "etalon run --resume 20261115-085506-aaaaaa"),
		"resume: profile does not continue a plain experiment, and names the command");
	ok(et_stored_check_resume(&cli, "profile", &profiled, &err) == 0,
		"resume: profile continues a profile");
	ok(et_stored_check_resume(&cli, "run", &profiled, &err) == -EINVAL &&
			strstr(err.hint, "etalon profile --resume"),
		"resume: run does not continue a profile");
	ok(et_stored_check_resume(&cli, "run", &both, &err) == -EINVAL &&
			strstr(err.what, "plan 'nightly'") &&
			et_stored_check_resume(&cli, "profile", &both, &err) == -EINVAL &&
			strstr(err.hint, "doe run PLAN"),
		"resume: only doe run continues a designed experiment, also one that profiles");
}

/* Nothing is read from the store. */
static int rejudge(struct et_experiment *e, bool stored)
{
	const struct et_stored s = { .experiment = e,
		.store = stored ? (struct et_store *)(void *)&cli : NULL };

	return et_stored_check_rejudge(&cli, &s, &err);
}

static void test_rejudge(void)
{
	ok(rejudge(&plain, true) == 0 && rejudge(&designed, true) == 0,
		"rejudge: samples of plain and designed experiments are judged again");
	ok(rejudge(&profiled, true) == -EINVAL && rejudge(&both, true) == -EINVAL,
		"rejudge: profiles are refused, also designed ones");
	ok(rejudge(&plain, false) == -EINVAL && strstr(err.hint, "etalon import"),
		"rejudge: records are refused, with a cure");
}

static int page_of(struct et_experiment *a, struct et_experiment *b)
{
	const struct et_stored list[] = { { .experiment = a }, { .experiment = b } };
	bool own = false;
	int rc = et_stored_choose_page(&cli, list, b ? 2 : 1, &own, &err);

	return rc ? rc : own;
}

static void test_pages(void)
{
	ok(page_of(&plain, NULL) == 0 && page_of(&plain, &plain) == 0,
		"pages: plain experiments have the ordinary page");
	ok(page_of(&designed, NULL) == 1 && page_of(&designed, &plain) == 0,
		"pages: a designed experiment has its own, unless others are on it");
	ok(page_of(&profiled, NULL) == 1 && page_of(&plain, &profiled) == -EINVAL &&
			page_of(&both, &plain) == -EINVAL,
		"pages: a profile is on no page with others");
}

static void test_formats(void)
{
	struct et_stored s = { .experiment = &designed };

	ok(et_stored_write(&cli, &s, "folded", "-", &err) == -EINVAL &&
			strstr(err.what, "not a profile, so it has no format 'folded'") &&
			strstr(err.hint, "orgmode or html"),
		"formats: a designed experiment has those of plain experiments");
	s.experiment = &both;
	ok(et_stored_write(&cli, &s, "hyperfine", "-", &err) == -EINVAL &&
			strstr(err.what, "profile, which has no format 'hyperfine'"),
		"formats: a designed experiment that profiles has those of profiles");
}

static void test_lab(void)
{
	struct et_experiment e = { .id = "20261115-085506-eeeeee", .n_figures = 1 };

	ok(et_stored_kind_of(&cli, &e) != &et_stored_plain,
		"kinds: figures of lab are a kind of their own");
	ok(et_stored_kind_of(&cli, &plain) == &et_stored_plain,
		"kinds: an experiment without commands is plain");
}

int main(void)
{
	test_rows();
	test_marks();
	test_resume();
	test_rejudge();
	test_pages();
	test_formats();
	test_lab();
	return tap_done();
}
