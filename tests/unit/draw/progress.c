/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The progress line is throttled, stays within its width, and is erased at the end. */
#include "draw/progress.h"
#include "draw/terminal.h"
#include "tap.h"

#include <locale.h>

static char *text;
static size_t size, seen;

static struct et_progress begin(int width)
{
	seen = 0;
	return (struct et_progress){ .out = open_memstream(&text, &size), .width = width };
}

static void end(struct et_progress *p)
{
	fclose(p->out);
	free(text);
	text = NULL;
}

/* The text that was written since the last call. */
static const char *news(struct et_progress *p)
{
	static char copy[4096];

	fflush(p->out);
	snprintf(copy, sizeof(copy), "%s", text + seen);
	seen = size;
	return copy;
}

static void lines(void)
{
	struct et_progress p = begin(61);
	struct et_progress_state s = { .name = "gzip",
		.total = 10,
		.done = 5,
		.elapsed_ns = 2500000000,
		.estimate = "412.3 ms ± 1.2 ms" };

	et_progress_draw(&p, &s, 1000);
	is_str(news(&p), "\r\033[Kgzip  █████████░░░░░░░░░  5/10  412.3 ms ± 1.2 ms  0:03 left",
		"the line has a name, a bar, a count, an estimate and the remaining time");
	s.done = 6;
	et_progress_draw(&p, &s, 1000 + 99999999);
	is_str(news(&p), "", "the line is not drawn again within a tenth of a second");
	et_progress_draw(&p, &s, 1000 + 100000000);
	ok(strstr(news(&p), "6/10"), "the line is drawn again after a tenth of a second");
	s.done = 10;
	et_progress_draw(&p, &s, 1000 + 100000001);
	ok(strstr(news(&p), "10/10"), "the last line is always drawn");
	et_progress_erase(&p);
	is_str(news(&p), "\r\033[K", "the line is erased");
	et_progress_erase(&p);
	is_str(news(&p), "", "a line that is not there is not erased");
	s = (struct et_progress_state){
		.name = "gzip", .done = 12, .elapsed_ns = 1000000000, .time_limit_ns = 61000000000
	};
	et_progress_draw(&p, &s, 5000000000);
	is_str(news(&p), "\r\033[Kgzip  12  1:00 left",
		"without a total, the time limit gives the remaining time");
	s = (struct et_progress_state){ .done = 0, .total = 3 };
	et_progress_draw(&p, &s, 6000000000);
	ok(!strstr(news(&p), "left"), "the remaining time is not printed before the first sample");
	s = (struct et_progress_state){
		.done = 1, .total = 2, .steps_done = 3, .steps = 4, .elapsed_ns = 30000000000
	};
	et_progress_draw(&p, &s, 7000000000);
	is_str(news(&p), "\r\033[K██████████████████████░░░░░░░░  1/2  0:10 left",
		"the bar and the remaining time follow the finer steps");
	end(&p);

	p = (struct et_progress){ .out = NULL };
	et_progress_draw(&p, &s, 0);
	et_progress_erase(&p);
	ok(!p.drawn, "nothing is drawn without a stream");
}

static void widths(void)
{
	static const char *const names[] = { NULL, "a", "日本語日本語日本語", "\033[31m\n\xff",
		"a name that is much longer than the line has room for, and then some more" };
	int bad = 0;

	for (int width = 1; width <= 200; width++) {
		for (size_t i = 0; i < ET_LENGTH(names); i++) {
			for (uint64_t total = 0; total <= 20; total += 10) {
				struct et_progress p = begin(width);
				struct et_progress_state s = { .name = names[i],
					.done = 11,
					.total = total,
					.elapsed_ns = 12345678901,
					.estimate = "412.3 ms ± 1.2 ms" };
				et_progress_draw(&p, &s, 0);
				const char *drawn = news(&p) + strlen("\r\033[K");
				char *clean = et_clean(drawn, "");
				bad += et_columns(drawn) > (width > 1 ? width - 1 : 1);
				bad += strcmp(clean, drawn) != 0;
				free(clean);
				end(&p);
			}
		}
	}
	ok(!bad, "the line is never wider than the terminal and has no escape sequence of a name");
}

int main(void)
{
	setlocale(LC_CTYPE, "C.UTF-8");
	lines();
	widths();
	return tap_done();
}
