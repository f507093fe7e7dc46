-- An erasure runs in bounded steps. `customers.erased_at` and the redacted row are its first commit, from which on every
-- reader and writer takes the customer for erased. A row here stands until the copies are cleared and `customer.deleted`
-- is written. It has no foreign key: a customer is removed while its erasure is, in one statement.
create table customer_erasures (
  merchant_id text collate "C" not null,
  customer_id uuid not null,
  -- Of the request that began it; null for the retention sweep.
  request_id text,
  -- The customer's `erased_at`.
  begun_at timestamptz not null,
  -- Whether something referred to the customer when the erasure began. From then on nothing new can.
  keeps_row boolean not null,
  -- How far the copies are cleared: a table, and the key of the last row of it that is done.
  clearing text collate "C" not null,
  cleared_to text[],
  due_at timestamptz not null default now(),
  lease_until timestamptz,
  -- Grows with each claim, so that a holder whose lease has ended writes nothing more.
  fence integer not null default 1,
  -- In a row, without a step forward.
  failures smallint not null default 0,
  primary key (merchant_id, customer_id)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

create index customer_erasures_due on customer_erasures (due_at);
-- How long the oldest has been under way, for the metrics.
create index customer_erasures_begun on customer_erasures (begun_at);

-- The order in which an erasure visits a customer's copies, so that each step goes on where the last one ended.
drop index payment_intents_customer;
drop index refunds_customer;
drop index events_customer;
drop index delivery_attempts_customer;
drop index idempotency_keys_customer;
create index payment_intents_customer on payment_intents (customer_id, merchant_id, id) where customer_id is not null;
create index refunds_customer on refunds (customer_id, merchant_id, id) where customer_id is not null;
create index events_customer on events (customer_id, merchant_id, id) where customer_id is not null;
create index delivery_attempts_customer on delivery_attempts (customer_id, merchant_id, delivery_id, number)
  where customer_id is not null;
create index idempotency_keys_customer on idempotency_keys (customer_id, merchant_id, scope, key)
  where customer_id is not null;
