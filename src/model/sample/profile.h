/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A profile: how many samples of the instruction pointer fell into each function, per run.
 *
 * Functions and calling contexts are kept once per experiment, in the order in which they were
 * first seen; the runs refer to them by number. A calling context is a node of a tree: a function
 * and the context that called it. Without call chains every node is a child of the root. So memory
 * grows with the number of functions and contexts, not with the number of samples.
 */
#pragma once

#include "base/base.h"
#include "base/hash.h"

/* How callers are found. */
enum et_chains {
	ET_CHAINS_NONE,
	ET_CHAINS_FP,    /* the kernel follows frame pointers */
	ET_CHAINS_DWARF, /* copies of the stack are unwound after the run */
};

/* How the samples came about; it decides what they may miss. */
enum et_profile_way {
	ET_PROFILE_CGROUP, /* events per CPU that count the program's cgroup: nothing is missed */
	ET_PROFILE_INHERITED, /* events per task: they begin anew in each thread and child */
	ET_PROFILE_IMPORTED,  /* another profiler took them */
};

enum et_space_kind {
	ET_SPACE_USER,
	ET_SPACE_KERNEL,
	ET_SPACE_JIT,     /* named by a map file of the program's own compiler */
	ET_SPACE_UNKNOWN, /* no file is mapped at the address */
};

extern const char *const et_chains_names[];
extern const char *const et_profile_way_names[];
extern const char *const et_space_kind_names[];

/* The wishes of the user; stored, so that a resumed profile does the same. */
struct et_profile_plan {
	char event[24]; /* "auto", "cycles", "cpu-clock"; of imported profiles the instrument */
	double rate_hz; /* samples per second of CPU time; 0: `period` says it */
	/* Nanoseconds or cycles from sample to sample; 0: from the rate. */
	uint64_t period;
	bool fixed;     /* one event with exactly this period, which aliases: for experiments */
	bool user_only; /* no samples of the kernel */
	bool inlines;   /* inlined functions are functions */
	bool addresses; /* each address is a function, named NAME+0xOFFSET */
	enum et_chains chains;
};

/* In the names of code, if etalon was built without libdw. */
#define ET_PROFILE_NO_LIBDW ", no libdw"

struct et_profile_function {
	char *name;   /* the symbol; "[0x1f0]" (its offset in the file) if there is none */
	char *module; /* path of the file, "[kernel]", "[vdso]", "[jit]", "[unknown]" */
	enum et_space_kind space;
	/* The file has no symbol for it: only its range is known. */
	bool unnamed;
};

#define ET_MODULE_UNKNOWN "[unknown]"
/* Functions that stand for callers: of chains that end too early, and left out of long ones. */
#define ET_FUNCTION_BROKEN "[broken chain]"
#define ET_FUNCTION_OTHER "[other]"

/* Of nodes: the parent of those without a caller. It has the number 0 and no function. */
#define ET_PROFILE_ROOT 0u
#define ET_PROFILE_NONE UINT32_MAX

struct et_profile_node {
	uint32_t parent;   /* smaller than its own number */
	uint32_t function; /* ET_PROFILE_NONE: of the root */
};

struct et_profile_count {
	uint32_t node;
	uint64_t samples;
	uint64_t at_entry; /* of them, at the first instruction of the function */
};

struct et_profile;

/* The samples of one run. */
struct et_profile_run {
	/* The profile that the nodes belong to; the recorder sets it on the way into the store. */
	const struct et_profile *of;
	uint32_t command, order; /* of the experiment's sample; et_experiment_add sets both */
	bool warmup;             /* likewise */
	uint64_t samples;        /* the sum of the counts */
	double period;           /* the mean distance of samples, in the event's unit */
	uint64_t counted;        /* time or cycles that the events counted; 0: not known */
	uint64_t lost;           /* records that did not fit into the ring */
	uint64_t overruns;       /* samples that were due and not taken: the timer came too late */
	uint64_t throttled;   /* times that the kernel stopped the sampling: the run is invalid */
	uint64_t tasks;       /* threads and processes that ended; 0: not known */
	uint64_t short_tasks; /* of them, with less CPU time than ten periods */
	struct et_profile_count *counts; /* owned; ascending by node */
	size_t n_counts;
};

/* How often a function is called in one run of a command, where that is known. */
struct et_profile_calls {
	uint32_t command, function;
	double calls;
};

/* The build id of a file that was sampled. */
struct et_profile_build {
	char *module;
	size_t size; /* 0: several files took turns at this path */
	unsigned char id[64];
};

struct et_profile {
	struct et_profile_plan plan;
	char event[24]; /* that was really used: "cycles", "cpu-clock", "gprof" … */
	enum et_profile_way way;
	bool kernel_allowed; /* samples of the kernel were allowed */
	struct et_profile_function *functions;
	size_t n_functions, functions_room;
	struct et_profile_node *nodes; /* the first is the root */
	size_t n_nodes, nodes_room;
	struct et_profile_run *runs; /* in order of execution, with warm-up */
	size_t n_runs, runs_room;
	struct et_profile_calls *calls;
	size_t n_calls, calls_room;
	struct et_profile_build *builds; /* where they are known; not stored */
	size_t n_builds, builds_room;
	/* Private: how functions, nodes and calls are found. */
	struct et_hash by_text, by_node, by_calls;
};

extern const struct et_profile_plan et_default_profile_plan; /* 1000 Hz, random periods */

/* Events of other profilers, which write a file in each run: gprof's gmon.out, perf's perf.data. */
#define ET_EVENT_GPROF "gprof"
#define ET_EVENT_PERF "perf"
/* Whether the plan's event is one of them. */
bool et_profile_by_file(const struct et_profile *p);

/* A new profile with the root only. */
struct et_profile *et_profile_new(const struct et_profile_plan *plan);
void et_profile_free(struct et_profile *p); /* itself, too; NULL is fine */

/* The number of the function of this name and module: added, with copied texts, if it is new. */
uint32_t et_profile_function_of(struct et_profile *p, const char *name, const char *module,
	enum et_space_kind space, bool unnamed);
/* Returns the number of the context "parent called function", which is added if it is new. */
uint32_t et_profile_node_of(struct et_profile *p, uint32_t parent, uint32_t function);
/* Likewise; ET_PROFILE_NONE if there is none. */
uint32_t et_profile_find_node(const struct et_profile *p, uint32_t parent, uint32_t function);
/* Appends a run, whose counts the profile takes. Returns it, valid until the next is added. */
struct et_profile_run *et_profile_add_run(struct et_profile *p, struct et_profile_run *run);
void et_profile_set_calls(struct et_profile *p, uint32_t command, uint32_t function, double calls);
/* Returns NAN if they are not known. */
double et_profile_calls_of(const struct et_profile *p, uint32_t command, uint32_t function);

/* Appends the runs of another profile, as those of a command. */
void et_profile_append(struct et_profile *p, const struct et_profile *other, uint32_t command);

/* Notes the build id of a module, of 1 to 64 bytes. */
void et_profile_note_build(
	struct et_profile *p, const char *module, const unsigned char *id, size_t size);
/* Returns NULL if it is not known. */
struct et_profile_build *et_profile_build_of(const struct et_profile *p, const char *module);

/* Adds samples of a node to a run that is being filled, in any order. */
void et_profile_run_add(
	struct et_profile_run *run, uint32_t node, uint64_t samples, uint64_t at_entry);

/* The samples of a run by node, while it is being counted. To begin, set all to 0. */
struct et_profile_tally {
	struct et_profile_count *counts; /* owned; by node */
	size_t room;
};

void et_profile_tally_add(
	struct et_profile_tally *t, uint32_t node, uint64_t samples, uint64_t at_entry);
void et_profile_tally_clear(struct et_profile_tally *t);
/* Sets the samples and the counts of a run, and clears the tally. */
void et_profile_tally_take(struct et_profile_tally *t, struct et_profile_run *run);

struct et_profile_run *et_profile_run_copy(const struct et_profile_run *run); /* NULL is fine */
void et_profile_run_free(struct et_profile_run *run); /* itself, too; NULL is fine */
