/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "draw/html.h"
#include "draw/xml.h"

#define POLICY "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"

static const char style[] =
	":root{color-scheme:light dark}"
	"body{margin:0;background:#f4f5f7;color:#1c1d21;"
	"font:15px/1.5 system-ui,'DejaVu Sans',sans-serif}"
	"main{max-width:1180px;margin:0 auto;padding:16px}"
	"h1{font-size:24px;margin:8px 0;overflow-wrap:anywhere}"
	"h2{font-size:19px;margin:32px 0 8px;overflow-wrap:anywhere}"
	"h3{font-size:15px;margin:20px 0 6px}"
	"p{margin:6px 0;max-width:80ch;overflow-wrap:anywhere}"
	".warn{border-left:4px solid #d55e00;padding:2px 10px;background:#fff4ec}"
	".dim,footer{color:#5f6470;font-size:13px}footer{margin:32px 0 8px}"
	".table{display:inline-block;vertical-align:top;box-sizing:border-box;max-width:100%;"
	"overflow-x:auto;"
	"margin:8px 14px 8px 0}"
	"table{border-collapse:collapse;background:#fff;font-size:14px}"
	"th,td{padding:4px 12px;border:1px solid #dfe1e6;text-align:left;vertical-align:top}"
	"th{background:#eceef2}td.n{text-align:right;white-space:nowrap;"
	"font-variant-numeric:tabular-nums}"
	"rect.share{fill:#0072b2}.figs{display:grid;grid-template-columns:repeat(auto-fill,minmax("
	"min(100%,350px),1fr));"
	"gap:14px;margin:12px 0}"
	"figure{margin:0;background:#fff;border:1px solid #dfe1e6;border-radius:6px;"
	"overflow-x:auto}figure.wide{grid-column:1/-1}"
	"figure svg.et{display:block;width:100%;height:auto}"
	"figure.wide svg.et{min-width:840px}"
	"@media(prefers-color-scheme:dark){body{background:#121317;color:#e4e5e9}"
	"table,figure{background:#1c1d21}th{background:#2a2c33}th,td,figure{border-color:#3a3d46}"
	".warn{background:#33241a}.dim,footer{color:#a0a4b0}}" ET_SVG_STYLE;

void et_html_begin(FILE *out, const char *title)
{
	fputs("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
	      "<meta http-equiv=\"Content-Security-Policy\" content=\"" POLICY "\">\n"
	      "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
	      "<meta name=\"color-scheme\" content=\"light dark\">\n",
		out);
	et_html_element(out, "title", "%s", title);
	fprintf(out, "<style>%s</style></head>\n<body><main>\n", style);
	et_html_element(out, "h1", "%s", title);
}

void et_html_end(FILE *out)
{
	et_html_element(out, "footer", "etalon " ET_VERSION);
	fputs("</main></body></html>\n", out);
}

void et_html_element(FILE *out, const char *tag, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	ET_AUTO_FREE char *text = et_vasprintf(fmt, ap);
	va_end(ap);
	fprintf(out, "<%s>", tag);
	et_xml_text(out, text);
	fprintf(out, "</%.*s>\n", (int)strcspn(tag, " "), tag);
}

void et_html_table_begin(FILE *out, const char *const *headings)
{
	fputs("<div class=\"table\" tabindex=\"0\"><table><thead><tr>\n", out);
	for (; *headings; headings++)
		et_html_element(out, "th scope=\"col\"", "%s", *headings);
	fputs("</tr></thead><tbody>\n", out);
}

void et_html_table_end(FILE *out)
{
	fputs("</tbody></table></div>\n", out);
}

void et_html_pictures_begin(FILE *out)
{
	fputs("<div class=\"figs\">\n", out);
}

void et_html_pictures_end(FILE *out)
{
	fputs("</div>\n", out);
}
