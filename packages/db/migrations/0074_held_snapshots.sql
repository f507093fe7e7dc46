-- phase: expand
-- What keeps an old snapshot of this database, for which PostgreSQL keeps rows that are gone. Neither VACUUM nor an idle
-- transaction without a snapshot does. `xmin` is null while no transaction has got a number since: no row is gone.
-- `age` is the least that it can be. A session took its snapshot, or its own number, when its last statement began or
-- earlier; its transaction can have begun long before that. Of a standby and a slot PostgreSQL knows no time: null.
-- In the owner's name, who may read the state of other sessions, so that the service cannot read their statements. Without
-- that right there is no row of a session; with it there is one at least, that of the caller.
create function held_snapshots() returns table (holder text, name text, xmin text, age interval)
language sql stable security definer set search_path = public, pg_temp
begin atomic
  select h.holder, h.name, case when age(h.xid) > 0 then h.xid::text end, h.age
  from (
    select case backend_type when 'walsender' then 'standby' else 'session' end, pid::text, kept.xid,
      case backend_type when 'client backend' then clock_timestamp() - greatest(xact_start, query_start) end
    from pg_stat_activity cross join lateral (values (backend_xmin), (backend_xid)) kept (xid)
    where pg_has_role('pg_read_all_stats', 'usage') and backend_type in ('client backend', 'walsender')
      and kept.xid is not null and query not ilike 'vacuum%'
      and (datname = current_database() or datname is null)
    union all
    select 'slot', slot_name::text, s.xmin, null from pg_replication_slots s where s.xmin is not null
    union all
    select 'prepared', gid, transaction, clock_timestamp() - prepared
    from pg_prepared_xacts where database = current_database()
  ) h (holder, name, xid, age);
end;
revoke execute on function held_snapshots() from public;
grant execute on function held_snapshots() to merchant_payments_app;
