-- phase: expand
-- Alerts about objects, each written by the statement of the change that raised it. The worker's pass `record-attention`
-- makes items of the inbox of them and deletes them, so the table is nearly always empty. A row has no data of a person.
create table raised_alerts (
  -- The id of the item, if the alert makes a new one.
  id uuid primary key,
  merchant_id text collate "C" not null,
  alert text collate "C" not null,
  -- The id of the wire.
  object text collate "C" not null,
  facts jsonb not null,
  looked_at timestamptz,
  raised_at timestamptz not null
);

grant select, insert, update, delete on raised_alerts to merchant_payments_app;
grant select on raised_alerts to merchant_payments_report;
