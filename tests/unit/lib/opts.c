/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Limits of the options, growth of the struct, size of the cache, texts. */
#include "base/base.h"
#include "lib/time/cache.h"
#include "lib/time/kbest.h"
#include "tap.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>

/* The struct of a newer version, with a member that this one does not know. */
struct newer {
	struct etalon_kbest_opts o;
	uint64_t more;
};

static void growth(void)
{
	struct etalon_kbest_opts o, out;
	struct newer n;

	ok(etalon_kbest_opts_init(&o, sizeof(o)) == ETALON_OK && o.sz == sizeof(o) && o.k == 3,
		"opts: init fills in the defaults");
	ok(etalon_kbest_opts_init(&o, 0) == ETALON_BAD_SIZE, "opts: sz of 0 is refused");
	ok(etalon_kbest_opts_init(&o, 8) == ETALON_BAD_SIZE, "opts: sz of 8 is refused");
	ok(etalon_kbest_opts_init(&o, 1 << 20) == ETALON_BAD_SIZE, "opts: sz of 1 MiB is refused");
	ok(etalon_kbest_opts_init(NULL, sizeof(o)) == ETALON_BAD_SIZE, "opts: NULL is refused");
	n.more = 7;
	ok(etalon_kbest_opts_init(&n.o, sizeof(n)) == ETALON_OK && n.more == 0,
		"opts: unknown members of a newer caller are set to 0");
	ok(et_kbest_opts_complete(&n.o, &out) == ETALON_OK && out.k == 3,
		"opts: unknown members of 0 are accepted");
	n.more = 1;
	ok(et_kbest_opts_complete(&n.o, &out) == ETALON_BAD_SIZE,
		"opts: an unknown member that is set is refused");
	ok(et_kbest_opts_complete(NULL, &out) == ETALON_OK && out.epsilon == 0.001,
		"opts: NULL means the defaults");
}

static int with(struct etalon_kbest_opts o)
{
	struct etalon_kbest_opts out;

	return et_kbest_opts_complete(&o, &out);
}

static void borders(void)
{
	struct etalon_kbest_opts d, o;

	etalon_kbest_opts_init(&d, sizeof(d));
	ok(with(d) == ETALON_OK, "opts: the defaults are valid");
#define BAD(member, value, status)                                                                 \
	o = d;                                                                                     \
	o.member = value;                                                                          \
	ok(with(o) == status, "opts: " #member " of " #value " is refused")
	BAD(k, 0, ETALON_BAD_K);
	BAD(k, 65, ETALON_BAD_K);
	BAD(epsilon, -0.1, ETALON_BAD_EPSILON);
	BAD(epsilon, NAN, ETALON_BAD_EPSILON);
	BAD(epsilon, INFINITY, ETALON_BAD_EPSILON);
	BAD(max_samples, 2, ETALON_BAD_SAMPLES);
	BAD(cache, 3, ETALON_BAD_CACHE);
	BAD(cache, ETALON_CACHE_COLD_DATA, ETALON_BAD_CACHE); /* without other data */
	BAD(working_set_bytes, 64, ETALON_BAD_CACHE);
	BAD(working_set, &o, ETALON_BAD_CACHE);
	o = d;
	o.cache = ETALON_CACHE_COLD_DATA;
	o.other_arg = &o;
	ok(with(o) == ETALON_OK, "opts: cold data with another argument is accepted");
	o.other_arg = NULL;
	o.working_set = &d;
	o.working_set_bytes = sizeof(d);
	ok(with(o) == ETALON_OK, "opts: cold data with a working set is accepted");
	BAD(cache, -1, ETALON_BAD_CACHE);
	BAD(clock, 9, ETALON_BAD_CLOCK);
	BAD(priority, 2, ETALON_BAD_PRIORITY);
	BAD(sz, 0, ETALON_BAD_SIZE);
	BAD(sz, (size_t)-1, ETALON_BAD_SIZE);
#undef BAD
}

static void put(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	if (f) {
		fputs(text, f);
		fclose(f);
	}
}

static void cache(void)
{
	static const char *const folders[] = { "/sys", "/devices", "/system", "/cpu", "/cpu0",
		"/cache", "/index0" };
	char root[] = "/tmp/etalon-cache.XXXXXX", path[256];

	if (!mkdtemp(root)) {
		skip("cannot make a temporary folder");
		return;
	}
	ok(et_cache_bytes(root, NULL) == 0, "cache: no sysfs, no size");
	snprintf(path, sizeof(path), "%s", root);
	for (size_t i = 0; i < ET_LENGTH(folders); i++) {
		snprintf(path + strlen(path), sizeof(path) - strlen(path), "%s", folders[i]);
		mkdir(path, 0700);
	}
	snprintf(path + strlen(path), sizeof(path) - strlen(path), "/size");
	put(path, "49152K\n");
	ok(et_cache_bytes(root, NULL) == (size_t)48 << 20, "cache: a size in KiB is read");
	put(path, "3M\n");
	ok(et_cache_bytes(root, NULL) == (size_t)3 << 20, "cache: a size in MiB is read");
	put(path, "nonsense\n");
	ok(et_cache_bytes(root, NULL) == 0, "cache: text that is not a size gives 0");
	for (char *end = path + strlen(path); end > path + strlen(root); *end = '\0') {
		remove(path);
		while (*end != '/')
			end--;
	}
	remove(root);
}

static void sentences(void)
{
	bool all = true;

	for (int s = ETALON_OK; s >= ETALON_BAD_DURATION; s--)
		all &= strcmp(etalon_strerror(s), "unknown status") != 0;
	ok(all, "texts: every status has a sentence");
	is_str(etalon_strerror(-999), "unknown status", "texts: an unknown status has a sentence");
	for (unsigned bit = 1; bit <= ETALON_WARNING_CACHE_SIZE; bit <<= 1)
		all &= etalon_warning_text(bit)[0] != '\0';
	ok(all, "texts: every warning has a sentence");
	for (unsigned bit = 1; bit <= ETALON_WARNING_CACHE_SIZE; bit <<= 1)
		all &= strlen("  warning: ") + strlen(etalon_warning_text(bit)) <= 80;
	ok(all, "texts: every warning fits into 80 columns");
	is_str(etalon_warning_text(1u << 31), "", "texts: an unknown warning has no sentence");
}

int main(void)
{
	growth();
	borders();
	cache();
	sentences();
	return tap_done();
}
