-- phase: expand
-- mode: concurrently
-- Staff list all merchants' objects by time. `greatest(id)` is the id itself. In these words only the staff's statements
-- use the indexes: one of the plain id could replace the primary key in a merchant's statement (docs/decisions/0027).
create index concurrently payment_intents_time on payment_intents (greatest(id));
create index concurrently charges_time on charges (greatest(id));
create index concurrently refunds_time on refunds (greatest(id));
create index concurrently customers_time on customers (greatest(id));
create index concurrently invoices_time on invoices (greatest(id));
-- The refunds that wait for their rail, by time.
create index concurrently refund_jobs_time on refund_jobs (refund_id) where rested_at is null;
