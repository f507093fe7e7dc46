-- phase: expand
-- What an operator says of a refund or a return for which its rail does not answer. The worker reads it in place of the
-- rail's answer, and clears it when it has acted on it.
alter table refund_jobs
  add column ruling text,
  add constraint refund_jobs_ruling check (ruling in ('paid', 'not_paid')) not valid;
alter table return_jobs
  add column ruling text,
  add constraint return_jobs_ruling check (ruling in ('paid', 'not_paid')) not valid;

-- Who said what, and why: append-only, as charge_rulings.
create table payout_rulings (
  id bigint generated always as identity primary key,
  merchant_id text collate "C" not null,
  -- As alerts show it: re_ of a refund, rt_ of a return.
  payout text collate "C" not null,
  outcome text not null check (outcome in ('paid', 'not_paid')),
  reason text not null check (length(btrim(reason)) between 1 and 500),
  operator text not null check (length(btrim(operator)) between 1 and 200),
  ruled_at timestamptz not null default now()
);
create index payout_rulings_payout on payout_rulings (payout);
create trigger payout_rulings_append_only before update or delete or truncate on payout_rulings
  for each statement execute function refuse_change();

grant select, insert on payout_rulings to merchant_payments_app;
grant select on payout_rulings to merchant_payments_report;

-- Records the ruling and makes the payout due. It moves nothing: the worker does, as for an answer of the rail. `payout` is
-- the id of a refund or a return as alerts show it.
create function ops_resolve_payout(
    payout text, outcome text, reason text, operator text default session_user)
  returns table (merchant_id text, rail text, reference text, amount integer, currency text, instruction text)
  language plpgsql set search_path = public, pg_temp as $$
#variable_conflict use_column
declare
  is_return boolean := coalesce(payout ~ '^rt_', false);
  wanted uuid;
  merchant text;
  state text;
  deadline timestamptz;
  ruled text;
begin
  if payout is null or payout !~* '^r[et]_[0-9a-f]{32}$' then
    raise exception 'payout is re_ or rt_ and 32 hexadecimal digits' using errcode = 'check_violation';
  end if;
  if outcome is null or outcome not in ('paid', 'not_paid') then
    raise exception 'outcome is ''paid'' or ''not_paid''' using errcode = 'check_violation';
  end if;
  if reason is null or length(btrim(reason)) not between 1 and 500 then
    raise exception 'reason says in 1 to 500 characters how you know' using errcode = 'check_violation';
  end if;
  wanted := substr(payout, 4)::uuid;
  -- In the order of the worker: the payout, then its job.
  if is_return then
    select r.merchant_id, r.instruction, r.submit_deadline into merchant, state, deadline
      from charge_returns r where r.id = wanted for update;
  else
    select r.merchant_id, r.instruction, r.submit_deadline into merchant, state, deadline
      from refunds r where r.id = wanted for update;
  end if;
  if merchant is null then
    raise exception 'no payout has the id %', payout using errcode = 'no_data_found';
  end if;
  if state = 'unsent' and outcome = 'paid' then
    raise exception 'the payout was not sent' using errcode = 'check_violation';
  end if;
  if state = 'sent' and now() < deadline then
    raise exception 'the payout is being sent until %', deadline using errcode = 'check_violation';
  end if;
  if is_return then
    select j.ruling into ruled from return_jobs j where j.return_id = wanted and j.merchant_id = merchant for update;
  else
    select j.ruling into ruled from refund_jobs j where j.refund_id = wanted and j.merchant_id = merchant for update;
  end if;
  if not found then
    raise exception 'the payout is %, and its rail is not asked about it any more', state using errcode = 'check_violation';
  end if;
  if ruled is not null then
    raise exception 'the payout is ruled % already: the worker acts on it', ruled using errcode = 'check_violation';
  end if;
  insert into payout_rulings (merchant_id, payout, outcome, reason, operator)
    values (merchant, lower(payout), outcome, reason, operator);
  if is_return then
    update return_jobs j set ruling = outcome, due_at = least(j.due_at, now()), failures = 0, rested_at = null
      where j.return_id = wanted and j.merchant_id = merchant;
    return query select r.merchant_id, r.rail, r.reference, r.amount, r.currency, r.instruction
      from charge_returns r where r.id = wanted and r.merchant_id = merchant;
  else
    update refund_jobs j set ruling = outcome, due_at = least(j.due_at, now()), failures = 0, rested_at = null
      where j.refund_id = wanted and j.merchant_id = merchant;
    return query select r.merchant_id, r.rail, r.reference, r.amount, r.currency, r.instruction
      from refunds r where r.id = wanted and r.merchant_id = merchant;
  end if;
end $$;
