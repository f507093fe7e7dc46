#!/bin/sh
# Makes the secrets of deploy/compose.yaml. Keeps those that exist, because the database has their passwords.
# Usage: make-secrets.sh [FOLDER]. Default: the folder secrets beside this file.
set -eu
folder=${1:-$(dirname "$0")/secrets}
mkdir -p "$folder"
# Compose mounts each file with the mode that it has here, and each container has a user of its own. The folder keeps others out.
chmod 700 "$folder"
cd "$folder"
umask 022

# Writes what it reads to the file, unless that exists. A command that failed wrote nothing.
keep() {
  cat > "$1.draft"
  [ -s "$1.draft" ] || { echo "$1 could not be made" >&2; exit 1; }
  if [ -e "$1" ]; then rm "$1.draft"; else mv "$1.draft" "$1"; fi
}

for name in postgres_password owner_password service_password grafana_password; do
  openssl rand -hex 24 | keep "$name"
done
openssl rand -base64 32 | keep client_secret_key_1
openssl genpkey -quiet -algorithm RSA -pkeyopt rsa_keygen_bits:2048 | keep signing_key
printf 'postgres://payments_migrate:%s@postgres:5432/payments\n' "$(cat owner_password)" | keep database_owner_url
printf 'postgres://payments_service:%s@pgbouncer:6432/payments\n' "$(cat service_password)" | keep database_url
printf 'postgres://payments_worker:%s@pgbouncer:6432/payments\n' "$(cat service_password)" | keep worker_database_url
printf '"%s" "%s"\n' payments_service "$(cat service_password)" payments_worker "$(cat service_password)" |
  keep pgbouncer_users

# For a trial: clients do not trust it. Replace the file with your certificate, its chain and its key.
if [ ! -e certificate ]; then
  openssl req -x509 -nodes -newkey rsa:2048 -days 30 -subj /CN=localhost -addext subjectAltName=DNS:localhost \
    -keyout certificate.key -out certificate.crt 2> certificate.log
  cat certificate.crt certificate.key | keep certificate
  rm certificate.crt certificate.key certificate.log
fi
