/* SPDX-License-Identifier: MIT */
/*
 * Where results come from (the machine, the program and the library), and whether the times of a
 * baseline can be compared with new ones.
 */
#include "base/alloc.h"
#include "base/display.h"
#include "base/hash.h"
#include "base/parse.h"
#include "base/sysroot.h"
#include "lib/bench/output.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

enum { MOST_VALUE = 100 };

/* How the program was compiled, as it told us. */
static struct {
	const char *compiler, *flags;
	bool optimised;
} build;

void etalon_build(const char *compiler, const char *flags, int optimised)
{
	build.compiler = compiler;
	build.flags = flags;
	build.optimised = optimised != 0;
}

static char *copy(const char *text)
{
	return text ? et_strdup(text) : NULL;
}

/* Returns the value of the first line "key : value", or NULL. The caller frees it. */
static char *field(const char *text, const char *key)
{
	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, key, strlen(key)) != 0)
			continue;
		const char *value = line + strcspn(line, ":\n");
		if (*value != ':')
			continue;
		value += 1 + strspn(value + 1, " \t");
		return et_strndup(value, strcspn(value, "\n"));
	}
	return NULL;
}

static char *cpu_model(const char *root)
{
	enum { BYTES = 16384 }; /* enough for the entry of the first CPU */
	ET_AUTO_FREE char *text = et_alloc(BYTES);

	if (et_sysroot_read(root, "/proc/cpuinfo", text, BYTES) <= 0)
		return NULL;
	char *model = field(text, "model name");
	return model ? model : field(text, "CPU part");
}

static unsigned online_cpus(const char *root)
{
	char list[512];
	cpu_set_t set;
	long n;

	if (et_sysroot_line(root, "/sys/devices/system/cpu/online", list, sizeof(list)) > 0 &&
		et_parse_cpus("online", list, &set, NULL) == 0)
		return (unsigned)CPU_COUNT(&set);
	n = sysconf(_SC_NPROCESSORS_ONLN);
	return n > 0 ? (unsigned)n : 1;
}

/*
 * A number that tells machines apart. The id itself stays secret, as machine-id(5) asks: the hash
 * includes the name of this use.
 */
static char *machine_id(const char *root)
{
	char id[128], text[192];

	if (et_sysroot_line(root, "/etc/machine-id", id, sizeof(id)) <= 0)
		return NULL;
	snprintf(text, sizeof(text), "libetalon %s", id);
	return et_asprintf("%016" PRIx64, et_hash_text(text));
}

static double load(const char *root)
{
	char text[128], *end;

	if (et_sysroot_line(root, "/proc/loadavg", text, sizeof(text)) <= 0)
		return NAN;
	double x = strtod(text, &end);
	return end != text && isfinite(x) && x >= 0 ? x : NAN;
}

/* RFC 3339, in UTC. */
static char *date(void)
{
	time_t now = time(NULL);
	struct tm tm;
	char text[32];

	if (!gmtime_r(&now, &tm) || !strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &tm))
		return NULL;
	return et_strdup(text);
}

void et_bench_context_collect(const char *root, const char *program, struct et_bench_context *out)
{
	struct utsname names = { 0 };
	char release[128];

	memset(out, 0, sizeof(*out));
	(void)uname(&names); /* fails on a bad address only */
	if (et_sysroot_line(root, "/proc/sys/kernel/osrelease", release, sizeof(release)) <= 0)
		snprintf(release, sizeof(release), "%.100s", names.release);
	out->date = date();
	out->host = et_strdup(names.nodename);
	out->kernel = et_strdup(release);
	out->cpu = cpu_model(root);
	out->cpus = online_cpus(root);
	out->machine_id = machine_id(root);
	out->version = et_strdup(etalon_version());
	out->program = copy(program);
	out->compiler = copy(build.compiler);
	out->flags = copy(build.flags);
	out->optimised = build.optimised;
	out->load = load(root);
	out->hz = NAN;
}

void et_bench_context_free(struct et_bench_context *c)
{
	free(c->date);
	free(c->host);
	free(c->kernel);
	free(c->cpu);
	free(c->compiler);
	free(c->flags);
	free(c->version);
	free(c->program);
	free(c->machine_id);
	memset(c, 0, sizeof(*c));
}

/* --- comparable times --- */

void et_bench_note(struct et_bench_results *r, const char *fmt, ...)
{
	va_list ap;

	r->notes = et_realloc(r->notes, r->n_notes + 1, sizeof(*r->notes));
	va_start(ap, fmt);
	r->notes[r->n_notes++] = et_vasprintf(fmt, ap);
	va_end(ap);
}

static bool differ(const char *a, const char *b)
{
	return a && b && strcmp(a, b) != 0;
}

static int other(
	struct et_error *err, const char *path, const char *what, const char *was, const char *hint)
{
	ET_AUTO_FREE char *clean = et_clean(was, ""), *text = et_shorten(clean, MOST_VALUE);

	return et_refuse(err, hint, "%.150s: the functions were timed with %s%s", path, what, text);
}

/* Times of another cache, another kind of time or another processor differ whatever the code. */
static int check_same(const char *path, const struct et_bench_results *r,
	const struct et_bench_results *old, struct et_error *err)
{
	int clock = old->options.kbest.clock, now = r->options.kbest.clock;

	if (r->options.kbest.cache != old->options.kbest.cache)
		return other(err, path,
			"another cache: ", et_bench_cache_names[old->options.kbest.cache],
			old->options.kbest.cache == ETALON_CACHE_COLD ? "use --cold"
								      : "omit --cold");
	if ((clock == ETALON_CLOCK_CPU) != (now == ETALON_CLOCK_CPU))
		return other(err, path, "another clock: ", et_bench_clock_names[clock],
			clock == ETALON_CLOCK_CPU ? "use --clock cpu" : "omit --clock cpu");
	if (old->google && old->context.version)
		return et_refuse(err, "give --baseline a file that --json wrote",
			"%.150s: --google-json wrote it, without samples", path);
	if (differ(r->context.cpu, old->context.cpu))
		return other(err, path, "another processor: ", old->context.cpu,
			"write a baseline on this machine; `etalon compare` compares machines");
	return 0;
}

static void note_build(
	const char *path, struct et_bench_results *r, const struct et_bench_results *old)
{
	const struct et_bench_context *a = &r->context, *b = &old->context;

	if (differ(a->version, b->version))
		et_bench_note(r, "%s is from libetalon %s: write a new baseline", path, b->version);
	if (differ(a->compiler, b->compiler) || differ(a->flags, b->flags))
		et_bench_note(r, "%s is of a program that was compiled otherwise (%s%s%s)", path,
			b->compiler ? b->compiler : "", b->flags ? " " : "",
			b->flags ? b->flags : "");
	if (!old->google && !r->options.kbest.compensate != !old->options.kbest.compensate)
		et_bench_note(r, "%s was written with%s compensation of interrupts", path,
			old->options.kbest.compensate ? "" : "out");
}

int et_bench_comparable(const char *path, struct et_bench_results *r,
	const struct et_bench_results *old, struct et_error *err)
{
	const struct et_bench_context *a = &r->context, *b = &old->context;
	int rc = check_same(path, r, old, err);

	if (rc)
		return rc;
	if (old->google && !r->options.statistic) {
		r->options.statistic = 1 + ET_BENCH_MEAN;
		et_bench_note(
			r, "%s has means, which include interruptions: so has this table", path);
	}
	if (differ(a->machine_id, b->machine_id) || (old->google && differ(a->host, b->host)))
		et_bench_note(r, "%s is from another machine (%s): write a baseline on this one",
			path, b->host ? b->host : "unknown");
	else if (differ(a->kernel, b->kernel))
		et_bench_note(
			r, "%s is from another kernel (%s): write a new baseline", path, b->kernel);
	note_build(path, r, old);
	return 0;
}
