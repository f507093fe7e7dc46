-- phase: expand
-- mode: concurrently
-- The items that nobody has taken, which each scrape counts for each alert by itself. The merchant tells which have left.
create index concurrently attention_items_open on attention_items (alert, merchant_id) where status = 'open';
-- The inbox of one alert, however many items of others are newer: those that wait, and all.
create index concurrently attention_items_waiting_alert on attention_items (alert, greatest(id)) where status <> 'resolved';
create index concurrently attention_items_alert on attention_items (alert, greatest(id));
