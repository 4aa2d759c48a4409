/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The calibration of INC. The file that is read back may hold anything, so its values are checked
 * against bounds. This module must not know where the user's files are; it is given the folder.
 */
#include "put/calibration.h"
#include "base/clock.h"
#include "base/sysroot.h"
#include "put/work.h"

#include <ctype.h>
#include <fcntl.h>
#include <jansson.h>
#include <sys/stat.h>
#include <sys/utsname.h>

enum {
	FILE_VERSION = 1,
	LARGEST_FILE = 1 << 16,
	MAX_MODELS = 256,
};

/* Bounds of a rate, in increments per second: no CPU is that slow or that fast. */
static const double slowest = 1e6, fastest = 1e12;

/* Copies the value of a line "key : value" of /proc/cpuinfo; unprintable bytes become '?'. */
static bool cpuinfo_field(const char *text, const char *key, char *buf, size_t size)
{
	size_t len = strlen(key), n = 0;

	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, key, len) || !isspace((unsigned char)line[len]))
			continue;
		const char *value = line + strcspn(line, ":\n");
		value += *value == ':';
		value += strspn(value, " \t");
		for (; *value && *value != '\n' && n + 1 < size; value++)
			buf[n++] = isprint((unsigned char)*value) ? *value : '?';
		buf[n] = '\0';
		return n > 0;
	}
	return false;
}

void et_cpu_model(const char *sysroot, char *buf, size_t size)
{
	char text[8192], vendor[32], part[32];
	struct utsname name;

	if (et_sysroot_read(sysroot, "/proc/cpuinfo", text, sizeof(text)) > 0) {
		if (cpuinfo_field(text, "model name", buf, size))
			return;
		if (cpuinfo_field(text, "CPU implementer", vendor, sizeof(vendor)) &&
			cpuinfo_field(text, "CPU part", part, sizeof(part))) {
			snprintf(buf, size, "implementer %s part %s", vendor, part);
			return;
		}
	}
	snprintf(buf, size, "%s", uname(&name) == 0 ? name.machine : "unknown");
}

static uint64_t block_ns(uint64_t n)
{
	uint64_t t0 = et_clock_read_ns(CLOCK_THREAD_CPUTIME_ID);

	if (et_inc(n) != n)
		return UINT64_MAX;
	return et_clock_read_ns(CLOCK_THREAD_CPUTIME_ID) - t0;
}

double et_calibrate_inc(void)
{
	enum { BLOCKS = 64, SHORTEST_NS = 1000000 };
	uint64_t n = 1 << 16, best = UINT64_MAX;

	while (block_ns(n) < SHORTEST_NS)
		n *= 2;
	for (int i = 0; i < BLOCKS; i++) {
		uint64_t ns = block_ns(n);
		if (ns < best)
			best = ns;
	}
	return (double)n * 1e9 / (double)best;
}

static int not_ours(const char *path, struct et_error *err)
{
	return et_fail(err, EBADMSG, ET_EXIT_OUTSIDE, "%s: not a calibration file of etalon", path);
}

/* Reads the whole file if it is a regular one. Links are refused; a FIFO must not block us. */
static int load_file(const char *path, json_t **out, struct et_error *err)
{
	ET_AUTO_FREE char *text = et_alloc(LARGEST_FILE);
	struct stat st;
	size_t len = 0;
	ssize_t n;

	ET_AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0 && (errno == ENOENT || errno == EACCES || errno == ENOTDIR))
		return et_fail_file(err, errno, ET_EXIT_OUTSIDE, path);
	if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || st.st_size > LARGEST_FILE)
		return not_ours(path, err);
	while (len < LARGEST_FILE && (n = read(fd, text + len, LARGEST_FILE - len)) > 0)
		len += (size_t)n;
	json_t *top = json_loadb(text, len, JSON_REJECT_DUPLICATES, NULL);
	if (!top)
		return not_ours(path, err);
	*out = top;
	return 0;
}

static bool valid(json_t *top)
{
	json_t *rates = json_object_get(top, "increments_per_second"), *rate;
	const char *cpu;

	if (json_integer_value(json_object_get(top, "etalon_inc")) != FILE_VERSION ||
		!json_is_object(rates) || json_object_size(rates) > MAX_MODELS)
		return false;
	json_object_foreach(rates, cpu, rate)
	{
		double value = json_number_value(rate);
		if (!(value >= slowest && value <= fastest))
			return false;
	}
	return true;
}

static int load(const char *path, json_t **out, struct et_error *err)
{
	json_t *top = NULL;
	int rc = load_file(path, &top, err);

	if (rc)
		return rc;
	if (!valid(top)) {
		json_decref(top);
		return not_ours(path, err);
	}
	*out = top;
	return 0;
}

int et_calibration_read(const char *dir, const char *cpu, double *rate, struct et_error *err)
{
	ET_AUTO_FREE char *path = et_asprintf("%s/inc.json", dir);
	json_t *top = NULL;
	int rc = load(path, &top, err);

	if (rc)
		return rc;
	json_t *found = json_object_get(json_object_get(top, "increments_per_second"), cpu);
	if (found)
		*rate = json_number_value(found);
	else
		rc = et_fail(err, ENOENT, ET_EXIT_OUTSIDE, "%s: no rate for %s", path, cpu);
	json_decref(top);
	return rc;
}

static int make_dirs(const char *dir, struct et_error *err)
{
	ET_AUTO_FREE char *path = et_strdup(dir);

	for (char *p = path + 1;; p++) {
		char c = *p;
		if (c && c != '/')
			continue;
		*p = '\0';
		if (mkdir(path, 0700) < 0 && errno != EEXIST)
			return et_fail_file(err, errno, ET_EXIT_OUTSIDE, path);
		*p = c;
		if (!c)
			return 0;
	}
}

static int replace(const char *path, const char *text, struct et_error *err)
{
	ET_AUTO_FREE char *temp = et_asprintf("%s.XXXXXX", path);
	size_t len = strlen(text);

	ET_AUTO_CLOSE int fd = mkostemp(temp, O_CLOEXEC); /* 0600 */
	if (fd < 0)
		return et_fail_file(err, errno, ET_EXIT_OUTSIDE, path);
	errno = ENOSPC; /* the cause of a short write */
	if (write(fd, text, len) == (ssize_t)len && fsync(fd) == 0 && rename(temp, path) == 0)
		return 0;
	int rc = et_fail_file(err, errno, ET_EXIT_OUTSIDE, path);
	unlink(temp);
	return rc;
}

int et_calibration_write(const char *dir, const char *cpu, double rate, struct et_error *err)
{
	ET_AUTO_FREE char *path = et_asprintf("%s/inc.json", dir);
	json_t *top = NULL;
	int rc = make_dirs(dir, err);

	if (rc)
		return rc;
	/* Keep the rates of other CPU models, because several machines may share a home directory,
	 * unless the file is not valid or full. */
	if (load(path, &top, NULL) ||
		json_object_size(json_object_get(top, "increments_per_second")) >= MAX_MODELS) {
		json_decref(top);
		top = json_pack("{s:i, s:{}}", "etalon_inc", FILE_VERSION, "increments_per_second");
	}
	bool added = json_object_set_new(json_object_get(top, "increments_per_second"), cpu,
			     json_real(rate)) == 0;
	ET_AUTO_FREE char *text =
		added ? json_dumps(top, JSON_INDENT(2) | JSON_REAL_PRECISION(10)) : NULL;
	json_decref(top);
	if (!text)
		return et_fail(err, EINVAL, ET_EXIT_OUTSIDE,
			"%s: the rate cannot be written as JSON", path);
	return replace(path, text, err);
}
