# SPDX-License-Identifier: GPL-3.0-or-later
cd "$folder" 2>/dev/null || exit 0
ended() {
	status=
	{ read -r status <"$1/exit"; } 2>/dev/null
	case $status in
	'') return 1 ;;
	0) echo "$1 ended 0" ;;
	*) echo "$1 ended $status $(tail -n 3 "$1/log" 2>/dev/null | grep -v ^hint: | tail -n 1 | cut -c -140)" ;;
	esac
}
for d in *.*; do
	[ -d "$d" ] || continue
	if ended "$d"; then :
	elif alive "$d"; then echo "$d running"
	elif ended "$d"; then :
	else echo "$d lost"
	fi
done
