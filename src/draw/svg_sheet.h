/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Several charts in one SVG file, in rows as wide as the sheet. */
#pragma once

#include "draw/svg.h"

struct et_svg_sheet;

struct et_svg_sheet *et_svg_sheet_new(int width) __attribute__((malloc, returns_nonnull));
/* Places a chart, which has a width and a height, beside the last one if there is room. */
void et_svg_sheet_add(struct et_svg_sheet *s, const struct et_chart *c);
/* Writes a line of text below what there is. */
void et_svg_sheet_text(struct et_svg_sheet *s, bool heading, const char *text);
/* Writes the file, and frees the sheet. */
void et_svg_sheet_write(struct et_svg_sheet *s, const char *title, FILE *out);
