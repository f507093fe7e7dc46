#!/bin/sh
# Copies one finished WAL segment into the archive. PostgreSQL runs it as archive_command, and repeats it until it
# succeeds. A segment appears in the archive whole or not at all, and is never replaced by another.
# Usage: archive-wal.sh ARCHIVE SEGMENT NAME
set -eu

archive=$1
segment=$2
name=$3

if [ -e "$archive/$name" ]; then
  # An earlier run was interrupted before PostgreSQL noted its success, and perhaps before its last line.
  cmp -s "$segment" "$archive/$name"
else
  cp "$segment" "$archive/.$name.part"
  sync "$archive/.$name.part"
  mv "$archive/.$name.part" "$archive/$name"
fi
sync "$archive"
