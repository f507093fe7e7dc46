-- The order of /v1/events, and the fan-out queue, each in a table of its own: an event's row is written once.

-- The position that each merchant's last event got. A statement that writes events locks the row after all its other
-- locks and until it commits, so that positions are in the order of commits and a reader never misses a late one.
create table event_counters (
  merchant_id text collate "C" primary key,
  last_position bigint not null check (last_position > 0)
) with (fillfactor = 20, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0);

-- Spec 3.4: an event has a row here while its fan-out is pending or has failed. Without one, its fan-out is done.
create table fanout_jobs (
  event_id uuid primary key,
  merchant_id text collate "C" not null,
  fanout_state text not null default 'pending' check (fanout_state in ('pending', 'failed')),
  failures smallint not null default 0 check (failures between 0 and 5),
  due_at timestamptz not null
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_delay = 0);

create index fanout_jobs_due on fanout_jobs (due_at) where fanout_state = 'pending';
create index fanout_jobs_failed on fanout_jobs (due_at) where fanout_state = 'failed';

alter table events add column position bigint check (position > 0);

update events e set position = n.position
from (select merchant_id, id, row_number() over (partition by merchant_id order by xid, id) as position from events) n
where e.merchant_id = n.merchant_id and e.id = n.id;

insert into event_counters (merchant_id, last_position)
select merchant_id, max(position) from events group by merchant_id;

insert into fanout_jobs (event_id, merchant_id, fanout_state, failures, due_at)
select id, merchant_id, fanout_state, fanout_failures, fanout_due_at from events where fanout_state <> 'done';

drop index events_cursor, events_type, events_fanout, events_failed;
alter table events
  alter column position set not null,
  drop column xid,
  drop column fanout_state,
  drop column fanout_failures,
  drop column fanout_due_at,
  drop column lease_until;

create index events_cursor on events (merchant_id, position);
create index events_type on events (type, merchant_id, position);

-- Spec 3.4: only an operator takes an event out of failed. Five more passes are its own then.
create or replace function ops_retry_fanout(event text, at timestamptz default now()) returns text language plpgsql as $$
declare
  wanted uuid := regexp_replace(event, '^evt_', '')::uuid;
begin
  update fanout_jobs set fanout_state = 'pending', failures = 0, due_at = at
  where event_id = wanted and fanout_state = 'failed';
  if not found then
    raise exception 'there is no event % whose fan-out failed', event using errcode = 'no_data_found';
  end if;
  return 'evt_' || replace(wanted::text, '-', '');
end $$;
