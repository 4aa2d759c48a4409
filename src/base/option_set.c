/* SPDX-License-Identifier: MIT */
/* The setters of option.h: text in, one checked value out. */
#include "base/option.h"
#include "base/parse.h"

#include <errno.h>
#include <string.h>

const char *et_option_shown(const struct et_option *o, char buf[ET_OPTION_SHOWN])
{
	snprintf(buf, ET_OPTION_SHOWN, "--%s", o->name);
	return buf;
}

int et_set_true(const struct et_option *o, void *ctx, char *const *args, struct et_error *err)
{
	(void)args;
	(void)err;
	*(bool *)et_option_target(o, ctx) = true;
	return 0;
}

int et_set_false(const struct et_option *o, void *ctx, char *const *args, struct et_error *err)
{
	(void)args;
	(void)err;
	*(bool *)et_option_target(o, ctx) = false;
	return 0;
}

int et_set_nothing(const struct et_option *o, void *ctx, char *const *args, struct et_error *err)
{
	(void)o;
	(void)ctx;
	(void)args;
	(void)err;
	return 0;
}

int et_set_text(const struct et_option *o, void *ctx, char *const *args, struct et_error *err)
{
	(void)err;
	*(const char **)et_option_target(o, ctx) = args[0];
	return 0;
}

/* A whole number of the row's range; hi 0 stands for the most that the type holds. */
static int parse_whole(const struct et_option *o, const char *text, uint64_t most, uint64_t *out,
	struct et_error *err)
{
	char shown[ET_OPTION_SHOWN];

	return et_parse_u64(et_option_shown(o, shown), text, o->lo, o->hi ? o->hi : most, out, err);
}

int et_set_u64(const struct et_option *o, void *ctx, char *const *args, struct et_error *err)
{
	return parse_whole(o, args[0], UINT64_MAX, et_option_target(o, ctx), err);
}

int et_set_u32(const struct et_option *o, void *ctx, char *const *args, struct et_error *err)
{
	uint64_t value;
	int rc = parse_whole(o, args[0], UINT32_MAX, &value, err);

	if (rc == 0)
		*(uint32_t *)et_option_target(o, ctx) = (uint32_t)value;
	return rc;
}

int et_set_size(const struct et_option *o, void *ctx, char *const *args, struct et_error *err)
{
	uint64_t value;
	int rc = parse_whole(o, args[0], SIZE_MAX, &value, err);

	if (rc == 0)
		*(size_t *)et_option_target(o, ctx) = (size_t)value;
	return rc;
}

int et_set_int(const struct et_option *o, void *ctx, char *const *args, struct et_error *err)
{
	uint64_t value;
	int rc = parse_whole(o, args[0], INT32_MAX, &value, err);

	if (rc == 0)
		*(int *)et_option_target(o, ctx) = (int)value;
	return rc;
}

const char *et_option_choice(const struct et_option *o, size_t i)
{
	if (o->name_at)
		return o->name_at(i);
	return o->names ? o->names[i] : NULL;
}

int et_option_find(const struct et_option *o, const char *text, struct et_error *err)
{
	char list[256] = "";
	size_t len = 0;
	const char *name;

	for (int i = 0; (name = et_option_choice(o, (size_t)i)) != NULL; i++) {
		if (!strcmp(name, text))
			return i;
		len += (size_t)snprintf(
			list + len, sizeof(list) - len, "%s%s", i ? ", " : "", name);
		len = len < sizeof(list) ? len : sizeof(list) - 1;
	}
	return et_hint(err,
		et_fail(err, EINVAL, ET_EXIT_USAGE, "--%s: unknown value '%s'", o->name, text),
		"use one of %s", list);
}

int et_set_choice(const struct et_option *o, void *ctx, char *const *args, struct et_error *err)
{
	int i = et_option_find(o, args[0], err);

	if (i < 0)
		return i;
	*(int *)et_option_target(o, ctx) = i;
	return 0;
}

/* "500ms", "2s", "1h": the largest unit that divides it. */
static const char *duration_text(uint64_t ns, char buf[32])
{
	static const struct {
		const char *name;
		uint64_t ns;
	} units[] = { { "d", 86400000000000 }, { "h", 3600000000000 }, { "m", 60000000000 },
		{ "s", 1000000000 }, { "ms", 1000000 }, { "us", 1000 }, { "ns", 1 } };
	size_t i = 0;

	while (ns % units[i].ns)
		i++;
	if (!strcmp(units[i].name, "d"))
		snprintf(buf, 32, "%llu days", (unsigned long long)(ns / units[i].ns));
	else
		snprintf(buf, 32, "%llu%s", (unsigned long long)(ns / units[i].ns), units[i].name);
	return buf;
}

int et_set_duration(const struct et_option *o, void *ctx, char *const *args, struct et_error *err)
{
	char shown[ET_OPTION_SHOWN], lo[32], hi[32];
	uint64_t ns;
	int rc = et_parse_duration(et_option_shown(o, shown), args[0], &ns, err);

	if (rc)
		return rc;
	if (o->hi && ns > o->hi)
		return et_fail(err, ERANGE, ET_EXIT_USAGE, "%s: '%s' is above %s", shown, args[0],
			duration_text(o->hi, hi));
	if (ns < o->lo)
		return et_fail(err, ERANGE, ET_EXIT_USAGE, "%s: '%s' is below %s", shown, args[0],
			duration_text(o->lo, lo));
	*(uint64_t *)et_option_target(o, ctx) = ns;
	return 0;
}

int et_set_ratio(const struct et_option *o, void *ctx, char *const *args, struct et_error *err)
{
	char shown[ET_OPTION_SHOWN];

	return et_parse_ratio(et_option_shown(o, shown), args[0], et_option_target(o, ctx), err);
}

int et_set_probability(
	const struct et_option *o, void *ctx, char *const *args, struct et_error *err)
{
	char shown[ET_OPTION_SHOWN];

	return et_parse_probability(
		et_option_shown(o, shown), args[0], et_option_target(o, ctx), err);
}

int et_set_percent(const struct et_option *o, void *ctx, char *const *args, struct et_error *err)
{
	char shown[ET_OPTION_SHOWN];

	return et_parse_percent(et_option_shown(o, shown), args[0], et_option_target(o, ctx), err);
}
