-- phase: expand
-- mode: concurrently
-- As charges_payer, and with the whole number: a search for a number reads the index alone, not the charges of all numbers
-- that end as it does (docs/decisions/0033). The previous release's searches use it too.
create index concurrently charges_payer_number on charges (right(payer_msisdn, 4), id) include (payer_msisdn)
  where payer_msisdn is not null and payer_msisdn <> '[redacted]';
drop index concurrently if exists charges_payer;
