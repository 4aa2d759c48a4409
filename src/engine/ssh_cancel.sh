# SPDX-License-Identifier: GPL-3.0-or-later
cd "$folder" 2>/dev/null || exit 0
left=
for d in *.*; do
	[ -d "$d" ] && [ ! -e "$d/exit" ] && alive "$d" || continue
	kill -TERM "-$pid" 2>/dev/null
	left="$left $d"
done
n=0
for d in $left; do
	while alive "$d" && [ $n -lt 100 ]; do sleep 0.1; n=$((n + 1)); done
	if alive "$d"; then kill -KILL "-$pid"; fi
done
echo ended$left
