-- phase: expand
-- Retention reaches every row of events, deliveries and attempts, also one that came into a default partition. It waits
-- while a merchant moves, and a month that has rows again after its drop needs an archive again.

-- Makes the month of the oldest row that lies in a default partition: a row that a worker away for months or a copy has
-- left there. Without this no sweep would find it. Where something holds the tables, the next call makes it.
create function make_late_month() returns void language plpgsql as $$
declare
  oldest uuid;
begin
  select least((select id from events_default order by id limit 1),
    (select event_id from deliveries_default order by event_id limit 1),
    (select delivery_id from delivery_attempts_default order by delivery_id limit 1)) into oldest;
  -- The month of a later row is made when it comes.
  if oldest is null or oldest >= uuid_v7_floor(now()) or are_partitions_held() then
    return;
  end if;
  perform ensure_partitions(
    to_timestamp(('x' || left(replace(oldest::text, '-', ''), 12))::bit(48)::bigint / 1000.0));
exception when lock_not_available then
  return;
end $$;

-- As in 0049, but the mark of an archive counts only until the month is dropped, and no month is dropped while the rows of
-- a merchant are copied. The copy would go on in the default partitions, or differ from its original.
create or replace function drop_oldest_month(before timestamptz, only_archived boolean)
returns table (month text, outcome text) language plpgsql security definer set lock_timeout = '50ms' as $$
declare
  parent text;
  is_unfinished boolean;
  is_moving boolean;
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
      outcome := case
        when is_unfinished then 'unfinished'
        when only_archived and not found then 'unarchived'
        when is_moving or are_partitions_held() then 'held'
        else 'dropped' end;
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

-- As in 0049, but a month that came back after its drop is archived anew.
create or replace function begin_archive(wanted text, by_run uuid) returns void language plpgsql as $$
declare
  parent text;
  part text;
begin
  foreach parent in array array['events', 'deliveries', 'delivery_attempts'] loop
    part := parent || '_' || wanted;
    if not exists (select from pg_trigger where tgrelid = part::regclass and tgname = 'forget_archive') then
      execute format('create trigger forget_archive after insert or delete or update %s on %I for each row '
        'execute function forget_archive()', case parent when 'deliveries' then '' else 'of customer_id' end, part);
    end if;
  end loop;
  insert into archived_months (month, run) values (wanted, by_run)
  on conflict (month) do update
    set run = excluded.run, began_at = now(), verified_at = null, manifest_sha256 = null, dropped_at = null;
end $$;

-- Replacing a function drops its settings, and keeps its rights.
do $$
declare
  routine text;
begin
  foreach routine in array array['make_late_month()', 'drop_oldest_month(timestamptz, boolean)',
    'begin_archive(text, uuid)'] loop
    execute format('alter function %s set search_path = %I, pg_temp', routine, current_schema());
  end loop;
end $$;
revoke execute on function make_late_month() from public;
