/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Target: the job of a task, which comes from standard input, and the options of a campaign. */
#include "store/central/job.h"
#include "fuzz.h"

#include <string.h>

static int fuzz_job(const uint8_t *data, size_t size)
{
	ET_AUTO_FREE char *text = fuzz_text(data, size);
	struct et_campaign_options o = { 0 };
	struct et_task_job j = { 0 };
	struct et_error err = { 0 };
	int options_rc = et_campaign_options_read(text, &o, &err);
	int rc = et_job_read((const char *)data, size, &j, &err);

	et_campaign_options_free(&o);
	if (rc) {
		FUZZ_CHECK(err.exit == ET_EXIT_USAGE && err.what[0]);
		return options_rc == 0;
	}
	FUZZ_CHECK(et_experiment_is_id(j.campaign) && j.store[0] && j.generation > 0);
	FUZZ_CHECK(j.n_parts > 0 && et_job_part(&j, j.parts[0].number) != NULL);
	for (size_t i = 0; i < j.e->n_commands; i++)
		FUZZ_CHECK(!j.e->commands[i].samples.n);
	et_job_free(&j);
	return 1;
}

FUZZ_TARGET(job) = { "job", fuzz_job, 3000, .json = true, .tokens = fuzz_json_tokens,
	.input = "the job of 'etalon task', and the options of a campaign",
	.holds = "a job that is accepted has an id, a part and no samples" };
