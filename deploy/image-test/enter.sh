#!/bin/sh
# Runs a command in the root file system of an image as a container runtime would: read-only, as its user, in its folder.
# Usage: unshare --mount sh enter.sh ROOT CONFIG SECRETS UID GID FOLDER COMMAND…
# The mounts end with the process. PATH is that of the image, so the programs of this script have their whole names.
set -eu
root=$1 config=$2 secrets=$3 uid=$4 gid=$5 folder=$6
shift 6
/bin/mount --bind "$root" "$root"
/bin/mount -o remount,bind,ro "$root"
/bin/mount --bind /proc "$root/proc"
/bin/mount --bind /dev "$root/dev"
/bin/mount --bind "$config" "$root/etc/merchant-payments"
/bin/mount --bind "$secrets" "$root/run/secrets"
exec /usr/bin/unshare --root="$root" --wd="$folder" --setgid "$gid" --setuid "$uid" -- "$@"
