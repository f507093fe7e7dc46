-- phase: expand
-- What keeps an old snapshot of this database, for which PostgreSQL keeps rows that are gone. Neither VACUUM nor an idle
-- transaction without a snapshot does. `age` is null where PostgreSQL does not say since when.
-- In the owner's name, who may read the state of other sessions, so that the service cannot read their statements. Without
-- that right there is no row of a session; with it there is one at least, that of the caller.
create function held_snapshots() returns table (holder text, name text, xmin text, age interval)
language sql stable security definer set search_path = public, pg_temp
begin atomic
  select case backend_type when 'walsender' then 'standby' else 'session' end, pid::text,
    coalesce(backend_xmin, backend_xid)::text,
    case backend_type when 'client backend' then clock_timestamp() - xact_start end
  from pg_stat_activity
  where pg_has_role('pg_read_all_stats', 'usage') and backend_type in ('client backend', 'walsender')
    and (backend_xmin is not null or backend_xid is not null) and query not ilike 'vacuum%'
    and (datname = current_database() or datname is null)
  union all
  select 'slot', slot_name::text, s.xmin::text, null from pg_replication_slots s where s.xmin is not null
  union all
  select 'prepared', gid, transaction::text, clock_timestamp() - prepared
  from pg_prepared_xacts where database = current_database();
end;
revoke execute on function held_snapshots() from public;
grant execute on function held_snapshots() to merchant_payments_app;
