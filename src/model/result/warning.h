/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Warnings as data. A warning is raised where its evidence is: a code and a few typed arguments.
 * Only src/report makes a sentence of it, from the text in the table.
 */
#pragma once

#include "model/sample/metric.h"

enum et_severity {
	ET_SEVERITY_NOTE,    /* the figures hold, but less is known than could be */
	ET_SEVERITY_WARNING, /* a figure may mislead */
};

extern const char *const et_severity_names[]; /* indexed by enum et_severity; NULL ends it */

enum et_warning_code {
#define ROW(code, name, severity, args, text) ET_WARN_##code,
#include "model/result/warning_rows.h"
#undef ROW
	ET_WARNING_CODES,
};

enum et_arg_kind {
	ET_ARG_NONE = '\0',
	ET_ARG_COUNT = 'c',
	ET_ARG_NUMBER = 'n',
	ET_ARG_SHARE = 's',   /* a proportion, printed in percent */
	ET_ARG_CHANGE = 'd',  /* a relative change, printed in percent with its sign */
	ET_ARG_P_VALUE = 'p', /* printed with its sign: "= 0.003", "< 0.00001" */
	ET_ARG_VALUE = 'v',   /* with its unit */
	ET_ARG_FLAG = 'f',
	ET_ARG_TEXT = 't',
};

struct et_warning_arg {
	enum et_arg_kind kind;
	enum et_unit unit; /* of a value */
	double number;     /* all kinds but texts; a flag is 0 or 1 */
	char *text;        /* owned by a warning in a list */
};

enum { ET_WARNING_ARGS = 5 };

struct et_warning {
	enum et_warning_code code;
	struct et_warning_arg args[ET_WARNING_ARGS];
};

struct et_warnings {
	struct et_warning *list;
	size_t n, cap;
};

/*
 * `args` has one letter of enum et_arg_kind per argument. In the text, {0} stands for the first
 * argument, and {0:A|B} for A if it is 1 (a count), true (a flag) or not empty (a text), else for
 * B; both may contain arguments.
 */
struct et_warning_row {
	const char *name; /* in JSON */
	enum et_severity severity;
	const char *args;
	const char *text;
};

extern const struct et_warning_row et_warning_rows[ET_WARNING_CODES];

static inline struct et_warning_arg et_arg_count(uint64_t n)
{
	return (struct et_warning_arg){ .kind = ET_ARG_COUNT, .number = (double)n };
}

static inline struct et_warning_arg et_arg_number(double x)
{
	return (struct et_warning_arg){ .kind = ET_ARG_NUMBER, .number = x };
}

static inline struct et_warning_arg et_arg_share(double proportion)
{
	return (struct et_warning_arg){ .kind = ET_ARG_SHARE, .number = proportion };
}

static inline struct et_warning_arg et_arg_change(double relative)
{
	return (struct et_warning_arg){ .kind = ET_ARG_CHANGE, .number = relative };
}

static inline struct et_warning_arg et_arg_p_value(double p)
{
	return (struct et_warning_arg){ .kind = ET_ARG_P_VALUE, .number = p };
}

static inline struct et_warning_arg et_arg_value(double x, enum et_unit unit)
{
	return (struct et_warning_arg){ .kind = ET_ARG_VALUE, .number = x, .unit = unit };
}

static inline struct et_warning_arg et_arg_flag(bool set)
{
	return (struct et_warning_arg){ .kind = ET_ARG_FLAG, .number = set };
}

/* et_warn copies the text. */
static inline struct et_warning_arg et_arg_text(const char *text)
{
	return (struct et_warning_arg){ .kind = ET_ARG_TEXT, .text = (char *)text };
}

/* et_warn(warnings, ET_WARN_TIME_LIMIT, et_arg_count(8), et_arg_count(10)): as `args` say. */
#define et_warn(warnings, code, ...)                                                               \
	et_warnings_add((warnings), (code), (struct et_warning_arg[ET_WARNING_ARGS]){ __VA_ARGS__ })
void et_warnings_add(struct et_warnings *w, enum et_warning_code code,
	const struct et_warning_arg args[ET_WARNING_ARGS]);
/* Appends copies of all of them. */
void et_warnings_append(struct et_warnings *w, const struct et_warnings *more);
bool et_warnings_have(const struct et_warnings *w, enum et_warning_code code);
void et_warnings_free(struct et_warnings *w); /* what it owns */
