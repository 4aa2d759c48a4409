/* SPDX-License-Identifier: MIT */
#include "base/parse.h"
#include "base/memstream.h"

#include <ctype.h>

int et_parse_u64(const char *what, const char *text, uint64_t lo, uint64_t hi, uint64_t *out,
	struct et_error *err)
{
	char *end;

	errno = 0;
	unsigned long long value = strtoull(text, &end, 10);
	bool negative = text[0] == '-'; /* strtoull would wrap it around */
	if (!isdigit((unsigned char)text[negative]) || *end)
		return et_refuse(err, NULL, "%s: '%s' is not a whole number", what, text);
	if (hi == UINT64_MAX && !errno && (negative || value < lo))
		return et_fail(
			err, ERANGE, ET_EXIT_USAGE, "%s: %s is below %" PRIu64, what, text, lo);
	if (errno || negative || value < lo || value > hi)
		return et_fail(err, ERANGE, ET_EXIT_USAGE,
			"%s: %s is not between %" PRIu64 " and %" PRIu64, what, text, lo, hi);
	*out = value;
	return 0;
}

int et_parse_i64(const char *what, const char *text, int64_t lo, int64_t hi, int64_t *out,
	struct et_error *err)
{
	char *end;

	errno = 0;
	long long value = strtoll(text, &end, 10);
	if (end == text || *end || isspace((unsigned char)text[0]))
		return et_refuse(err, NULL, "%s: '%s' is not a whole number", what, text);
	if (errno || value < lo || value > hi)
		return et_fail(err, ERANGE, ET_EXIT_USAGE,
			"%s: %s is not between %" PRId64 " and %" PRId64, what, text, lo, hi);
	*out = value;
	return 0;
}

/* strtod, but without leading space, hexadecimal numbers, inf, nan, and numbers that become 0. */
static bool plain_double(const char *text, double *value, char **end)
{
	const char *digits = text + (text[0] == '+' || text[0] == '-');

	if (!isdigit((unsigned char)digits[0]) && digits[0] != '.')
		return false;
	if (digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X'))
		return false;
	errno = 0;
	*value = strtod(text, end);
	return *end != text && isfinite(*value) && !(errno == ERANGE && *value == 0);
}

int et_parse_double(const char *what, const char *text, double *out, struct et_error *err)
{
	double value;
	char *end;

	if (!plain_double(text, &value, &end) || *end)
		return et_refuse(err, NULL, "%s: '%s' is not a number", what, text);
	*out = value;
	return 0;
}

int et_parse_duration(const char *what, const char *text, uint64_t *out_ns, struct et_error *err)
{
	static const struct {
		const char *name;
		double ns;
	} units[] = { { "", 1e9 }, { "ns", 1 }, { "us", 1e3 }, { "µs", 1e3 }, { "ms", 1e6 },
		{ "s", 1e9 }, { "m", 60e9 }, { "min", 60e9 }, { "h", 3600e9 }, { "d", 86400e9 } };
	double value;
	char *end;

	if (plain_double(text, &value, &end)) {
		for (size_t i = 0; i < ET_LENGTH(units); i++) {
			if (strcmp(end, units[i].name))
				continue;
			double ns = value * units[i].ns;
			if (!(ns >= 1 && ns < 9e18))
				return et_fail(err, ERANGE, ET_EXIT_USAGE,
					"%s: '%s' is not a duration above 0 and below 290 years",
					what, text);
			*out_ns = (uint64_t)llround(ns);
			return 0;
		}
	}
	return et_refuse(err, "write a number with a unit: 200us, 50ms, 2s, 5m, 1h",
		"%s: '%s' is not a duration", what, text);
}

int et_parse_ratio(const char *what, const char *text, double *out, struct et_error *err)
{
	double value;
	char *end;
	bool number = plain_double(text, &value, &end);

	if (number && !strcmp(end, "%"))
		value /= 100;
	else if (!number || *end)
		return et_refuse(
			err, "write 1% or 0.01", "%s: '%s' is not a proportion", what, text);
	if (!(value > 0))
		return et_fail(err, ERANGE, ET_EXIT_USAGE, "%s: %s is not above 0", what, text);
	if (value >= 1 && !strchr(text, '%'))
		return et_hint(err,
			et_fail(err, ERANGE, ET_EXIT_USAGE, "%s: %s means %g %%", what, text,
				100 * value),
			"write %s%% for per cent, or a proportion below 1", text);
	*out = value;
	return 0;
}

static int cpu_error(const char *what, const char *text, struct et_error *err)
{
	return et_refuse(err, "write a list such as 0-3,6; the first CPU is 0",
		"%s: '%s' is not a list of CPUs", what, text);
}

int et_parse_percent(const char *what, const char *text, double *out, struct et_error *err)
{
	double percent = 0;
	char *end;

	if (text && (!plain_double(text, &percent, &end) || *(end + (*end == '%'))))
		return et_refuse(err, NULL, "%s: '%s' is not a percentage", what, text);
	if (percent < 0)
		return et_fail(err, ERANGE, ET_EXIT_USAGE, "%s: %s is below 0", what, text);
	*out = percent / 100;
	return 0;
}

int et_parse_probability(const char *what, const char *text, double *out, struct et_error *err)
{
	double value = 0; /* gcc 14 does not see that it is set */
	int rc = et_parse_double(what, text, &value, err);

	if (rc)
		return rc;
	if (!(value > 0 && value < 1)) {
		rc = et_fail(
			err, ERANGE, ET_EXIT_USAGE, "%s: %s is not between 0 and 1", what, text);
		return value > 1 && value < 100 ? et_hint(err, rc, "write %g", value / 100) : rc;
	}
	*out = value;
	return 0;
}

int et_parse_cpus(const char *what, const char *text, cpu_set_t *out, struct et_error *err)
{
	cpu_set_t set;
	const char *p = text;

	CPU_ZERO(&set);
	do {
		char *end;
		if (!isdigit((unsigned char)*p))
			return cpu_error(what, text, err);
		unsigned long lo = strtoul(p, &end, 10), hi = lo;
		if (*end == '-') {
			p = end + 1;
			if (!isdigit((unsigned char)*p))
				return cpu_error(what, text, err);
			hi = strtoul(p, &end, 10);
		}
		if (lo > hi || hi >= CPU_SETSIZE)
			return cpu_error(what, text, err);
		for (unsigned long cpu = lo; cpu <= hi; cpu++)
			CPU_SET(cpu, &set);
		p = end;
	} while (*p++ == ',');
	if (p[-1])
		return cpu_error(what, text, err);
	*out = set;
	return 0;
}

const char *et_format_cpus(const cpu_set_t *set, char *buf, size_t size)
{
	size_t len = 0;

	buf[0] = '\0';
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET(cpu, set))
			continue;
		int last = cpu;
		while (last + 1 < CPU_SETSIZE && CPU_ISSET(last + 1, set))
			last++;
		const char *comma = len ? "," : "";
		int n = cpu == last ? snprintf(buf + len, size - len, "%s%d", comma, cpu)
				    : snprintf(buf + len, size - len, "%s%d-%d", comma, cpu, last);
		if (n < 0 || (size_t)n >= size - len)
			break;
		len += (size_t)n;
		cpu = last;
	}
	return buf;
}

int et_check_cpus(const cpu_set_t *asked, const cpu_set_t *allowed, struct et_error *err)
{
	char list[256];

	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET(cpu, asked) || CPU_ISSET(cpu, allowed))
			continue;
		int rc = cpu >= sysconf(_SC_NPROCESSORS_CONF)
				 ? et_refuse(err, NULL, "--cpu: there is no CPU %d", cpu)
				 : et_refuse(err, NULL,
					   "--cpu: CPU %d is offline or not allowed for this "
					   "process",
					   cpu);
		return et_hint(err, rc, "use CPUs of this list: %s",
			et_format_cpus(allowed, list, sizeof(list)));
	}
	return 0;
}

bool et_list_has(const char *list, const char *separators, const char *word, size_t len)
{
	for (const char *p = list; *p; p += strspn(p, separators)) {
		size_t n = strcspn(p, separators);
		if (n == len && !memcmp(p, word, n))
			return true;
		p += n;
	}
	return false;
}

struct words {
	char **argv;
	size_t n, cap;
	char *word; /* the word being built, at most as long as the text */
	size_t len;
	bool open;
};

static void end_word(struct words *w)
{
	if (!w->open)
		return;
	ET_GROW(w->argv, w->n, w->cap);
	w->argv[w->n++] = et_strndup(w->word, w->len);
	w->len = 0;
	w->open = false;
}

/* Reads the quoted text that begins at p. Returns the place after it, or NULL if unclosed. */
static const char *take_quoted(struct words *w, const char *p)
{
	char quote = *p++;

	w->open = true;
	for (; *p && *p != quote; p++) {
		if (quote == '"' && *p == '\\' && p[1] && strchr("\"\\$`", p[1]))
			p++;
		w->word[w->len++] = *p;
	}
	return *p ? p + 1 : NULL;
}

int et_split_words(const char *text, char ***out, struct et_error *err)
{
	struct words w = { .word = et_alloc(strlen(text) + 1) };
	const char *p = text;

	while (p && *p) {
		if (isspace((unsigned char)*p)) {
			end_word(&w);
			p++;
		} else if (*p == '\'' || *p == '"') {
			p = take_quoted(&w, p);
		} else {
			if (*p == '\\' && p[1])
				p++;
			w.open = true;
			w.word[w.len++] = *p++;
		}
	}
	end_word(&w);
	free(w.word);
	ET_GROW(w.argv, w.n, w.cap);
	w.argv[w.n] = NULL;
	if (p && w.n) {
		*out = w.argv;
		return 0;
	}
	et_strv_free(w.argv);
	if (!p)
		return et_refuse(err,
			"close the quote, or give the command as separate words after --",
			"unbalanced quotes in: %s", text);
	return et_refuse(err, NULL, "the command is empty");
}

char **et_strv_of(const char *first, ...)
{
	size_t n = 1;
	va_list args;

	va_start(args, first);
	while (va_arg(args, const char *))
		n++;
	va_end(args);
	char **argv = et_calloc(n + 1, sizeof(*argv));
	argv[0] = et_strdup(first);
	va_start(args, first);
	for (size_t i = 1; i < n; i++)
		argv[i] = et_strdup(va_arg(args, const char *));
	va_end(args);
	return argv;
}

void et_strv_free(char **argv)
{
	for (char **p = argv; p && *p; p++)
		free(*p);
	free(argv);
}

size_t et_strv_length(char *const *argv)
{
	size_t n = 0;

	while (argv && argv[n])
		n++;
	return n;
}

char *et_join_words(char *const *argv)
{
	struct et_memstream text;
	FILE *f = et_memstream_open(&text);

	for (char *const *p = argv; *p; p++) {
		if (p != argv)
			putc(' ', f);
		if (**p && strspn(*p, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "0123456789_-+=./:,@%^{}") == strlen(*p)) {
			fputs(*p, f);
			continue;
		}
		putc('\'', f);
		for (const char *c = *p; *c; c++) {
			if (*c == '\'')
				fputs("'\\''", f);
			else
				putc(*c, f);
		}
		putc('\'', f);
	}
	return et_memstream_close(&text);
}
