-- Money that was collected beside another success goes back to its payer: a return of its own, which is no refund of the
-- intent that was paid, and of which the merchant's surface tells nothing.

create table charge_returns (
  merchant_id text collate "C" not null,
  id uuid not null,
  charge_id uuid not null,
  payment_intent_id uuid not null,
  -- The charge's own.
  amount integer not null check (amount between 1 and 99999999),
  currency text not null check (currency in ('XAF', 'EUR')),
  customer_id uuid,
  opened_at timestamptz not null,
  rail text collate "C" not null,
  -- What the rail knows the return by; committed before any call.
  reference text collate "C" not null,
  -- As of a refund.
  instruction text not null check (instruction in ('unsent', 'sent', 'accepted', 'refused')),
  -- Gone once the rail has accepted or refused.
  destination_msisdn text,
  submit_deadline timestamptz not null,
  refusal_code text,
  failure_reason text,
  rail_code text,
  rail_message text,
  request_id text,
  revision integer not null default 0,
  primary key (merchant_id, id),
  foreign key (merchant_id, charge_id) references charges (merchant_id, id),
  foreign key (merchant_id, payment_intent_id) references payment_intents (merchant_id, id),
  unique (rail, reference),
  check ((instruction = 'refused') = (failure_reason is not null)),
  check (instruction in ('unsent', 'sent') or destination_msisdn is null),
  check (refusal_code is null or instruction = 'sent')
) with (fillfactor = 80);

create index charge_returns_charge on charge_returns (charge_id, merchant_id);
-- At most one that was paid or may be: another is made only once the rail has refused this one.
create unique index charge_returns_one on charge_returns (charge_id, merchant_id) where instruction <> 'refused';
create index charge_returns_intent on charge_returns (payment_intent_id, merchant_id, id);
create index charge_returns_customer on charge_returns (customer_id, merchant_id, id) where customer_id is not null;

create trigger charge_returns_instructions before update on charge_returns for each row
  when (old.instruction is distinct from new.instruction)
  execute function refuse_illegal_instruction(
    'unsent>sent', 'unsent>refused', 'sent>unsent', 'sent>accepted', 'sent>refused');

-- Only a duplicate goes back this way, and whole.
create function refuse_other_return() returns trigger language plpgsql as $$
begin
  if not exists (
    select from charges c where c.merchant_id = new.merchant_id and c.id = new.charge_id and c.status = 'duplicate'
      and c.payment_intent_id = new.payment_intent_id and c.rail = new.rail
      and c.amount = new.amount and c.currency = new.currency) then
    raise exception 'not the whole of a duplicate charge: %', new.charge_id using errcode = 'check_violation';
  end if;
  return new;
end $$;

create trigger charge_returns_whole before insert or update of charge_id, amount, currency, rail on charge_returns
  for each row execute function refuse_other_return();

-- As for what else an erasure must reach: the planner takes no samples.
alter table charge_returns
  alter column destination_msisdn set statistics 0,
  alter column rail_code set statistics 0,
  alter column rail_message set statistics 0;

-- As refund_jobs.
create table return_jobs (
  merchant_id text collate "C" not null,
  return_id uuid not null,
  rail text collate "C" not null,
  due_at timestamptz not null,
  lease_until timestamptz,
  tries smallint not null default 0,
  not_found_count smallint not null default 0,
  failures smallint not null default 0,
  rested_at timestamptz,
  primary key (merchant_id, return_id)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_delay = 0);

create index return_jobs_due on return_jobs (rail, due_at) where rested_at is null;
create index return_jobs_rested on return_jobs (rested_at) where rested_at is not null;

-- As ops_wake_refund.
create function ops_wake_return(charge_return text, at timestamptz default now()) returns text language plpgsql as $$
declare
  wanted uuid := regexp_replace(charge_return, '^rt_', '')::uuid;
begin
  update return_jobs set rested_at = null, failures = 0, due_at = at, lease_until = null
  where return_id = wanted and rested_at is not null;
  if not found then
    raise exception 'no job of a return % rests', charge_return using errcode = 'no_data_found';
  end if;
  return 'rt_' || replace(wanted::text, '-', '');
end $$;
