/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Text and numbers as XML and HTML take them, whatever the text holds and whatever the locale. */
#ifndef ET_REPORT_XML_H
#define ET_REPORT_XML_H

#include "base/attr.h"

/* For content and for attributes in quotes: cleaned (et_clean) and escaped. */
void et_xml_text(FILE *out, const char *text);
/* The same of a text that is made here; the parts may be of anyone. */
void et_xml_printf(FILE *out, const char *fmt, ...) ET_PRINTF(2, 3);
/* A coordinate: two decimals at most; what is not finite is 0, what is far is near. */
void et_xml_number(FILE *out, double x);

#endif
