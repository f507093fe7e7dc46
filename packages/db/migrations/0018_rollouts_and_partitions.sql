-- Deliveries that wait for a worker that knows their endpoint, a rescue in bounded steps, and a drop that gives way.

-- Since when no worker that met the job knew its endpoint: while a configuration is rolled out, another one may.
alter table delivery_jobs add column missing_since timestamptz;

-- With the id, so that a rescue goes on after the last row that it looked at.
drop index deliveries_pending;
create index deliveries_pending on deliveries (created_at, id) where status = 'pending';

-- Whether another transaction holds any lock on the partitioned tables or their partitions for longer than a statement
-- takes: a dump, say. Looked at twice, since statements come and go.
create function are_partitions_held() returns boolean language plpgsql as $$
declare
  holders text[];
begin
  holders := partition_holders();
  if cardinality(holders) = 0 then
    return false;
  end if;
  perform pg_sleep(0.2);
  return holders && partition_holders();
end $$;

create function partition_holders() returns text[] language sql volatile as $$
  select coalesce(array_agg(distinct l.virtualtransaction), '{}') from pg_locks l
  where l.database = (select oid from pg_database where datname = current_database())
    and l.locktype = 'relation' and l.granted and l.pid <> pg_backend_pid()
    and l.relation in (
      select inhrelid from pg_inherits
      where inhparent in ('events'::regclass, 'deliveries'::regclass, 'delivery_attempts'::regclass)
      union all values ('events'::regclass::oid), ('deliveries'::regclass::oid), ('delivery_attempts'::regclass::oid))
$$;

-- Drops the oldest month that ended before `before` and that nothing waits in, and tells which months something waits
-- in. One month a call, so that its locks are short. Where a dump or another long reader holds the tables it does not
-- even ask for its lock, since every writer would queue behind that: the month is `held`, and a later run takes it.
drop function drop_old_month(timestamptz);
create function drop_old_month(before timestamptz) returns table (month text, dropped boolean, held boolean)
language plpgsql set lock_timeout = '50ms' as $$
declare
  starts timestamp;
  lower uuid;
  upper uuid;
  parent text;
begin
  for month in
    select distinct right(c.relname, 6) from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent in ('events'::regclass, 'deliveries'::regclass, 'delivery_attempts'::regclass)
      and c.relname ~ '_\d{6}$'
    order by 1
  loop
    starts := to_timestamp(month, 'YYYYMM')::timestamp;
    exit when (starts + interval '1 month') at time zone 'UTC' > before;
    lower := uuid_v7_floor(starts at time zone 'UTC');
    upper := uuid_v7_floor((starts + interval '1 month') at time zone 'UTC');
    held := false;
    dropped := not (
      exists (select from fanout_jobs where event_id >= lower and event_id < upper)
      or exists (select from deliveries where status = 'pending' and event_id >= lower and event_id < upper)
      or exists (select from deliveries where status = 'exhausted' and event_id >= lower and event_id < upper)
      -- Of an event of an earlier month, fanned out in this one: its attempts lie here.
      or exists (select from deliveries where status = 'pending' and id >= lower and id < upper)
      or exists (select from deliveries where status = 'exhausted' and id >= lower and id < upper));
    if dropped and are_partitions_held() then
      dropped := false;
      held := true;
    end if;
    if dropped then
      begin
        foreach parent in array array['delivery_attempts', 'deliveries', 'events'] loop
          execute format('drop table if exists %I', parent || '_' || month);
        end loop;
      exception when lock_not_available then
        dropped := false;
        held := true;
      end;
    end if;
    return next;
    exit when dropped or held;
  end loop;
end $$;

-- A vacuum that gives the end of a table back locks everybody out meanwhile. These tables grow again at once.
alter table charge_jobs set (vacuum_truncate = off);
alter table refund_jobs set (vacuum_truncate = off);
alter table return_jobs set (vacuum_truncate = off);
alter table fanout_jobs set (vacuum_truncate = off);
alter table delivery_jobs set (vacuum_truncate = off);
alter table event_counters set (vacuum_truncate = off);
alter table customer_erasures set (vacuum_truncate = off);
