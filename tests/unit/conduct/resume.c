/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which command may continue an experiment; tests/unit/cmd/kinds.c has the other kinds. */
#include "base/base.h"
#include "conduct/measuring.h"
#include "source/kind.h"
#include "tap.h"

static struct et_error err;

struct subject {
	const char *label, *study, *lab;
	enum et_protocol protocol;
};

/* Whether `verb` may continue the experiment; hint: words that the hint must have, or NULL. */
static void may(const char *verb, uint32_t most_rounds, struct subject s, const char *hint,
	const char *label)
{
	static const struct et_stored_kind *const rows[] = { &et_stored_plain, NULL };
	struct et_cli cli = { .kinds = rows };
	struct et_experiment e = { .id = "20261116-075012-aaaaaa",
		.label = (char *)s.label,
		.protocol = s.protocol,
		.member = { .study = (char *)s.study, .study_lab = (char *)s.lab } };
	struct et_measuring m = { .cli = &cli, .resume_verb = verb, .most_rounds = most_rounds };

	memset(&err, 0, sizeof(err));
	int rc = et_measuring_check(&m, &e, &err);
	if (!hint) {
		ok(rc == 0, "resume: %s", label);
		return;
	}
	if (!ok(rc < 0 && err.exit == ET_EXIT_USAGE && strstr(err.hint, hint), "resume: %s", label))
		printf("# %s; %s\n", err.what, err.hint);
	ok(rc < 0 && strstr(err.what, e.id), "resume: %s: the error names the experiment", label);
}

static void protocols(void)
{
	const struct subject plain = { .protocol = ET_PROTOCOL_RAW },
			     emp = { .protocol = ET_PROTOCOL_EMP };

	may("run", 0, plain, NULL, "run continues what it began");
	may("emp", 0, emp, NULL, "emp continues what it began");
	may("run", 0, emp, NULL, "run continues an experiment of emp");
	may("profile", 0, plain, "etalon run --resume 20261116",
		"profile refuses other experiments");
	may("emp", 0, plain, "etalon run --resume 20261116", "emp refuses another protocol");
}

static void studies(void)
{
	const struct subject part = { .study = "x/20261116-075012", .lab = "emp-versions" },
			     old = { .study = "mine/20261116-075012" },
			     plain = { .label = "mine/20261116-075012/gprof" };

	may("run", 0, part, "'etalon lab emp-versions --resume'", "a part needs its study");
	may("run", 5, part, NULL, "the study itself continues its part in blocks");
	may("run", 0, old, "'etalon lab NAME --resume'",
		"the experiment of lab of an old record may not be known");
	may("run", 0, plain, NULL, "a label that looks like that of a part is an ordinary one");
}

int main(void)
{
	protocols();
	studies();
	return tap_done();
}
