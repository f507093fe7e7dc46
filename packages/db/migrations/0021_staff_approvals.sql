-- A change by staff that can turn into a payout takes two people: one asks for it, and another one approves it.

-- No foreign key: what was asked for outlives its object.
create table approval_requests (
  id uuid primary key,
  merchant_id text collate "C" not null,
  kind text collate "C" not null check (kind in ('charge.resolve', 'charge.return', 'refund.create')),
  -- The id, as the wire shows it, of the charge or the intent that would change.
  target text collate "C" not null,
  payment_intent_id uuid not null,
  customer_id uuid,
  amount integer not null check (amount between 1 and 99999999),
  currency text not null check (currency in ('XAF', 'EUR')),
  -- Who would be paid. Gone once the request is decided, and with the customer's erasure.
  destination_msisdn text,
  -- How the target stood when the request was made: it is approved as it stood, or not at all.
  seen jsonb not null,
  -- Of a ruling, as `charge_rulings.statement`.
  statement text check (statement is null or kind = 'charge.resolve'),
  reason text not null check (length(btrim(reason)) between 1 and 500),
  status text not null check (status in ('pending', 'approved', 'declined', 'expired', 'obsolete')),
  requested_by text collate "C" not null,
  requested_name text not null,
  requested_at timestamptz not null,
  expires_at timestamptz not null,
  request_id text not null,
  decided_by text collate "C",
  decided_name text,
  decided_at timestamptz,
  decision_reason text check (length(btrim(decision_reason)) between 1 and 500),
  -- Of an obsolete one: the code of the error that its change would have met.
  obsolete_because text,
  check (expires_at > requested_at),
  check ((status = 'pending') = (decided_at is null)),
  check ((status in ('approved', 'declined', 'obsolete')) = (decided_by is not null)),
  check (num_nonnulls(decided_by, decided_name, decision_reason) in (0, 3)),
  check ((status = 'obsolete') = (obsolete_because is not null)),
  check (kind <> 'charge.resolve' or destination_msisdn is null),
  check (status = 'pending' or destination_msisdn is null),
  constraint approval_requests_second_person check (status <> 'approved' or decided_by <> requested_by)
) with (fillfactor = 80);

-- At most one that waits for each change of an object.
create unique index approval_requests_one on approval_requests (kind, target) where status = 'pending';
create index approval_requests_due on approval_requests (expires_at) where status = 'pending';
create index approval_requests_intent on approval_requests (payment_intent_id, merchant_id, id);
create index approval_requests_customer on approval_requests (customer_id, merchant_id, id) where customer_id is not null;

alter table approval_requests alter column destination_msisdn set statistics 0;

create trigger approval_requests_moves before update on approval_requests for each row
  when (old.status is distinct from new.status)
  execute function refuse_illegal_move('pending>approved', 'pending>declined', 'pending>expired', 'pending>obsolete');

-- What was asked for is what is approved: of a request nothing changes but its end, and its number only goes.
create function refuse_changed_request() returns trigger language plpgsql as $$
begin
  if (to_jsonb(old) - '{status,decided_by,decided_name,decided_at,decision_reason,obsolete_because,destination_msisdn}'::text[])
      is distinct from
     (to_jsonb(new) - '{status,decided_by,decided_name,decided_at,decision_reason,obsolete_because,destination_msisdn}'::text[])
    or (new.destination_msisdn is not null and new.destination_msisdn is distinct from old.destination_msisdn)
    or old.status <> 'pending'
  then
    raise exception 'a request for approval is changed' using errcode = 'check_violation';
  end if;
  return new;
end $$;

create trigger approval_requests_stay before update on approval_requests for each row
  when (old.* is distinct from new.*) execute function refuse_changed_request();
create trigger approval_requests_kept before delete on approval_requests
  for each statement execute function refuse_change();

-- An audit entry keeps no number, but a hash of the number that was paid, by a key of the payment. Whoever has the number
-- can ask whether it was this one, until an erasure destroys the key: then the hash tells nothing any more.
create table audit_number_keys (
  merchant_id text collate "C" not null,
  payment_intent_id uuid not null,
  customer_id uuid,
  key text not null check (key ~ '^[A-Za-z0-9_-]{43}$'),
  primary key (merchant_id, payment_intent_id)
);

create index audit_number_keys_customer on audit_number_keys (customer_id, merchant_id, payment_intent_id)
  where customer_id is not null;

-- RFC 2104. PostgreSQL has it in an extension alone.
create function hmac_sha256(message bytea, key bytea) returns bytea language plpgsql immutable strict as $$
declare
  padded bytea := case when length(key) > 64 then sha256(key) else key end;
  inner_pad bytea := '';
  outer_pad bytea := '';
begin
  padded := padded || decode(repeat('00', 64 - length(padded)), 'hex');
  for n in 0..63 loop
    inner_pad := inner_pad || set_byte('\x00'::bytea, 0, get_byte(padded, n) # 54);
    outer_pad := outer_pad || set_byte('\x00'::bytea, 0, get_byte(padded, n) # 92);
  end loop;
  return sha256(outer_pad || sha256(inner_pad || message));
end $$;

-- Whether an entry of the audit log tells of this number, of twelve digits. Null where the entry has no hash, or its key is
-- destroyed.
create function ops_was_number(entry text, number text) returns boolean language plpgsql stable as $$
declare
  e audit_entries%rowtype;
  intent uuid;
  k text;
begin
  select * into e from audit_entries where id = regexp_replace(entry, '^au_', '')::uuid;
  if not found then
    raise exception 'no entry of the audit log has the id %', entry using errcode = 'no_data_found';
  end if;
  if number !~ '^[1-9][0-9]{11}$' then
    raise exception 'a number has twelve digits, the country code first' using errcode = 'invalid_parameter_value';
  end if;
  -- Of no payout.
  if e.after ->> 'number_hash' is null then
    return null;
  end if;
  intent := substr(e.target, 4)::uuid;
  if e.target like 'ch\_%' then
    select c.payment_intent_id into intent from charges c where c.merchant_id = e.merchant_id and c.id = intent;
  end if;
  select a.key into k from audit_number_keys a where a.merchant_id = e.merchant_id and a.payment_intent_id = intent;
  return (e.after ->> 'number_hash')
    = rtrim(translate(encode(hmac_sha256(convert_to(number, 'UTF8'), convert_to(k, 'UTF8')), 'base64'), '+/', '-_'), '=');
end $$;

-- What a ruling of `succeeded` rests on: the transaction's reference in the rail's own statement, if whoever ruled had it.
alter table charge_rulings
  add column statement text,
  add check (statement is null or (outcome = 'succeeded' and statement ~ '^[A-Za-z0-9][A-Za-z0-9._/:-]{2,63}$'));

-- As before, and with the statement's reference. A charge that succeeded by a ruling alone takes another ruling that brings
-- one: nothing moves then.
drop function ops_resolve_charge(text, text, text, text);
create function ops_resolve_charge(
    charge text, outcome text, reason text, operator text default session_user, statement text default null)
  returns table (merchant_id text, payment_intent_id uuid, rail text, reference text, amount integer, currency text,
    status text, ruling text)
  language plpgsql as $$
#variable_conflict use_column
declare
  wanted uuid := regexp_replace(charge, '^ch_', '')::uuid;
  proof text := statement;
  merchant text;
  stands text;
  deadline timestamptz;
  adds_proof boolean;
begin
  select c.merchant_id, c.status, c.submit_deadline,
      c.status in ('succeeded', 'duplicate') and c.ruling = 'succeeded' and outcome = 'succeeded' and proof is not null
    into merchant, stands, deadline, adds_proof
    from charges c where c.id = wanted for update;
  if not found then
    raise exception 'no charge has the id %', charge using errcode = 'no_data_found';
  end if;
  if (stands in ('succeeded', 'duplicate') and adds_proof is not true)
      or (stands in ('failed', 'abandoned') and outcome = 'failed') then
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
    set due_at = least(j.due_at, now()), pulled = j.lease_until is not null, failures = 0, rested_at = null;
  return query
    update charges c set ruling = outcome, revision = c.revision + 1
    where c.merchant_id = merchant and c.id = wanted
    returning c.merchant_id, c.payment_intent_id, c.rail, c.reference, c.amount, c.currency, c.status, c.ruling;
end $$;

-- Whether nothing but a ruling says that a charge was paid: neither the rail, whose transaction would be known, nor a
-- statement of the rail's. What it took is not given back before.
create function is_unproven(merchant text, charge uuid, ruling text, rail_txn_id text) returns boolean
  language sql stable as $$
  select coalesce(ruling = 'succeeded' and rail_txn_id is null and not exists (
    select from charge_rulings r
    where r.charge_id = charge and r.merchant_id = merchant and r.statement is not null), false)
$$;

-- What a staff member has asked for on a day (UTC), against the limits of their role. The row is locked by each transaction
-- that adds to it, so that two at once cannot both be the last.
create table staff_days (
  subject text collate "C" not null,
  day date not null,
  kind text collate "C" not null check (kind in ('refunds', 'rulings')),
  count integer not null,
  -- In the smallest unit.
  xaf bigint not null,
  eur bigint not null,
  primary key (subject, day, kind)
);

-- When the provider says that this person proved who they are, as strongly as is asked for grave changes; null of a
-- session from before, and where the provider does not say.
alter table staff_sessions add column auth_time timestamptz;

-- As those of migration 0020: they find their tables whatever a session's search_path is.
do $$
declare
  routine regprocedure;
begin
  foreach routine in array array['refuse_changed_request()', 'ops_was_number(text, text)',
    'ops_resolve_charge(text, text, text, text, text)']::regprocedure[] loop
    execute format('alter function %s set search_path = %I, pg_temp', routine, current_schema());
  end loop;
end $$;

grant select, insert, update on approval_requests, staff_days to merchant_payments_app;
-- An erasure destroys the key.
grant select, insert, update, delete on audit_number_keys to merchant_payments_app;
grant select on approval_requests, staff_days to merchant_payments_report;
