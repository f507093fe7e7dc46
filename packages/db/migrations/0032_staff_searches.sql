-- phase: expand
-- mode: concurrently
-- Staff find charges by the payer's number, or by its last four digits and more. Erased numbers are left out.
create index concurrently charges_payer on charges (right(payer_msisdn, 4), id)
  where payer_msisdn is not null and payer_msisdn <> '[redacted]';
-- Nearly empty.
create index concurrently charge_jobs_reported on charge_jobs (charge_id) where reported_at is not null;
