/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The job of `etalon task`: what is written is read back, and everything else is refused. */
#include "store/central/job.h"
#include "base/base.h"
#include "tap.h"

#include <errno.h>
#include <string.h>

static const char record[] =
	"{\"etalon\": 1, \"label\": \"sorting\", \"order\": \"random\", \"seed\": 7, \"plan\": "
	"{\"runs\": 8, \"warmup\": 1}, \"commands\": [{\"name\": \"a\", \"command\": \"sleep 1\", "
	"\"argv\": [\"sleep\", \"1\"]}]}";

static struct et_error err;

/* The text of a job with that record. The caller frees it. */
static char *text_of(const char *of)
{
	struct et_part parts[] = { { .number = 0, .first_round = 5, .rounds = 4 },
		{ .number = 1, .first_round = 1, .rounds = 4 } };
	struct et_campaign c = {
		.id = "20261116-100000-aaaaaa", .record = (char *)of, .parts = parts, .n_parts = 2
	};
	struct et_job_options o = { .env = true, .env_only = (char *)"turbo" };
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		tap_bail("no memory");
	et_job_write(&c, &o, "postgresql://db/etalon", 3, out);
	fclose(out);
	return text;
}

static int read_text(const char *text, struct et_task_job *out)
{
	err = (struct et_error){ 0 };
	return et_job_read(text, strlen(text), out, &err);
}

static void round_trip(void)
{
	ET_AUTO_FREE char *text = text_of(record);
	struct et_task_job j = { 0 };

	ok(read_text(text, &j) == 0, "job: it is read (%s)", err.what);
	is_str(j.campaign, "20261116-100000-aaaaaa", "job: campaign");
	is_str(j.store, "postgresql://db/etalon", "job: store");
	ok(j.generation == 3 && j.kind == ET_CAMPAIGN_DOE, "job: generation and kind");
	ok(j.options.env && !strcmp(j.options.env_only, "turbo") && !j.options.env_except &&
			!j.options.no_ledger,
		"job: options");
	ok(j.n_parts == 2 && et_job_part(&j, 1)->first_round == 1 &&
			et_job_part(&j, 0)->first_round == 5 && !et_job_part(&j, 2),
		"job: a part is found by its number");
	ok(j.e->n_commands == 1 && j.e->plan.runs == 8 && j.e->plan.seed == 7 &&
			!strcmp(j.e->commands[0].argv[1], "1"),
		"job: the experiment");
	et_job_free(&j);
}

/* Replaces the first `from` in the text of a job; the result must be refused. */
static void refuses(const char *from, const char *to, const char *label)
{
	ET_AUTO_FREE char *text = text_of(record);
	struct et_task_job j = { 0 };
	char *at = strstr(text, from);

	if (!at)
		tap_bail("no %s in %s", from, text);
	ET_AUTO_FREE char *bad =
		et_asprintf("%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
	ok(read_text(bad, &j) < 0 && err.exit == ET_EXIT_USAGE && err.what[0], "job: %s is refused",
		label);
	et_job_free(&j);
}

static void refusing(void)
{
	struct et_task_job j = { 0 };

	refuses("\"etalon_job\":", "\"etalon_jobs\":", "a text without its first key");
	refuses("\"kind\":", "\"more\": 1, \"kind\":", "an unknown key");
	refuses("{", "[", "a list");
	refuses("\"generation\":3", "\"generation\":0", "a generation of 0");
	refuses("\"generation\":3", "\"generation\":\"3\"", "a generation in quotes");
	refuses("\"etalon_job\":1", "\"etalon_job\":2", "a later version");
	refuses("20261116-100000-aaaaaa", "$(reboot)", "an id that is none");
	refuses("[0,5,4]", "[0, 5]", "a part without its rounds");
	refuses("[0,5,4]", "[0, -5, 4]", "a negative round");
	refuses("[0,5,4]", "[0, 5, 4294967296]", "a number that is too large");
	refuses("\"env\":true", "\"env\": 1", "a number where a truth value is expected");
	refuses("\"doe\"", "\"dos\"", "an unknown kind");
	refuses("\\\"etalon\\\": 1", "\\\"etalon\\\": 99", "a record of a later version");
	ok(read_text("", &j) < 0, "job: an empty text is refused");
	ok(et_job_read("{}", (size_t)ET_JOB_MOST_BYTES + 1, &j, &err) < 0,
		"job: a text that is too long is refused before it is read");
	ET_AUTO_FREE char *with_samples = text_of("{\"etalon\": 1, \"commands\": [{\"name\": "
						  "\"a\", \"samples\": [{\"et_ns\": 5}]}]}");
	ok(read_text(with_samples, &j) < 0, "job: a record with samples is refused");
}

int main(void)
{
	round_trip();
	refusing();
	return tap_done();
}
