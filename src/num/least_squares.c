/* SPDX-License-Identifier: MIT */
#include "num/least_squares.h"
#include "base/base.h"

#include <assert.h>

/* A column of which less than this share is not explained by the others is a combination. */
static const double independent_least = 1e-11;

static double dot(const double *a, const double *b, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += a[i] * b[i];
	return sum;
}

/* Divides the weighted column by its norm, which it returns. */
static double scale_column(double *q, size_t n)
{
	double norm = sqrt(dot(q, q, n));

	for (size_t i = 0; norm > 0 && i < n; i++)
		q[i] /= norm;
	return norm;
}

struct qr {
	double *q; /* columns of n, then y */
	size_t n, p;
	double norm[ET_COLUMNS_MOST];
	double r[ET_COLUMNS_MOST][ET_COLUMNS_MOST + 1]; /* upper triangle and Q'y */
};

/* Removes column k from the later ones and from y. */
static bool orthogonalise(struct qr *d, size_t k)
{
	double *base = d->q + k * d->n;

	d->r[k][k] = scale_column(base, d->n);
	if (!(d->r[k][k] > independent_least))
		return false;
	for (size_t j = k + 1; j <= d->p; j++) {
		double *q = d->q + j * d->n;
		double part = dot(base, q, d->n);

		d->r[k][j] = part;
		for (size_t i = 0; i < d->n; i++)
			q[i] -= part * base[i];
	}
	return true;
}

/* Solves R x = c, where c is the right-hand side, and undoes the scaling of the columns. */
static void back_substitute(const struct qr *d, const double *c, double *x)
{
	for (size_t k = d->p; k-- > 0;) {
		double sum = c[k];

		for (size_t j = k + 1; j < d->p; j++)
			sum -= d->r[k][j] * x[j];
		x[k] = sum / d->r[k][k];
	}
	for (size_t k = 0; k < d->p; k++)
		x[k] /= d->norm[k];
}

/* (X'X)^-1 is the product of R^-1 with its transpose; the columns of R^-1 solve R x = e. */
static void fill_unscaled(const struct qr *d, struct et_least_squares *out)
{
	double inverse[ET_COLUMNS_MOST][ET_COLUMNS_MOST];

	for (size_t k = 0; k < d->p; k++) {
		double e[ET_COLUMNS_MOST] = { 0 };

		e[k] = 1;
		back_substitute(d, e, inverse[k]);
	}
	for (size_t a = 0; a < d->p; a++) {
		for (size_t b = 0; b < d->p; b++) {
			out->unscaled[a][b] = 0;
			for (size_t k = 0; k < d->p; k++)
				out->unscaled[a][b] += inverse[k][a] * inverse[k][b];
		}
	}
}

bool et_least_squares_fit(const double *const *columns, size_t p, const double *y,
	const double *sigma, size_t n, struct et_least_squares *out)
{
	ET_AUTO_FREE double *q = et_calloc((p + 1) * n + 1, sizeof(*q));
	struct qr d = { .q = q, .n = n, .p = p };
	double c[ET_COLUMNS_MOST];

	assert(p > 0 && p <= ET_COLUMNS_MOST);
	if (n < p)
		return false;
	for (size_t i = 0; i < n; i++) {
		double root = sigma ? 1 / sigma[i] : 1;

		for (size_t k = 0; k < p; k++)
			q[k * n + i] = root * columns[k][i];
		q[p * n + i] = root * y[i];
	}
	for (size_t k = 0; k < p; k++)
		d.norm[k] = scale_column(q + k * n, n);
	for (size_t k = 0; k < p; k++)
		if (!orthogonalise(&d, k))
			return false;
	for (size_t k = 0; k < p; k++)
		c[k] = d.r[k][p];
	*out = (struct et_least_squares){ .n = n, .p = p };
	back_substitute(&d, c, out->coef);
	fill_unscaled(&d, out);
	out->rss = dot(q + p * n, q + p * n, n);
	return true;
}

double et_least_squares_at(const struct et_least_squares *f, const double *row, double *error)
{
	double value = 0, variance = 0;

	for (size_t a = 0; a < f->p; a++) {
		value += f->coef[a] * row[a];
		for (size_t b = 0; b < f->p; b++)
			variance += row[a] * row[b] * f->unscaled[a][b];
	}
	*error = sqrt(variance);
	return value;
}

bool et_cholesky(double *a, size_t n)
{
	static const double smallest_pivot = 1e-10;

	for (size_t i = 0; i < n; i++) {
		double whole = a[i * n + i];
		for (size_t j = 0; j <= i; j++) {
			double sum = a[i * n + j];
			for (size_t k = 0; k < j; k++)
				sum -= a[i * n + k] * a[j * n + k];
			if (j < i)
				a[i * n + j] = sum / a[j * n + j];
			else if (!(sum > smallest_pivot * whole))
				return false;
			else
				a[i * n + i] = sqrt(sum);
		}
	}
	return true;
}

void et_cholesky_forward(const double *l, size_t n, double *x)
{
	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < i; k++)
			x[i] -= l[i * n + k] * x[k];
		x[i] /= l[i * n + i];
	}
}

void et_cholesky_backward(const double *l, size_t n, double *x)
{
	for (size_t i = n; i-- > 0;) {
		for (size_t k = i + 1; k < n; k++)
			x[i] -= l[k * n + i] * x[k];
		x[i] /= l[i * n + i];
	}
}
