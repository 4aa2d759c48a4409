/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A profile that is stored, as `show`, `export` and `report` write it. */
#include "source/kind.h"
#include "app/profile/view.h"

/* The profile of the experiment, judged as `profile` does it without options. */
static struct et_profiled judge(const struct et_stored *s)
{
	struct et_profile_options view = et_default_profile_options;
	struct et_profiled p;

	view.level = 0; /* that of the experiment */
	et_profiled_judge(s->experiment, &view, &p);
	return p;
}

static int write_format(
	const struct et_stored *s, const char *format, FILE *out, struct et_error *err)
{
	const struct et_profile_format *own = et_profile_format_find(format);

	if (!own)
		return et_stored_plain.write(s, format, out, err);
	struct et_profiled p = judge(s);
	own->write(&p, out);
	et_profiled_free(&p);
	return 0;
}

static int print(const struct et_cli *cli, const struct et_stored *s,
	const struct et_text_options *o, size_t *left, struct et_error *err)
{
	struct et_profiled p = judge(s);

	(void)cli;
	(void)err;
	*left = et_profile_text(&p, o, stdout);
	et_profiled_free(&p);
	return 0;
}

static int refuse(const struct et_experiment *e, struct et_error *err)
{
	return et_hint(err,
		et_fail(err, EINVAL, ET_EXIT_USAGE, "experiment %s is a profile", e->id),
		"run 'etalon profile --resume %s'", e->id);
}

#define NAME(name, ...) name,
const struct et_stored_kind et_kind_profile = {
	.profile = true,
	.mark = "[p] ",
	.refusal = "is a profile, which",
	.unchecked = "is a profile, whose runs no check removes",
	.page = true,
	.alone = "profile",
	/* It is also an experiment with samples, which the first two write. */
	.formats = (const char *const[]){ "json", "csv", ET_PROFILE_FORMATS(NAME) NULL },
	.write = write_format,
	.print = print,
	.resumed_by = (const char *const[]){ "profile", NULL },
	.refuse = refuse,
};
