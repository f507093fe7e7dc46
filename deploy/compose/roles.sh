#!/bin/sh
# PostgreSQL's image runs this once, as a superuser, in a new cluster. docs/operations.md, "Database roles".
# PgBouncer drops the settings that the service sends with a connection, so its roles have them.
# The worker has a login of its own, because it waits for locks more briefly.
set -eu
read_secret() { cat "${SECRETS:-/run/secrets}/$1"; }
owner_password=$(read_secret owner_password)
service_password=$(read_secret service_password)
# In the environment of psql alone: everybody on the machine can read arguments.
OWNER_PASSWORD="$owner_password" SERVICE_PASSWORD="$service_password" \
  psql --set=ON_ERROR_STOP=1 --username="$POSTGRES_USER" --dbname="$POSTGRES_DB" <<'SQL'
\getenv owner_password OWNER_PASSWORD
\getenv service_password SERVICE_PASSWORD
create role merchant_payments_owner nologin;
create role merchant_payments_app nologin;
create role merchant_payments_report nologin;
grant pg_read_all_stats to merchant_payments_owner;
create role payments_migrate login password :'owner_password' in role merchant_payments_owner;
create role payments_service login password :'service_password' in role merchant_payments_app;
create role payments_worker login password :'service_password' in role merchant_payments_app;
create role haproxy login connection limit 4;
alter database payments owner to payments_migrate;
alter role payments_service set statement_timeout = '15s';
alter role payments_service set idle_in_transaction_session_timeout = '15s';
alter role payments_service set transaction_timeout = '20s';
alter role payments_service set enable_seqscan = off;
alter role payments_service set enable_hashjoin = off;
alter role payments_service set enable_mergejoin = off;
alter role payments_service set random_page_cost = 1;
alter role payments_service set jit = off;
alter role payments_worker set statement_timeout = '15s';
alter role payments_worker set idle_in_transaction_session_timeout = '15s';
alter role payments_worker set transaction_timeout = '20s';
alter role payments_worker set enable_seqscan = off;
alter role payments_worker set enable_hashjoin = off;
alter role payments_worker set enable_mergejoin = off;
alter role payments_worker set random_page_cost = 1;
alter role payments_worker set jit = off;
alter role payments_worker set lock_timeout = '2s';
SQL
