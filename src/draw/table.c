/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "draw/table.h"
#include "base/parse.h"
#include "base/whole.h"
#include "draw/terminal.h"

enum { GAP = 2, LEAST_NAME = 12, SHORTEST_NAME = 5, LEAST_BAR = 8, MOST_BAR = 24 };

#define BOLD "1"
#define DIM "2"

/* --- cells --- */

static struct et_table_cell *new_cell(struct et_table *t, char *text, const char *style)
{
	ET_GROW(t->cells, t->n_cells, t->cap);
	t->cells[t->n_cells] =
		(struct et_table_cell){ .text = text, .number = NAN, .style = style };
	return &t->cells[t->n_cells++];
}

void et_table_column(struct et_table *t, enum et_table_kind kind, const char *title)
{
	ET_GROW(t->own, t->n_columns, t->cap_own);
	t->own[t->n_columns++] =
		(struct et_table_column){ .title = et_clean(title, ""), .kind = kind };
	t->columns = t->own;
}

void et_table_over(struct et_table *t, size_t n, const char *over)
{
	for (size_t k = t->n_columns - n; k < t->n_columns; k++)
		t->own[k].over = over;
}

void et_table_name(struct et_table *t, const char *name, const char *style)
{
	new_cell(t, name ? et_strdup(name) : NULL, style)->name = true;
}

void et_table_plain(struct et_table *t, const char *name)
{
	et_table_name(t, name, NULL);
}

void et_table_text(struct et_table *t, const char *left, const char *right, const char *style)
{
	new_cell(t, et_asprintf("%s%s", left, right), style)->split = strlen(left);
}

void et_table_add(struct et_table *t, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	ET_AUTO_FREE char *text = et_vasprintf(fmt, ap);
	va_end(ap);
	char *at = text, *tab;
	while ((tab = strchr(at, '\t'))) {
		*tab = '\0';
		et_table_text(t, at, "", NULL);
		at = tab + 1;
	}
	et_table_text(t, at, "", NULL);
}

void et_table_number(struct et_table *t, double x)
{
	char buf[ET_FIGURE];

	et_table_text(t, isnan(x) ? ET_DASH : t->columns[t->n_cells % t->n_columns].format(x, buf),
		"", NULL);
	t->cells[t->n_cells - 1].number = x;
}

void et_table_bar(struct et_table *t, double share, const char *style)
{
	new_cell(t, NULL, style)->number = isfinite(share) ? fmin(fmax(share, 0), 1) : 0;
}

void et_table_note(
	struct et_table *t, int indent, const char *lead, const char *style, const char *text)
{
	struct et_table_cell *c = new_cell(t, et_strdup(text), style);

	c->note = true;
	c->indent = indent;
	c->lead = lead;
	while (t->n_cells % t->n_columns)
		new_cell(t, NULL, NULL);
}

void et_table_free(struct et_table *t)
{
	for (size_t i = 0; i < t->n_cells; i++)
		free(t->cells[i].text);
	for (size_t k = 0; t->own && k < t->n_columns; k++)
		free((char *)t->own[k].title);
	free(t->own);
	free(t->cells);
	free(t->caption);
	*t = (struct et_table){ .columns = t->own ? NULL : t->columns,
		.n_columns = t->own ? 0 : t->n_columns,
		.omitted = t->omitted,
		.shortened = t->shortened };
}

/* An interval that ends at a bound, such as 0 or 100 %, is longer on its other side. */
static bool is_symmetric(double x, double lo, double hi)
{
	double apart = fabs((hi - x) - (x - lo));

	return apart <= 1e-6 * (hi - lo) || apart <= 1e-9 * fabs(x);
}

static void put_interval(struct et_scale s, double lo, double hi, char out[ET_FIGURE])
{
	char from[ET_FIGURE] = "0", to[ET_FIGURE];

	if (lo > 0)
		et_scale_number(s, lo, from);
	snprintf(out, ET_FIGURE, "(%.30s … %.30s)", from, et_scale_number(s, hi, to));
}

void et_split_figure(double x, struct et_span i, char left[ET_FIGURE], char right[ET_FIGURE])
{
	enum { MOST_DECIMALS = 3, LEAST_DIGITS = 2 };
	double half = fmax(i.hi - x, x - i.lo);
	/* The digits of 0 are those of its uncertainty. */
	double size = x == 0 && half > 0 ? half : fabs(x);
	struct et_scale scale = et_scale_of_value(size, half, ET_UNIT_NONE), own = scale;
	char figure[ET_FIGURE];

	right[0] = '\0';
	if (!isfinite(x)) {
		snprintf(left, ET_FIGURE, ET_DASH);
		return;
	}
	if (isfinite(half) && half > 0 && scale.decimals > MOST_DECIMALS)
		scale.decimals = MOST_DECIMALS;
	/* A large uncertainty does not round the value to nothing. */
	int least = size > 0 ? LEAST_DIGITS - 1 - et_int(floor(log10(size))) : 0;
	least = least > MOST_DECIMALS ? MOST_DECIMALS : least;
	own.decimals = scale.decimals > least ? scale.decimals : least;
	et_scale_number(own, fabs(x), figure);
	/* No "-0.0". */
	bool negative = x < 0 && strtod(figure, NULL) > 0;
	snprintf(left, ET_FIGURE, "%s%.80s", negative ? "-" : "", figure);
	if (half >= 0 && !is_symmetric(x, i.lo, i.hi))
		put_interval(scale, i.lo, i.hi, right);
	else if (half >= 0)
		et_scale_plus_minus(scale, half, right);
}

void et_table_interval(struct et_table *t, double x, struct et_span interval, const char *style)
{
	char left[ET_FIGURE], figure[ET_FIGURE], right[ET_FIGURE];

	et_split_figure(x, interval, left, figure);
	snprintf(right, sizeof(right), "%s%.90s", *figure ? " " : "", figure);
	et_table_text(t, left, right, style);
}

void et_table_measured(struct et_table *t, double x, double uncertainty, const char *style)
{
	et_table_interval(t, x, (struct et_span){ x - uncertainty, x + uncertainty }, style);
}

/* --- rows --- */

bool et_table_repeats(const struct et_table *t, size_t row)
{
	const struct et_table_cell *a = &t->cells[row * t->n_columns], *b = a - t->n_columns;

	return row && !a->note && !b->note && a->text && b->text && !strcmp(a->text, b->text);
}

char *et_table_join(const struct et_table *t, size_t row, size_t *end)
{
	char *text = NULL;

	for (*end = row; *end * t->n_columns < t->n_cells; ++*end) {
		const char *between = ", ";
		if (*end > row && !et_table_repeats(t, *end))
			break;
		for (size_t k = 1; k < t->n_columns; k++, between = " ") {
			if (t->columns[k].title)
				et_append(&text, between, "%s",
					t->cells[*end * t->n_columns + k].text);
		}
	}
	return text ? text : et_strdup("");
}

/* --- the layout --- */

/* A column on the page; width 0: it is omitted. */
struct slot {
	int left, width;
	bool brief;
};

struct layout {
	const struct et_table *t;
	struct slot *slots;
	int page, gap;
};

static int larger(int a, int b)
{
	return a > b ? a : b;
}

static int smaller(int a, int b)
{
	return a < b ? a : b;
}

static bool is_name(const struct et_table_column *c)
{
	return c->kind == ET_TABLE_NAME || c->kind == ET_TABLE_COMMAND;
}

static int left_columns(const struct et_table_cell *c)
{
	ET_AUTO_FREE char *left = et_strndup(c->text, c->split);

	return et_columns(left);
}

/* Nothing in the cells acts on a terminal. */
static void clean_cells(struct et_table *t)
{
	for (struct et_table_cell *c = t->cells; c < t->cells + t->n_cells; c++) {
		if (!c->text || c->note)
			continue;
		ET_AUTO_FREE char *text = c->text, *left = et_strndup(text, c->split);
		ET_AUTO_FREE char *clean = et_clean(left, "");
		c->text = et_clean(text, "");
		c->split = strlen(clean);
	}
}

static void measure(struct layout *l, size_t k)
{
	const struct et_table *t = l->t;
	const struct et_table_column *c = &t->columns[k];
	struct slot *s = &l->slots[k];
	int right = 0;

	*s = (struct slot){ .brief = s->brief };
	for (size_t i = k; i < t->n_cells; i += t->n_columns) {
		const struct et_table_cell *cell = &t->cells[i];
		if (!cell->text || t->cells[i - k].note)
			continue;
		int left = cell->name ? et_columns(cell->text) : left_columns(cell);
		s->left = larger(s->left, left);
		if (!cell->name)
			right = larger(right, et_columns(cell->text) - left);
	}
	s->width = c->kind == ET_TABLE_BAR ? LEAST_BAR : s->left + right;
	if (is_name(c))
		s->width = smaller(s->width, ET_NAME_MOST);
	s->width = !c->title ? 0 : s->width ? larger(s->width, et_columns(c->title)) : 0;
}

static int least_of(const struct layout *l, size_t k)
{
	const struct et_table_column *c = &l->t->columns[k];
	int width = l->slots[k].width;

	return is_name(c) ? smaller(width, c->least ? c->least : LEAST_NAME) : width;
}

/* The columns of the page that are left; names count with the least that they need, or whole. */
static int room(const struct layout *l, bool whole)
{
	int left = l->page + l->gap;

	for (size_t k = 0; k < l->t->n_columns; k++) {
		if (l->slots[k].width)
			left -= l->gap + (whole ? l->slots[k].width : least_of(l, k));
	}
	return left;
}

/* Sets the column that is shortened or omitted next, and returns its rank; 0: none may be. */
static int next_step(const struct layout *l, size_t *column)
{
	int best = 0;

	for (size_t k = 0; k < l->t->n_columns; k++) {
		const struct et_table_column *c = &l->t->columns[k];
		int rank = c->brief && !l->slots[k].brief ? c->brief : c->drop;
		if (l->slots[k].width && rank && (!best || rank < best)) {
			best = rank;
			*column = k;
		}
	}
	return best;
}

/* Omits what is in parentheses: the interval of a ratio, or why runs were removed. */
static void make_brief(struct layout *l, size_t k)
{
	for (size_t i = k; i < l->t->n_cells; i += l->t->n_columns) {
		char *open = l->t->cells[i].text ? strstr(l->t->cells[i].text, " (") : NULL;
		char *close = open ? strchr(open, ')') : NULL;
		if (close)
			memmove(open, close + 1, strlen(close));
	}
	l->slots[k].brief = true;
	measure(l, k);
}

/* The name that is cut and has the fewest columns; n_columns: all names are whole. */
static size_t narrowest(const struct layout *l, const int *width)
{
	size_t best = l->t->n_columns;

	for (size_t k = l->t->n_columns; k-- > 0;) {
		if (width[k] < l->slots[k].width &&
			(best == l->t->n_columns || width[k] < width[best]))
			best = k;
	}
	return best;
}

/* Names share what is left, so that none is cut for a longer one; bars get the rest. */
static void share_out(struct layout *l)
{
	const struct et_table *t = l->t;
	size_t n = t->n_columns, next;
	ET_AUTO_FREE int *width = et_calloc(n, sizeof(*width));
	int left = room(l, false);

	for (size_t k = 0; k < n; k++) {
		int least = width[k] = least_of(l, k);
		if (is_name(&t->columns[k]) && !t->split && !t->names_first)
			width[k] = smaller(least, SHORTEST_NAME);
		left += least - width[k];
	}
	if (t->split && left < 0) /* the first column is in every part */
		width[0] = smaller(l->slots[0].width, larger(width[0], l->page / 3));
	for (; left > 0 && (next = narrowest(l, width)) < n; left--)
		width[next]++;
	for (size_t k = 0; k < n; k++) {
		l->slots[k].width = width[k];
		if (t->columns[k].kind == ET_TABLE_BAR && width[k])
			l->slots[k].width += smaller(larger(left, 0), MOST_BAR - LEAST_BAR);
	}
}

/* Whether two different names of a column are the same when they are shortened. */
static bool confuses(const struct layout *l)
{
	const struct et_table *t = l->t;
	bool same = false;

	for (size_t i = 0; i < t->n_cells && !same; i++) {
		const struct et_table_cell *c = &t->cells[i];
		int width = l->slots[i % t->n_columns].width;
		if (!c->name || !c->text || t->columns[i % t->n_columns].kind != ET_TABLE_NAME ||
			et_columns(c->text) <= width)
			continue;
		ET_AUTO_FREE char *cut = et_shorten(c->text, width);
		for (size_t k = i % t->n_columns; k < t->n_cells && !same; k += t->n_columns) {
			const char *other = t->cells[k].name ? t->cells[k].text : NULL;
			ET_AUTO_FREE char *text = et_shorten(other ? other : "", width);
			same = other && strcmp(other, c->text) && !strcmp(text, cut);
		}
	}
	return same;
}

static void fit(struct et_table *t, struct layout *l)
{
	size_t size = (t->n_columns + 1) * sizeof(*l->slots), k = 0;
	ET_AUTO_FREE struct slot *before = et_alloc(size);

	for (;;) {
		int rank = next_step(l, &k);
		memcpy(before, l->slots, size);
		if (room(l, rank && rank <= larger(t->names_first, t->spare)) >= 0 || !rank) {
			share_out(l);
			if (!t->names_first || !confuses(l))
				return;
			memcpy(l->slots, before, size);
			if (!rank)
				return;
		}
		bool brief = t->columns[k].brief && !l->slots[k].brief;
		*(brief ? &t->shortened : &t->omitted) |= 1u << (k & 31);
		if (brief)
			make_brief(l, k);
		else
			l->slots[k].width = 0;
	}
}

/* --- printing --- */

/* Blanks are kept back until something follows. */
static void put(
	const struct et_page *page, int *blanks, const char *style, const char *text, int width)
{
	size_t all = strlen(text), n = all;

	while (n && text[n - 1] == ' ')
		n--;
	if (n) {
		fprintf(page->out, "%*s", *blanks, "");
		et_page_styled(page, style, text, n);
	}
	*blanks = (n ? 0 : *blanks) + width - et_columns(text) + (int)(all - n);
}

/* A bar of this many columns, to an eighth of a column. */
static void draw_bar(double columns, char *out, size_t size)
{
	static const char *const parts[] = { "", "▏", "▎", "▍", "▌", "▋", "▊", "▉" };
	int eighths = et_int(round(8 * columns));
	size_t at = 0;

	for (int i = 0; i < eighths / 8; i++)
		at += (size_t)snprintf(out + at, size - at, "█");
	snprintf(out + at, size - at, "%s", parts[eighths % 8]);
}

static void put_cell(
	const struct layout *l, size_t i, const char *name, const struct et_page *page, int *blanks)
{
	const struct et_table_cell *c = &l->t->cells[i];
	const struct slot *s = &l->slots[i % l->t->n_columns];
	enum et_table_kind kind = l->t->columns[i % l->t->n_columns].kind;
	char bar[4 * MOST_BAR] = "";
	int lead = 0;

	if (kind == ET_TABLE_BAR)
		draw_bar(c->number * s->width, bar, sizeof(bar));
	else if (kind == ET_TABLE_NUMBER && c->text)
		lead = s->width - et_columns(c->text);
	else if (kind != ET_TABLE_TEXT && c->text && !c->name)
		lead = s->left - left_columns(c);
	*blanks += lead;
	put(page, blanks, c->style, name ? name : c->text ? c->text : bar, s->width - lead);
}

/* The end of the columns with one heading over them that begin at k, and their width. */
static size_t end_of_group(const struct layout *l, size_t k, int *width)
{
	const char *over = l->t->columns[k].over;

	*width = 0;
	do
		*width += l->slots[k].width ? l->slots[k].width + l->gap : 0;
	while (++k < l->t->n_columns && over && l->t->columns[k].over == over);
	return k;
}

static void widen_groups(struct layout *l)
{
	for (size_t k = 0, end; k < l->t->n_columns; k = end) {
		const char *over = l->t->columns[k].over;
		int width;
		end = end_of_group(l, k, &width);
		if (over && width && et_columns(over) > width - l->gap)
			l->slots[end - 1].width += et_columns(over) - (width - l->gap);
	}
}

/* The headings over several columns, at their right end. */
static void print_group_titles(
	const struct layout *l, size_t from, size_t to, const struct et_page *page)
{
	int blanks = l->t->indent;
	bool any = false;

	for (size_t k = 0, end; k < to; k = end) {
		const char *over = l->t->columns[k].over ? l->t->columns[k].over : "";
		int width;
		end = end_of_group(l, k, &width);
		if (!width || (k && k < from))
			continue;
		blanks += width - l->gap - et_columns(over);
		put(page, &blanks, DIM, over, et_columns(over));
		blanks += l->gap;
		any = any || *over;
	}
	if (any)
		putc('\n', page->out);
}

static void print_titles(const struct layout *l, size_t from, size_t to, const struct et_page *page)
{
	int blanks = l->t->indent;
	bool any = false;

	for (size_t k = 0; k < to; k++) {
		const struct et_table_column *c = &l->t->columns[k];
		int width = l->slots[k].width;
		if (!width || (k && k < from))
			continue;
		ET_AUTO_FREE char *title = et_shorten(c->title, width);
		int lead = c->kind == ET_TABLE_NUMBER ? width - et_columns(title) : 0;
		blanks += lead;
		put(page, &blanks, DIM, title, width - lead);
		blanks += l->gap;
		any = any || *title;
	}
	if (any)
		putc('\n', page->out);
}

/* The names of each column, shortened; NULL for other columns. The caller frees them. */
static char ***shorten_names(const struct layout *l)
{
	const struct et_table *t = l->t;
	char ***all = et_calloc(t->n_columns + 1, sizeof(*all));
	size_t rows = t->n_cells / t->n_columns;
	ET_AUTO_FREE const char **names = et_calloc(rows + 1, sizeof(*names));

	for (size_t k = 0; k < t->n_columns; k++) {
		if (!is_name(&t->columns[k]))
			continue;
		for (size_t i = 0; i < rows; i++)
			names[i] = t->cells[i * t->n_columns + k].text;
		if (t->columns[k].kind == ET_TABLE_COMMAND) {
			all[k] = et_names_fit(names, rows, l->slots[k].width);
			continue;
		}
		all[k] = et_calloc(rows + 1, sizeof(**all));
		for (size_t i = 0; i < rows; i++)
			all[k][i] = et_shorten(names[i] ? names[i] : "", l->slots[k].width);
	}
	return all;
}

static void print_row(const struct layout *l, size_t row, size_t from, size_t to, char ***names,
	const struct et_page *page)
{
	const struct et_table_cell *first = &l->t->cells[row * l->t->n_columns];
	int blanks = l->t->indent;

	if (first->note) {
		if (from <= 1)
			et_page_paragraph(
				page, first->indent, first->lead, first->style, first->text, NULL);
		return;
	}
	for (size_t k = 0; k < to; k++) {
		if (!l->slots[k].width || (k && k < from))
			continue;
		bool blank = !k && l->t->once && et_table_repeats(l->t, row);
		put_cell(l, row * l->t->n_columns + k,
			blank                       ? ""
			: names[k] && first[k].name ? names[k][row]
						    : NULL,
			page, &blanks);
		blanks += l->gap;
	}
	putc('\n', page->out);
}

/* Prints as many columns as fit, then the others below them; without `split`, all at once. */
static void print_parts(const struct layout *l, const struct et_page *page)
{
	const struct et_table *t = l->t;
	char ***names = shorten_names(l);

	for (size_t from = 1, to; from == 1 || from < t->n_columns; from = to) {
		int left = l->page - l->slots[0].width;
		for (size_t next = to = from; to < t->n_columns; to = next) {
			int width;
			next = end_of_group(l, to, &width);
			if (t->split && to > from && width > left)
				break;
			left -= width;
		}
		if (from > 1)
			putc('\n', page->out);
		print_group_titles(l, from, to, page);
		print_titles(l, from, to, page);
		for (size_t row = 0; row < t->n_cells / t->n_columns; row++)
			print_row(l, row, from, to, names, page);
		to = to > from ? to : from + 1;
	}
	for (size_t k = 0; k < t->n_columns; k++)
		et_strv_free(names[k]);
	free(names);
}

static void print_paragraphs(const struct et_table *t, const struct et_page *page)
{
	for (size_t row = 0, end; row * t->n_columns < t->n_cells; row = end) {
		ET_AUTO_FREE char *lead =
			et_asprintf("%*s%s ", t->indent, "", t->cells[row * t->n_columns].text);
		ET_AUTO_FREE char *text = et_table_join(t, row, &end);
		et_page_paragraph(page, t->grouped + t->indent, lead, NULL, text, NULL);
	}
}

void et_table_print(struct et_table *t, const struct et_page *page)
{
	ET_AUTO_FREE struct slot *slots = et_calloc(t->n_columns + 1, sizeof(*slots));
	struct layout l = { t, slots,
		page->full_names && !t->split ? 1 << 20 : page->width - t->indent, GAP };

	if (t->number) {
		ET_AUTO_FREE char *title = et_asprintf("Table %s: %s", t->number, t->caption);
		et_page_paragraph(page, 0, "", NULL, title, BOLD);
	}
	if (!t->n_cells && t->empty) {
		et_page_paragraph(page, 2, " ", NULL, t->empty, NULL);
	} else if (t->grouped) {
		print_paragraphs(t, page);
	} else {
		clean_cells(t);
		for (size_t k = 0; k < t->n_columns; k++)
			measure(&l, k);
		/* Columns that are a little nearer to each other are better than a second part. */
		if (t->split && room(&l, false) < 0) {
			l.gap = 1;
			l.gap = room(&l, false) < 0 ? GAP : 1;
		}
		widen_groups(&l);
		fit(t, &l);
		print_parts(&l, page);
	}
	et_table_free(t);
}
