-- The main job: intents, charges, events, deliveries, idempotency and the OAuth provider's own tables.
-- Every tenant key begins with merchant_id: one index serves the read by id, the list page and the merchant's scope.

-- The paired assertion of packages/core/src/*/lifecycle.ts: a test proves that the two agree.
create function refuse_illegal_move() returns trigger language plpgsql as $$
begin
  if not (old.status || '>' || new.status) = any (tg_argv) then
    raise exception 'illegal move of %: % to %', tg_table_name, old.status, new.status
      using errcode = 'check_violation';
  end if;
  return new;
end $$;

create table customers (
  merchant_id text collate "C" not null,
  id uuid not null,
  name text,
  email text,
  phone text,
  erased_at timestamptz,
  last_used_at timestamptz not null,
  primary key (merchant_id, id)
);

create table payment_intents (
  merchant_id text collate "C" not null,
  id uuid not null,
  amount integer not null check (amount between 1 and 99999999),
  currency text not null check (currency in ('XAF', 'EUR')),
  status text not null
    check (status in ('requires_payment_method', 'processing', 'succeeded', 'canceled')),
  payment_method_types text[] not null check (cardinality(payment_method_types) > 0),
  customer_id uuid,
  description text,
  metadata jsonb not null,
  client_secret text not null,
  livemode boolean not null,
  invoice_id uuid,
  error_code text,
  error_decline_code text,
  error_message text,
  error_rail text,
  redirect_url text,
  return_url text,
  canceled_at timestamptz,
  cancellation_reason text
    check (cancellation_reason in ('duplicate', 'fraudulent', 'requested_by_customer', 'abandoned')),
  -- Grows with each change: a writer that rendered from an older row finds nothing to write.
  revision integer not null default 0,
  primary key (merchant_id, id),
  foreign key (merchant_id, customer_id) references customers (merchant_id, id),
  check (canceled_at is null or status = 'canceled'),
  check (status <> 'succeeded' or error_code is null)
) with (fillfactor = 85);

create index payment_intents_customer on payment_intents (merchant_id, customer_id) where customer_id is not null;

create trigger payment_intents_moves before update on payment_intents for each row
  when (old.status is distinct from new.status)
  execute function refuse_illegal_move(
    'requires_payment_method>processing', 'requires_payment_method>succeeded', 'requires_payment_method>canceled',
    'processing>succeeded', 'processing>requires_payment_method', 'processing>canceled',
    'canceled>succeeded');

create table charges (
  merchant_id text collate "C" not null,
  id uuid not null,
  payment_intent_id uuid not null,
  rail text collate "C" not null,
  status text not null
    check (status in ('submitting', 'live', 'unconfirmed', 'succeeded', 'duplicate', 'failed', 'abandoned')),
  amount integer not null check (amount between 1 and 99999999),
  currency text not null check (currency in ('XAF', 'EUR')),
  customer_id uuid,
  payer_msisdn text,
  -- What the rail knows the charge by; committed before any call.
  reference text collate "C" not null,
  rail_token text,
  callback_secret text,
  rail_txn_id text,
  rail_code text,
  rail_message text,
  opened_at timestamptz not null,
  submit_deadline timestamptz not null,
  acknowledged_at timestamptz,
  settled_at timestamptz,
  -- When the worker next asks the rail; null when it never will again.
  next_query_at timestamptz,
  lease_until timestamptz,
  query_rung smallint not null default 0,
  last_query_at timestamptz,
  not_found_count smallint not null default 0,
  revision integer not null default 0,
  primary key (merchant_id, id),
  foreign key (merchant_id, payment_intent_id) references payment_intents (merchant_id, id),
  unique (rail, reference)
) with (fillfactor = 80);

create index charges_intent on charges (merchant_id, payment_intent_id);
-- Spec 3.1.1: at most one live charge per intent.
create unique index charges_one_live on charges (merchant_id, payment_intent_id)
  where status in ('submitting', 'live', 'unconfirmed');
create unique index charges_one_succeeded on charges (merchant_id, payment_intent_id) where status = 'succeeded';
create index charges_callback_secret on charges (rail, callback_secret) where callback_secret is not null;
create index charges_due on charges (next_query_at) where next_query_at is not null;

create trigger charges_moves before update on charges for each row
  when (old.status is distinct from new.status)
  execute function refuse_illegal_move(
    'submitting>live', 'submitting>unconfirmed', 'submitting>abandoned', 'submitting>failed',
    'submitting>succeeded', 'submitting>duplicate',
    'unconfirmed>live', 'unconfirmed>failed', 'unconfirmed>succeeded', 'unconfirmed>duplicate',
    'live>failed', 'live>succeeded', 'live>duplicate',
    'failed>succeeded', 'failed>duplicate',
    'abandoned>succeeded', 'abandoned>duplicate');

create table events (
  merchant_id text collate "C" not null,
  id uuid not null,
  type text not null check (type in (
    'payment_intent.created', 'payment_intent.processing', 'payment_intent.succeeded',
    'payment_intent.payment_failed', 'payment_intent.canceled', 'charge.refunded', 'charge.refund.updated',
    'checkout.session.expired', 'customer.created', 'customer.updated', 'customer.deleted',
    'invoice.created', 'invoice.finalized', 'invoice.paid', 'invoice.voided')),
  -- The rendered event, byte for byte: what GET answers, what webhooks carry and what their signatures cover.
  body text not null,
  customer_id uuid,
  -- Orders cursor readers by commit: a transaction that commits late is never behind a cursor already passed.
  xid xid8 not null default pg_current_xact_id(),
  fanout_state text not null default 'pending' check (fanout_state in ('pending', 'done', 'failed')),
  fanout_failures smallint not null default 0,
  fanout_due_at timestamptz not null,
  lease_until timestamptz,
  primary key (merchant_id, id)
) partition by range (id);

create index events_cursor on events (merchant_id, xid, id);
create index events_customer on events (merchant_id, customer_id) where customer_id is not null;
create index events_fanout on events (fanout_due_at) where fanout_state = 'pending';

-- No foreign keys between the partitioned tables: partitions of one age are dropped together.
create table deliveries (
  merchant_id text collate "C" not null,
  event_id uuid not null,
  endpoint_id text collate "C" not null,
  id uuid not null,
  status text not null check (status in ('pending', 'succeeded', 'exhausted')),
  attempts smallint not null default 0,
  customer_id uuid,
  created_at timestamptz not null,
  finished_at timestamptz,
  primary key (merchant_id, event_id, endpoint_id)
) partition by range (event_id);

create index deliveries_id on deliveries (id);
create index deliveries_customer on deliveries (merchant_id, customer_id) where customer_id is not null;
create index deliveries_pending on deliveries (created_at) where status = 'pending';

create trigger deliveries_moves before update on deliveries for each row
  when (old.status is distinct from new.status)
  execute function refuse_illegal_move('pending>succeeded', 'pending>exhausted', 'exhausted>pending');

create table delivery_attempts (
  merchant_id text collate "C" not null,
  delivery_id uuid not null,
  number smallint not null,
  event_id uuid not null,
  started_at timestamptz not null,
  duration_ms integer not null,
  status_code smallint,
  error text,
  response_excerpt text,
  customer_id uuid,
  primary key (merchant_id, delivery_id, number)
) partition by range (delivery_id);

create index delivery_attempts_customer on delivery_attempts (merchant_id, customer_id) where customer_id is not null;

-- Small and hot: a row lives from fan-out to the last attempt. Holds ids only, so that erasure need not reach it.
create table delivery_jobs (
  delivery_id uuid primary key,
  merchant_id text collate "C" not null,
  event_id uuid not null,
  endpoint_id text collate "C" not null,
  due_at timestamptz not null,
  lease_until timestamptz,
  throws smallint not null default 0,
  dead_at timestamptz,
  unique (merchant_id, event_id, endpoint_id)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_delay = 0);

create index delivery_jobs_due on delivery_jobs (due_at) where dead_at is null;

create table idempotency_keys (
  merchant_id text collate "C" not null,
  -- 'v1', or a browser surface's own namespace, so that a payer cannot spend a merchant's keys.
  scope text collate "C" not null,
  key text collate "C" not null,
  fingerprint bytea not null,
  -- Null while the first call runs, and after a 5xx released the key.
  status smallint,
  should_retry boolean,
  body text,
  -- The charge or refund that the first call opened: a re-execution continues it.
  resource_id uuid,
  fence integer not null default 1,
  held_until timestamptz,
  customer_id uuid,
  expires_at timestamptz not null,
  primary key (merchant_id, scope, key),
  check ((status is null) = (body is null)),
  check (status is null or status < 500)
) with (fillfactor = 85);

create index idempotency_keys_expiry on idempotency_keys (expires_at);
create index idempotency_keys_customer on idempotency_keys (merchant_id, customer_id) where customer_id is not null;

-- Spec 5.2: spent exactly once, and the namespace is global across merchants.
create table spent_jtis (
  jti uuid primary key,
  expires_at timestamptz not null
);

create index spent_jtis_expiry on spent_jtis (expires_at);

-- Spec 5.1.5: only subtracts access, effective on the next request.
create table disabled_clients (
  client_id text collate "C" primary key,
  reason text not null,
  disabled_at timestamptz not null default now()
);

-- Spec 5.5: the history of the service's signing key.
create table signing_keys (
  kid text collate "C" primary key,
  public_jwk jsonb not null,
  first_used_at timestamptz not null,
  retired_at timestamptz
);

create unique index signing_keys_one_active on signing_keys ((true)) where retired_at is null;

-- Elects one runner for each sweep.
create table leases (
  name text collate "C" primary key,
  holder uuid not null,
  lease_until timestamptz not null
);

-- The smallest UUIDv7 of an instant: the bound of a partition by time over a time-ordered id.
create function uuid_v7_floor(at timestamptz) returns uuid language sql immutable strict as $$
  select (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '00000000000000000000')::uuid
$$;

-- Makes the month's partition of each partitioned table, for the month of `at`. A row outside every month lands in
-- the default partition, so that a late maintenance run never refuses a write; the run then moves such rows over.
-- Attaching leaves the table open to writers, and the timeout keeps them from queueing behind us and a long reader.
create function ensure_partitions(at timestamptz) returns void language plpgsql set lock_timeout = '2s' as $$
declare
  month timestamp := date_trunc('month', at at time zone 'UTC');
  lower uuid := uuid_v7_floor(month at time zone 'UTC');
  upper uuid := uuid_v7_floor((month + interval '1 month') at time zone 'UTC');
  parent text;
  key text;
  part text;
begin
  for parent, key in values ('events', 'id'), ('deliveries', 'event_id'), ('delivery_attempts', 'delivery_id') loop
    part := parent || '_' || to_char(month, 'YYYYMM');
    execute format('lock table only %I in share update exclusive mode', parent);
    if to_regclass(part) is null then
      execute format('create table %I (like %I including all)', part, parent);
      execute format('lock table %I in access exclusive mode', parent || '_default');
      execute format('with late as (delete from %1$I where %2$I >= %3$L and %2$I < %4$L returning *) '
        'insert into %5$I select * from late', parent || '_default', key, lower, upper, part);
      execute format('alter table %I attach partition %I for values from (%L) to (%L)', parent, part, lower, upper);
    end if;
  end loop;
end $$;

create table events_default partition of events default;
create table deliveries_default partition of deliveries default;
create table delivery_attempts_default partition of delivery_attempts default;

select ensure_partitions(now() + make_interval(months => n)) from generate_series(0, 3) as n;
