#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The memory that reading a record needs: at most 20 times the record's size, beside a fixed amount,
# for valid records of each format with samples as short as possible, and for hostile ones.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

if grep -qa __asan_init "$ETALON"; then
	echo '1..0 # SKIP the sanitizer needs memory of its own'
	exit 0
fi

python3 - <<'PY'
n = 1500000
def write(name, *parts):
    with open(name, 'w') as f:
        f.writelines(parts)
def repeat(text, extra=0):
    return ','.join([text] * (n // (len(text) + 1)))
native = '{"etalon":1,"commands":[{"name":"x","samples":['
write('import-hyperfine', '{"results":[{"command":"x","times":[', repeat('1'), ']}]}')
write('import-hyperfine-codes', '{"results":[{"command":"x","times":[', repeat('0.25'), '],"exit_codes":[', repeat('0'), ']}]}')
write('import-csv', 'et_ns\n', '1\n' * (n // 2))
write('import-csv-commands', 'command,et_ns\n', 'x,1\n' * (n // 4))
write('import-native', native, repeat('{"et_ns":1}'), ']}]}')
write('import-native-culprits', native, repeat('{"et_ns":1,"interference":[{"name":"a"},{"name":"b"}]}'), ']}]}')
write('import-brackets', '[' * n)
write('import-inner-brackets', '{"etalon":', '[' * n)
write('import-numbers', '[', repeat('1'), ']')
write('import-unclosed', '{"etalon":1,"x":[', repeat('{}'))
for name, text in ('objects', '{}'), ('lists', '[]'), ('strings', '""'), ('numbers', '1'):
    write('import-' + name + '-in-list', '{"etalon":1,"x":[', repeat(text), ']}')
    write('import-' + name + '-in-command', '{"etalon":1,"commands":[', repeat(text), ']}')
    write('import-' + name + '-in-samples', native, repeat(text), ']}]}')
    write('import-' + name + '-in-interference', native, '{"et_ns":1,"interference":[', repeat(text), ']}]}]}')
    write('import-' + name + '-in-argv', '{"etalon":1,"commands":[{"name":"x","argv":[', repeat(text), '],"samples":[{"et_ns":1}]}]}')
    write('import-' + name + '-in-times', '{"results":[{"command":"x","times":[', repeat(text), ']}]}')
    write('import-' + name + '-by-key', '{"etalon":1,', ','.join('"%x":%s' % (i, text) for i in range(n // 9)), '}')
write('trace-rows', '{"mhz_estimate":1000,"periods":[',
      ','.join('["%s",0,%d,1]' % ('AI'[i % 2], i) for i in range(n // 16)), ']}')
write('trace-objects', '{"mhz_estimate":1000,"periods":[', repeat('{}'), ']}')
write('daemons-executions', '{"short_run":{"samples":1,"sample_seconds":1,"all":[{"sample":1,"et_ms":1,"pt_ms":1,"pt":[',
      repeat('["x",1]'), ']}]}}')
write('describe-hyperfine', '{"results":[{"command":"x","times":[', repeat('1'), ']}]}')
write('describe-lines', '1\n' * (n // 2))
PY

cat >measure.py <<'PY'
import os, sys
path = sys.argv[1]
how = {'import': ['import', path], 'trace': ['trace', '--from', path],
       'daemons': ['daemons', 'analyse', path], 'describe': ['describe', path]}
pid = os.fork()
if pid == 0:
    null = os.open('/dev/null', os.O_WRONLY)
    os.dup2(null, 1)
    os.dup2(null, 2)
    os.execvp('etalon', ['etalon'] + how[path.split('-')[0]])
_, status, used = os.wait4(pid, 0)
print(os.waitstatus_to_exitcode(status), used.ru_maxrss // 1024, os.path.getsize(path) >> 20)
PY

for file in import-* trace-* daemons-* describe-*; do
	read -r code mb size < <(python3 measure.py "$file")
	# 24 MiB: the program, its libraries, the store's cache
	[ "$code" -ge 0 ] && [ "$code" -le 4 ] && [ "$mb" -le $((24 + 20 * size)) ]
	tap_report $? "memory: ${file/-/ } of $size MiB needs at most $((24 + 20 * size)) MiB ($mb, exit status $code)"
	rm -f "$file" store.db*
done

done_testing
