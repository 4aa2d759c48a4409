/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/experiment/field_rows.h"
#include "model/experiment/figure.h"

#include <assert.h>

/* Rows by kind. Ranges include both ends. */
#define U64_AS(type, key, member)                                                                  \
	{                                                                                          \
		.name = key, .kind = ET_FIELD_U64, .nullable = true, ET_AT(type, member),          \
		.missing = -1, .hi = INT64_MAX                                                     \
	}
#define U64(type, member) U64_AS(type, #member, member)
#define U64_OR_ZERO_AS(type, key, member)                                                          \
	{                                                                                          \
		.name = key, .kind = ET_FIELD_U64, ET_AT(type, member), .hi = INT64_MAX            \
	}
#define U64_OR_ZERO(type, member) U64_OR_ZERO_AS(type, #member, member)
#define COUNT(type, member)                                                                        \
	{                                                                                          \
		.name = #member, .kind = ET_FIELD_U32, ET_AT(type, member), .hi = UINT32_MAX       \
	}
#define BOOL(type, member)                                                                         \
	{                                                                                          \
		.name = #member, .kind = ET_FIELD_BOOL, ET_AT(type, member), .hi = 1               \
	}
#define STRING_AS(type, key, member)                                                               \
	{                                                                                          \
		.name = key, .kind = ET_FIELD_STRING, .nullable = true, ET_AT(type, member)        \
	}
#define STRING(type, member) STRING_AS(type, #member, member)
#define CHARS(type, key, member)                                                                   \
	{                                                                                          \
		.name = key, .kind = ET_FIELD_CHARS, ET_AT(type, member),                          \
		.size = sizeof(((struct type *)0)->member)                                         \
	}

#define MEASURED(type, member) U64_AS(type, #member, measured.member)

/*
 * CSV has these columns in this order, so new ones go to the end. To add a row: the member in
 * sample/sample.h; fill it in measure/child/sample_of_run.c if it is read already, otherwise in an
 * observer, and test it there; a migration in store/core/schema.c; the list of fields in
 * man/etalon-export.1.scd.
 */
const struct et_field et_sample_fields[] = {
	{ "order", ET_FIELD_U32, ET_AT(et_sample, place.order), .lo = 1, .hi = UINT32_MAX },
	{ "round", ET_FIELD_U32, ET_AT(et_sample, place.round), .hi = UINT32_MAX },
	{ "arrangement", ET_FIELD_ENUM, ET_AT(et_sample, place.arrangement),
		.names = et_arrangement_names },
	{ "warmup", ET_FIELD_BOOL, ET_AT(et_sample, place.warmup), .hi = 1 },
	{ "exit_code", ET_FIELD_I32, true, ET_AT(et_sample, measured.exit_code), .missing = -1,
		.lo = -1, .hi = 255 },
	U64_AS(et_sample, "et_ns", measured.elapsed_ns),
	U64_AS(et_sample, "pt_ns", measured.cpu_ns),
	ET_EACH(MEASURED, et_sample, user_ns, system_ns, wait_ns, blocked_ns, steal_ns,
		max_rss_bytes, probe_before_ns, probe_after_ns, pace_ns, pace_loops, others_ns,
		idle_ns),
	ET_EACH(MEASURED, et_sample, irq_ns, softirq_ns, counter_ticks, voluntary_switches,
		involuntary_switches, cpu_migrations, major_faults, minor_faults),
	U64_OR_ZERO_AS(et_sample, "started_wall_ns", measured.started_wall_ns),
	{ "pt_source", ET_FIELD_ENUM, ET_AT(et_sample, measured.cpu_source),
		.missing = ET_CPU_BY_WAIT4, .names = et_cpu_source_names },
	{ "signal", ET_FIELD_I32, true, ET_AT(et_sample, measured.signal), .hi = 64 },
	{ "position", ET_FIELD_U32, ET_AT(et_sample, place.position), .hi = UINT32_MAX },
	{ "partner", ET_FIELD_I32, true, ET_AT(et_sample, place.partner), .missing = -1, .lo = -1,
		.hi = INT32_MAX },
	{ "marks", ET_FIELD_BITS, ET_AT(et_sample, ruling.marks), .hi = UINT32_MAX,
		.names = et_mark_names },
	ET_EACH(MEASURED, et_sample, on_cpu_ns, runnable_ns, asleep_ns),
	{ "calls", ET_FIELD_U64, true, ET_AT(et_sample, measured.calls), .hi = INT64_MAX },
	MEASURED(et_sample, irq_in_cpu_ns),
	{ 0 },
};

const struct et_field et_culprit_fields[] = {
	CHARS(et_culprit, "name", name),
	{ "pid", ET_FIELD_I32, ET_AT(et_culprit, pid), .hi = INT32_MAX },
	ET_EACH(BOOL, et_culprit, kernel_thread, exited),
	U64_AS(et_culprit, "pt_ns", cpu_ns),
	U64_OR_ZERO(et_culprit, doubt_ns),
	U64(et_culprit, on_our_cpu_ns),
	{ 0 },
};

const struct et_field et_removal_fields[] = {
	{ "by", ET_FIELD_ENUM, true, ET_AT(et_removal, by), .names = et_removed_by_names },
	CHARS(et_removal, "daemon", daemon),
	U64_OR_ZERO_AS(et_removal, "pt_ns", cpu_ns),
	ET_EACH(U64_OR_ZERO, et_removal, cutoff_ns, probe_ns, steal_ns, limit_ns),
	{ 0 },
};

const struct et_field et_plan_fields[] = {
	ET_EACH(COUNT, et_plan, reference, warmup, runs),
	{ "until_ratio", ET_FIELD_DOUBLE, ET_AT(et_plan, until_ratio), .hi = 1000000 },
	ET_EACH(COUNT, et_plan, min_runs, max_runs),
	ET_EACH(U64_OR_ZERO, et_plan, time_limit_ns, metronome_ns),
	ET_EACH(BOOL, et_plan, pace, probe),
	COUNT(et_plan, k),
	{ "epsilon", ET_FIELD_DOUBLE, ET_AT(et_plan, epsilon), .hi = 1 },
	ET_EACH(BOOL, et_plan, keep_all, ignore_failure),
	{ "level", ET_FIELD_DOUBLE, ET_AT(et_plan, level), .hi = 1 },
	U64_OR_ZERO(et_plan, min_time_ns),
	COUNT(et_plan, first_round),
	BOOL(et_plan, randomise_layout),
	{ "equal_ratio", ET_FIELD_DOUBLE, ET_AT(et_plan, equal_ratio), .hi = 1 },
	BOOL(et_plan, gate),
	{ "regression_ratio", ET_FIELD_DOUBLE, ET_AT(et_plan, regression_ratio), .hi = INT64_MAX },
	{ "undecided", ET_FIELD_U32, ET_AT(et_plan, undecided), .hi = 255 },
	BOOL(et_plan, scout),
	{ 0 },
};

const struct et_field et_child_fields[] = {
	ET_EACH(STRING, et_child_spec, cpus, sched, user, pass_env, shell, input, output,
		directory),
	{ "nice", ET_FIELD_I32, ET_AT(et_child_spec, nice), .lo = -20, .hi = 19 },
	BOOL(et_child_spec, no_new_privs),
	STRING(et_child_spec, ignore_codes),
	{ 0 },
};

const struct et_field et_host_fields[] = {
	CHARS(et_host, "name", name),
	CHARS(et_host, "kernel", kernel),
	CHARS(et_host, "architecture", architecture),
	CHARS(et_host, "cpu", cpu),
	COUNT(et_host, cpus),
	CHARS(et_host, "virtual", virtual_machine),
	CHARS(et_host, "clocksource", clocksource),
	CHARS(et_host, "governor", governor),
	ET_EACH(U64_OR_ZERO, et_host, tick_ns, memory_bytes),
	BOOL(et_host, block_delays),
	{ 0 },
};

const struct et_field et_factor_fields[] = {
	ET_EACH(STRING, et_factor, factor, state, wanted),
	BOOL(et_factor, ok),
	{ 0 },
};

const struct et_field et_first_check_fields[] = {
	{ "state", ET_FIELD_ENUM, ET_AT(et_first_check, state), .missing = ET_FIRST_CHECK_NONE,
		.names = et_first_check_names },
	U64_OR_ZERO(et_first_check, learned_wall_ns),
	ET_EACH(COUNT, et_first_check, cutoffs, would_remove),
	{ 0 },
};

const struct et_field et_member_fields[] = {
	CHARS(et_member, "campaign", campaign),
	ET_EACH(COUNT, et_member, part, attempt),
	CHARS(et_member, "node", node),
	{ 0 },
};

const struct et_field et_study_fields[] = {
	STRING_AS(et_member, "name", study),
	STRING_AS(et_member, "lab", study_lab),
	STRING_AS(et_member, "part", study_part),
	{ 0 },
};

const struct et_field et_figure_fields[] = {
	STRING(et_figure, name),
	COUNT(et_figure, load),
	U64_OR_ZERO(et_figure, length_ns),
	{ "value", ET_FIELD_DOUBLE, .nullable = true, ET_AT(et_figure, value), .lo = INT64_MIN,
		.hi = INT64_MAX },
	{ 0 },
};

const struct et_field et_profile_plan_fields[] = {
	CHARS(et_profile_plan, "event", event),
	{ "rate_hz", ET_FIELD_DOUBLE, ET_AT(et_profile_plan, rate_hz), .hi = 1000000000 },
	U64_OR_ZERO(et_profile_plan, period),
	ET_EACH(BOOL, et_profile_plan, fixed, user_only, inlines, addresses),
	{ "chains", ET_FIELD_ENUM, ET_AT(et_profile_plan, chains), .names = et_chains_names },
	{ 0 },
};

const struct et_field et_profile_fields[] = {
	CHARS(et_profile, "event", event),
	{ "way", ET_FIELD_ENUM, ET_AT(et_profile, way), .names = et_profile_way_names },
	BOOL(et_profile, kernel_allowed),
	{ 0 },
};

const struct et_field et_profile_function_fields[] = {
	ET_EACH(STRING, et_profile_function, name, module),
	{ "space", ET_FIELD_ENUM, ET_AT(et_profile_function, space), .names = et_space_kind_names },
	BOOL(et_profile_function, unnamed),
	{ 0 },
};

const struct et_field et_profile_run_fields[] = {
	U64_OR_ZERO(et_profile_run, samples),
	{ "period", ET_FIELD_DOUBLE, ET_AT(et_profile_run, period), .hi = INT64_MAX },
	ET_EACH(U64_OR_ZERO, et_profile_run, counted, lost, overruns, throttled, tasks,
		short_tasks),
	{ 0 },
};

static void *place(const struct et_field *f, void *base)
{
	return (char *)base + f->offset;
}

static const void *place_of(const struct et_field *f, const void *base)
{
	return (const char *)base + f->offset;
}

static int64_t highest(const struct et_field *f)
{
	int64_t n = 0;

	if (f->kind != ET_FIELD_ENUM)
		return f->hi;
	while (f->names[n])
		n++;
	return n - 1;
}

static void put_int(const struct et_field *f, void *base, int64_t value)
{
	switch (f->kind) {
	case ET_FIELD_U64:
		*(uint64_t *)place(f, base) = (uint64_t)value;
		break;
	case ET_FIELD_I32:
		*(int32_t *)place(f, base) = (int32_t)value;
		break;
	case ET_FIELD_BOOL:
		*(bool *)place(f, base) = value != 0;
		break;
	default:
		*(uint32_t *)place(f, base) = (uint32_t)value;
	}
}

bool et_field_set_int(const struct et_field *f, void *base, int64_t value)
{
	if (f->kind >= ET_FIELD_STRING || value < f->lo || value > highest(f))
		return false;
	if (f->kind == ET_FIELD_DOUBLE)
		*(double *)place(f, base) = (double)value;
	else
		put_int(f, base, value);
	return true;
}

bool et_field_set_double(const struct et_field *f, void *base, double value)
{
	if (f->kind >= ET_FIELD_STRING || !(value >= (double)f->lo && value <= (double)highest(f)))
		return false;
	if (f->kind == ET_FIELD_DOUBLE) {
		*(double *)place(f, base) = value;
		return true;
	}
	/* A whole number may come as 1e9 or 5.0; 2^63 itself is out of range. */
	return value == floor(value) && value < 9223372036854775808.0 &&
	       et_field_set_int(f, base, (int64_t)value);
}

/* Names that are separated by spaces. */
static bool set_bits(const struct et_field *f, void *base, const char *text)
{
	ET_AUTO_FREE char *copy = et_strdup(text);
	char *rest = NULL;
	int64_t bits = 0;

	for (char *name = strtok_r(copy, " ", &rest); name; name = strtok_r(NULL, " ", &rest)) {
		int i = et_name_index(f->names, name);
		if (i < 0)
			return false;
		bits |= (int64_t)1 << i;
	}
	return et_field_set_int(f, base, bits);
}

bool et_field_set_text(const struct et_field *f, void *base, const char *text)
{
	if (f->kind == ET_FIELD_BITS)
		return set_bits(f, base, text);
	if (f->kind == ET_FIELD_ENUM) {
		int i = et_name_index(f->names, text);
		return i >= 0 && et_field_set_int(f, base, i);
	}
	if (f->kind == ET_FIELD_CHARS) {
		size_t len = strlen(text);
		if (len >= f->size)
			return false;
		memcpy(place(f, base), text, len + 1);
		return true;
	}
	if (f->kind != ET_FIELD_STRING)
		return false;
	char **p = place(f, base);
	free(*p);
	*p = et_strdup(text);
	return true;
}

void et_field_set_missing(const struct et_field *f, void *base)
{
	if (f->kind == ET_FIELD_STRING) {
		char **p = place(f, base);
		free(*p);
		*p = NULL;
	} else if (f->kind == ET_FIELD_CHARS) {
		*(char *)place(f, base) = '\0';
	} else if (f->kind == ET_FIELD_DOUBLE) {
		*(double *)place(f, base) = f->nullable ? NAN : (double)f->missing;
	} else {
		put_int(f, base, f->missing);
	}
}

int64_t et_field_int(const struct et_field *f, const void *base)
{
	switch (f->kind) {
	case ET_FIELD_U64:
		return (int64_t) * (const uint64_t *)place_of(f, base);
	case ET_FIELD_I64:
		return *(const int64_t *)place_of(f, base);
	case ET_FIELD_I32:
		return *(const int32_t *)place_of(f, base);
	case ET_FIELD_BOOL:
		return *(const bool *)place_of(f, base);
	default:
		assert(f->kind < ET_FIELD_DOUBLE);
		return *(const uint32_t *)place_of(f, base);
	}
}

double et_field_double(const struct et_field *f, const void *base)
{
	assert(f->kind == ET_FIELD_DOUBLE);
	return *(const double *)place_of(f, base);
}

const char *et_field_text(const struct et_field *f, const void *base)
{
	if (f->kind == ET_FIELD_STRING)
		return *(char *const *)place_of(f, base);
	if (f->kind == ET_FIELD_CHARS)
		return place_of(f, base);
	assert(f->kind == ET_FIELD_ENUM);
	return f->names[et_field_int(f, base)];
}

bool et_field_is_missing(const struct et_field *f, const void *base)
{
	if (f->kind == ET_FIELD_STRING)
		return !et_field_text(f, base);
	if (f->kind == ET_FIELD_DOUBLE)
		return f->nullable && isnan(et_field_double(f, base));
	/* No time is above 2^63 ns: such a value is a difference that went below 0. */
	if (f->kind == ET_FIELD_U64 && f->hi && et_field_int(f, base) < 0)
		return true;
	return f->nullable && et_field_int(f, base) == f->missing;
}

bool et_field_is_valid(const struct et_field *f, const void *base)
{
	if (f->kind == ET_FIELD_STRING)
		return true;
	if (f->kind == ET_FIELD_CHARS)
		return strnlen(et_field_text(f, base), f->size) < f->size;
	if (f->kind == ET_FIELD_DOUBLE) {
		double value = et_field_double(f, base);
		return (value >= (double)f->lo && value <= (double)f->hi) ||
		       et_field_is_missing(f, base);
	}
	int64_t value = et_field_int(f, base);
	return (value >= f->lo && value <= highest(f)) || et_field_is_missing(f, base);
}

const char *et_field_wants(const struct et_field *f, char buf[96])
{
	switch (f->kind) {
	case ET_FIELD_BOOL:
		return "true or false";
	case ET_FIELD_ENUM: {
		size_t n = 0;
		for (int i = 0; f->names[i] && n < 96; i++)
			n += (size_t)snprintf(
				buf + n, 96 - n, "%s%s", i ? ", " : "one of ", f->names[i]);
		return buf;
	}
	case ET_FIELD_BITS:
		return "a list of marks";
	case ET_FIELD_STRING:
		return "a string";
	case ET_FIELD_CHARS:
		snprintf(buf, 96, "a string of at most %u bytes", f->size - 1);
		return buf;
	default:
		snprintf(buf, 96, "a %snumber from %" PRId64 " to %" PRId64,
			f->kind == ET_FIELD_DOUBLE ? "" : "whole ", f->lo, f->hi);
		return buf;
	}
}

const struct et_field *et_field_find(const struct et_field *fields, const char *name)
{
	for (const struct et_field *f = fields; f->name; f++) {
		if (!strcmp(f->name, name))
			return f;
	}
	return NULL;
}

void et_fields_set_missing(const struct et_field *fields, void *base)
{
	for (const struct et_field *f = fields; f->name; f++)
		et_field_set_missing(f, base);
}
