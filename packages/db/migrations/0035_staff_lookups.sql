-- phase: expand
-- mode: concurrently
-- What staff search for. A payment adds at most two entries: its rail's transaction when it is paid, and its metadata if it
-- has some. docs/operations.md, "What the search costs", has the figures.
create index concurrently charges_rail_txn on charges (rail_txn_id, id) where rail_txn_id is not null;
create index concurrently payment_intents_metadata on payment_intents
  using gin (jsonb_path_query_array(metadata, '$.*') jsonb_path_ops)
  with (fastupdate = on, gin_pending_list_limit = 512)
  where metadata <> '{}';
create index concurrently checkout_sessions_client_reference on checkout_sessions (client_reference_id, id)
  where client_reference_id is not null;
create index concurrently customers_email on customers (lower(email), id)
  where email is not null and email <> '[redacted]';
-- The words of a name without their accents. Erased names are left out.
create index concurrently customers_words on customers
  using gin (to_tsvector('simple', translate(lower(name), 'àáâäãåçèéêëìíîïñòóôöõùúûüÿ', 'aaaaaaceeeeiiiinooooouuuuy')))
  where name is not null and name <> '[redacted]';
-- Nearly empty: what a bulk job sends again, per endpoint.
create index concurrently deliveries_exhausted_lane on deliveries (endpoint_id, merchant_id, id) where status = 'exhausted';
