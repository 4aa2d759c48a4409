/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * UA: heat on an unstructured mesh that adapts. A ball that moves through a periodic cube heats it;
 * blocks near the ball are divided into eight cells. The mesh is made anew whenever the ball has
 * moved, and its cells have no order in memory.
 */
#include "put/kernel_work.h"

enum { CHILDREN = 8, FACING = 4, REMESH = 10 };
static const double step = 1.0 / 32, heating = 2;

struct mesh {
	size_t n, blocks; /* along an edge, a power of two; altogether */
	size_t cells;
	uint32_t *first; /* cell of each block; blocks + 1 of them, in the order of places */
	uint8_t *fine;   /* of each block: it is divided */
	uint32_t *block; /* of each cell */
	/* Neighbours of each cell, from links[c] to links[c + 1], with the flow per degree. */
	uint32_t *links, *neighbours;
	double *flows;
	double *heat, *next; /* temperature of each cell */
};

/* Blocks are stored at scattered places: neighbours in space are far apart in memory. */
static inline size_t place_of(const struct mesh *m, size_t block)
{
	return (block * 0x9e3779b1u + 12345) & (m->blocks - 1);
}

static inline size_t first_cell(const struct mesh *m, size_t block)
{
	return m->first[place_of(m, block)];
}

static inline double volume(const struct mesh *m, size_t cell)
{
	return m->fine[m->block[cell]] ? 1.0 / CHILDREN : 1;
}

/* The block beside another, along a dimension, forwards or backwards. */
static size_t beside(const struct mesh *m, size_t block, int dimension, bool forwards)
{
	size_t n = m->n, stride = dimension == 0 ? n * n : dimension == 1 ? n : 1;
	size_t at = block / stride % n, to = (at + (forwards ? 1 : n - 1)) & (n - 1);

	return block + to * stride - at * stride;
}

/* The k-th of the four children of a block that face the side from which it is entered. */
static size_t facing(size_t k, size_t bit, bool forwards)
{
	return (k & ~(bit - 1)) << 1 | (k & (bit - 1)) | (forwards ? 0 : bit);
}

/* Adds the links of one cell across one of its sides; returns the number of links then. */
static size_t link_side(
	const struct mesh *m, size_t cell, int dimension, bool forwards, size_t at, bool count_only)
{
	size_t block = m->block[cell], child = cell - first_cell(m, block);
	size_t bit = (size_t)4 >> dimension, other = beside(m, block, dimension, forwards);
	bool fine = m->fine[block], inside = fine && !(child & bit) == forwards;
	bool other_fine = inside || m->fine[other], finer = !fine && other_fine;
	size_t base = first_cell(m, inside ? block : other), links = finer ? FACING : 1;
	double apart = (fine ? 0.25 : 0.5) + (other_fine ? 0.25 : 0.5);
	double area = fine || other_fine ? 0.25 : 1;

	for (size_t k = 0; k < links && !count_only; k++) {
		size_t same = fine && other_fine ? child ^ bit : 0;
		size_t to = finer ? facing(k, bit, forwards) : same;
		m->neighbours[at + k] = (uint32_t)(base + to);
		m->flows[at + k] = area / apart;
	}
	return at + links;
}

static size_t link_cell(const struct mesh *m, size_t cell, size_t at, bool count_only)
{
	for (int side = 0; side < 6; side++)
		at = link_side(m, cell, side / 2, side % 2, at, count_only);
	return at;
}

/* The distance of a block from the ball on a periodic axis, squared. */
static double off(const struct mesh *m, double a, double b)
{
	double apart = fabs(a - b);

	apart = fmin(apart, (double)m->n - apart);
	return apart * apart;
}

static bool in_ball(const struct mesh *m, size_t block, double time)
{
	double n = (double)m->n, radius = n / 4;
	double x = fmod(time, n), y = fmod(2 * time, n), z = fmod(3 * time, n);

	return off(m, (double)(block / m->n / m->n), x) + off(m, (double)(block / m->n % m->n), y) +
		       off(m, (double)(block % m->n), z) <
	       radius * radius;
}

/* Numbers the cells of all blocks; from the heat of the old cells comes that of the new ones. */
static void divide(struct mesh *m, double time)
{
	size_t cells = 0, inverse = 1;

	for (int i = 0; i < 6; i++) /* of the factor in place_of, by Newton's iteration */
		inverse *= 2 - 0x9e3779b1u * inverse;
	for (size_t place = 0; place < m->blocks; place++) {
		size_t block = (place - 12345) * inverse & (m->blocks - 1);
		size_t old = m->first[place], was = m->fine[block] ? CHILDREN : 1;
		bool fine = in_ball(m, block, time);
		double mean = 0;
		for (size_t k = 0; k < was; k++)
			mean += m->heat[old + k] / (double)was;
		m->first[place] = (uint32_t)cells;
		for (size_t k = 0; k < (fine ? CHILDREN : 1); k++) {
			m->block[cells] = (uint32_t)block;
			m->next[cells++] = was == 1 || !fine ? mean : m->heat[old + k];
		}
		m->fine[block] = fine;
	}
	m->first[m->blocks] = (uint32_t)cells;
	m->cells = cells;
	double *swap = m->heat;
	m->heat = m->next;
	m->next = swap;
}

static void adapt(struct mesh *m, double time)
{
	divide(m, time);
#pragma omp parallel for schedule(static)
	for (size_t c = 0; c < m->cells; c++)
		m->links[c + 1] = (uint32_t)link_cell(m, c, 0, true);
	m->links[0] = 0;
	for (size_t c = 0; c < m->cells; c++)
		m->links[c + 1] += m->links[c];
#pragma omp parallel for schedule(static)
	for (size_t c = 0; c < m->cells; c++)
		link_cell(m, c, m->links[c], false);
}

/* The divided blocks are those that the ball heats. */
static void conduct(struct mesh *m)
{
#pragma omp parallel for schedule(static)
	for (size_t c = 0; c < m->cells; c++) {
		bool fine = m->fine[m->block[c]];
		double own = m->heat[c], gain = 0;
		for (size_t l = m->links[c]; l < m->links[c + 1]; l++)
			gain += m->flows[l] * (m->heat[m->neighbours[l]] - own);
		m->next[c] = own + step * (gain * (fine ? CHILDREN : 1) + (fine ? heating : 0));
	}
	double *swap = m->heat;
	m->heat = m->next;
	m->next = swap;
}

/* The heat of all cells; *heated is the volume of the divided blocks. */
static double total(const struct mesh *m, double *heated, double *square)
{
	double sum = 0, fine = 0, squares = 0;

	for (size_t c = 0; c < m->cells; c++) {
		double v = volume(m, c);
		sum += v * m->heat[c];
		squares += v * m->heat[c] * m->heat[c];
		fine += m->fine[m->block[c]] ? v : 0;
	}
	*heated = fine;
	*square = squares;
	return sum;
}

static void simulate(struct mesh *m, int times, bool spoil, struct et_kernel_result *out)
{
	double expected = 0, heated, square = 0, sum = 0;

	for (int t = 0; t < times; t++) {
		adapt(m, 0.7 * t);
		if (spoil && t == times / 2)
			m->heat[m->cells / 2] += 0.01;
		for (int i = 0; i < REMESH; i++)
			conduct(m);
		sum = total(m, &heated, &square);
		expected += REMESH * step * heating * heated;
	}
	out->value = square;
	out->error = fabs(sum - expected) / expected;
	snprintf(out->detail, sizeof(out->detail), "%zu blocks, %zu cells, %d meshes of %d steps",
		m->blocks, m->cells, times, REMESH);
}

void et_kernel_ua(enum et_kernel_class size, bool spoil, struct et_kernel_result *out)
{
	static const struct {
		size_t n;
		int times;
	} sizes[ET_CLASSES] = { { 16, 25 }, { 32, 10 }, { 32, 80 }, { 64, 50 }, { 64, 400 } };
	struct mesh m = { .n = sizes[size].n,
		.blocks = sizes[size].n * sizes[size].n * sizes[size].n };
	/* The ball has less than a tenth of the cube; its surface has the blocks with 24 links. */
	size_t most = m.blocks * 2, links = most * 7;
	ET_AUTO_FREE uint32_t *indices =
		et_calloc(m.blocks + 1 + 2 * most + 1 + links, sizeof(*indices));
	ET_AUTO_FREE uint8_t *fine = et_calloc(m.blocks, 1);
	ET_AUTO_FREE double *numbers = et_calloc(2 * most + links, sizeof(*numbers));

	m.fine = fine;
	m.first = indices;
	m.block = m.first + m.blocks + 1;
	m.links = m.block + most;
	m.neighbours = m.links + most + 1;
	m.heat = numbers;
	m.next = numbers + most;
	m.flows = numbers + 2 * most;
	for (size_t i = 0; i <= m.blocks; i++)
		m.first[i] = (uint32_t)i; /* a mesh without divided blocks, at temperature 0 */
	simulate(&m, sizes[size].times, spoil, out);
	out->limit = 1e-12;
	out->check = "the relative loss of heat";
}
