/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads what `perf script` prints by default. Without call chains a sample is one line:
 *
 *	prog  4033 [001] 47480.134130:     250000 cpu-clock:      55d0 work+0x1f (/usr/bin/prog)
 *
 * With call chains the functions follow, one per line after a tab, the innermost first, and an
 * empty line ends the sample. The name of the program may contain spaces, and so may functions and
 * files. Each sample counts once, whatever its period is. Addresses are those of the process, but
 * perf before Linux 6.4 prints the offset in the file instead, in call chains only.
 *
 * With --show-mmap-events and --show-task-events there are lines of the same form for records:
 *
 *	prog  4033 [001] 47480.134: PERF_RECORD_MMAP2 4033/4033: [0x5000(0x1000) @ 0 …]: r-xp
 * /usr/bin/prog
 */
#include "profile/readers/reader.h"
#include "profile/symbols/space.h"

#include <ctype.h>

/* The first line of a sample. The texts point into the line, which header_of cuts. */
struct header {
	char *event; /* NULL: this is a record without a sample, see rest */
	pid_t task;  /* the thread, or the process if both are printed; -1: not known */
	bool has_period;
	uint64_t period;
	char *rest; /* after the event */
};

struct frame {
	char *name, *module; /* point into the line */
	uint64_t address;
	bool inlined; /* the file is that of the next frame that is not */
	bool at_entry;
	bool in_chain; /* it is not on the first line of the sample */
};

struct script {
	struct et_reader *r;
	bool open;       /* a sample has begun */
	bool selected;   /* and is of the event that is read */
	bool at_entry;   /* its innermost frame is at the first instruction */
	bool in_caller;  /* the next frame has called another of the program */
	pid_t task;      /* see header */
	char event[64];  /* the event that is read, or "" before the first sample */
	double periods;  /* sum over all samples */
	bool unknown;    /* a sample had no period */
	uint32_t *chain; /* functions of the sample, the innermost first */
	size_t n_chain, chain_room;
	char **inlined; /* names that wait for their module */
	size_t n_inlined, inlined_room;
};

/* --- the first line of a sample --- */

static char *skip_blanks(char *p)
{
	return p + strspn(p, " \t");
}

static char *skip_word(char *p)
{
	return p + strcspn(p, " \t");
}

/* Is it "47480.134130:"? */
static bool is_time(const char *word, size_t n)
{
	size_t whole = strspn(word, "0123456789");

	if (!whole || word[whole] != '.')
		return false;
	size_t parts = strspn(word + whole + 1, "0123456789");
	return parts && whole + 1 + parts + 1 == n && word[n - 1] == ':';
}

/* Is it "4033", "4033/4034" or "[001]", that is, a word before the time? */
static bool is_task_or_cpu(const char *word, size_t n)
{
	if (n > 2 && word[0] == '[' && word[n - 1] == ']')
		return strspn(word + 1, "0123456789") == n - 2;
	return n && (isdigit((unsigned char)word[0]) || word[0] == '-') &&
	       strspn(word, "0123456789/-") == n;
}

/* The number of "4033" or "4033/4034"; -1: the word is none. */
static pid_t task_of(const char *word)
{
	uint64_t number;

	return et_reader_digits(&word, 10, &number) && number <= INT_MAX ? (pid_t)number : -1;
}

/* Returns the place after the time, or NULL if the line has none. */
static char *after_time(char *line, pid_t *task)
{
	size_t before = 0;
	char *previous = NULL;

	*task = -1;

	for (char *p = skip_blanks(line); *p; p = skip_blanks(p)) {
		char *end = skip_word(p);
		if (previous && is_time(p, (size_t)(end - p)) && is_task_or_cpu(previous, before))
			return skip_blanks(end);
		if (*p != '[')
			*task = task_of(p);
		previous = p;
		before = (size_t)(end - p);
		p = end;
	}
	return NULL;
}

static bool header_of(char *line, struct header *out)
{
	pid_t task;
	char *p = after_time(line, &task);

	*out = (struct header){ .task = task };
	if (!p)
		return false;
	if (!strncmp(p, "PERF_RECORD_", 12)) {
		out->rest = p;
		return true;
	}
	const char *end = p;
	if (et_reader_digits(&end, 10, &out->period) && (*end == ' ' || *end == '\t')) {
		out->has_period = true;
		p = skip_blanks(p + (end - p));
	}
	char *stop = skip_word(p);
	if (stop == p || stop[-1] != ':')
		return false;
	out->rest = *stop ? skip_blanks(stop + 1) : stop;
	stop[-1] = '\0';
	out->event = p;
	return *p;
}

bool et_is_perf_script(const char *line)
{
	ET_AUTO_FREE char *copy = et_strdup(line);
	struct header h;

	return header_of(copy, &h);
}

/* Cuts modifiers off: cycles:u and cycles:ppp are cycles, sched:sched_switch is an event. */
static void cut_modifiers(char *event)
{
	char *colon = strrchr(event, ':');

	if (colon && colon > event && colon[strspn(colon + 1, "ukhpPGHSDIWeb") + 1] == '\0')
		*colon = '\0';
}

/* --- frames --- */

/* Returns the parenthesis that opens the last part of the text, "(/tmp/a (deleted))", or NULL. */
static char *find_module(char *text)
{
	size_t n = strlen(text), depth = 0;

	if (!n || text[n - 1] != ')')
		return NULL;
	for (size_t i = n; i-- > 0;) {
		depth += text[i] == ')';
		depth -= text[i] == '(';
		if (!depth)
			return text + i;
	}
	/* The name of the file has a parenthesis too many. */
	char *last = strrchr(text, '(');
	return last && last > text && last[-1] == ' ' ? last : NULL;
}

/* Cuts "+0x1f" off a name. Returns whether it was +0x0. */
static bool cut_offset(char *name)
{
	char *plus = strrchr(name, '+');
	const char *end = plus ? plus + 1 : NULL;
	uint64_t offset;

	if (!plus || plus == name || strncmp(end, "0x", 2) || !et_reader_whole(&end, &offset) ||
		*end)
		return false;
	*plus = '\0';
	return offset == 0;
}

/* Parses "7f0e368d5868 name+0x68 (file)". */
static bool frame_of(char *text, struct frame *out)
{
	char *p = skip_blanks(text);
	const char *end = p;

	*out = (struct frame){ 0 };
	if (!et_reader_digits(&end, 16, &out->address) || (*end && *end != ' ' && *end != '\t'))
		return false;
	out->name = skip_blanks(p + (end - p));
	out->name[et_reader_trimmed(out->name)] = '\0';
	out->module = find_module(out->name);
	if (out->module) {
		*out->module++ = '\0';
		out->module[strlen(out->module) - 1] = '\0'; /* the parenthesis */
		out->module[et_mapped_length(out->module)] = '\0';
		out->inlined = !strcmp(out->module, "inlined");
	}
	out->name[et_reader_trimmed(out->name)] = '\0';
	out->at_entry = cut_offset(out->name);
	return true;
}

/* Modules of the kernel are in brackets, as some parts of a process are. */
static bool is_kernel(const struct frame *f)
{
	static const char *const user[] = { "[vdso]", "[vsyscall]", "[unknown]", "[stack]",
		"[heap]", "[uprobes]" };

	if (f->module && f->module[0] == '[') {
		for (size_t i = 0; i < ET_LENGTH(user); i++) {
			if (!strcmp(f->module, user[i]))
				return i == 2 && f->address >> 63;
		}
		return true;
	}
	return f->address >> 63;
}

static enum et_space_kind space_of(const struct frame *f, const char **module)
{
	*module = f->module;
	if (is_kernel(f)) {
		if (!*module || !strcmp(*module, "[unknown]") || strstr(*module, "[kernel.") ||
			strstr(*module, ".kernel."))
			*module = "[kernel]";
		return ET_SPACE_KERNEL;
	}
	const char *file = f->module ? strrchr(f->module, '/') : NULL;
	size_t n = file ? strlen(file) : 0;
	if (n > 10 && !strncmp(file, "/perf-", 6) && !strcmp(file + n - 4, ".map")) {
		*module = "[jit]";
		return ET_SPACE_JIT;
	}
	return f->module && strcmp(f->module, "[unknown]") != 0 ? ET_SPACE_USER : ET_SPACE_UNKNOWN;
}

static void push(struct script *s, uint32_t function)
{
	if (s->n_chain >= ET_READER_DEEPEST) {
		et_reader_fail(
			s->r, NULL, "the call chain has more than %d functions", ET_READER_DEEPEST);
		return;
	}
	ET_GROW(s->chain, s->n_chain, s->chain_room);
	s->chain[s->n_chain++] = function;
}

/* perf has no name for the frame; its file may have a function there nevertheless. */
static void push_unknown(struct script *s, const struct frame *f, enum et_space_kind space)
{
	const struct et_perf_place place = { .task = s->task,
		.path = f->module,
		.address = f->address,
		.may_be_offset = f->in_chain,
		.is_caller = s->in_caller };
	bool first = !s->n_chain, at_entry;
	const struct et_profile_function *found =
		s->r->maps ? et_perf_maps_find(s->r->maps, &place, &at_entry) : NULL;

	if (found && first)
		s->at_entry = at_entry;
	push(s, found ? et_reader_copy(s->r, found)
		      : et_reader_function(s->r, f->name, f->module, space));
}

/* Adds the inlined functions that wait for the file of the frame they were inlined into. */
static void push_inlined(struct script *s, const char *module, enum et_space_kind space)
{
	for (size_t i = 0; i < s->n_inlined; i++) {
		push(s, et_reader_function(s->r, s->inlined[i], module, space));
		free(s->inlined[i]);
	}
	s->n_inlined = 0;
}

static int add_frame(struct script *s, const struct frame *f)
{
	bool unknown = !*f->name || !strcmp(f->name, "[unknown]");
	const char *module;

	if (!s->selected)
		return 0;
	if (f->inlined) {
		if (s->n_inlined >= ET_READER_DEEPEST)
			return et_reader_fail(s->r, NULL,
				"the call chain has more than %d functions", ET_READER_DEEPEST);
		ET_GROW(s->inlined, s->n_inlined, s->inlined_room);
		s->inlined[s->n_inlined++] = et_strdup(f->name);
		return 0;
	}
	enum et_space_kind space = space_of(f, &module);
	if (!s->n_chain && !s->n_inlined)
		s->at_entry = f->at_entry;
	push_inlined(s, module, space);
	if (space == ET_SPACE_USER && unknown)
		push_unknown(s, f, space);
	else
		push(s, et_reader_function(s->r, f->name, module, space));
	s->in_caller = space != ET_SPACE_KERNEL;
	return s->r->rc;
}

/* --- samples --- */

static int end_sample(struct script *s)
{
	uint32_t node = ET_PROFILE_ROOT;

	push_inlined(s, NULL, ET_SPACE_UNKNOWN);
	if (s->selected && !s->n_chain)
		push(s, et_reader_function(s->r, "[unknown]", NULL, ET_SPACE_UNKNOWN));
	for (size_t i = s->n_chain; i-- > 0 && !s->r->rc;)
		node = et_reader_node(s->r, node, s->chain[i]);
	if (s->selected)
		et_reader_add(s->r, node, 1, s->at_entry);
	s->open = s->selected = s->at_entry = s->in_caller = false;
	s->n_chain = 0;
	return s->r->rc;
}

/* Decides whether samples of this event are read. */
static void select_event(struct script *s, char *event)
{
	const char *wanted = s->r->wanted;

	s->selected = wanted && !strcmp(event, wanted);
	cut_modifiers(event);
	s->selected = s->selected || !wanted || !strcmp(event, wanted);
	if (!s->selected)
		return;
	if (!s->event[0]) {
		snprintf(s->event, sizeof(s->event), "%s", event);
		et_reader_event(s->r, event);
	} else if (strncmp(s->event, event, sizeof(s->event) - 1) != 0) {
		et_reader_fail(s->r, "choose one of them with --event NAME",
			"it has samples of '%s' and of '%.60s'", s->event, event);
	}
}

/* Records are there if perf script got the options --show-…-events. */
static void read_record(struct script *s, const char *record)
{
	static const char lost[] = "PERF_RECORD_LOST";
	const char *p = strstr(record, "lost ");
	uint64_t n;

	if (!s->r->maps)
		s->r->maps = et_perf_maps_new();
	et_perf_maps_apply(s->r->maps, record);
	if (strncmp(record, lost, strlen(lost)) != 0 || !p)
		return;
	p += strcspn(p, "0123456789");
	if (et_reader_digits(&p, 10, &n) && n <= (uint64_t)INT64_MAX - s->r->run.lost)
		s->r->run.lost += n;
}

static int begin_sample(struct script *s, const struct header *h)
{
	struct frame f;

	if (!h->event) {
		read_record(s, h->rest);
		return 0;
	}
	select_event(s, h->event);
	s->open = true;
	s->task = h->task;
	if (s->selected && !h->has_period)
		s->unknown = true;
	if (s->selected)
		s->periods += (double)h->period;
	/* The events of tracepoints have a text there. */
	return find_module(h->rest) && frame_of(h->rest, &f) ? add_frame(s, &f) : 0;
}

static int read_line(struct script *s, char *line)
{
	struct header h;
	struct frame f;
	bool tab = line[0] == '\t';

	if (!*skip_blanks(line))
		return end_sample(s);
	if (line[0] == '#')
		return 0;
	if (!(tab && s->open) && header_of(line, &h)) {
		end_sample(s);
		return begin_sample(s, &h);
	}
	if (s->open && (tab || line[0] == ' ') && frame_of(line, &f)) {
		f.in_chain = true;
		return add_frame(s, &f);
	}
	return et_reader_fail(s->r,
		"use the output of 'perf script -i perf.data' with its default fields, without -F",
		"'%.60s' is no line of perf script", skip_blanks(line));
}

static int end_script(struct script *s)
{
	struct et_profile_run *run = &s->r->run;

	if (!run->samples && s->r->wanted)
		return et_reader_fail(s->r, "use 'perf evlist -i perf.data' to list its events",
			"it has no samples of '%.60s'", s->r->wanted);
	if (!s->unknown && run->samples && s->periods < (double)INT64_MAX) {
		run->period = s->periods / (double)run->samples;
		run->counted = (uint64_t)s->periods;
	}
	return et_reader_end_run(s->r);
}

int et_read_perf_script(struct et_reader *r)
{
	struct script s = { .r = r };
	char *line;

	while (et_reader_line(r, &line) > 0)
		read_line(&s, line);
	end_sample(&s);
	end_script(&s);
	if (r->maps)
		et_perf_maps_clear(r->maps);
	free(s.chain);
	free(s.inlined);
	return r->rc;
}
