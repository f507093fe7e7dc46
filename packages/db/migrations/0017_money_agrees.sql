-- Rules between rows that hold money. The service writes such rows together, in one statement; from here on the
-- database refuses any other writer that does not. docs/decisions/0011 says what each rule costs.

create function refuse_rewrite() returns trigger language plpgsql as $$
begin
  raise exception 'what a row of % was made with never changes', tg_table_name
    using errcode = 'check_violation', constraint = tg_name, table = tg_table_name;
end $$;

-- A column list keeps these away from updates that do not name the columns, so that they cost such updates nothing.
create trigger payment_intents_made before update of merchant_id, id, amount, currency, invoice_id on payment_intents
  for each row
  when ((old.merchant_id, old.id, old.amount, old.currency, old.invoice_id)
    is distinct from (new.merchant_id, new.id, new.amount, new.currency, new.invoice_id))
  execute function refuse_rewrite();

create trigger charges_made before update of merchant_id, id, payment_intent_id on charges for each row
  when ((old.merchant_id, old.id, old.payment_intent_id) is distinct from (new.merchant_id, new.id, new.payment_intent_id))
  execute function refuse_rewrite();

create trigger refunds_made before update of merchant_id, id, payment_intent_id, amount on refunds for each row
  when ((old.merchant_id, old.id, old.payment_intent_id, old.amount)
    is distinct from (new.merchant_id, new.id, new.payment_intent_id, new.amount))
  execute function refuse_rewrite();

-- A charge's amount and currency are its intent's.
alter table payment_intents add constraint payment_intents_money unique (merchant_id, id, amount, currency);
alter table charges
  drop constraint charges_merchant_id_payment_intent_id_fkey,
  add constraint charges_money foreign key (merchant_id, payment_intent_id, amount, currency)
    references payment_intents (merchant_id, id, amount, currency);

-- The key above begins with the primary key, so that it serves no search worse than that one does. On a table without
-- statistics the planner takes the newest of the indexes that seem alike (docs/decisions/0008): that must not be the key,
-- so the others are made anew, in their order.
do $$
declare
  name text;
  definition text;
begin
  for name, definition in
    select c.relname, pg_get_indexdef(c.oid) from pg_index i join pg_class c on c.oid = i.indexrelid
    where i.indrelid = 'payment_intents'::regclass and not exists (select from pg_constraint where conindid = c.oid)
    order by c.oid
  loop
    execute format('drop index %I', name);
    execute definition;
  end loop;
end $$;

-- The following are checked at the end of the transaction, so that its statements may come in any order. Each reads
-- the rows as they are then, and not as they were when it was queued.

-- A succeeded intent has a succeeded charge. That it has no second one is the work of charges_one_succeeded.
create function refuse_uncollected(merchant text, intent uuid, rule text) returns void language plpgsql as $$
begin
  if exists (select from payment_intents where merchant_id = merchant and id = intent and status = 'succeeded') then
    raise exception 'a payment intent is succeeded and has no succeeded charge'
      using errcode = 'check_violation', constraint = rule, detail = 'Payment intent ' || intent;
  end if;
end $$;

-- Each settlement runs this: one search, and no more where it finds the charge.
create function expect_succeeded_charge() returns trigger language plpgsql as $$
begin
  perform from charges where payment_intent_id = new.id and merchant_id = new.merchant_id and status = 'succeeded';
  if not found then
    perform refuse_uncollected(new.merchant_id, new.id, tg_name);
  end if;
  return null;
end $$;

create function keep_succeeded_charge() returns trigger language plpgsql as $$
begin
  perform from charges
    where payment_intent_id = old.payment_intent_id and merchant_id = old.merchant_id and status = 'succeeded';
  if not found then
    perform refuse_uncollected(old.merchant_id, old.payment_intent_id, tg_name);
  end if;
  return null;
end $$;

create constraint trigger payment_intents_collected after insert or update of status on payment_intents
  deferrable initially deferred for each row
  when (new.status = 'succeeded') execute function expect_succeeded_charge();

create constraint trigger charges_kept after delete on charges
  deferrable initially deferred for each row
  when (old.status = 'succeeded') execute function keep_succeeded_charge();

-- What an intent's refunds hold of it is the sum of those that are not over.
create function expect_reservation() returns trigger language plpgsql as $$
declare
  merchant text := coalesce(new.merchant_id, old.merchant_id);
  intent uuid;
begin
  if tg_table_name = 'refunds' then
    intent := coalesce(new.payment_intent_id, old.payment_intent_id);
  else
    intent := new.id;
  end if;
  perform from payment_intents p
    where p.merchant_id = merchant and p.id = intent and p.refund_reserved <> (
      select coalesce(sum(r.amount), 0) from refunds r
      where r.payment_intent_id = intent and r.merchant_id = merchant and r.status in ('pending', 'requires_action'));
  if found then
    raise exception 'a payment intent holds another amount for refunds than their sum'
      using errcode = 'check_violation', constraint = tg_name, table = tg_table_name, detail = 'Payment intent ' || intent;
  end if;
  return null;
end $$;

create constraint trigger refunds_reserved after insert or delete on refunds
  deferrable initially deferred for each row execute function expect_reservation();

create constraint trigger refunds_released after update of status on refunds
  deferrable initially deferred for each row
  when (old.status is distinct from new.status) execute function expect_reservation();

create constraint trigger payment_intents_reserved after insert on payment_intents
  deferrable initially deferred for each row
  when (new.refund_reserved <> 0) execute function expect_reservation();

create constraint trigger payment_intents_released after update of refund_reserved on payment_intents
  deferrable initially deferred for each row
  when (old.refund_reserved <> new.refund_reserved) execute function expect_reservation();

-- A paid invoice names an intent that it minted, that succeeded, and that is of its total.
create function expect_payment() returns trigger language plpgsql as $$
begin
  -- A scalar subquery is never turned into a join: the intent is found by its key whatever the planner estimates.
  perform from invoices v
    where v.merchant_id = new.merchant_id and v.id = new.id and v.status = 'paid' and not coalesce((
      select p.status = 'succeeded' and p.invoice_id = v.id and p.amount = v.total and p.currency = v.currency
      from payment_intents p where p.merchant_id = v.merchant_id and p.id = v.payment_intent_id), false);
  if found then
    raise exception 'an invoice is paid and names no succeeded intent of its own and of its total'
      using errcode = 'check_violation', constraint = tg_name, table = tg_table_name, detail = 'Invoice ' || new.id;
  end if;
  return null;
end $$;

create constraint trigger invoices_paid
  after insert or update of status, payment_intent_id, total, currency on invoices
  deferrable initially deferred for each row
  when (new.status = 'paid') execute function expect_payment();

-- The foreign key has validated the charges that exist. These validate the other rows, as the triggers would.
do $$
begin
  if exists (select from payment_intents p where p.status = 'succeeded' and not exists (
      select from charges c
      where c.payment_intent_id = p.id and c.merchant_id = p.merchant_id and c.status = 'succeeded')) then
    raise exception 'a payment intent is succeeded and has no succeeded charge' using errcode = 'check_violation';
  end if;
  if exists (select from payment_intents p left join (
        select merchant_id, payment_intent_id, sum(amount) as held from refunds
        where status in ('pending', 'requires_action') group by merchant_id, payment_intent_id) r
      on r.merchant_id = p.merchant_id and r.payment_intent_id = p.id
      where p.refund_reserved <> coalesce(r.held, 0)) then
    raise exception 'a payment intent holds another amount for refunds than their sum'
      using errcode = 'check_violation';
  end if;
  if exists (select from invoices v where v.status = 'paid' and not exists (
      select from payment_intents p
      where p.merchant_id = v.merchant_id and p.id = v.payment_intent_id and p.invoice_id = v.id
        and p.status = 'succeeded' and p.amount = v.total and p.currency = v.currency)) then
    raise exception 'an invoice is paid and names no succeeded intent of its own and of its total'
      using errcode = 'check_violation';
  end if;
end $$;
