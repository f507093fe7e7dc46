#!/bin/sh
# Makes a data directory that recovers to a point in time when the server starts in it. The server then pauses at that
# point and takes only reads, until somebody has looked and calls pg_wal_replay_resume().
# Run it as the server's account. The base backup must have ended before TIME. DATA must not exist.
# Usage: restore.sh BASE ARCHIVE DATA TIME      TIME such as '2026-11-23 00:15:00+00', with its offset or Z
set -eu

fail() {
  echo "restore.sh: $1" >&2
  exit 1
}

[ $# -eq 4 ] || fail 'usage: restore.sh BASE ARCHIVE DATA TIME'
base=$1
archive=$2
data=$3
time=$4

[ -n "$time" ] || fail 'no time to restore to'
[ -f "$base/backup_label" ] || fail "$base is no base backup: it has no backup_label"
[ ! -s "$base/tablespace_map" ] || fail "$base has tablespaces, which this script does not place"
[ -d "$archive" ] || fail "there is no archive at $archive"
[ ! -e "$data" ] || fail "$data exists: move it away, it may be needed to find out what happened"
case "$archive$time" in
*[\'\"\\%]*) fail 'the archive and the time must not contain quotes, backslashes or percent signs' ;;
esac
is_time='[0-9]{4}-[0-9]{2}-[0-9]{2}[ T][0-9]{2}:[0-9]{2}(:[0-9]{2}([.][0-9]+)?)?(Z|[+-][0-9]{2}(:?[0-9]{2})?)'
[ "$(printf '%s\n' "$time" | grep -Ex "$is_time")" = "$time" ] ||
  fail "write the time as 2026-11-23 00:15:00+00 or 2026-11-23T00:15:00Z: PostgreSQL reads a time without an offset in its own zone"

umask 077
mkdir "$data"
cp -R "$base/." "$data/"
# What a copy of a running server may have brought along, and the new server must not find.
rm -f "$data/postmaster.pid" "$data/postmaster.opts" "$data/standby.signal"
rm -rf "$data"/pg_replslot/*
cat >>"$data/postgresql.auto.conf" <<CONF
restore_command = 'cp "$archive/%f" "%p"'
recovery_target_time = '$time'
recovery_target_action = 'pause'
# The new server writes a history of its own. It archives again once you have taken a new base backup.
archive_mode = off
# No standby follows it yet: its first commit would wait for good.
synchronous_standby_names = ''
CONF
: >"$data/recovery.signal"
echo "$data recovers to $time when the server starts"
