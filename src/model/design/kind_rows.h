/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The kinds of factors that etalon can vary: ROW(constant, members of struct et_factor_kind).
 * design.h makes the constants of these rows and design.c the table, so this file has no
 * #pragma once.
 *
 * To add a row: set its levels in measure/treat/level.c (an attribute of the program), in
 * measure/treat/treatment.c (a variable of its environment) or in host/levels.c (the machine), and
 * test what the program sees (tests/cli/treatment-view.c, doe-factors.sh) or what is written
 * (tests/unit/host/levels.c); a paragraph in man/etalon-plan.5.scd; doc/plan.schema.json, which
 * 'etalon doe init --schema' writes.
 */

ROW(PARAMETER, "parameter", "texts that replace {name} in commands", ET_SCOPE_TEXT)
ROW(ENVIRONMENT, "environment", "values of an environment variable", ET_SCOPE_CHILD,
	.takes_variable = true, .setting = "sets the variable")
ROW(ENVIRONMENT_SIZE, "environment-size",
	"bytes of the value of an environment variable; the rest of the environment, the "
	"path and the arguments stay the same",
	ET_SCOPE_CHILD, ET_LEVEL_WHOLE, .lo = 0, .hi = 100000, .takes_variable = true,
	.setting = "sets the size of the variable", .options = { "randomise-layout" })
ROW(ENVIRONMENT_NAME, "environment-name",
	"names of equal length of an environment variable, which must not matter: a check",
	ET_SCOPE_CHILD, .setting = "sets a variable of that name",
	.options = { "randomise-layout" })
ROW(ASLR, "aslr", "randomisation of addresses", ET_SCOPE_CHILD, ET_LEVEL_CHOICE, on_off,
	.setting = "sets the randomisation of the program's addresses",
	.options = { "env", "randomise-layout" })
ROW(COMPILER, "compiler", "compilers, which replace {name} in build commands", ET_SCOPE_BUILD)
ROW(OPTIMISATION, "optimisation", "options of the compiler, which replace {name} in build commands",
	ET_SCOPE_BUILD)
ROW(LINK_ORDER, "link-order",
	"orders of the words in `objects`, which replace {name} in build commands: given, "
	"reversed, or random:N",
	ET_SCOPE_BUILD)
ROW(THREADS, "threads", "numbers of threads (OMP_NUM_THREADS)", ET_SCOPE_CHILD, ET_LEVEL_WHOLE,
	.lo = 1, .hi = 65536, .setting = "sets OMP_NUM_THREADS")
ROW(AFFINITY, "affinity",
	"how threads are bound to CPUs: compact fills cores, scatter goes round packages",
	ET_SCOPE_CHILD, ET_LEVEL_CHOICE, affinities,
	.setting = "binds the program's threads to CPUs")
ROW(CPU, "cpu", "lists of CPUs that the program may use", ET_SCOPE_CHILD,
	.setting = "binds the program to these CPUs", .options = { "cpu" })
ROW(NICE, "nice", "values that are added to its nice value", ET_SCOPE_CHILD, ET_LEVEL_WHOLE,
	.lo = -20, .hi = 19, .setting = "adds it to the program's nice value",
	.options = { "nice" })
ROW(SCHED, "sched", "scheduling classes: other, batch, idle, fifo:N, rr:N", ET_SCOPE_CHILD,
	.setting = "sets the program's scheduling class", .options = { "sched" })
ROW(HUGE_PAGES, "huge-pages", "transparent huge pages", ET_SCOPE_MACHINE, ET_LEVEL_CHOICE,
	huge_pages, .setting = "sets transparent huge pages", .options = { "env" })
ROW(MEMORY_POLICY, "memory-policy",
	"NUMA policies: default, local, bind:NODES, interleave:NODES, preferred:NODE",
	ET_SCOPE_CHILD, .setting = "sets the program's NUMA policy")
ROW(GOVERNOR, "governor", "governors of the CPUs' frequency", ET_SCOPE_MACHINE,
	.setting = "sets the governor of all CPUs", .options = { "env" })
ROW(TURBO, "turbo", "turbo frequencies", ET_SCOPE_MACHINE, ET_LEVEL_CHOICE, on_off,
	.setting = "sets turbo frequencies", .options = { "env" })
ROW(SMT, "smt", "second threads of the CPUs' cores", ET_SCOPE_MACHINE, ET_LEVEL_CHOICE, on_off,
	.setting = "sets the second threads of cores", .options = { "env" })
ROW(SERVICES, "services", "background services: a target of systemd, as-is, or stop:UNIT,UNIT",
	ET_SCOPE_MACHINE, .setting = "starts and stops services", .options = { "env" })
ROW(LOAD, "load", "numbers of competing processes that use the program's CPUs during its runs",
	ET_SCOPE_AROUND, ET_LEVEL_WHOLE, .lo = 0, .hi = 1024,
	.setting = "runs as many competing processes beside the program")
ROW(DIRECTORY, "directory", "folders that the program runs in", ET_SCOPE_CHILD,
	.setting = "starts the program in that folder")
