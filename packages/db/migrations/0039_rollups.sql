-- phase: expand
-- Counts of charges and payments by the time of their creation, for the staff's analytics. The worker makes them from the
-- ledger, some time behind it, and no statement of a payment touches them. They can be made again at any time.
create table charge_rollups (
  -- 5 or 60 minutes.
  size_min smallint not null check (size_min in (5, 60)),
  bucket timestamptz not null,
  merchant_id text collate "C" not null,
  rail text collate "C" not null,
  currency text not null,
  opened integer not null,
  succeeded integer not null,
  failed integer not null,
  duplicate integer not null,
  -- Neither paid nor failed yet.
  waiting integer not null,
  -- The sum of the succeeded ones, in the smallest unit.
  amount bigint not null,
  primary key (size_min, bucket, merchant_id, rail, currency)
);

-- How long succeeded charges took: n of them from 1.1^k to 1.1^(k+1) milliseconds. Histograms add up; percentiles do not.
create table charge_duration_rollups (
  size_min smallint not null check (size_min in (5, 60)),
  bucket timestamptz not null,
  merchant_id text collate "C" not null,
  rail text collate "C" not null,
  k smallint not null,
  n integer not null,
  primary key (size_min, bucket, merchant_id, rail, k)
);

-- The codes with which rails refused.
create table charge_decline_rollups (
  size_min smallint not null check (size_min in (5, 60)),
  bucket timestamptz not null,
  merchant_id text collate "C" not null,
  rail text collate "C" not null,
  code text collate "C" not null,
  n integer not null,
  primary key (size_min, bucket, merchant_id, rail, code)
);

-- Payments that were created, sent to a rail, and paid.
create table intent_rollups (
  size_min smallint not null check (size_min in (5, 60)),
  bucket timestamptz not null,
  merchant_id text collate "C" not null,
  created integer not null,
  sent integer not null,
  approved integer not null,
  primary key (size_min, bucket, merchant_id)
);

-- How far each look at the ledger is. Later looks find what was settled late. Remove the rows to make all rollups again.
create table rollup_looks (
  look text collate "C" primary key,
  until_at timestamptz not null
);

grant select, insert, update, delete on charge_rollups, charge_duration_rollups, charge_decline_rollups, intent_rollups,
  rollup_looks to merchant_payments_app;
grant select on charge_rollups, charge_duration_rollups, charge_decline_rollups, intent_rollups, rollup_looks
  to merchant_payments_report;
