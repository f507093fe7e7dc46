-- When each charge is next asked for, in a small hot table of its own: a row of `charges` is written when its state
-- changes, and at no other time.
create table charge_jobs (
  merchant_id text collate "C" not null,
  charge_id uuid not null,
  rail text collate "C" not null,
  due_at timestamptz not null,
  lease_until timestamptz,
  -- A callback came while the rail was asked: the next query comes as soon as the interval allows.
  pulled boolean not null default false,
  rung smallint not null default 0 check (rung between 0 and 20),
  last_query_at timestamptz,
  not_found_count smallint not null default 0 check (not_found_count between 0 and 100),
  -- Passes that could not write what followed of an answer. After the last one the job rests until an operator wakes it.
  failures smallint not null default 0 check (failures between 0 and 20),
  rested_at timestamptz,
  primary key (merchant_id, charge_id)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_delay = 0);

-- Led by the rail, so that a claim walks past no other rail's backlog.
create index charge_jobs_due on charge_jobs (rail, due_at) where rested_at is null;
-- Nearly empty: what an operator looks for.
create index charge_jobs_rested on charge_jobs (rested_at, charge_id) where rested_at is not null;

insert into charge_jobs (merchant_id, charge_id, rail, due_at, lease_until, rung, last_query_at, not_found_count)
select merchant_id, id, rail, next_query_at, lease_until, least(query_rung, 20), last_query_at, least(not_found_count, 100)
from charges where next_query_at is not null;

drop index charges_due;
alter table charges
  drop column next_query_at,
  drop column lease_until,
  drop column query_rung,
  drop column last_query_at,
  drop column not_found_count;

-- Records the ruling and makes the charge due. It moves nothing: the worker does, as for an answer of the rail, with the
-- same plan, the same event and the same locks. The revision moves on, so that what was planned without the ruling finds
-- nothing to write. `charge` is an id as alerts show it, or its uuid.
create or replace function ops_resolve_charge(charge text, outcome text, reason text, operator text default session_user)
  returns table (merchant_id text, payment_intent_id uuid, rail text, reference text, amount integer, currency text,
    status text, ruling text)
  language plpgsql as $$
#variable_conflict use_column
declare
  wanted uuid := regexp_replace(charge, '^ch_', '')::uuid;
  merchant text;
  stands text;
  deadline timestamptz;
begin
  select c.merchant_id, c.status, c.submit_deadline into merchant, stands, deadline
    from charges c where c.id = wanted for update;
  if not found then
    raise exception 'no charge has the id %', charge using errcode = 'no_data_found';
  end if;
  if stands in ('succeeded', 'duplicate') or (stands in ('failed', 'abandoned') and outcome = 'failed') then
    raise exception 'the charge is already %', stands using errcode = 'check_violation';
  end if;
  if stands = 'submitting' and now() < deadline then
    raise exception 'the charge is being submitted until %', deadline using errcode = 'check_violation';
  end if;
  insert into charge_rulings (merchant_id, charge_id, outcome, reason, operator)
    values (merchant, wanted, outcome, reason, operator);
  insert into charge_jobs as j (merchant_id, charge_id, rail, due_at)
    select c.merchant_id, c.id, c.rail, now() from charges c where c.merchant_id = merchant and c.id = wanted
    on conflict (merchant_id, charge_id) do update
    set due_at = least(j.due_at, now()), pulled = j.lease_until is not null, failures = 0, rested_at = null;
  return query
    update charges c set ruling = outcome, revision = c.revision + 1
    where c.merchant_id = merchant and c.id = wanted
    returning c.merchant_id, c.payment_intent_id, c.rail, c.reference, c.amount, c.currency, c.status, c.ruling;
end $$;

-- Makes a job that rests due again, once the cause is gone. Takes the id as alerts print it, or as a uuid.
create function ops_wake_charge(charge text, at timestamptz default now()) returns text language plpgsql as $$
declare
  wanted uuid := regexp_replace(charge, '^ch_', '')::uuid;
begin
  update charge_jobs set rested_at = null, failures = 0, due_at = at, lease_until = null
  where charge_id = wanted and rested_at is not null;
  if not found then
    raise exception 'no job of the charge % rests', charge using errcode = 'no_data_found';
  end if;
  return 'ch_' || replace(wanted::text, '-', '');
end $$;
