/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lib/cache.h"
#include "base/sysroot.h"

#include <string.h>

enum { INDICES = 8, LINE = 32 }; /* LINE: no processor has shorter cache lines */

/* Parses "48M", "1280K" or "512"; returns 0 for anything else. */
static size_t size_of(const char *text)
{
	char *end;
	size_t n = strtoul(text, &end, 10);

	if (end == text)
		return 0;
	if (*end == 'K')
		return n << 10;
	if (*end == 'M')
		return n << 20;
	return *end ? 0 : n;
}

size_t et_cache_bytes(const char *root)
{
	size_t largest = 0;

	for (int i = 0; i < INDICES; i++) {
		char path[96], text[32];

		snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu0/cache/index%d/size", i);
		if (et_sysroot_line(root, path, text, sizeof(text)) <= 0)
			continue;
		size_t n = size_of(text);
		largest = n > largest ? n : largest;
	}
	return largest;
}

void et_cache_clear(void *memory, size_t bytes)
{
	volatile unsigned char *p = memory;

	for (size_t i = 0; i < bytes; i += LINE)
		p[i]++;
}
