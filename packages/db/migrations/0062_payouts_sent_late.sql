-- phase: expand
-- mode: concurrently
-- An operator's statement also compares the payouts that were sent long after they were made. There are few.
create index concurrently refunds_sent_late on refunds (submit_deadline)
  where submit_deadline - opened_at > interval '31 days';
create index concurrently charge_returns_sent_late on charge_returns (submit_deadline)
  where submit_deadline - opened_at > interval '31 days';
