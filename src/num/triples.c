/* SPDX-License-Identifier: MIT */
#include "num/triples.h"
#include "base/alloc.h"
#include "num/quantile.h"
#include "num/student.h"

#include <math.h>

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
