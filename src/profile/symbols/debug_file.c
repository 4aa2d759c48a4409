/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/symbols/debug_file.h"
#include "base/alloc.h"

#ifdef ET_HAVE_DW

#include <string.h>

/* Larger files are not checked, and not used unless they have a build id. */
#define MOST_CHECKED (UINT64_C(1) << 30)

/* The CRC-32 of IEEE 802.3, bit by bit with a table of 16: .gnu_debuglink has it. */
static uint32_t crc_of(uint32_t crc, const unsigned char *bytes, size_t n)
{
	static const uint32_t table[16] = { 0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac,
		0x76dc4190, 0x6b6b51f4, 0x4db26158, 0x5005713c, 0xedb88320, 0xf00f9344, 0xd6d6a3e8,
		0xcb61b38c, 0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c };

	crc = ~crc;
	for (size_t i = 0; i < n; i++) {
		crc ^= bytes[i];
		crc = table[crc & 15] ^ (crc >> 4);
		crc = table[crc & 15] ^ (crc >> 4);
	}
	return ~crc;
}

static bool has_crc(const struct et_elf *e, uint32_t wanted)
{
	unsigned char buf[16384];
	uint64_t at = 0;
	uint32_t crc = 0;

	if (e->size > MOST_CHECKED)
		return false;
	for (ssize_t n; (n = pread(e->fd, buf, sizeof(buf), (off_t)at)) > 0; at += (uint64_t)n)
		crc = crc_of(crc, buf, (size_t)n);
	return at == e->size && crc == wanted;
}

/* The properties by which the debug file of a file is found. */
struct link {
	struct et_build_id id; /* empty: it has none */
	char name[256];        /* "": it has no link */
	uint32_t crc;
};

static void read_link(const struct et_elf *e, struct link *out)
{
	*out = (struct link){ 0 };
	if (!et_elf_build_id(e, &out->id))
		out->id.size = 0;
	const Elf_Data *data = et_elf_section(e, et_elf_find(e, ".gnu_debuglink"), SHT_PROGBITS);
	if (!data)
		return;
	size_t length = strnlen(data->d_buf, data->d_size), at = (length + 4) & ~(size_t)3;
	if (!length || length >= sizeof(out->name) || memchr(data->d_buf, '/', length) ||
		data->d_size < at + 4)
		return;
	memcpy(out->name, data->d_buf, length);
	/* In the byte order of the file, as all that we can profile: our own. */
	memcpy(&out->crc, (const char *)data->d_buf + at, 4);
}

/* Opens the path, which is freed, if it is the debug file. */
static bool try(char *path, const struct link *l, struct et_elf *out)
{
	enum et_object_state state = et_elf_open(path, out);

	free(path);
	if (state != ET_OBJECT_READ)
		return false;
	if (l->id.size ? et_elf_has_build_id(out, &l->id) : has_crc(out, l->crc))
		return true;
	et_elf_close(out);
	return false;
}

static bool try_id(const char *root, const struct link *l, struct et_elf *out)
{
	char *path;

	if (l->id.size < 2)
		return false;
	path = et_asprintf("%s/usr/lib/debug/.build-id/%02x/", root, l->id.bytes[0]);
	for (size_t i = 1; i < l->id.size; i++)
		et_append(&path, "", "%02x", l->id.bytes[i]);
	et_append(&path, "", ".debug");
	return try(path, l, out);
}

bool et_debug_file_open(
	const char *root, const char *path, const struct et_elf *file, struct et_elf *out)
{
	const char *slash = strrchr(path, '/');
	struct link l;

	read_link(file, &l);
	if (try_id(root, &l, out))
		return true;
	if (!*l.name || !slash)
		return false;
	int folder = (int)(slash - path);
	return try(et_asprintf("%.*s/%s", folder, path, l.name), &l, out) ||
	       try(et_asprintf("%.*s/.debug/%s", folder, path, l.name), &l, out) ||
	       try(et_asprintf("%s/usr/lib/debug%.*s/%s", root, folder, path, l.name), &l, out);
}

#endif
