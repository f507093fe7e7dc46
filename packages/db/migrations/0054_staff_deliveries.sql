-- phase: expand
-- mode: concurrently
-- One merchant's deliveries by time, for staff. No statement of a payment uses these words, so none leaves its own index
-- (docs/decisions/0008, docs/decisions/0027).
create index concurrently deliveries_merchant_time on deliveries (greatest(merchant_id), id);
