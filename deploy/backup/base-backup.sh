#!/bin/sh
# Copies a running server into FOLDER/<time of the start>, and checks the copy. PGHOST, PGPORT and PGUSER name the server
# and a role with REPLICATION; its password is in ~/.pgpass. FOLDER must have the file backup-disk-is-here.
# Usage: base-backup.sh FOLDER
set -eu

folder=$1

# The operator makes this file once, on the mounted disk. An empty mount point does not have it.
marker=backup-disk-is-here
if [ ! -f "$folder/$marker" ]; then
  echo "base-backup.sh: $folder has no file $marker: its disk is away or new. Mount it." \
    "On a new disk, once it is mounted: touch $folder/$marker" >&2
  exit 1
fi

target="$folder/$(date -u +%Y%m%dT%H%M%SZ)"
# Debian puts pg_verifybackup beside the server's programs alone.
major=$(pg_basebackup --version | sed 's/[^0-9]*\([0-9]*\).*/\1/')
PATH="$PATH:/usr/lib/postgresql/$major/bin"

pg_basebackup --pgdata="$target.part" --checkpoint=fast --wal-method=stream --manifest-checksums=SHA256 --no-password
pg_verifybackup --quiet "$target.part"
mv "$target.part" "$target"
echo "$target"
