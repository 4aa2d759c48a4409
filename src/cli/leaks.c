/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/leaks.h"

#ifdef __SANITIZE_ADDRESS__
static int ignored;

/* LeakSanitizer calls this; sanitizer/lsan_interface.h declares it. */
int __lsan_is_turned_off(void);
int __lsan_is_turned_off(void)
{
	return ignored;
}

void et_leaks_ignore(void)
{
	ignored = 1;
}
#else
void et_leaks_ignore(void)
{
}
#endif
