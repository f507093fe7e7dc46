-- phase: expand
-- mode: concurrently
-- A person and a rail may write one transaction in different case, such as a UUID. The rails that are known write theirs in
-- one case, which three probes of charges_rail_txn find. So the first index is nearly empty, and a payment adds no entry to it.
create index concurrently charges_rail_txn_mixed on charges (lower(rail_txn_id collate "C"))
  where rail_txn_id collate "C" <> lower(rail_txn_id collate "C") and rail_txn_id collate "C" <> upper(rail_txn_id collate "C");
-- The previous release compares with statement_rows_transaction, which stays for it.
create index concurrently statement_rows_any_case on statement_rows (rail, lower(transaction_id))
  where transaction_id is not null;
