-- phase: expand
-- mode: concurrently
-- The sums of all merchants' money read returns by time, as they do charges and refunds (docs/decisions/0027).
create index concurrently charge_returns_time on charge_returns (greatest(id));
