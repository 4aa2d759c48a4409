/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "app/run/set.h"
#include "app/run/options.h"
#include "base/alloc.h"
#include "base/parse.h"

#include <errno.h>
#include <string.h>

/* Text that the experiment owns, or none. */
int et_run_set_own_text(
	const struct et_option *o, void *ctx, char *const *args, struct et_error *err)
{
	char **where = et_option_target(o, ctx);

	(void)err;
	free(*where);
	*where = args[0] ? et_strdup(args[0]) : NULL;
	return 0;
}

/* As hyperfine: "none" is no shell, and "default" is sh. */
int et_run_set_shell(const struct et_option *o, void *ctx, char *const *args, struct et_error *err)
{
	char sh[] = "sh", *shell[] = { args[0] };

	if (args[0] && !strcmp(args[0], "none"))
		shell[0] = NULL;
	else if (args[0] && !strcmp(args[0], "default"))
		shell[0] = sh;

	return et_run_set_own_text(o, ctx, shell, err);
}

int et_run_set_input(const struct et_option *o, void *ctx, char *const *args, struct et_error *err)
{
	char null[] = "/dev/null", *path[] = { strcmp(args[0], "null") ? args[0] : null };

	return et_run_set_own_text(o, ctx, path, err);
}

/* Unlike other durations it may be 0: --min-runs alone decides then. */
int et_run_set_min_time(
	const struct et_option *o, void *ctx, char *const *args, struct et_error *err)
{
	uint64_t *ns = et_option_target(o, ctx);

	if (strcmp(args[0], "0"))
		return et_set_duration(o, ctx, args, err);
	*ns = 0;
	return 0;
}

/* The option may be given several times, with several names each. */
int et_run_add_names(const struct et_option *o, void *ctx, char *const *args, struct et_error *err)
{
	char **where = et_option_target(o, ctx);
	ET_AUTO_FREE char *joined =
		*where ? et_asprintf("%s,%s", *where, args[0]) : et_strdup(args[0]);

	return et_run_set_own_text(o, ctx, (char *[]){ joined }, err);
}

int et_run_add_value(const struct et_option *o, void *ctx, char *const *args, struct et_error *err)
{
	struct et_each *each = et_option_target(o, ctx);

	if (each->n == ET_MOST_VALUES)
		return et_fail(err, E2BIG, ET_EXIT_USAGE, "--%s is given more than %d times",
			o->name, ET_MOST_VALUES);
	each->text[each->n++] = args[0];
	return 0;
}

/* Ranges are expanded after all options are read, because the step may follow its scan. */
static int note_range(struct et_run_options *o, const char *name, const char *from, const char *to,
	struct et_error *err)
{
	if (o->n_ranges_given == ET_MOST_VALUES)
		return et_fail(
			err, E2BIG, ET_EXIT_USAGE, "more than %d parameters", ET_MOST_VALUES);
	o->ranges_given[o->n_ranges_given].name = name;
	o->ranges_given[o->n_ranges_given].from = from;
	o->ranges_given[o->n_ranges_given++].to = to;
	return 0;
}

int et_run_add_scan(const struct et_option *o, void *ctx, char *const *args, struct et_error *err)
{
	(void)o;
	return note_range(ctx, args[0], args[1], args[2], err);
}

int et_run_add_list(const struct et_option *o, void *ctx, char *const *args, struct et_error *err)
{
	(void)o;
	return note_range(ctx, args[0], args[1], NULL, err);
}

int et_run_set_resume(const struct et_option *o, void *ctx, char *const *args, struct et_error *err)
{
	struct et_run_options *options = ctx;

	(void)o;
	(void)err;
	options->resume = true;
	options->resume_id = args[0];
	return 0;
}

int et_run_set_metronome(
	const struct et_option *o, void *ctx, char *const *args, struct et_error *err)
{
	uint64_t *beat_ns = et_option_target(o, ctx);

	if (strcmp(args[0], "off"))
		return et_set_duration(o, ctx, args, err);
	*beat_ns = 0;
	return 0;
}

int et_run_set_show(const struct et_option *o, void *ctx, char *const *args, struct et_error *err)
{
	char inherit[] = "inherit", *where[] = { inherit };

	(void)args;
	return et_run_set_own_text(o, ctx, where, err);
}

/* Every exit status, or a list; -i=1,2 comes with its '='. */
int et_run_set_ignored(
	const struct et_option *o, void *ctx, char *const *args, struct et_error *err)
{
	struct et_run_options *options = ctx;
	const char *codes = args[0] ? args[0] + (args[0][0] == '=') : "all-non-zero";
	uint64_t status;

	if (!strcmp(codes, "all-non-zero")) {
		options->plan.ignore_failure = true;
		return 0;
	}
	for (const char *p = codes;; p++) {
		size_t n = strcspn(p, ",");
		ET_AUTO_FREE char *one = et_strndup(p, n);
		int rc = et_parse_u64("--ignore-failure", one, 1, 255, &status, err);
		if (rc)
			return rc;
		p += n;
		if (!*p)
			break;
	}
	return et_run_set_own_text(o, ctx, (char *[]){ (char *)codes }, err);
}

/* hyperfine takes one output per command; etalon has one for all. */
int et_run_set_output(const struct et_option *o, void *ctx, char *const *args, struct et_error *err)
{
	const char *const *earlier = et_option_target(o, ctx);

	if (*earlier && strcmp(*earlier, args[0]))
		return et_fail(err, EINVAL, ET_EXIT_USAGE,
			"--output: '%s' and '%s' differ, but there is one output for all commands",
			*earlier, args[0]);
	return et_run_set_own_text(o, ctx, args, err);
}
