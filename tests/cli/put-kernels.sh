#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The kernels of `etalon put`: parallel programs that verify their results.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

unset OMP_NUM_THREADS GOMP_CPU_AFFINITY OMP_PLACES OMP_PROC_BIND
# Threads that wait for each other would otherwise spin, also on a machine that is busy.
export OMP_WAIT_POLICY=passive
omp=$(dirname "$ETALON")/etalon-put-omp
kernels=$(etalon put --list | sed -n 's/^\([a-z]*\) *kernel: .*/\1/p')
like 'put: there are kernels' "$kernels" cg

if etalon put ep --threads 2 2>err; then
	threads='1 2 4'
else
	like 'put: without OpenMP, two threads are refused' "$(cat err)" 'cannot use 2 threads: etalon was built without OpenMP'
	threads=1
fi
for kernel in $kernels; do
	for n in $threads; do
		exits "put: $kernel with $n threads verifies its result" 0 etalon put "$kernel" --threads "$n" -v
		like "put: $kernel uses $n threads" "$out" "^$kernel: class S, $n threads?: .*; verified\$"
		[ "$n" -gt 1 ] || one=$out
		is "put: the work of $kernel does not depend on the threads" "${out#*: class S, * thread*: }" "${one#*: class S, * thread*: }"
	done
	exits "put: $kernel finds a changed number" 1 "$omp" "$kernel" S 1 quiet spoil
	like "put: $kernel reports what is wrong" "$err" "^etalon: put $kernel: wrong result: "
done

like 'put: a kernel has one thread by default' "$(etalon put is -v)" ', 1 thread:'
if [ "$threads" != 1 ]; then
	like 'put: OMP_NUM_THREADS sets the threads' "$(OMP_NUM_THREADS=3 etalon put is -v)" ', 3 threads:'
	like 'put: --threads overrides OMP_NUM_THREADS' "$(OMP_NUM_THREADS=3 etalon put is --threads 2 -v)" ', 2 threads:'
else
	skip 'put: OMP_NUM_THREADS sets the threads' 'built without OpenMP'
fi
# The library reads GOMP_CPU_AFFINITY when a program starts: it would pin etalon, and every program that it measures.
ok 'put: etalon itself is not linked with OpenMP' test -z "$(ldd "$ETALON" | grep -E 'gomp|libomp')"

exits 'put: --size W is another size' 0 etalon put is --size W -v
like 'put: -v names the size' "$out" '^is: class W'
for value in D SW s 100; do
	refuses "put: cg --size $value is rejected" 2 '--size' etalon put cg --size "$value"
done
refuses 'put: sort --size S is rejected' 2 "--size: 'S' is not a whole number" etalon put sort --size S
for value in 0 -1 1.5 abc 1025; do
	refuses "put: cg --threads '$value' is rejected" 2 '--threads' etalon put cg --threads "$value"
done
refuses 'put: sort --threads is rejected' 2 'put sort takes no --threads' etalon put sort --threads 2
refuses 'put: cg --seed is rejected' 2 'put cg takes no --seed' etalon put cg --seed 1

# Installed, the program is in another folder; without it, the error names it.
mkdir -p usr/bin usr/libexec/etalon
cp "$ETALON" usr/bin/etalon
refuses 'put: a missing etalon-put-omp is reported' 3 'the program etalon-put-omp of etalon is missing' usr/bin/etalon put is
cp "$omp" usr/libexec/etalon/
exits 'put: an installed etalon finds its kernels below its prefix' 0 usr/bin/etalon put is

done_testing
