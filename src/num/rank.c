/* SPDX-License-Identifier: MIT */
#include "num/rank.h"

#include "base/base.h"
#include "base/doubles.h"
#include "num/quantile.h"
#include "num/student.h"

struct item {
	double value; /* first, for et_ascending */
	size_t at;
};

double et_rank(const double *x, size_t n, double *rank)
{
	ET_AUTO_FREE struct item *items = et_alloc(n * sizeof(*items));
	double cubic = 0;

	for (size_t i = 0; i < n; i++)
		items[i] = (struct item){ x[i], i };
	if (n)
		qsort(items, n, sizeof(*items), et_ascending);
	for (size_t i = 0, j; i < n; i = j) {
		for (j = i + 1; j < n && items[j].value == items[i].value; j++)
			;
		double t = (double)(j - i);
		cubic += t * (t * t - 1);
		for (size_t k = i; k < j; k++)
			rank[items[k].at] = ((double)i + (double)j + 1) / 2;
	}
	return cubic;
}

struct et_ties et_ties_sorted(const double *sorted, size_t n)
{
	struct et_ties ties = { 0 };

	for (size_t i = 0, j; i < n; i = j) {
		for (j = i + 1; j < n && sorted[j] == sorted[i]; j++)
			;
		double t = (double)(j - i);
		ties.pairs2 += t * (t - 1);
		ties.cubic += t * (t * t - 1);
		ties.kendall += t * (t - 1) * (2 * t + 5);
	}
	return ties;
}

static uint64_t merge_count(double *x, size_t n, double *tmp)
{
	size_t half = n / 2, i = 0, j = half, k = 0;

	if (n < 2)
		return 0;
	uint64_t count = merge_count(x, half, tmp) + merge_count(x + half, n - half, tmp);
	while (i < half && j < n) {
		if (x[j] < x[i]) {
			count += half - i;
			tmp[k++] = x[j++];
		} else {
			tmp[k++] = x[i++];
		}
	}
	memcpy(tmp + k, x + i, (half - i) * sizeof(*x));
	memcpy(x, tmp, (k + half - i) * sizeof(*x));
	return count;
}

uint64_t et_inversions(double *x, size_t n)
{
	ET_AUTO_FREE double *tmp = et_alloc(n * sizeof(*tmp));

	return merge_count(x, n, tmp);
}

void et_rank_strata_add(struct et_rank_strata *t, const double *x, const bool *marked, size_t n)
{
	ET_AUTO_FREE double *rank = et_alloc((n + 1) * sizeof(*rank));
	double cubic = et_rank(x, n, rank), size = (double)n, m = 0, sum = 0;

	for (size_t i = 0; i < n; i++) {
		m += marked[i];
		sum += marked[i] ? rank[i] : 0;
	}
	if (n < 2)
		return;
	t->sum += (sum - m * (size + 1) / 2) / (size + 1);
	t->variance += m * (size - m) / 12 * (size + 1 - cubic / (size * (size - 1))) /
		       ((size + 1) * (size + 1));
}

double et_rank_strata_p(const struct et_rank_strata *t)
{
	return t->variance > 0 ? et_pnorm_upper(t->sum / sqrt(t->variance)) : NAN;
}

/* --- the triples test --- */

enum { MOST = 1000 };

/*
 * A triple is right if its middle value is nearer to the smallest than to the largest. Sums, over
 * the triples that contain each value, right ones less left ones; returns the sum over all. x is
 * sorted. For two outer values, `half` values between them make right triples.
 */
static double sum_triples(const double *x, size_t n, double *of_value)
{
	ET_AUTO_FREE double *steps = et_calloc(n + 1, sizeof(*steps)); /* for the middle values */
	double total = 0;

	for (size_t i = 0; i + 2 < n; i++) {
		size_t left = i + 1,
		       right = i + 1; /* ends of the values below the middle, up to it */
		for (size_t k = i + 2; k < n; k++) {
			while (left < k && 2 * x[left] < x[i] + x[k])
				left++;
			right = right < left ? left : right;
			while (right < k && 2 * x[right] <= x[i] + x[k])
				right++;
			double sum = (double)(left - i - 1) - (double)(k - right);
			total += sum;
			of_value[i] += sum;
			of_value[k] += sum;
			steps[i + 1]++;
			steps[left]--;
			steps[right]--;
			steps[k]++;
		}
	}
	for (size_t j = 0; j < n; j++) {
		steps[j + 1] += steps[j];
		of_value[j] += steps[j];
	}
	return total;
}

struct et_triples et_triples_test(const double *x, size_t n)
{
	ET_AUTO_FREE double *sorted = et_sorted_copy(x, n);
	size_t stride = (n + MOST - 1) / MOST, m = 0;
	struct et_triples t = { NAN, NAN };

	for (size_t i = stride / 2; stride && i < n; i += stride)
		sorted[m++] = sorted[i];
	if (m < 3)
		return t;
	ET_AUTO_FREE double *of_value = et_calloc(m, sizeof(*of_value));
	double size = (double)m, each = (size - 1) * (size - 2) / 2;
	double mean = sum_triples(sorted, m, of_value) / (size * each / 3), variance = 0;
	for (size_t i = 0; i < m; i++)
		variance += (of_value[i] / each - mean) * (of_value[i] / each - mean);
	variance *= 9 / (size * (size - 1));
	if (!(variance > 0))
		return t;
	t.z = mean / sqrt(variance);
	t.p = et_pnorm_two_sided(t.z);
	return t;
}
