#include <etalon/etalon.h>
#include <stdio.h>

static void work(void *arg)
{
	double x = *(double *)arg;

	for (int i = 0; i < 100; i++)
		x = x / 1.0001;
	ETALON_KEEP(x);
}

int main(void)
{
	struct et_kbest_result r;
	double x = 2;
	int rc = et_kbest(work, &x, NULL, &r, sizeof(r));

	if (rc != ET_OK)
		fprintf(stderr, "work: %s\n", et_strerror(rc));
	printf("%.1f ns, %.0f %s, ± %.2g %%\n", r.ns, r.ticks, r.unit, r.error * 100);
	return 0;
}
