/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "app/profile/view_parts.h"
#include "base/hash.h"
#include "draw/terminal.h"
#include "draw/xml.h"

enum {
	WIDTH = 1180,
	MARGIN = 10,
	HEAD = 34,
	FOOT = 26,
	ROW = 18,
	DEEPEST = 256, /* rows; deeper contexts are omitted */
};

static const char style[] = ".fl{font:11px ui-monospace,'DejaVu Sans Mono',monospace}"
			    ".fl text{fill:#111;stroke:none}"
			    ".fl .tt{font:600 14px system-ui,sans-serif}"
			    ".fl .nt{font:12px system-ui,sans-serif;fill:#555}.fl .bg{fill:#fff}"
			    ".fl .un{fill:#fff;fill-opacity:.55}"
			    ".fl .wh{stroke:#222;stroke-width:1;fill:none}"
			    ".fl g:hover rect{stroke:#000}"
			    "@media(prefers-color-scheme:dark){.fl .bg{fill:#1c1d21}"
			    ".fl .tt{fill:#eee}.fl .nt{fill:#bbb}}";

static const double letter = 6.7;      /* pixels of a letter */
static const double least = 0.4;       /* pixels; narrower boxes are omitted */
static const double whisker_room = 20; /* pixels; in narrower boxes it hides the neighbours */

struct flame {
	const struct et_profiled *p;
	const struct et_profile *profile;
	size_t command;
	const struct et_profile_box *boxes, *before; /* before: of the first command, or NULL */
	uint32_t *order;                             /* nodes, by parent, then the widest first */
	double *x;                                   /* left end of each node, from 0 to 1 */
	uint32_t *depth; /* from 1; of nodes that are not drawn DEEPEST + 1 */
	uint32_t rows;
	size_t omitted;
	const struct et_profile_change **changes; /* of each function, with `before` */
	FILE *out;
};

/* --- the layout --- */

struct place {
	uint32_t node, parent;
	double share;
};

static int by_place(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	return ET_ORDER(x->parent, y->parent) ?: ET_ORDER(y->share, x->share)
		?: ET_ORDER(x->node, y->node);
}

static double pixels(double share)
{
	return share * (WIDTH - 2 * MARGIN);
}

/* A parent has a smaller number than its children, so its place is known before theirs. */
static void lay_out(struct flame *f)
{
	size_t n = f->profile->n_nodes;
	ET_AUTO_FREE double *next = et_calloc(n, sizeof(*next));
	ET_AUTO_FREE struct place *places = et_calloc(n, sizeof(*places));

	for (uint32_t i = 1; i < n; i++)
		places[i - 1] = (struct place){ i, f->profile->nodes[i].parent, f->boxes[i].share };
	qsort(places, n - 1, sizeof(*places), by_place);
	for (size_t i = 0; i + 1 < n; i++) {
		uint32_t node = places[i].node, parent = places[i].parent;
		f->order[i] = node;
		f->x[node] = next[node] = next[parent];
		next[parent] += f->boxes[node].share;
		f->depth[node] = f->depth[parent] + 1;
		if (f->depth[node] > DEEPEST || pixels(f->boxes[node].share) < least) {
			f->omitted += f->boxes[node].share > 0;
			f->depth[node] = DEEPEST + 1;
			continue;
		}
		f->rows = f->depth[node] > f->rows ? f->depth[node] : f->rows;
	}
}

/* --- colours --- */

/* Warm colours for programs, others for the kernel and for code without a name. */
static void color_alone(const struct et_profile_function *fn, char buf[32])
{
	unsigned h = (unsigned)et_hash_text(fn->name);
	unsigned hue = fn->space == ET_SPACE_KERNEL ? 200 + h % 20
		       : fn->space == ET_SPACE_JIT  ? 95 + h % 25
						    : 18 + h % 34;

	snprintf(buf, 32, "hsl(%u %u%% %u%%)", hue, fn->unnamed ? 20u : 78u, 62 + h / 64 % 14);
}

/* By the verdict on the function. Red: more samples of its own, blue: fewer, grey: no change. */
static void color_change(const struct et_profile_change *c, char buf[32])
{
	if (!c || !c->contrast.significant)
		snprintf(buf, 32, "hsl(0 0%% 82%%)");
	else
		snprintf(buf, 32, "hsl(%d 80%% %.0f%%)", c->difference > 0 ? 8 : 212,
			86 - 30 * fmin(1, fabs(c->difference) / fmax(c->mean_a, c->mean_b)));
}

/* The change of each function of the second command, or of its module, or NULL. Caller frees. */
static const struct et_profile_change **find_changes(const struct et_profiled *p)
{
	const struct et_profile_comparison *c = &p->comparison;
	const struct et_profile *profile = p->experiment->profile;
	const struct et_profile_change **list =
		et_calloc(profile->n_functions + 1, sizeof(const struct et_profile_change *));

	for (size_t i = 0; i < c->n_rows; i++)
		list[c->rows[i].function_b] = &c->rows[i];
	for (size_t f = 0; f < profile->n_functions && c->by == ET_BY_MODULE; f++) {
		for (size_t i = 0; i < c->n_rows && !list[f]; i++) {
			const char *module = profile->functions[c->rows[i].function_b].module;
			if (!strcmp(profile->functions[f].module, module))
				list[f] = &c->rows[i];
		}
	}
	return list;
}

/* --- drawing --- */

static void draw_rect(const struct flame *f, double x, double y, double width)
{
	et_xml_coordinates(
		f->out, "<rect x=\"%\" y=\"%\" width=\"%\" height=\"%\"", x, y, width, ROW - 1.0);
}

/* The last part of the box, and a whisker as long again beyond it. */
static void draw_uncertainty(const struct flame *f, double x, double y, double width, double half)
{
	double faded = fmin(half, width), end = fmin(x + width + half, WIDTH - MARGIN);

	if (!(half >= 1) || width < whisker_room)
		return;
	draw_rect(f, x + width - faded, y, faded);
	et_xml_coordinates(f->out, " class=\"un\"/><path class=\"wh\" d=\"M% %H%m0-3v6\"/>",
		x + width - faded, y + ROW - 4, end);
}

static struct et_span span_of(const struct et_profile_box *b)
{
	if (isnan(b->half))
		return (struct et_span){ NAN, NAN };
	return (struct et_span){ fmax(0, b->share - b->half), fmin(1, b->share + b->half) };
}

static void draw_title(const struct flame *f, uint32_t node)
{
	const struct et_profile_box *b = &f->boxes[node];
	const struct et_profile_function *fn =
		&f->profile->functions[f->profile->nodes[node].function];

	fputs("<title>", f->out);
	et_xml_printf(f->out, "%s (%s): %s, %.4g samples per run, %.4g of its own", fn->name,
		et_profile_module_name(fn->module), et_format_share(b->share, span_of(b), ET_BUF),
		b->total, b->self);
	if (f->before) {
		const struct et_profile_box *a = &f->before[node];
		et_xml_printf(f->out, "; in %s: %s", et_name_by_number(0, ET_BUF),
			et_format_share(a->share, span_of(a), ET_BUF));
	}
	fputs("</title>", f->out);
}

static void draw_name(const struct flame *f, uint32_t node, double x, double y, double width)
{
	const char *name = f->profile->functions[f->profile->nodes[node].function].name;
	int letters = (int)((width - 6) / letter);

	if (letters < 6) /* fewer name no function */
		return;
	ET_AUTO_FREE char *clean = et_clean(name, "");
	ET_AUTO_FREE char *fitted = et_shorten(clean, letters);
	et_xml_coordinates(f->out, "<text x=\"%\" y=\"%\">", x + 3, y + ROW - 6);
	et_xml_text(f->out, fitted);
	fputs("</text>", f->out);
}

static void draw_box(const struct flame *f, uint32_t node)
{
	const struct et_profile_box *b = &f->boxes[node];
	double x = MARGIN + pixels(f->x[node]);
	double y = HEAD + (double)(f->rows - f->depth[node]) * ROW;
	double width = pixels(b->share);
	uint32_t function = f->profile->nodes[node].function;
	char color[32];

	if (f->before)
		color_change(f->changes[function], color);
	else
		color_alone(&f->profile->functions[function], color);
	fputs("<g>", f->out);
	draw_title(f, node);
	draw_rect(f, x, y, fmax(width - 0.5, 0.3));
	fprintf(f->out, " rx=\"1.5\" style=\"fill:%s\"/>", color);
	draw_uncertainty(f, x, y, width, pixels(b->half));
	draw_name(f, node, x, y, width);
	fputs("</g>\n", f->out);
}

static void draw_texts(const struct flame *f, int height)
{
	const struct et_profile_result *r = &f->p->results[f->command];

	fprintf(f->out, "<text class=\"tt\" x=\"%d\" y=\"21\">", MARGIN);
	et_xml_printf(f->out, "%.120s: %s by calling context, mean of %zu runs",
		f->p->experiment->commands[f->command].name, et_profile_whole(f->profile), r->runs);
	fprintf(f->out, "</text>\n<text class=\"nt\" x=\"%d\" y=\"%d\">", MARGIN, height - 9);
	et_xml_printf(f->out, "faded end and whisker: ± %g %% uncertainty of the box by itself%s%s",
		100 * r->level,
		f->before
			? "; red: the function has more samples of its own, blue: fewer; grey: no "
			  "change is shown"
			: "",
		f->omitted ? "; narrow boxes are omitted" : "");
	fputs("</text>\n", f->out);
}

static void draw(const struct flame *f)
{
	int height = HEAD + (int)f->rows * ROW + FOOT;

	fprintf(f->out,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"et fl\" role=\"img\" "
		"width=\"%d\" "
		"height=\"%d\" viewBox=\"0 0 %d %d\">\n",
		WIDTH, height, WIDTH, height);
	fprintf(f->out, "<style>%s</style>\n", style);
	fprintf(f->out, "<rect class=\"bg\" width=\"%d\" height=\"%d\"/>\n", WIDTH, height);
	draw_texts(f, height);
	for (size_t i = 0; i + 1 < f->profile->n_nodes; i++) {
		if (f->depth[f->order[i]] <= DEEPEST)
			draw_box(f, f->order[i]);
	}
	fputs("</svg>\n", f->out);
}

void et_profile_flame_embed(const struct et_profiled *p, size_t command, FILE *out)
{
	const struct et_profile *profile = p->experiment->profile;
	size_t n = profile->n_nodes;
	double level = p->results[command].level;
	ET_AUTO_FREE struct et_profile_box *boxes =
		et_profile_tree(p->experiment, (uint32_t)command, level);
	ET_AUTO_FREE struct et_profile_box *before =
		p->compared && command == 1 ? et_profile_tree(p->experiment, 0, level) : NULL;
	ET_AUTO_FREE uint32_t *order = et_calloc(n, sizeof(*order));
	ET_AUTO_FREE uint32_t *depth = et_calloc(n, sizeof(*depth));
	ET_AUTO_FREE double *x = et_calloc(n, sizeof(*x));
	struct flame f = { .p = p,
		.profile = profile,
		.command = command,
		.boxes = boxes,
		.before = before,
		.order = order,
		.depth = depth,
		.x = x,
		.out = out };

	if (before)
		f.changes = find_changes(p);
	lay_out(&f);
	draw(&f);
	free(f.changes);
}

void et_profile_flame(const struct et_profiled *p, FILE *out)
{
	fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n", out);
	et_profile_flame_embed(p, p->n - 1, out);
}
