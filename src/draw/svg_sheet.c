/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "draw/svg_sheet.h"
#include "base/alloc.h"
#include "base/memstream.h"
#include "draw/xml.h"

enum { LINE = 24, MARGIN = 18 };

/* The height of the sheet is in its first line, so everything else waits in memory. */
struct et_svg_sheet {
	struct et_memstream memory;
	FILE *body;
	int width;
	int x, y;   /* where the next chart is placed */
	int height; /* of the row of charts at y */
};

struct et_svg_sheet *et_svg_sheet_new(int width)
{
	struct et_svg_sheet *s = et_calloc(1, sizeof(*s));

	s->width = width;
	s->body = et_memstream_open(&s->memory);
	return s;
}

static void end_row(struct et_svg_sheet *s)
{
	s->y += s->height;
	s->x = s->height = 0;
}

void et_svg_sheet_add(struct et_svg_sheet *s, const struct et_chart *c)
{
	if (s->x && s->x + c->width > s->width)
		end_row(s);
	fprintf(s->body, "<g transform=\"translate(%d %d)\">\n", s->x, s->y);
	et_svg_embed(c, s->body);
	fputs("</g>\n", s->body);
	s->x += c->width;
	s->height = c->height > s->height ? c->height : s->height;
}

void et_svg_sheet_text(struct et_svg_sheet *s, bool heading, const char *text)
{
	end_row(s);
	s->y += LINE;
	fprintf(s->body, "<text%s x=\"%d\" y=\"%d\">", heading ? " class=\"tt\"" : "", MARGIN,
		s->y - LINE / 4);
	et_xml_text(s->body, text);
	fputs("</text>\n", s->body);
}

void et_svg_sheet_write(struct et_svg_sheet *s, const char *title, FILE *out)
{
	end_row(s);
	ET_AUTO_FREE char *text = et_memstream_close(&s->memory);
	fprintf(out,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		"<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"et\" role=\"img\" width=\"%d\" "
		"height=\"%d\" viewBox=\"0 0 %d %d\">\n<title>",
		s->width, s->y, s->width, s->y);
	et_xml_text(out, title);
	fprintf(out,
		"</title>\n<style>" ET_SVG_STYLE "</style>\n"
		"<path class=\"bg\" d=\"M0 0H%dV%dH0z\"/>\n%s</svg>\n",
		s->width, s->y, text);
	free(s);
}
