-- phase: expand
-- What a rail reports as paid where its amount or currency is not the charge's. It settles nothing. Staff see it before they
-- rule on the charge. Kept with the schedule, because a row of `charges` is written only when its state changes.
alter table charge_jobs
  add column reported_at timestamptz,
  add column reported_amount bigint,
  add column reported_currency text;
