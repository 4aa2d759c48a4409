/* SPDX-License-Identifier: MIT */
/* The version of the library at run time, which may differ from the one that was compiled for. */
#include <etalon/etalon.h>

const char *etalon_version(void)
{
	return ET_VERSION;
}
