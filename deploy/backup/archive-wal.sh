#!/bin/sh
# Copies one finished WAL segment into the archive. PostgreSQL runs it as archive_command, and repeats it until it
# succeeds. A segment appears in the archive whole or not at all, and is never replaced by another. ARCHIVE must have the
# file backup-disk-is-here.
# Usage: archive-wal.sh ARCHIVE SEGMENT NAME
set -eu

archive=$1
segment=$2
name=$3

# The operator makes this file once, on the mounted disk. An empty mount point does not have it.
marker=backup-disk-is-here
if [ ! -f "$archive/$marker" ]; then
  echo "archive-wal.sh: $archive has no file $marker: its disk is away or new. Mount it." \
    "On a new disk, once it is mounted: touch $archive/$marker" >&2
  exit 1
fi

if [ -e "$archive/$name" ]; then
  # An earlier run was interrupted before PostgreSQL noted its success, and perhaps before its last line.
  cmp -s "$segment" "$archive/$name"
else
  cp "$segment" "$archive/.$name.part"
  sync "$archive/.$name.part"
  mv "$archive/.$name.part" "$archive/$name"
fi
sync "$archive"
