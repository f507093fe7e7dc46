-- phase: expand
-- The job of a charge that has failed outlasts its watch while the rail's report of other money waits for a person. So a
-- person must be able to rule that the charge stays failed. Null if nobody has, or if the rail has reported something else since.
alter table charge_jobs add column report_ruled_at timestamptz;

-- As before, but a charge that has failed or was abandoned can be ruled failed once for such a report.
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
  stands text;
  deadline timestamptz;
  adds_proof boolean;
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
  select c.merchant_id, c.status, c.submit_deadline,
      c.status in ('succeeded', 'duplicate') and c.ruling = 'succeeded' and outcome = 'succeeded' and proof is not null
    into merchant, stands, deadline, adds_proof
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
  insert into charge_rulings (merchant_id, charge_id, outcome, reason, operator, statement)
    values (merchant, wanted, outcome, reason, operator, proof);
  if adds_proof then
    return query
      select c.merchant_id, c.payment_intent_id, c.rail, c.reference, c.amount, c.currency, c.status, c.ruling
      from charges c where c.merchant_id = merchant and c.id = wanted;
    return;
  end if;
  insert into charge_jobs as j (merchant_id, charge_id, rail, due_at)
    select c.merchant_id, c.id, c.rail, now() from charges c where c.merchant_id = merchant and c.id = wanted
    on conflict (merchant_id, charge_id) do update
    set due_at = least(j.due_at, now()), pulled = j.lease_until is not null, failures = 0, rested_at = null,
      report_ruled_at = case when outcome = 'failed' and j.reported_at is not null then now() end;
  return query
    update charges c set ruling = outcome, revision = c.revision + 1
    where c.merchant_id = merchant and c.id = wanted
    returning c.merchant_id, c.payment_intent_id, c.rail, c.reference, c.amount, c.currency, c.status, c.ruling;
end $$;
