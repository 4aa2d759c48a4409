/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Target: what machines answer before a campaign. */
#include "campaign/preflight.h"
#include "fuzz.h"

#include <string.h>

/* The machine of the input beside one that answered in the middle of its round trip. */
static int fuzz_probe(const uint8_t *data, size_t size)
{
	struct et_node_probe p[2] = { { .node = NULL }, { .node = NULL } };
	struct et_preflight judged;
	struct et_error err;
	char *text = NULL;
	size_t n;

	if (et_probe_read((const char *)data, size, &p[0], &err))
		return 0;
	FUZZ_CHECK(p[0].machine[0] && p[0].version && p[0].wall_ns <= INT64_MAX / 2);
	FUZZ_CHECK(et_probe_read((const char *)data, size, &p[1], &err) == 0);
	for (int i = 0; i < 2; i++) {
		p[i].node = strdup(i ? "n2" : "n1");
		p[i].sent_wall_ns = 1;
		p[i].got_wall_ns = 3000000000;
	}
	et_preflight_judge(p, 2, "1.2.3", 14, &judged);
	/* The same answer twice: one identity, and nothing differs. */
	FUZZ_CHECK(judged.n_answered == 2 && judged.n_findings > 0 && judged.n_differences == 0);
	struct et_page page = { .out = open_memstream(&text, &n), .width = 80 };
	et_preflight_print(&judged, &page);
	fclose(page.out);
	free(text);
	et_preflight_free(&judged);
	et_probe_free(&p[0]);
	et_probe_free(&p[1]);
	return 1;
}

FUZZ_TARGET(probe) = { "probe", fuzz_probe, 3000, .json = true, .tokens = fuzz_json_tokens,
	.input = "answers of machines to 'etalon task --probe'",
	.holds = "they can be judged and the judgement be printed" };
