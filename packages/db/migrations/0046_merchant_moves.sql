-- phase: expand
-- Merchants that move to another cell, or came to one (docs/decisions/0029-merchants-move-fenced.md). A row closes the
-- merchant: api and worker read this table in the statements that look at the merchant anyway. Only the owner writes it.
create table merchant_moves (
  merchant_id text collate "C" primary key,
  -- draining: new writes are refused and no job is claimed; what runs may finish. frozen: nothing is written.
  -- left: the merchant lives in the other cell. arriving: its rows are being copied here.
  state text not null check (state in ('draining', 'frozen', 'left', 'arriving')),
  -- The same in both cells.
  move_id uuid not null,
  other_cell text not null check (length(other_cell) between 1 and 64),
  began_at timestamptz not null default now(),
  state_since timestamptz not null default now(),
  -- Set in the cell of an arriving merchant, once counts and hashes agreed.
  verified_at timestamptz
);

grant select on merchant_moves to merchant_payments_app, merchant_payments_report;

-- The fence of a move: a trigger of each table that has rows of merchants. The tool creates the triggers for the time of a
-- move, so that they cost nothing at other times. A merchant's row lock makes the step to frozen wait for every
-- transaction that has written a row of the merchant. The error is that of a locked row: sweeps and shared statements
-- leave such a row alone, and the API answers that the request can be repeated. The tool names the merchant in a setting.
create function refuse_while_moving() returns trigger language plpgsql security definer as $$
declare
  merchant text;
  found_state text;
begin
  if tg_table_name = 'disabled_clients' then
    merchant := case when tg_op = 'DELETE' then old.client_id else new.client_id end;
  else
    merchant := case when tg_op = 'DELETE' then old.merchant_id else new.merchant_id end;
  end if;
  select state into found_state from merchant_moves m where m.merchant_id = merchant for share;
  if found_state <> 'draining' and current_setting('merchant_payments.move', true) is distinct from merchant then
    raise exception 'the merchant % is being moved between cells', merchant
      using errcode = 'lock_not_available', table = tg_table_name;
  end if;
  if tg_op = 'DELETE' then
    return old;
  end if;
  return new;
end $$;
revoke execute on function refuse_while_moving() from public;

-- Whether the merchant's rows here are a copy: one that is made, or one that is left over and may be removed.
create function is_copy(merchant text) returns boolean language plpgsql stable as $$
begin
  return exists (select from merchant_moves m where m.merchant_id = merchant and m.state in ('arriving', 'left'));
end $$;

-- As before, but a copy comes and goes whole.
create or replace function refuse_beyond_draft() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and is_copy(old.merchant_id) then
    return old;
  end if;
  raise exception 'a change of % that only a draft allows', tg_table_name using errcode = 'check_violation';
end $$;

create or replace function refuse_line_beyond_draft() returns trigger language plpgsql as $$
declare
  line invoice_items := coalesce(new, old);
begin
  if exists (select 1 from invoices
      where merchant_id = line.merchant_id and id = line.invoice_id and status <> 'draft')
    and (tg_op = 'UPDATE' or not is_copy(line.merchant_id)) then
    raise exception 'a change of % that only a draft allows', tg_table_name using errcode = 'check_violation';
  end if;
  return line;
end $$;

-- Replacing a function drops its settings.
do $$
declare
  routine text;
begin
  foreach routine in array array['refuse_while_moving()', 'is_copy(text)', 'refuse_beyond_draft()', 'refuse_line_beyond_draft()'] loop
    execute format('alter function %s set search_path = %I, pg_temp', routine, current_schema());
  end loop;
end $$;

-- An intent and its invoice name each other. A copy inserts the two in one transaction.
alter table payment_intents
  alter constraint payment_intents_merchant_id_invoice_id_fkey deferrable initially immediate;
