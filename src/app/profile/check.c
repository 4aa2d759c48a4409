/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Setters of options of `profile`, and combinations of them that contradict each other. */
#include "app/profile/profile.h"
#include "base/parse.h"
#include "profile/readers/read.h"
#include "profile/symbols/object.h"

#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { USUAL_TOP = 20, LEAST_TOP = 5, OTHER_LINES = 14, MOST_HZ = 1000000 };

int et_profile_set_frequency(
	const struct et_option *o, void *ctx, char *const *args, struct et_error *err)
{
	char shown[ET_OPTION_SHOWN];
	uint64_t hz;
	int rc = et_parse_u64(et_option_shown(o, shown), args[0], 1, MOST_HZ, &hz, err);

	if (rc == 0)
		*(double *)et_option_target(o, ctx) = (double)hz;
	return rc;
}

int et_profile_add_calls(
	const struct et_option *o, void *ctx, char *const *args, struct et_error *err)
{
	struct et_profile_command *p = ctx;
	double n;

	(void)o;
	if (!args[0]) {
		p->count_calls = true;
		return 0;
	}
	const char *equals = strrchr(args[0], '=');
	if (!equals || equals == args[0] || p->calls.n == ET_MOST_VALUES)
		return et_refuse(err, "write --calls=fn1=1000",
			"--calls: '%s' is not a function and its number of calls", args[0]);
	int rc = et_parse_double("--calls", equals + 1, &n, err);
	if (rc == 0 && !(n >= 0))
		rc = et_fail(err, EINVAL, ET_EXIT_USAGE, "--calls: '%s' is negative", equals + 1);
	if (rc == 0)
		p->calls.text[p->calls.n++] = args[0];
	return rc;
}

int et_profile_set_file(
	const struct et_option *o, void *ctx, char *const *args, struct et_error *err)
{
	struct et_outputs *outputs = &((struct et_profile_command *)ctx)->run.outputs;
	int rc = et_outputs_add(outputs, NULL, args[0], err);

	if (rc == 0)
		outputs->list[outputs->n - 1].own = et_profile_format_find(o->context);
	return rc;
}

/* As many rows as the terminal has lines for, beside the rest of the text. */
static size_t fitting_rows(void)
{
	struct winsize size;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) || !size.ws_row)
		return USUAL_TOP;
	return size.ws_row > OTHER_LINES + LEAST_TOP ? size.ws_row - OTHER_LINES : LEAST_TOP;
}

static int check_sampling(struct et_profile_command *p, struct et_error *err)
{
	const char *event = p->event ? p->event : "auto";

	if (p->plan.period)
		p->plan.rate_hz = 0;
	if (!p->from && strcmp(event, "auto") && strcmp(event, "cycles") &&
		strcmp(event, "cpu-clock"))
		return et_refuse(err, "use auto, cycles or cpu-clock",
			"--event: '%s' is not an event", event);
	snprintf(p->plan.event, sizeof(p->plan.event), "%s", event);
	return 0;
}

/* Both need the debug information of the program. */
static int check_build(const struct et_profile_command *p, struct et_error *err)
{
	const char *option = p->plan.inlines                     ? "--inlines"
			     : p->plan.chains == ET_CHAINS_DWARF ? "-g dwarf"
								 : NULL;

	if (!option || et_object_has_symbols() || p->from || p->run.resume)
		return 0;
	return et_hint(err,
		et_fail(err, ENOTSUP, ET_EXIT_ENVIRONMENT,
			"%s needs libdw, without which this etalon was built", option),
		"install libdw-dev and build etalon again; -g fp finds callers without it");
}

static int check_view(struct et_profile_command *p, struct et_error *err)
{
	bool measures = !p->from && !p->run.resume;

	if (p->each)
		p->view.statements = 1;
	if (p->view.total && measures && p->plan.chains == ET_CHAINS_NONE)
		return et_refuse(err, "add -g fp, or -g dwarf for programs without frame pointers",
			"--total needs the callers of functions");
	if (p->view.total && p->view.by == ET_BY_MODULE)
		return et_refuse(err, "omit one of them",
			"--total is about functions, and --by module about files");
	if (p->run.given & ET_GIVEN_TOP)
		p->view.least = 0;
	else
		p->view.top = fitting_rows();
	return 0;
}

static int check_commands(
	const struct et_profile_command *p, const struct et_operands *ops, struct et_error *err)
{
	size_t n = ops->after ? 1 : ops->n_before;

	if (p->view.compare && n != 2)
		return et_refuse(err,
			"quote each of them: etalon profile --compare 'sort -n x' 'sort x'",
			"--compare needs two commands, and there %s %zu", n == 1 ? "is" : "are", n);
	if (!p->view.compare && n > 1)
		return et_refuse(err, "quote the command, or use --compare for two commands",
			"%zu commands, but one is profiled", n);
	return 0;
}

/* Files are runs that were made elsewhere, so nothing is run. */
static int check_files(
	const struct et_profile_command *p, const struct et_operands *ops, struct et_error *err)
{
	if (p->count_calls)
		return et_refuse(err, "give the number: --calls=NAME=N",
			"--calls cannot count the calls of files");
	if (p->view.compare ? !ops->after || !ops->n_after : ops->n_after > 0)
		return et_refuse(err, "use --compare --from OLD… -- NEW…",
			p->view.compare ? "--compare needs the files of two programs"
					: "files after -- are compared with the others");
	return 0;
}

int et_profile_check(
	struct et_profile_command *p, const struct et_operands *ops, struct et_error *err)
{
	int rc = check_sampling(p, err);

	if (rc == 0)
		rc = check_build(p, err);
	if (rc == 0)
		rc = check_view(p, err);
	if (rc == 0 && p->from)
		rc = check_files(p, ops, err);
	else if (rc == 0 && !p->run.resume)
		rc = check_commands(p, ops, err);
	return rc;
}

void et_profile_confine(const struct et_profile_command *p, const struct et_operands *ops)
{
	bool binary = et_profile_is_binary(p->from);

	for (size_t i = 0; !binary && i < ops->n_before; i++)
		binary = et_profile_is_binary(ops->before[i]);
	for (size_t i = 0; !binary && i < ops->n_after; i++)
		binary = et_profile_is_binary(ops->after[i]);
	et_confine(binary ? ET_RIGHTS_READERS : ET_RIGHTS_FILES);
}
