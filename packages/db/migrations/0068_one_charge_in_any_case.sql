-- phase: expand
-- One transaction in two spellings proves the charge for which it was given first. The others are unproven from now on, so
-- that a person looks at them before their money is paid back. Their log says why.
with proofs as (
  select c.merchant_id, c.id, row_number() over (
    partition by c.rail, lower(c.statement) order by (
      select max(r.ruled_at) from charge_rulings r
      where r.charge_id = c.id and r.merchant_id = c.merchant_id and r.statement = c.statement), c.id) as place
  from charges c where c.statement is not null
),
withdrawn as (
  update charges c set statement = null
  from proofs p where p.place > 1 and c.merchant_id = p.merchant_id and c.id = p.id
  returning c.merchant_id, c.id
)
insert into charge_rulings (merchant_id, charge_id, outcome, reason, operator)
select w.merchant_id, w.id, 'succeeded', 'An earlier ruling gave the same transaction, in another case, to another charge.', 'migrate'
from withdrawn w;

-- As before, in any case. The conditions are in the words of their indexes. OFFSET keeps the rail out of the selects, because
-- an index that begins with it has no transaction.
create or replace function proven_by(by_rail text, transaction text, except_charge uuid) returns uuid
  language sql stable set search_path = public, pg_temp as $$
  select o.id from (
    select s.id, s.rail from charges s where s.rail = by_rail and lower(s.statement) = lower(transaction collate "C")
    union all select t.id, t.rail from charges t
      where t.rail_txn_id in (
        transaction, lower(transaction collate "C") collate "default", upper(transaction collate "C") collate "default")
    union all select m.id, m.rail from charges m
      where lower(m.rail_txn_id collate "C") = lower(transaction collate "C")
        and m.rail_txn_id collate "C" <> lower(m.rail_txn_id collate "C")
        and m.rail_txn_id collate "C" <> upper(m.rail_txn_id collate "C")
    offset 0) o
  where o.rail = by_rail and o.id <> except_charge
  limit 1
$$;

-- As before, and a transaction that the rail has reported for another charge since proves nothing.
create or replace function is_unproven(merchant text, charge uuid, ruling text, rail_txn_id text) returns boolean
  language sql stable set search_path = public, pg_temp as $$
  select coalesce(ruling = 'succeeded' and rail_txn_id is null and not exists (
    select from charges c where c.id = charge and c.merchant_id = merchant and c.statement is not null
      and proven_by(c.rail, c.statement, c.id) is null), false)
$$;
