/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A machine in memory. The linker directs the functions that read /proc and /sys, and those that
 * open perf's ring buffers, to this file (--wrap). Without a tree they are the real ones.
 */
#include "base/base.h"
#include "base/sysroot.h"
#include "fuzz.h"
#include "measure/observe/perf_ring.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

enum { MOST_FILES = 512 };

static struct {
	const char *path, *data;
	size_t path_size, size;
} files[MOST_FILES];
static size_t n_files;
static bool active; /* the tree replaces the machine's files */
static bool silent; /* rings are set: /proc is empty */

void fuzz_tree_set(const char *text, size_t size)
{
	const char *end = size ? text + size : text;

	n_files = 0;
	active = text != NULL;
	for (const char *p = text; p < end && n_files < MOST_FILES;) {
		const char *newline = memchr(p, '\n', (size_t)(end - p));
		const char *next = newline ? newline + 1 : end;
		if (*p == '@') {
			files[n_files].path = p + 1;
			files[n_files].path_size = (size_t)((newline ? newline : end) - p) - 1;
			files[n_files].data = next;
			files[n_files++].size = 0;
		} else if (n_files) {
			files[n_files - 1].size += (size_t)(next - p);
		}
		p = next;
	}
}

/* The first file of that path, or -1. */
static int find_file(const char *path)
{
	size_t size = strlen(path);

	for (size_t i = 0; i < n_files; i++) {
		if (files[i].path_size == size && !memcmp(files[i].path, path, size))
			return (int)i;
	}
	return -1;
}

/* Whether file i is below the folder. */
static bool is_below(size_t i, const char *folder, size_t size)
{
	return files[i].path_size > size + 1 && !memcmp(files[i].path, folder, size) &&
	       files[i].path[size] == '/';
}

/* The linker does not compare types: these follow the headers. */

/* --- base/sysroot.h --- */

typeof(et_sysroot_read) __real_et_sysroot_read;
typeof(et_sysroot_read) __wrap_et_sysroot_read;
typeof(et_sysroot_line) __real_et_sysroot_line;
typeof(et_sysroot_line) __wrap_et_sysroot_line;
typeof(et_sysroot_link) __real_et_sysroot_link;
typeof(et_sysroot_link) __wrap_et_sysroot_link;
typeof(et_sysroot_exists) __real_et_sysroot_exists;
typeof(et_sysroot_exists) __wrap_et_sysroot_exists;
typeof(et_sysroot_names) __real_et_sysroot_names;
typeof(et_sysroot_names) __wrap_et_sysroot_names;

static ssize_t read_tree(const char *path, char *buf, size_t size)
{
	int i = find_file(path);

	if (i < 0)
		return -ENOENT;
	size_t n = files[i].size < size - 1 ? files[i].size : size - 1;
	memcpy(buf, files[i].data, n);
	buf[n] = '\0';
	return (ssize_t)n;
}

ssize_t __wrap_et_sysroot_read(const char *root, const char *path, char *buf, size_t size)
{
	if (silent)
		return -ENOENT;
	return active ? read_tree(path, buf, size) : __real_et_sysroot_read(root, path, buf, size);
}

ssize_t __wrap_et_sysroot_line(const char *root, const char *path, char *buf, size_t size)
{
	if (silent)
		return -ENOENT;
	if (!active)
		return __real_et_sysroot_line(root, path, buf, size);
	ssize_t n = read_tree(path, buf, size);
	if (n < 0)
		return n;
	buf[strcspn(buf, "\n")] = '\0';
	return (ssize_t)strlen(buf);
}

ssize_t __wrap_et_sysroot_link(const char *root, const char *path, char *buf, size_t size)
{
	if (!active)
		return __real_et_sysroot_link(root, path, buf, size);
	return __wrap_et_sysroot_line(root, path, buf, size);
}

bool __wrap_et_sysroot_exists(const char *root, const char *path)
{
	if (!active)
		return __real_et_sysroot_exists(root, path);
	for (size_t i = 0; i < n_files; i++) {
		if (is_below(i, path, strlen(path)))
			return true;
	}
	return find_file(path) >= 0;
}

static int by_version(const void *a, const void *b)
{
	return strverscmp(*(char *const *)a, *(char *const *)b);
}

char **__wrap_et_sysroot_names(const char *root, const char *path)
{
	size_t size = strlen(path), n = 0, kept = 0;

	if (!active && !silent)
		return __real_et_sysroot_names(root, path);
	char **names = et_calloc(MOST_FILES + 1, sizeof(*names));
	for (size_t i = 0; active && i < n_files; i++) {
		if (!is_below(i, path, size) || files[i].path[size + 1] == '.')
			continue;
		const char *name = files[i].path + size + 1;
		size_t most = files[i].path_size - size - 1;
		const char *slash = memchr(name, '/', most);
		names[n++] = et_strndup(name, slash ? (size_t)(slash - name) : most);
	}
	if (n)
		qsort(names, n, sizeof(*names), by_version);
	for (size_t i = 0; i < n; i++) {
		if (kept && !strcmp(names[kept - 1], names[i]))
			free(names[i]);
		else
			names[kept++] = names[i];
	}
	memset(names + kept, 0, (MOST_FILES + 1 - kept) * sizeof(*names));
	return names;
}

FILE *__real_fopen(const char *path, const char *mode);
FILE *__wrap_fopen(const char *path, const char *mode);
FILE *__real_fopen64(const char *path, const char *mode);
FILE *__wrap_fopen64(const char *path, const char *mode);

/* An empty stream cannot be made by fmemopen() in every C library. */
static FILE *open_tree(const char *path)
{
	int i = find_file(path);

	if (i < 0 || !files[i].size) {
		errno = ENOENT;
		return NULL;
	}
	return fmemopen((void *)files[i].data, files[i].size, "r");
}

FILE *__wrap_fopen(const char *path, const char *mode)
{
	return active ? open_tree(path) : __real_fopen(path, mode);
}

/* The name of fopen() in glibc if files may be larger than 2 GiB. */
FILE *__wrap_fopen64(const char *path, const char *mode)
{
	return active ? open_tree(path) : __real_fopen64(path, mode);
}

/* --- measure/observe/perf_ring.h --- */

enum { PAGE = 4096, RING = 16384, MOST_RINGS = 2 };

static const uint8_t *ring_data;
static size_t ring_size, n_rings;
static _Alignas(PAGE) char ring_memory[MOST_RINGS][PAGE + RING];

typeof(et_perf_ring_open) __real_et_perf_ring_open;
typeof(et_perf_ring_open) __wrap_et_perf_ring_open;
typeof(et_perf_ring_close) __real_et_perf_ring_close;
typeof(et_perf_ring_close) __wrap_et_perf_ring_close;

void fuzz_rings_set(const uint8_t *data, size_t size)
{
	ring_data = data;
	ring_size = size;
	n_rings = 0;
	silent = data != NULL;
}

/*
 * The first byte of the input shares the other bytes between the rings. The records of a ring
 * begin near its end, so that they wrap around.
 */
static void fill_ring(char *memory, size_t number)
{
	size_t half = ring_size ? (ring_size - 1) * ring_data[0] / 255 : 0;
	size_t from = number ? half : 0, n = (number ? ring_size - (ring_size > 0) : half) - from;
	struct perf_event_mmap_page *page = (struct perf_event_mmap_page *)memory;
	size_t at = RING - 512;

	memset(memory, 0, PAGE + RING);
	n = n < RING ? n : RING;
	for (size_t i = 0; i < n; i++)
		memory[PAGE + (at + i) % RING] = (char)ring_data[1 + from + i];
	page->data_offset = PAGE;
	page->data_tail = at;
	page->data_head = at + n;
}

int __wrap_et_perf_ring_open(const struct perf_event_attr *attr, int whose, int cpu,
	unsigned long flags, size_t capacity_bytes, struct et_perf_ring *out)
{
	if (!ring_data)
		return __real_et_perf_ring_open(attr, whose, cpu, flags, capacity_bytes, out);
	if (n_rings == MOST_RINGS)
		return -ENODEV; /* a CPU that is offline */
	fill_ring(ring_memory[n_rings], n_rings);
	*out = (struct et_perf_ring){
		.fd = -1, .page = (struct perf_event_mmap_page *)ring_memory[n_rings], .size = RING
	};
	n_rings++;
	return 0;
}

void __wrap_et_perf_ring_close(struct et_perf_ring *r)
{
	if (r->fd >= 0)
		__real_et_perf_ring_close(r);
}
