-- phase: expand
-- mode: concurrently
-- The items that nobody has taken, which each scrape counts for each alert by itself. The merchant tells which have left.
create index concurrently attention_items_open on attention_items (alert, merchant_id) where status = 'open';
