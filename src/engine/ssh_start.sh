# SPDX-License-Identifier: GPL-3.0-or-later
trap '' HUP PIPE
mkdir -p "$folder" && cd "$folder" || { echo failed to make "$folder"; exit; }
exec 9>>"$lock"
if [ -d "$job" ]; then echo started; exit; fi
if command -v flock >/dev/null; then flock -n 9 || { echo busy; exit; }; fi
mkdir "$job" || { echo failed to make "$folder/$job"; exit; }
