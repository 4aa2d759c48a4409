/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The bare work of the programs under test, without options and output. */
#pragma once

#include "put/put.h"

#include <time.h>

/* Increments a register n times and returns the count. */
uint64_t et_inc(uint64_t n);
/* Increments until the clock reads at least until_ns; returns the number of increments. */
uint64_t et_spin(clockid_t clock, uint64_t until_ns);

/*
 * Generate n numbers that depend on the seed only: from 0 to 2^31 - 1, and from 0 to ET_DIGITS - 1.
 * An element of the product of two matrices of such digits is below 2^31 up to a size of 219 111.
 */
enum { ET_DIGITS = 100 };
void et_random_ints(int32_t *out, size_t n, uint64_t seed);
void et_random_digits(int32_t *out, size_t n, uint64_t seed);
/* Insertion sort, ascending. */
void et_insertion_sort(int32_t *a, size_t n);
/* Merge sort of the n numbers of a, with room for as many in b; returns a or b, which has them. */
int32_t *et_merge_sort(int32_t *a, int32_t *b, size_t n);

/*
 * Fills an array with ascending numbers, and looks up one of them at random by binary search, this
 * many times; n is at most ET_LARGEST_SEARCH. Returns the sum of the indices that it finds.
 */
enum { ET_LARGEST_SEARCH = 100000000 };
void et_fill_sorted(int32_t *out, size_t n);
uint64_t et_search(const int32_t *a, size_t n, uint64_t seed, uint64_t times);

/*
 * Multiply n×n matrices, which are stored by rows: c = a·b. The innermost loop walks down a column,
 * or along a row.
 */
void et_matrix_by_column(const int32_t *a, const int32_t *b, int32_t *c, size_t n);
void et_matrix_by_row(const int32_t *a, const int32_t *b, int32_t *c, size_t n);

/*
 * Follows a random cycle through n cache lines in memory, which has n times et_chase_bytes() bytes,
 * for this many steps; each read depends on the one before. Returns the line where it ends.
 */
uint64_t et_chase(void *memory, size_t n, uint64_t seed, uint64_t steps);
size_t et_chase_bytes(void);
/* Makes n short system calls; returns the sum of their results. */
uint64_t et_calls(uint64_t n);
/* Maps fresh memory and writes to each page of it; returns the pages written, 0 if it cannot. */
uint64_t et_touch_pages(size_t bytes, uint64_t times);

/*
 * Calls fn1 twice and fn2 eight times, in turn, `calls` times altogether, which is a multiple of
 * 10; a call makes per_call iterations. With equal_calls each is called five times in turn, and a
 * call of fn2 makes four times as many. Returns a number that depends on all of them.
 */
uint64_t et_fragment(uint64_t calls, uint64_t per_call, int equal_calls);
/*
 * Calls function1 to function5, which make 5, 4, 3, 2 and 1 times `inner` iterations, or in the
 * reverse order, this many times. Returns a number that depends on all of them.
 */
uint64_t et_triangle(uint64_t loops, uint64_t inner, int reverse);
/*
 * Calls a function of 256 nops this many times or, if calls is 0, until the thread has used the CPU
 * time, with an empty loop of 0 to 15 iterations before each. *out is the number of calls, also
 * after an error.
 */
int et_nops(
	enum et_put_random random, uint64_t calls, uint64_t until_cpu_ns, uint64_t *out) ET_CHECK;
