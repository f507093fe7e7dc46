-- phase: expand
-- Payments that offer a rail, those that it has accepted, and those that were paid on it, for the funnel of one rail. Older
-- workers do not write these rows, so a newer worker counts the past once more.
create table intent_rail_rollups (
  size_min smallint not null check (size_min in (5, 60)),
  bucket timestamptz not null,
  merchant_id text collate "C" not null,
  rail text collate "C" not null,
  created integer not null,
  sent integer not null,
  approved integer not null,
  primary key (size_min, bucket, merchant_id, rail)
);

grant select, insert, update, delete on intent_rail_rollups to merchant_payments_app;
grant select on intent_rail_rollups to merchant_payments_report;
