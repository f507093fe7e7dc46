-- phase: expand
-- As in 0046, and a migration may change the rows that a merchant has left behind. Otherwise each back-fill of a moved table
-- would fail until `forget`. `migrate` sets `*`, which is no merchant.
create or replace function refuse_while_moving() returns trigger language plpgsql security definer
set search_path = public, pg_temp as $$
declare
  merchant text;
  found_state text;
  passing text := current_setting('merchant_payments.move', true);
begin
  if tg_table_name = 'disabled_clients' then
    merchant := case when tg_op = 'DELETE' then old.client_id else new.client_id end;
  else
    merchant := case when tg_op = 'DELETE' then old.merchant_id else new.merchant_id end;
  end if;
  select state into found_state from merchant_moves m where m.merchant_id = merchant for share;
  if found_state <> 'draining' and passing is distinct from merchant
    and (found_state <> 'left' or passing is distinct from '*') then
    raise exception 'the merchant % is being moved between cells', merchant
      using errcode = 'lock_not_available', table = tg_table_name;
  end if;
  if tg_op = 'DELETE' then
    return old;
  end if;
  return new;
end $$;
