-- phase: expand
-- As before, but each wrong argument is refused in words that name it, before anything is looked up. PostgreSQL's own error
-- names a type, a cast or a column. An id that is unknown and one that needs nothing have different words.

-- The uuid of an id as alerts print it, or of a uuid.
create function ops_uuid(argument text, given text, prefix text) returns uuid
  language plpgsql immutable set search_path = public, pg_temp as $$
declare
  digits text := replace(regexp_replace(given, '^' || prefix || '_', ''), '-', '');
begin
  if digits is null or digits !~* '^[0-9a-f]{32}$' then
    raise exception '% is %_ and 32 hexadecimal digits', argument, prefix using errcode = 'check_violation';
  end if;
  return digits::uuid;
end $$;

-- A time that is null would be refused by a column.
create function ops_require_time(at timestamptz) returns void
  language plpgsql immutable set search_path = public, pg_temp as $$
begin
  if at is null then
    raise exception 'at is the time of the next try: leave it out for now' using errcode = 'check_violation';
  end if;
end $$;

create or replace function ops_replay_delivery(delivery text, at timestamptz default now()) returns text
  language plpgsql set search_path = public, pg_temp as $$
declare
  wanted uuid := ops_uuid('delivery', delivery, 'wd');
  job delivery_jobs;
  found_delivery deliveries;
begin
  perform ops_require_time(at);
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

create or replace function ops_retry_fanout(event text, at timestamptz default now()) returns text
  language plpgsql set search_path = public, pg_temp as $$
declare
  wanted uuid := ops_uuid('event', event, 'evt');
begin
  perform ops_require_time(at);
  update fanout_jobs set fanout_state = 'pending', failures = 0, due_at = at
  where event_id = wanted and fanout_state = 'failed';
  if not found then
    raise exception 'there is no event % whose fan-out failed', event using errcode = 'no_data_found';
  end if;
  return 'evt_' || replace(wanted::text, '-', '');
end $$;

create or replace function ops_wake_charge(charge text, at timestamptz default now()) returns text
  language plpgsql set search_path = public, pg_temp as $$
declare
  wanted uuid := ops_uuid('charge', charge, 'ch');
begin
  perform ops_require_time(at);
  update charge_jobs set rested_at = null, failures = 0, due_at = at, lease_until = null
  where charge_id = wanted and rested_at is not null;
  if not found then
    if exists (select from charges c where c.id = wanted) then
      raise exception 'charge % does not rest: there is nothing to wake', charge using errcode = 'no_data_found';
    end if;
    raise exception 'no charge has the id %', charge using errcode = 'no_data_found';
  end if;
  return 'ch_' || replace(wanted::text, '-', '');
end $$;

create or replace function ops_wake_refund(refund text, at timestamptz default now()) returns text
  language plpgsql set search_path = public, pg_temp as $$
declare
  wanted uuid := ops_uuid('refund', refund, 're');
begin
  perform ops_require_time(at);
  update refund_jobs set rested_at = null, failures = 0, due_at = at, lease_until = null
  where refund_id = wanted and rested_at is not null;
  if not found then
    if exists (select from refunds r where r.id = wanted) then
      raise exception 'refund % does not rest: there is nothing to wake', refund using errcode = 'no_data_found';
    end if;
    raise exception 'no refund has the id %', refund using errcode = 'no_data_found';
  end if;
  return 're_' || replace(wanted::text, '-', '');
end $$;

create or replace function ops_wake_return(charge_return text, at timestamptz default now()) returns text
  language plpgsql set search_path = public, pg_temp as $$
declare
  wanted uuid := ops_uuid('charge_return', charge_return, 'rt');
begin
  perform ops_require_time(at);
  update return_jobs set rested_at = null, failures = 0, due_at = at, lease_until = null
  where return_id = wanted and rested_at is not null;
  if not found then
    if exists (select from charge_returns r where r.id = wanted) then
      raise exception 'return % does not rest: there is nothing to wake', charge_return
        using errcode = 'no_data_found';
    end if;
    raise exception 'no return has the id %', charge_return using errcode = 'no_data_found';
  end if;
  return 'rt_' || replace(wanted::text, '-', '');
end $$;

create or replace function ops_was_number(entry text, number text) returns boolean
  language plpgsql stable set search_path = public, pg_temp as $$
declare
  wanted uuid := ops_uuid('entry', entry, 'au');
  e audit_entries%rowtype;
  intent uuid;
  k text;
begin
  if number is null or number !~ '^[1-9][0-9]{11}$' then
    raise exception 'a number has twelve digits, the country code first' using errcode = 'invalid_parameter_value';
  end if;
  select * into e from audit_entries where id = wanted;
  if not found then
    raise exception 'no entry of the audit log has the id %', entry using errcode = 'no_data_found';
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

create or replace function ops_revoke_signing_key(
  key_id text, reason text, operator text default session_user, at timestamptz default now()
) returns text language plpgsql set search_path = public, pg_temp as $$
declare
  ended timestamptz;
begin
  if key_id is null or btrim(key_id) = '' then
    raise exception 'key_id is the kid of a key of /v1/oauth/jwks.json' using errcode = 'check_violation';
  end if;
  if reason is null or btrim(reason) = '' then
    raise exception 'reason says why the key has to go' using errcode = 'invalid_parameter_value';
  end if;
  if operator is null or btrim(operator) = '' then
    raise exception 'operator is your name: leave it out to use the login''s' using errcode = 'check_violation';
  end if;
  perform ops_require_time(at);
  update signing_keys
  set retired_at = coalesce(retired_at, at), revoked_at = at, revoked_by = operator, revocation_reason = reason
  where kid = key_id and revoked_at is null;
  if not found then
    select k.revoked_at into ended from signing_keys k where k.kid = key_id;
    if found then
      raise exception 'signing key % was revoked at %', key_id, ended using errcode = 'no_data_found';
    end if;
    raise exception 'no signing key has the kid %: /v1/oauth/jwks.json lists them', key_id
      using errcode = 'no_data_found';
  end if;
  return key_id;
end $$;
