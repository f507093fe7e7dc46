-- Claims that are fair to endpoints, what operators do about webhooks, and partitions that end.

-- A claim takes the due jobs of each endpoint from here, so that nobody's backlog is walked for another's.
create index delivery_jobs_lane on delivery_jobs (merchant_id, endpoint_id, due_at) where dead_at is null;

-- The request that an event is of: its own, or the confirm that opened the charge. For the log lines of deliveries.
alter table charges add column request_id text;
alter table events add column request_id text;

-- Attempts of the ladders before this one: an attempt's number goes on over a replay, its rung begins anew.
alter table deliveries add column attempts_before smallint not null default 0;

-- These are nearly empty: what an operator looks for, and what keeps a partition from being dropped.
create index deliveries_exhausted on deliveries (finished_at) where status = 'exhausted';
create index delivery_jobs_dead on delivery_jobs (dead_at) where dead_at is not null;
create index events_failed on events (fanout_due_at) where fanout_state = 'failed';

-- Spec 3.3 and 6.3.8: an exhausted delivery, or a pending one whose job is a dead letter, gets a fresh ladder. Takes the
-- id as alerts print it, or as a uuid.
create function ops_replay_delivery(delivery text, at timestamptz default now()) returns text language plpgsql as $$
declare
  wanted uuid := regexp_replace(delivery, '^wd_', '')::uuid;
  job delivery_jobs;
  found_delivery deliveries;
begin
  -- In the order of the worker: jobs, then deliveries.
  select * into job from delivery_jobs j where j.delivery_id = wanted for update;
  select * into found_delivery from deliveries d where d.id = wanted for update;
  if not found then
    raise exception 'there is no delivery %', delivery using errcode = 'no_data_found';
  end if;
  if found_delivery.status = 'succeeded' then
    raise exception 'delivery % has succeeded', delivery using errcode = 'object_not_in_prerequisite_state';
  end if;
  if found_delivery.status = 'pending' and job.dead_at is null then
    raise exception 'delivery % is under way', delivery using errcode = 'object_not_in_prerequisite_state';
  end if;
  update deliveries d set status = 'pending', finished_at = null, attempts = 0,
    attempts_before = d.attempts_before + d.attempts
  where d.merchant_id = found_delivery.merchant_id and d.event_id = found_delivery.event_id
    and d.endpoint_id = found_delivery.endpoint_id;
  insert into delivery_jobs as j (delivery_id, merchant_id, event_id, endpoint_id, due_at)
  values (wanted, found_delivery.merchant_id, found_delivery.event_id, found_delivery.endpoint_id, at)
  on conflict (delivery_id) do update
    set due_at = excluded.due_at, lease_until = null, throws = 0, dead_at = null;
  return 'wd_' || replace(wanted::text, '-', '');
end $$;

-- Spec 3.4: only an operator takes an event out of failed. Five more passes are its own then.
create function ops_retry_fanout(event text, at timestamptz default now()) returns text language plpgsql as $$
declare
  wanted uuid := regexp_replace(event, '^evt_', '')::uuid;
begin
  update events set fanout_state = 'pending', fanout_failures = 0, fanout_due_at = at, lease_until = null
  where id = wanted and fanout_state = 'failed';
  if not found then
    raise exception 'there is no event % whose fan-out failed', event using errcode = 'no_data_found';
  end if;
  return 'evt_' || replace(wanted::text, '-', '');
end $$;

-- Drops the oldest month that ended before `before` and that nothing waits in, and tells which months something waits
-- in. One month a call, so that its locks are short; the timeout keeps writers from queueing behind us and a long reader.
create function drop_old_month(before timestamptz) returns table (month text, dropped boolean)
language plpgsql set lock_timeout = '500ms' as $$
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
    dropped := not (
      exists (select from events where fanout_state = 'pending' and id >= lower and id < upper)
      or exists (select from events where fanout_state = 'failed' and id >= lower and id < upper)
      or exists (select from deliveries where status = 'pending' and event_id >= lower and event_id < upper)
      or exists (select from deliveries where status = 'exhausted' and event_id >= lower and event_id < upper)
      -- Of an event of an earlier month, fanned out in this one: its attempts lie here.
      or exists (select from deliveries where status = 'pending' and id >= lower and id < upper)
      or exists (select from deliveries where status = 'exhausted' and id >= lower and id < upper));
    if dropped then
      foreach parent in array array['delivery_attempts', 'deliveries', 'events'] loop
        execute format('drop table if exists %I', parent || '_' || month);
      end loop;
    end if;
    return next;
    exit when dropped;
  end loop;
end $$;
