-- phase: expand
-- A move makes every month of a merchant's life in its new cell, also months that were archived and dropped there. Such a
-- month often gets no row: the merchant has none of it, or the move is abandoned. Its archive and its mark stay, and the
-- month is dropped again.
create function month_has_rows(wanted text) returns boolean language plpgsql stable as $$
declare
  parent text;
  found_one boolean;
begin
  foreach parent in array array['events', 'deliveries', 'delivery_attempts'] loop
    if to_regclass(parent || '_' || wanted) is not null then
      execute format('select exists (select from %I)', parent || '_' || wanted) into found_one;
      if found_one then
        return true;
      end if;
    end if;
  end loop;
  return false;
end $$;

-- As in 0053, but a month that came back after its drop needs no further archive if it has no rows.
create or replace function drop_oldest_month(before timestamptz, only_archived boolean)
returns table (month text, outcome text) language plpgsql security definer set lock_timeout = '50ms' as $$
declare
  parent text;
  is_unfinished boolean;
  is_moving boolean;
  is_archived boolean;
  is_empty boolean;
begin
  begin
    -- No move begins before the commit.
    lock table merchant_moves in share mode;
    is_moving := exists (select from merchant_moves where state <> 'left');
  exception when lock_not_available then
    is_moving := true;
  end;
  if not is_moving then
    perform make_late_month();
  end if;
  -- 31 days are RETENTION_DAYS_MIN of packages/config/src/rules.ts.
  for month, is_unfinished in
    select m.month, m.unfinished from months_before(least(before, now() - interval '31 days')) m
  loop
    begin
      perform from archived_months a
        where a.month = drop_oldest_month.month and a.verified_at is not null and a.dropped_at is null for update;
      is_archived := found;
      is_empty := not is_archived and only_archived and not month_has_rows(month)
        and exists (select from archived_months a
          where a.month = drop_oldest_month.month and a.verified_at is not null and a.dropped_at is not null);
      outcome := case
        when is_unfinished then 'unfinished'
        when only_archived and not is_archived and not is_empty then 'unarchived'
        when is_moving or are_partitions_held() then 'held'
        else 'dropped' end;
      if outcome = 'dropped' and is_empty then
        -- No row comes between this look and the drop.
        foreach parent in array array['events', 'deliveries', 'delivery_attempts'] loop
          if to_regclass(parent || '_' || month) is not null then
            execute format('lock table %I in share mode', parent || '_' || month);
          end if;
        end loop;
        if month_has_rows(month) then
          outcome := 'unarchived';
        end if;
      end if;
      if outcome = 'dropped' then
        foreach parent in array array['delivery_attempts', 'deliveries', 'events'] loop
          execute format('drop table if exists %I', parent || '_' || month);
        end loop;
        update archived_months a set dropped_at = now() where a.month = drop_oldest_month.month;
      end if;
    exception when lock_not_available then
      outcome := 'held';
    end;
    return next;
    exit when outcome in ('dropped', 'held');
  end loop;
end $$;

-- Replacing a function drops its settings, and keeps its rights.
do $$
declare
  routine text;
begin
  foreach routine in array array['month_has_rows(text)', 'drop_oldest_month(timestamptz, boolean)'] loop
    execute format('alter function %s set search_path = %I, pg_temp', routine, current_schema());
  end loop;
end $$;
revoke execute on function month_has_rows(text) from public;
