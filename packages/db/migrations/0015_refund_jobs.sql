-- Why the rail refused the last try, where its answer did not prove that it has none of it. Such a refund is asked for
-- and not sent again: it fails for this reason once the rail has had nothing for long enough.
alter table refunds
  add column refusal_code text,
  add constraint refunds_refusal_check check (refusal_code is null or instruction = 'sent');

-- When the worker next looks after a refund. A small hot table, so that a row of `refunds` is written when the refund
-- changes and at no other time. A row is inserted and deleted by the statement that changes its refund.
create table refund_jobs (
  merchant_id text collate "C" not null,
  refund_id uuid not null,
  rail text collate "C" not null,
  due_at timestamptz not null,
  lease_until timestamptz,
  -- Looks at it: the rungs of its ladder.
  tries smallint not null default 0,
  not_found_count smallint not null default 0,
  -- In a row, of writing what a look came to.
  failures smallint not null default 0,
  -- From here on nobody claims it: ops_wake_refund.
  rested_at timestamptz,
  primary key (merchant_id, refund_id)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_delay = 0);

insert into refund_jobs (merchant_id, refund_id, rail, due_at, tries, not_found_count)
select merchant_id, id, rail, instruct_at, least(tries, 7), least(not_found_count, 3)
from refunds where instruct_at is not null;

-- A claim finds each rail by one descent, and its due jobs are one range.
create index refund_jobs_due on refund_jobs (rail, due_at) where rested_at is null;
create index refund_jobs_rested on refund_jobs (rested_at) where rested_at is not null;

-- Takes the index refunds_due and the check of `instruct_at` along.
alter table refunds
  drop column instruct_at,
  drop column lease_until,
  drop column tries,
  drop column not_found_count,
  add constraint refunds_destination_check check (instruction in ('unsent', 'sent') or destination_msisdn is null);

-- Once the cause is corrected: the refund is looked after again, from `at` on. Takes the id as the alert prints it, or
-- as a uuid.
create function ops_wake_refund(refund text, at timestamptz default now()) returns text language plpgsql as $$
declare
  wanted uuid := regexp_replace(refund, '^re_', '')::uuid;
begin
  update refund_jobs set rested_at = null, failures = 0, due_at = at, lease_until = null
  where refund_id = wanted and rested_at is not null;
  if not found then
    raise exception 'no job of a refund % rests', refund using errcode = 'no_data_found';
  end if;
  return 're_' || replace(wanted::text, '-', '');
end $$;
