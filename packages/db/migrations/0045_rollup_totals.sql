-- phase: expand
-- The roll-up also has the sums of all merchants, as the merchant `*`, so that analytics of all merchants read as many rows
-- as those of one. These are the sums of what was counted before.
insert into charge_rollups (size_min, bucket, merchant_id, rail, currency, opened, succeeded, failed, duplicate, waiting, amount)
select size_min, bucket, '*', rail, currency, sum(opened), sum(succeeded), sum(failed), sum(duplicate), sum(waiting), sum(amount)
from charge_rollups where merchant_id <> '*' group by size_min, bucket, rail, currency
on conflict do nothing;
insert into charge_duration_rollups (size_min, bucket, merchant_id, rail, k, n)
select size_min, bucket, '*', rail, k, sum(n) from charge_duration_rollups where merchant_id <> '*' group by size_min, bucket, rail, k
on conflict do nothing;
insert into charge_decline_rollups (size_min, bucket, merchant_id, rail, code, n)
select size_min, bucket, '*', rail, code, sum(n) from charge_decline_rollups where merchant_id <> '*' group by size_min, bucket, rail, code
on conflict do nothing;
insert into intent_rollups (size_min, bucket, merchant_id, created, sent, approved)
select size_min, bucket, '*', sum(created), sum(sent), sum(approved)
from intent_rollups where merchant_id <> '*' group by size_min, bucket
on conflict do nothing;
