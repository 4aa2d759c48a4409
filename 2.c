#include <etalon/etalon.h>

static void nothing(void *arg)
{
	ETALON_KEEP(arg);
}

ETALON_MAIN(ETALON_BENCH(nothing))
