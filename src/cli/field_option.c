/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/field_option.h"
#include "base/parse.h"
#include "model/sample/metric.h"

static const struct et_field *field_of(const struct et_option *o)
{
	const struct et_field_ref *ref = o->context;

	return et_field_find(ref->fields, ref->name);
}

int et_set_field_number(
	const struct et_option *o, void *ctx, char *const *args, struct et_error *err)
{
	const struct et_field *f = field_of(o);
	int64_t lo = f->lo, hi = f->hi, value;

	if (o->hi) {
		lo = (int64_t)o->lo > lo ? (int64_t)o->lo : lo;
		hi = (int64_t)o->hi < hi ? (int64_t)o->hi : hi;
	}
	int rc = et_parse_i64(ET_SHOWN(o), args[0], lo, hi, &value, err);
	if (rc == 0 && !et_field_set_int(f, et_option_target(o, ctx), value))
		rc = et_fail(
			err, ERANGE, ET_EXIT_USAGE, "--%s: '%s' is out of range", o->name, args[0]);
	return rc;
}

int et_set_field_ratio(
	const struct et_option *o, void *ctx, char *const *args, struct et_error *err)
{
	const struct et_field *f = field_of(o);
	double value;

	int rc = et_parse_ratio(ET_SHOWN(o), args[0], &value, err);
	if (rc == 0 && !et_field_set_double(f, et_option_target(o, ctx), value))
		rc = et_fail(err, ERANGE, ET_EXIT_USAGE, "--%s: '%s' is above %lld", o->name,
			args[0], (long long)f->hi);
	return rc;
}

int et_set_metric(const struct et_option *o, void *ctx, char *const *args, struct et_error *err)
{
	int i = et_name_index(et_metric_options, args[0]);

	if (i < 0)
		return et_set_choice(o, ctx, args, err);
	*(int *)et_option_target(o, ctx) = i;
	return 0;
}
