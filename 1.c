#include <etalon/etalon.h>
#include <inttypes.h>
#include <stdio.h>

int main(void)
{
	uint64_t t = et_ticks_start();

	puts("hello");
	t = et_ticks_stop() - t;
	printf("%" PRIu64 " ticks\n", t);
	return 0;
}
