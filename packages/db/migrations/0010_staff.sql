-- The staff's surface: who is signed in, and what staff have done.

-- The secret is the browser's alone, and no token of the identity provider is kept.
create table staff_sessions (
  secret_hash bytea primary key check (length(secret_hash) = 32),
  subject text not null,
  name text not null,
  -- The values of the role claim at sign-in: what role they give is the configuration's to say, at each request.
  claims text[] not null,
  last_seen_at timestamptz not null,
  expires_at timestamptz not null
);

create index staff_sessions_expiry on staff_sessions (expires_at);

-- Nothing of a person is sampled by the planner.
alter table staff_sessions alter column name set statistics 0;

-- One row for each change that a staff member makes, in the change's own transaction. No foreign key: what was done
-- outlives its object. Holds nothing of a person but the staff member who acted.
create table audit_entries (
  id uuid primary key,
  actor_subject text collate "C" not null,
  actor_name text not null,
  actor_role text not null check (actor_role in ('operator', 'admin')),
  action text collate "C" not null,
  -- An id of the wire, or a merchant's.
  target text collate "C" not null,
  merchant_id text collate "C" not null,
  reason text not null check (length(btrim(reason)) between 1 and 500),
  before jsonb not null,
  after jsonb not null,
  request_id text not null,
  -- The request's own: a second one under it finds this entry instead of changing anything.
  idempotency_key text collate "C" not null,
  fingerprint bytea not null,
  unique (actor_subject, idempotency_key)
);

create index audit_entries_target on audit_entries (target, id);

create trigger audit_entries_append_only before update or delete or truncate on audit_entries
  for each statement execute function refuse_change();

-- Whose number is this? An erased one is nobody's.
create index customers_phone on customers (phone, id) where phone is not null and phone <> '[redacted]';

-- Nearly empty: money that was taken twice.
create index charges_duplicate on charges (id) where status = 'duplicate';
