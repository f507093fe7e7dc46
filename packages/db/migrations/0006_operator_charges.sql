-- What an operator says of a charge for which its rail can never answer again.

-- Read by the settle pass in place of the rail's answer, where the charge can still come to it.
alter table charges add column ruling text check (ruling in ('succeeded', 'failed'));

-- Who said what, and why: append-only. No foreign key: what was ruled outlives its charge.
create table charge_rulings (
  id bigint generated always as identity primary key,
  merchant_id text collate "C" not null,
  charge_id uuid not null,
  outcome text not null check (outcome in ('succeeded', 'failed')),
  reason text not null check (length(btrim(reason)) between 1 and 500),
  operator text not null check (length(btrim(operator)) between 1 and 200),
  ruled_at timestamptz not null default now()
);

create index charge_rulings_charge on charge_rulings (charge_id, merchant_id);

create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% is append-only', tg_table_name using errcode = 'restrict_violation';
end $$;

create trigger charge_rulings_append_only before update or delete or truncate on charge_rulings
  for each statement execute function refuse_change();

-- Records the ruling and makes the charge due. It moves nothing: the worker does, as for an answer of the rail, with the
-- same plan, the same event and the same locks. `charge` is an id as alerts show it, or its uuid.
create function ops_resolve_charge(charge text, outcome text, reason text, operator text default session_user)
  returns table (merchant_id text, payment_intent_id uuid, rail text, reference text, amount integer, currency text,
    status text, ruling text)
  language plpgsql as $$
#variable_conflict use_column
declare
  c charges%rowtype;
begin
  select * into c from charges where id = regexp_replace(charge, '^ch_', '')::uuid for update;
  if not found then
    raise exception 'no charge has the id %', charge using errcode = 'no_data_found';
  end if;
  if c.status in ('succeeded', 'duplicate') or (c.status in ('failed', 'abandoned') and outcome = 'failed') then
    raise exception 'the charge is already %', c.status using errcode = 'check_violation';
  end if;
  if c.status = 'submitting' and now() < c.submit_deadline then
    raise exception 'the charge is being submitted until %', c.submit_deadline using errcode = 'check_violation';
  end if;
  insert into charge_rulings (merchant_id, charge_id, outcome, reason, operator)
    values (c.merchant_id, c.id, outcome, reason, operator);
  return query
    update charges set ruling = outcome, next_query_at = least(next_query_at, now())
    where merchant_id = c.merchant_id and id = c.id
    returning merchant_id, payment_intent_id, rail, reference, amount, currency, status, ruling;
end $$;
