/* SPDX-License-Identifier: MIT */
#include "base/option.h"
#include "base/display.h"
#include "base/parse.h"

#include <getopt.h>

enum { FIRST_LONG = 256, MOST_ARGS = 4 };

int et_option_arity(const struct et_option *o)
{
	int n = o->arg ? 1 : 0;

	for (const char *p = o->arg; p && *p; p++)
		n += *p == ' ';
	return n;
}

static int has_arg(const struct et_option *o)
{
	if (!o->arg)
		return no_argument;
	return o->arg[0] == '[' ? optional_argument : required_argument;
}

const struct et_option *et_option_named(const struct et_option *table, const char *name)
{
	while (table && table->name && strcmp(table->name, name))
		table++;
	return table && table->name ? table : NULL;
}

/* Whether another row of that name is meant, because only that one belongs to the action. */
static bool has_namesake(const struct et_option_table *t, const struct et_option *o)
{
	bool other = false;

	for (const struct et_option *p = t->rows; o->of && !(o->of & t->action) && p->name; p++)
		other |= !strcmp(p->name, o->name) && p->of & t->action;
	return other;
}

/* A row and the table that it belongs to. */
struct placed {
	const struct et_option *option;
	const struct et_option_table *table;
};

/* The tables that getopt_long wants: it returns FIRST_LONG + i for row i of our flat list. */
struct compiled {
	struct placed *rows;
	struct option *longs;
	char *shorts;
	size_t n;
};

static struct compiled compile(const struct et_option_table *tables)
{
	struct compiled c = { 0 };
	size_t cap = 0, len = 0;

	for (const struct et_option_table *t = tables; t->rows; t++) {
		for (const struct et_option *o = t->rows; o->name; o++) {
			if (has_namesake(t, o) || (t->only && !et_option_named(t->only, o->name)))
				continue;
			ET_GROW(c.rows, c.n, cap);
			c.rows[c.n++] = (struct placed){ o, t };
		}
	}
	c.longs = et_calloc(c.n + 1, sizeof(*c.longs));
	c.shorts = et_calloc(c.n * 3 + 3, 1);
	c.shorts[len++] = '-'; /* operands come in order, as option 1 */
	c.shorts[len++] = ':'; /* a missing argument is ':', an unknown option '?' */
	for (size_t i = 0; i < c.n; i++) {
		const struct et_option *o = c.rows[i].option;
		c.longs[i] = (struct option){ o->name, has_arg(o), NULL, FIRST_LONG + (int)i };
		if (!o->letter)
			continue;
		c.shorts[len++] = o->letter;
		for (int k = 0; k < has_arg(o); k++)
			c.shorts[len++] = ':';
	}
	return c;
}

static const struct placed *find_row(const struct compiled *c, int code)
{
	if (code >= FIRST_LONG)
		return &c->rows[code - FIRST_LONG];
	for (size_t i = 0; i < c->n; i++) {
		if (c->rows[i].option->letter == code)
			return &c->rows[i];
	}
	return NULL;
}

/* Returns the option that shares the longest prefix with what was typed, for the hint. */
static const char *nearest(const struct compiled *c, const char *typed)
{
	const char *best = NULL;
	size_t most = 2;

	for (size_t i = 0; i < c->n; i++) {
		size_t k = 0;
		while (typed[k] && typed[k] == c->rows[i].option->name[k])
			k++;
		if (k > most) {
			most = k;
			best = c->rows[i].option->name;
		}
	}
	return best;
}

static int unknown(
	const struct compiled *c, const char *command, const char *typed, struct et_error *err)
{
	int rc = et_refuse(err, NULL, "unknown option %s", typed);
	const char *name = strncmp(typed, "--", 2) ? NULL : nearest(c, typed + 2);

	if (name)
		return et_hint(
			err, rc, "did you mean --%s? '%s --help' lists the options", name, command);
	return et_hint(err, rc, "'%s --help' lists the options", command);
}

/* Words an error of getopt_long; code is '?' or ':'. */
static int refuse(const struct compiled *c, int code, char **argv, struct et_error *err)
{
	const char *typed = argv[optind - 1];
	char letter[] = { '-', (char)optopt, '\0' };

	if (optopt > 0 && optopt < FIRST_LONG)
		typed = letter;
	if (code == ':')
		return et_refuse(err, NULL, "option %s needs a value", typed);
	if (optopt >= FIRST_LONG)
		return et_refuse(err, NULL, "option --%s takes no value",
			c->rows[optopt - FIRST_LONG].option->name);
	return unknown(c, argv[0], typed, err);
}

static int handle(const struct placed *row, int argc, char **argv, struct et_error *err)
{
	const struct et_option *o = row->option;
	char *args[MOST_ARGS] = { optarg };

	for (int k = 1; k < et_option_arity(o); k++) {
		if (optind >= argc)
			return et_refuse(err, NULL, "option --%s needs %s", o->name, o->arg);
		args[k] = argv[optind++];
	}
	if (row->table->given)
		*row->table->given |= o->bit;
	return o->set(o, row->table->ctx, args, err);
}

/* Refuses the 5 of "--fail-on-regression 5": an optional value follows its option after '='. */
static int check_operand(const struct compiled *c, char **argv, struct et_error *err)
{
	const char *option = argv[optind - 2];

	if (!*optarg || optarg[strspn(optarg, "0123456789.%")] || strncmp(option, "--", 2))
		return 0;
	for (size_t i = 0; i < c->n; i++) {
		const struct et_option *o = c->rows[i].option;

		if (o->set == et_set_percent && !strcmp(o->name, option + 2))
			return et_hint(err,
				et_refuse(err, NULL, "'%s' is not read as the value of %s", optarg,
					option),
				"write %s=%s", option, optarg);
	}
	return 0;
}

int et_options_parse(const struct et_option_table *tables, int argc, char **argv,
	struct et_operands *out, struct et_error *err)
{
	struct compiled c = compile(tables);
	struct et_operands ops = { .before = et_calloc((size_t)argc + 1, sizeof(char *)) };
	size_t cap = 0;
	int code, rc = 0;

	opterr = 0;
	optind = 0;
	while (rc == 0 && (code = getopt_long(argc, argv, c.shorts, c.longs, NULL)) != -1) {
		if (code == 1) {
			ops.before[ops.n_before++] = optarg;
			rc = check_operand(&c, argv, err);
		} else if (code == '?' || code == ':') {
			rc = refuse(&c, code, argv, err);
		} else {
			const struct placed *row = find_row(&c, code);
			ET_GROW(ops.options, ops.n_options, cap);
			ops.options[ops.n_options++] = row->option;
			rc = handle(row, argc, argv, err);
		}
	}
	if (rc == 0 && optind > 0 && optind <= argc && !strcmp(argv[optind - 1], "--")) {
		ops.after = argv + optind;
		ops.n_after = (size_t)(argc - optind);
	}
	free(c.rows);
	free(c.longs);
	free(c.shorts);
	if (rc) {
		et_operands_free(&ops);
		return rc;
	}
	*out = ops;
	return 0;
}

void et_operands_free(struct et_operands *ops)
{
	free(ops->before);
	free(ops->options);
	memset(ops, 0, sizeof(*ops));
}

/* Prints the words of text from column `from` on, wrapped at `width`. */
static void wrap(FILE *out, const char *text, int from, int width)
{
	int column = from;

	while (*text) {
		int len = (int)strcspn(text, " ");
		if (column > from && column + 1 + len > width) {
			fprintf(out, "\n%*s", from, "");
			column = from;
		} else if (column > from) {
			putc(' ', out);
			column++;
		}
		fwrite(text, 1, (size_t)len, out);
		column += len;
		text += len + (text[len] == ' ');
	}
	putc('\n', out);
}

void et_options_help(const struct et_option *table, FILE *out, int width)
{
	enum { COLUMN = 32 };

	for (const struct et_option *o = table; o->name; o++) {
		char left[128];

		if (o->group)
			fprintf(out, "\n  %s\n", o->group);
		const char *arg = has_arg(o) == optional_argument ? o->arg + 1
				  : o->arg                        ? o->arg
								  : "";
		const char *gap = !o->arg ? "" : arg > o->arg ? "[=" : " ";
		if (o->letter)
			snprintf(left, sizeof(left), "  -%c, --%s%s%s", o->letter, o->name, gap,
				arg);
		else
			snprintf(left, sizeof(left), "      --%s%s%s", o->name, gap, arg);
		int n = et_columns(left); /* an argument may be "N,N…" */
		fputs(left, out);
		if (n >= COLUMN - 1)
			putc('\n', out);
		fprintf(out, "%*s", n >= COLUMN - 1 ? COLUMN : COLUMN - n, "");
		wrap(out, o->help, COLUMN, width < 50 ? 50 : width);
	}
}

/* --- the setters: text in, one checked value out --- */

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

/* A whole number of the row's range; hi 0 stands for the most that the type of this size holds. */
static int set_whole(const struct et_option *o, void *ctx, const char *text, uint64_t most,
	size_t size, struct et_error *err)
{
	uint64_t value;
	int rc = et_parse_u64(ET_SHOWN(o), text, o->lo, o->hi ? o->hi : most, &value, err);

	if (rc == 0 && size == sizeof(uint32_t))
		*(uint32_t *)et_option_target(o, ctx) = (uint32_t)value;
	else if (rc == 0)
		*(uint64_t *)et_option_target(o, ctx) = value;
	return rc;
}

int et_set_u64(const struct et_option *o, void *ctx, char *const *args, struct et_error *err)
{
	return set_whole(o, ctx, args[0], UINT64_MAX, sizeof(uint64_t), err);
}

int et_set_u32(const struct et_option *o, void *ctx, char *const *args, struct et_error *err)
{
	return set_whole(o, ctx, args[0], UINT32_MAX, sizeof(uint32_t), err);
}

int et_set_size(const struct et_option *o, void *ctx, char *const *args, struct et_error *err)
{
	return set_whole(o, ctx, args[0], SIZE_MAX, sizeof(size_t), err);
}

int et_set_int(const struct et_option *o, void *ctx, char *const *args, struct et_error *err)
{
	return set_whole(o, ctx, args[0], INT32_MAX, sizeof(int), err);
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
	return et_hint(err, et_refuse(err, NULL, "--%s: unknown value '%s'", o->name, text),
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
	return et_parse_ratio(ET_SHOWN(o), args[0], et_option_target(o, ctx), err);
}

int et_set_probability(
	const struct et_option *o, void *ctx, char *const *args, struct et_error *err)
{
	return et_parse_probability(ET_SHOWN(o), args[0], et_option_target(o, ctx), err);
}

int et_set_percent(const struct et_option *o, void *ctx, char *const *args, struct et_error *err)
{
	return et_parse_percent(ET_SHOWN(o), args[0], et_option_target(o, ctx), err);
}
