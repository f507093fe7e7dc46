-- phase: expand
-- The transaction of the rail's statement that proves a ruling of `succeeded`: the newest one that an operator gave and did
-- not withdraw. A column of the charge, so it goes with a merchant to another cell. Only the functions below set it.
alter table charges
  add column statement text collate "C",
  add constraint charges_statement_proves_ruling check (
    statement is null or (statement ~ '^[A-Za-z0-9][A-Za-z0-9._/:-]{2,63}$' and ruling is not distinct from 'succeeded')
  ) not valid;

-- A transaction that was given for two charges stays the evidence of the first. The others are unproven from now on, so
-- that a person looks at them before their money is paid back.
with newest as (
  select distinct on (r.charge_id) r.merchant_id, r.charge_id, r.statement, r.id
  from charge_rulings r where r.statement is not null order by r.charge_id, r.id desc
),
firsts as (
  select distinct on (c.rail, n.statement) c.merchant_id, c.id, n.statement
  from newest n join charges c on c.id = n.charge_id and c.merchant_id = n.merchant_id
  where c.ruling = 'succeeded' order by c.rail, n.statement, n.id
)
update charges c set statement = f.statement from firsts f where c.id = f.id and c.merchant_id = f.merchant_id;

create or replace function is_unproven(merchant text, charge uuid, ruling text, rail_txn_id text) returns boolean
  language sql stable set search_path = public, pg_temp as $$
  select coalesce(ruling = 'succeeded' and rail_txn_id is null and not exists (
    select from charges c where c.id = charge and c.merchant_id = merchant and c.statement is not null), false)
$$;

-- As before, and a transaction of the rail proves one charge only.
create or replace function ops_resolve_charge(
    charge text, outcome text, reason text, operator text default session_user, statement text default null)
  returns table (merchant_id text, payment_intent_id uuid, rail text, reference text, amount integer, currency text,
    status text, ruling text)
  language plpgsql set search_path = public, pg_temp as $$
#variable_conflict use_column
declare
  wanted uuid;
  proof text := statement;
  merchant text;
  by_rail text;
  stands text;
  deadline timestamptz;
  adds_proof boolean;
  other uuid;
begin
  if outcome is null or outcome not in ('succeeded', 'failed') then
    raise exception 'outcome is ''succeeded'' or ''failed''' using errcode = 'check_violation';
  end if;
  if reason is null or length(btrim(reason)) not between 1 and 500 then
    raise exception 'reason says in 1 to 500 characters how you know' using errcode = 'check_violation';
  end if;
  if statement is not null and outcome = 'failed' then
    raise exception 'statement belongs to the outcome ''succeeded''' using errcode = 'check_violation';
  end if;
  if statement is not null and statement !~ '^[A-Za-z0-9][A-Za-z0-9._/:-]{2,63}$' then
    raise exception 'statement is the reference of the transaction: 3 to 64 letters, digits and . _ / : -'
      using errcode = 'check_violation';
  end if;
  if charge is null or charge !~* '^(ch_)?[0-9a-f-]{32,36}$' then
    raise exception 'charge is ch_ and 32 hexadecimal digits' using errcode = 'check_violation';
  end if;
  wanted := regexp_replace(charge, '^ch_', '')::uuid;
  select c.merchant_id, c.rail, c.status, c.submit_deadline,
      c.status in ('succeeded', 'duplicate') and c.ruling = 'succeeded' and outcome = 'succeeded' and proof is not null
    into merchant, by_rail, stands, deadline, adds_proof
    from charges c where c.id = wanted for update;
  if not found then
    raise exception 'no charge has the id %', charge using errcode = 'no_data_found';
  end if;
  if (stands in ('succeeded', 'duplicate') and adds_proof is not true)
      or (stands in ('failed', 'abandoned') and outcome = 'failed' and not exists (
        select from charge_jobs j
        where j.merchant_id = merchant and j.charge_id = wanted and j.reported_at is not null and j.report_ruled_at is null)) then
    raise exception 'the charge is already %', stands using errcode = 'check_violation';
  end if;
  if stands = 'submitting' and now() < deadline then
    raise exception 'the charge is being submitted until %', deadline using errcode = 'check_violation';
  end if;
  other := proven_by(by_rail, proof, wanted);
  if other is not null then
    raise exception 'the transaction % proves the charge ch_%', proof, replace(other::text, '-', '')
      using errcode = 'check_violation';
  end if;
  insert into charge_rulings (merchant_id, charge_id, outcome, reason, operator, statement)
    values (merchant, wanted, outcome, reason, operator, proof);
  if adds_proof then
    return query
      update charges c set statement = proof
      where c.merchant_id = merchant and c.id = wanted
      returning c.merchant_id, c.payment_intent_id, c.rail, c.reference, c.amount, c.currency, c.status, c.ruling;
    return;
  end if;
  insert into charge_jobs as j (merchant_id, charge_id, rail, due_at)
    select c.merchant_id, c.id, c.rail, now() from charges c where c.merchant_id = merchant and c.id = wanted
    on conflict (merchant_id, charge_id) do update
    set due_at = least(j.due_at, now()), pulled = j.lease_until is not null, failures = 0, rested_at = null,
      report_ruled_at = case when outcome = 'failed' and j.reported_at is not null then now() end;
  return query
    update charges c set ruling = outcome, revision = c.revision + 1,
      statement = case when outcome = 'succeeded' then coalesce(proof, c.statement) end
    where c.merchant_id = merchant and c.id = wanted
    returning c.merchant_id, c.payment_intent_id, c.rail, c.reference, c.amount, c.currency, c.status, c.ruling;
end $$;

-- The other charge that this transaction of the rail has paid, by the rail's own word or by a statement. Null if none has.
create function proven_by(by_rail text, transaction text, except_charge uuid) returns uuid
  language sql stable set search_path = public, pg_temp as $$
  select c.id from charges c
  where c.rail = by_rail and c.id <> except_charge
    and c.id in (
      select s.id from charges s where s.rail = by_rail and s.statement = transaction
      union all select t.id from charges t where t.rail_txn_id = transaction)
  limit 1
$$;

-- Takes the evidence from a charge that got another charge's transaction by mistake. The charge stays paid and is unproven,
-- so nobody can refund or return it, and the transaction can prove the charge that it paid.
create function ops_withdraw_statement(charge text, reason text, operator text default session_user)
  returns table (merchant_id text, payment_intent_id uuid, statement text)
  language plpgsql set search_path = public, pg_temp as $$
#variable_conflict use_column
declare
  wanted uuid;
  merchant text;
  withdrawn text;
begin
  if reason is null or length(btrim(reason)) not between 1 and 500 then
    raise exception 'reason says in 1 to 500 characters how you know' using errcode = 'check_violation';
  end if;
  if charge is null or charge !~* '^(ch_)?[0-9a-f-]{32,36}$' then
    raise exception 'charge is ch_ and 32 hexadecimal digits' using errcode = 'check_violation';
  end if;
  wanted := regexp_replace(charge, '^ch_', '')::uuid;
  select c.merchant_id, c.statement into merchant, withdrawn from charges c where c.id = wanted for update;
  if not found then
    raise exception 'no charge has the id %', charge using errcode = 'no_data_found';
  end if;
  if withdrawn is null then
    raise exception 'no statement proves the charge' using errcode = 'check_violation';
  end if;
  insert into charge_rulings (merchant_id, charge_id, outcome, reason, operator)
    values (merchant, wanted, 'succeeded', reason, operator);
  return query
    update charges c set statement = null
    where c.merchant_id = merchant and c.id = wanted
    returning c.merchant_id, c.payment_intent_id, withdrawn;
end $$;

grant select (statement) on charges to merchant_payments_report;
