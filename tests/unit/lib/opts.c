/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Borders of the options, growth of the struct, the cache's size. */
#include "base/attr.h"
#include "lib/cache.h"
#include "lib/kbest.h"
#include "tap.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>

/* A caller from the future: more members behind ours. */
struct newer {
	struct etalon_kbest_opts o;
	uint64_t more;
};

static void growth(void)
{
	struct etalon_kbest_opts o, out;
	struct newer n;

	ok(etalon_kbest_opts_init(&o, sizeof(o)) == ETALON_OK && o.sz == sizeof(o) && o.k == 3,
		"defaults");
	ok(etalon_kbest_opts_init(&o, 0) == ETALON_BAD_SIZE, "no size");
	ok(etalon_kbest_opts_init(&o, 8) == ETALON_BAD_SIZE, "a size too small");
	ok(etalon_kbest_opts_init(&o, 1 << 20) == ETALON_BAD_SIZE, "one far too large");
	ok(etalon_kbest_opts_init(NULL, sizeof(o)) == ETALON_BAD_SIZE, "no options");
	n.more = 7;
	ok(etalon_kbest_opts_init(&n.o, sizeof(n)) == ETALON_OK && n.more == 0,
		"a newer caller's are 0");
	ok(et_kbest_opts_complete(&n.o, &out) == ETALON_OK && out.k == 3, "and taken");
	n.more = 1;
	ok(et_kbest_opts_complete(&n.o, &out) == ETALON_BAD_SIZE,
		"unless one is set that we do not know");
	ok(et_kbest_opts_complete(NULL, &out) == ETALON_OK && out.epsilon == 0.001,
		"none: defaults");
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
	ok(with(d) == ETALON_OK, "defaults are good");
#define BAD(member, value, status)                                                                 \
	o = d;                                                                                     \
	o.member = value;                                                                          \
	ok(with(o) == status, #member " of " #value)
	BAD(k, 0, ETALON_BAD_K);
	BAD(k, 65, ETALON_BAD_K);
	BAD(epsilon, -0.1, ETALON_BAD_EPSILON);
	BAD(epsilon, NAN, ETALON_BAD_EPSILON);
	BAD(epsilon, INFINITY, ETALON_BAD_EPSILON);
	BAD(max_samples, 2, ETALON_BAD_SAMPLES);
	BAD(cache, 2, ETALON_BAD_CACHE);
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
		skip("no folder for a tree");
		return;
	}
	ok(et_cache_bytes(root) == 0, "no tree, no size");
	snprintf(path, sizeof(path), "%s", root);
	for (size_t i = 0; i < ET_LENGTH(folders); i++) {
		snprintf(path + strlen(path), sizeof(path) - strlen(path), "%s", folders[i]);
		mkdir(path, 0700);
	}
	snprintf(path + strlen(path), sizeof(path) - strlen(path), "/size");
	put(path, "49152K\n");
	ok(et_cache_bytes(root) == (size_t)48 << 20, "kibibytes");
	put(path, "3M\n");
	ok(et_cache_bytes(root) == (size_t)3 << 20, "mebibytes");
	put(path, "nonsense\n");
	ok(et_cache_bytes(root) == 0, "nonsense is no size");
	for (char *end = path + strlen(path); end > path + strlen(root); *end = '\0') {
		remove(path);
		while (*end != '/')
			end--;
	}
	remove(root);

	unsigned char memory[4096];
	memset(memory, 7, sizeof(memory));
	et_cache_clear(memory, sizeof(memory));
	size_t touched = 0;
	for (size_t i = 0; i < sizeof(memory); i += 64)
		touched += memory[i] != 7;
	ok(touched == sizeof(memory) / 64, "every line is written");
}

static void sentences(void)
{
	bool all = true;

	for (int s = ETALON_OK; s >= ETALON_BAD_PRIORITY; s--)
		all &= strcmp(etalon_strerror(s), "unknown status") != 0;
	ok(all, "a sentence for each status");
	is_str(etalon_strerror(-999), "unknown status", "and one for the rest");
	for (unsigned bit = 1; bit <= ETALON_WARNING_CACHE_SIZE; bit <<= 1)
		all &= etalon_warning_text(bit)[0] != '\0';
	ok(all, "a sentence for each doubt");
	for (unsigned bit = 1; bit <= ETALON_WARNING_CACHE_SIZE; bit <<= 1)
		all &= strlen("  warning: ") + strlen(etalon_warning_text(bit)) <= 80;
	ok(all, "that fits a line");
	is_str(etalon_warning_text(1u << 31), "", "and none for the rest");
}

int main(void)
{
	growth();
	borders();
	cache();
	sentences();
	return tap_done();
}
