-- A signing key that leaked ends at once, and not 24 hours after its retirement (docs/operations.md).
alter table signing_keys
  add column revoked_at timestamptz,
  add column revoked_by text,
  add column revocation_reason text,
  -- A revoked key is no longer the active one, so that another can be started.
  add constraint signing_keys_revoked_check check (
    (revoked_at is null and revoked_by is null and revocation_reason is null)
    or (revoked_at is not null and revoked_by is not null and revocation_reason <> '' and retired_at is not null)
  );

create function signing_keys_stay_revoked() returns trigger language plpgsql as $$
begin
  raise exception 'the signing key % is revoked for good', old.kid using errcode = 'check_violation';
end $$;

create trigger signing_keys_revoked_for_good before update or delete on signing_keys
  for each row when (old.revoked_at is not null) execute function signing_keys_stay_revoked();

-- Ends a key: no replica takes a token that it signed, or signs with it.
create function ops_revoke_signing_key(
  key_id text, reason text, operator text default session_user, at timestamptz default now()
) returns text language plpgsql as $$
begin
  if reason is null or btrim(reason) = '' then
    raise exception 'a reason is required' using errcode = 'invalid_parameter_value';
  end if;
  update signing_keys
  set retired_at = coalesce(retired_at, at), revoked_at = at, revoked_by = operator, revocation_reason = reason
  where kid = key_id and revoked_at is null;
  if not found then
    raise exception 'no signing key % is there to revoke', key_id using errcode = 'no_data_found';
  end if;
  return key_id;
end $$;

-- As those of migration 0020: they find their tables whatever a session's search_path is.
do $$
declare
  routine regprocedure;
begin
  foreach routine in array array['signing_keys_stay_revoked()',
    'ops_revoke_signing_key(text, text, text, timestamptz)']::regprocedure[] loop
    execute format('alter function %s set search_path = %I, pg_temp', routine, current_schema());
  end loop;
end $$;
