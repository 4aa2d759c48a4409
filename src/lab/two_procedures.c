/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lab/two_procedures.h"
#include "clock/counter.h"

enum { LINE = 64 };

/*
 * In a page of its own, and not merged with a function of the same instructions: gcc would, without
 * noipa, and the statement of OWN_CODE differs from function to function.
 */
#ifdef __clang__
#define OWN_PAGE __attribute__((noinline, aligned(4096)))
#else
#define OWN_PAGE __attribute__((noipa, aligned(4096)))
#endif
#define OWN_CODE(name) __asm__ volatile("# " name)

OWN_PAGE static void start_counter(uint64_t *started)
{
	*started = et_counter_start();
}

OWN_PAGE static double get_counter(const uint64_t *started)
{
	return (double)(et_counter_stop() - *started);
}

OWN_PAGE double et_procedure_ticks(et_procedure *procedure, double *p)
{
	uint64_t started;

	start_counter(&started);
	procedure(p);
	return get_counter(&started);
}

OWN_PAGE void et_procedure_a(double *p)
{
	OWN_CODE("A");
	for (int i = 0; i < ET_PROCEDURE_DOUBLES; i++)
		p[i] *= 0.5;
}

OWN_PAGE void et_procedure_b(double *p)
{
	OWN_CODE("B");
	for (int i = 0; i < ET_PROCEDURE_DOUBLES; i++)
		p[i] *= 0.5;
}

OWN_PAGE void et_procedure_read_a(void *data)
{
	const struct et_procedure_data *d = data;
	uint64_t sum = 0;

	OWN_CODE("A");
	for (size_t i = 0; i < d->bytes; i += LINE)
		sum += (uint64_t) * (const volatile char *)(d->start + i);
	__asm__ volatile("" ::"r"(sum));
}

OWN_PAGE void et_procedure_read_b(void *data)
{
	const struct et_procedure_data *d = data;
	uint64_t sum = 0;

	OWN_CODE("B");
	for (size_t i = 0; i < d->bytes; i += LINE)
		sum += (uint64_t) * (const volatile char *)(d->start + i);
	__asm__ volatile("" ::"r"(sum));
}
