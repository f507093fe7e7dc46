-- Invoices and invoice items (spec 2.6). The states and moves are those of packages/core/src/invoices/lifecycle.ts.

create table invoices (
  merchant_id text collate "C" not null,
  id uuid not null,
  status text not null check (status in ('draft', 'open', 'paid', 'void', 'uncollectible')),
  number integer check (number > 0),
  customer_id uuid not null,
  currency text not null check (currency in ('XAF', 'EUR')),
  -- Sum and count of the items, moved by the statement that moves an item.
  total bigint not null default 0,
  line_count smallint not null default 0 check (line_count between 0 and 250),
  description text,
  due_at timestamptz,
  -- The intent that a payer may pay, or that has paid.
  payment_intent_id uuid,
  -- Empty: every rail that settles in the currency when the invoice is paid.
  payment_method_types text[] not null,
  metadata jsonb not null,
  livemode boolean not null,
  finalized_at timestamptz,
  paid_at timestamptz,
  voided_at timestamptz,
  marked_uncollectible_at timestamptz,
  -- Grows with each change of the invoice and of its items, and with each charge opened on one of its intents.
  revision integer not null default 0,
  primary key (merchant_id, id),
  foreign key (merchant_id, customer_id) references customers (merchant_id, id),
  foreign key (merchant_id, payment_intent_id) references payment_intents (merchant_id, id),
  unique (number, merchant_id),
  check ((status = 'draft') = (number is null)),
  check ((status = 'draft') = (finalized_at is null)),
  check (status = 'draft' or (line_count > 0 and total between 1 and 99999999)),
  check ((status = 'paid') = (paid_at is not null)),
  check (status <> 'paid' or payment_intent_id is not null),
  check ((status = 'void') = (voided_at is not null)),
  check (status <> 'uncollectible' or marked_uncollectible_at is not null)
) with (fillfactor = 85);

create index invoices_customer on invoices (customer_id, merchant_id);
create index invoices_payment_intent on invoices (payment_intent_id, merchant_id) where payment_intent_id is not null;

create trigger invoices_moves before update on invoices for each row
  when (old.status is distinct from new.status)
  execute function refuse_illegal_move(
    'draft>open', 'open>paid', 'open>void', 'open>uncollectible', 'uncollectible>paid', 'uncollectible>void');

-- The number that a merchant's last finalized invoice got. Each finalize locks the row: no gaps, no doubles.
create table invoice_counters (
  merchant_id text collate "C" primary key,
  last_number integer not null default 0
) with (fillfactor = 50);

create table invoice_items (
  merchant_id text collate "C" not null,
  id uuid not null,
  invoice_id uuid not null,
  amount integer not null check (amount <> 0 and amount between -99999999 and 99999999),
  unit_amount integer not null,
  quantity integer not null check (quantity > 0),
  description text,
  metadata jsonb not null,
  revision integer not null default 0,
  primary key (merchant_id, id),
  foreign key (merchant_id, invoice_id) references invoices (merchant_id, id) on delete cascade,
  check (amount = unit_amount::bigint * quantity)
);

create index invoice_items_invoice on invoice_items (invoice_id, merchant_id, id);

create function refuse_beyond_draft() returns trigger language plpgsql as $$
begin
  raise exception 'a change of % that only a draft allows', tg_table_name using errcode = 'check_violation';
end $$;

create trigger invoices_kept before delete on invoices for each row
  when (old.status <> 'draft') execute function refuse_beyond_draft();

create trigger invoices_billed before update on invoices for each row
  when (old.status <> 'draft' and (old.total, old.line_count, old.number) is distinct from (new.total, new.line_count, new.number))
  execute function refuse_beyond_draft();

create function refuse_line_beyond_draft() returns trigger language plpgsql as $$
declare
  line invoice_items := coalesce(new, old);
begin
  if exists (select 1 from invoices
      where merchant_id = line.merchant_id and id = line.invoice_id and status <> 'draft') then
    raise exception 'a change of % that only a draft allows', tg_table_name using errcode = 'check_violation';
  end if;
  return line;
end $$;

create trigger invoice_items_billed before insert or update or delete on invoice_items for each row
  execute function refuse_line_beyond_draft();

alter table payment_intents add foreign key (merchant_id, invoice_id) references invoices (merchant_id, id);
create index payment_intents_invoice on payment_intents (invoice_id, merchant_id) where invoice_id is not null;
