-- An invoice's lines together are bounded in bytes: 256 KiB, ITEM_BYTES_MAX of packages/contract/src/invoices.ts.

alter table invoice_items add column bytes integer not null default 0 check (bytes >= 0);
alter table invoices add column item_bytes integer not null default 0 check (item_bytes >= 0);

-- Lines that are there count what their words take, and 340 bytes for the rest of their JSON, which is never more.
alter table invoice_items disable trigger invoice_items_billed;
update invoice_items set bytes =
  340 + coalesce(octet_length(to_json(description)::text), 0) + octet_length(metadata::text);
alter table invoice_items enable trigger invoice_items_billed;

update invoices v set item_bytes = i.bytes
from (select merchant_id, invoice_id, sum(bytes) as bytes from invoice_items group by merchant_id, invoice_id) i
where v.merchant_id = i.merchant_id and v.id = i.invoice_id;

-- A trigger, because a check would also refuse every later change of an invoice that was bigger before: such a one can
-- shrink, be finalized, paid and voided, and cannot grow.
create function refuse_item_bytes() returns trigger language plpgsql as $$
begin
  raise exception 'the lines of an invoice have more bytes than it can hold' using errcode = 'check_violation';
end $$;

create trigger invoices_bounded before update on invoices for each row
  when (new.item_bytes > old.item_bytes and new.item_bytes > 262144)
  execute function refuse_item_bytes();

-- A stored answer is bounded too: 512 KiB, which is more than an invoice that is full in every field (432 kB). Where
-- there are bigger answers or invoices already, the bound is the next power of two that leaves room for them.
do $$
declare
  biggest bigint := greatest(
    (select max(octet_length(body)) from idempotency_keys),
    (select max(item_bytes + line_count) from invoices) + 262144);
  bound bigint := 524288;
begin
  while bound < biggest loop
    bound := bound * 2;
  end loop;
  execute format(
    'alter table idempotency_keys add constraint idempotency_keys_answer_bytes check (octet_length(body) <= %s)', bound);
end $$;
