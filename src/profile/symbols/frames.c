/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/symbols/frames.h"

#include <string.h>

/* How a pointer is encoded (DW_EH_PE_…). */
enum {
	PE_ABSOLUTE = 0x00,
	PE_UDATA2 = 0x02,
	PE_UDATA4 = 0x03,
	PE_UDATA8 = 0x04,
	PE_SDATA2 = 0x0a,
	PE_SDATA4 = 0x0b,
	PE_SDATA8 = 0x0c,
	PE_FORMAT = 0x0f,
	PE_RELATIVE = 0x10, /* to the address of the pointer itself */
	PE_BASE = 0x70,
	PE_OMITTED = 0xff,
};

/* A part of the section that is being read. Reading beyond its end gives 0 and `failed`. */
struct cursor {
	const struct et_frames *frames;
	size_t at, end;
	bool failed;
};

static uint64_t get(struct cursor *c, size_t width)
{
	uint64_t value = 0;

	if (c->failed || width > c->end - c->at) {
		c->failed = true;
		return 0;
	}
	for (size_t i = 0; i < width; i++) {
		size_t byte = c->frames->big_endian ? i : width - 1 - i;
		value = value << 8 | c->frames->bytes[c->at + byte];
	}
	c->at += width;
	return value;
}

static uint64_t get_leb(struct cursor *c)
{
	uint64_t value = 0;

	for (unsigned shift = 0; !c->failed; shift += 7) {
		uint64_t byte = get(c, 1);
		if (shift < 64)
			value |= (byte & 0x7f) << shift;
		if (!(byte & 0x80))
			break;
	}
	return value;
}

static uint64_t get_pointer(struct cursor *c, unsigned encoding)
{
	uint64_t here = c->frames->address + c->at, value = 0;

	switch (encoding & PE_FORMAT) {
	case PE_ABSOLUTE:
		value = get(c, c->frames->wide ? 8 : 4);
		break;
	case PE_UDATA2:
		value = get(c, 2);
		break;
	case PE_SDATA2:
		value = (uint64_t)(int16_t)get(c, 2);
		break;
	case PE_UDATA4:
		value = get(c, 4);
		break;
	case PE_SDATA4:
		value = (uint64_t)(int32_t)get(c, 4);
		break;
	case PE_UDATA8:
	case PE_SDATA8:
		value = get(c, 8);
		break;
	default:
		c->failed = true;
	}
	if ((encoding & PE_BASE) == PE_RELATIVE)
		value += here;
	else if (encoding & PE_BASE)
		c->failed = true; /* relative to something that no compiler uses here */
	return c->frames->wide ? value : (uint32_t)value;
}

/* Reads the head of an entry. Returns false at the end of the section. */
static bool get_entry(const struct et_frames *f, size_t at, struct cursor *out)
{
	struct cursor c = { .frames = f, .at = at, .end = f->size };
	uint64_t length = get(&c, 4);

	if (length == 0xffffffff)
		length = get(&c, 8);
	if (c.failed || !length || length > f->size - c.at)
		return false;
	*out = c;
	out->end = c.at + (size_t)length;
	return true;
}

/* Finds how the CIE at an offset encodes the addresses of its FDEs. */
static bool get_encoding(const struct et_frames *f, size_t at, unsigned *encoding)
{
	struct cursor c;

	if (!get_entry(f, at, &c) || get(&c, 4) != 0)
		return false;
	uint64_t version = get(&c, 1);
	const char *augmentation = (const char *)f->bytes + c.at;
	size_t length = strnlen(augmentation, c.end - c.at);
	if (c.failed || length == c.end - c.at)
		return false;
	c.at += length + 1;
	*encoding = PE_ABSOLUTE;
	if (augmentation[0] != 'z')
		return length == 0;
	get_leb(&c); /* alignment of code, of data */
	get_leb(&c);
	version == 1 ? get(&c, 1) : get_leb(&c); /* register of the return address */
	get_leb(&c);                             /* size of what follows */
	for (size_t i = 1; i < length && !c.failed; i++) {
		if (augmentation[i] == 'R') {
			*encoding = (unsigned)get(&c, 1);
			return !c.failed && *encoding != PE_OMITTED;
		}
		if (augmentation[i] == 'L')
			get(&c, 1);
		else if (augmentation[i] == 'P')
			get_pointer(&c, (unsigned)get(&c, 1) & ~(unsigned)PE_BASE);
	}
	return !c.failed;
}

/* The CIE that was read last: most FDEs share one. */
struct known {
	size_t at;
	unsigned encoding;
	bool valid;
};

static void add_range(struct cursor *c, struct known *cie, struct et_symbols *out)
{
	size_t here = c->at;
	uint64_t distance = get(c, 4); /* back to the CIE; 0: this is one */

	if (c->failed || !distance || distance > here)
		return;
	if (!cie->valid || cie->at != here - distance) {
		cie->at = here - (size_t)distance;
		cie->valid = get_encoding(c->frames, cie->at, &cie->encoding);
	}
	if (!cie->valid)
		return;
	struct et_symbol s = { .source = ET_SYMBOL_RANGE, .binding = ET_SYMBOL_LOCAL };
	s.start = get_pointer(c, cie->encoding);
	s.end = s.start + get_pointer(c, cie->encoding & PE_FORMAT);
	s.limit = s.end;
	if (!c->failed && s.end > s.start)
		et_symbols_add(out, &s, "");
}

void et_frames_ranges(const struct et_frames *f, struct et_symbols *out)
{
	struct known cie = { 0 };
	struct cursor c;

	for (size_t at = 0; get_entry(f, at, &c); at = c.end)
		add_range(&c, &cie, out);
}
