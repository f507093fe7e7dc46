-- phase: expand
-- Months of events, deliveries and attempts that the tool `archive` has written to files
-- (docs/decisions/0031-months-are-archived-redacted.md). Only the owner writes it. A row stays after its month is dropped.
create table archived_months (
  month text collate "C" primary key check (month ~ '^\d{6}$'),
  -- The run that writes the files. A later run replaces it, so the earlier one cannot mark the month any more.
  run uuid not null,
  began_at timestamptz not null default now(),
  -- Set once the files were read back and agree with their manifest. Only then may the worker drop the month.
  verified_at timestamptz,
  manifest_sha256 text check (manifest_sha256 ~ '^[0-9a-f]{64}$'),
  dropped_at timestamptz,
  check (verified_at is null or manifest_sha256 is not null)
);

grant select on archived_months to merchant_payments_report;

-- A row that comes, goes or changes makes the month's archive incomplete. The months that the tool archives are older than
-- everything that still writes, so only a move of a merchant between cells and an owner by hand do that. An erasure changes
-- texts that no archive has.
create function forget_archive() returns trigger language plpgsql security definer as $$
begin
  delete from archived_months where month = right(tg_table_name, 6) and dropped_at is null;
  return null;
end $$;

-- Watches the month from now on. The triggers wait for every transaction that writes the month, so a snapshot that is
-- taken after the commit misses nothing.
create function begin_archive(wanted text, by_run uuid) returns void language plpgsql as $$
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
  on conflict (month) do update set run = excluded.run, began_at = now(), verified_at = null, manifest_sha256 = null
    where archived_months.dropped_at is null;
end $$;

-- The months with partitions, the oldest first, and whether something in them is unfinished.
create function months_before(before timestamptz) returns table (month text, unfinished boolean)
language plpgsql stable as $$
declare
  starts timestamp;
  lower uuid;
  upper uuid;
begin
  for month in
    select distinct right(c.relname, 6) from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent in ('events'::regclass, 'deliveries'::regclass, 'delivery_attempts'::regclass)
      and c.relname ~ '_\d{6}$'
    order by 1
  loop
    starts := to_timestamp(month, 'YYYYMM')::timestamp;
    exit when (starts + interval '1 month') at time zone 'UTC' > before;
    lower := uuid_v7_floor(starts at time zone 'UTC');
    upper := uuid_v7_floor((starts + interval '1 month') at time zone 'UTC');
    unfinished :=
      exists (select from fanout_jobs where event_id >= lower and event_id < upper)
      or exists (select from deliveries where status = 'pending' and event_id >= lower and event_id < upper)
      or exists (select from deliveries where status = 'exhausted' and event_id >= lower and event_id < upper)
      -- Of an event of an earlier month, fanned out in this one: its attempts lie here.
      or exists (select from deliveries where status = 'pending' and id >= lower and id < upper)
      or exists (select from deliveries where status = 'exhausted' and id >= lower and id < upper);
    return next;
  end loop;
end $$;

-- As `drop_old_month` of 0018, with one more reason to keep a month: it must be archived, and is not. The lock of the row
-- waits for a transaction that forgets the archive.
create function drop_oldest_month(before timestamptz, only_archived boolean)
returns table (month text, outcome text) language plpgsql security definer set lock_timeout = '50ms' as $$
declare
  parent text;
  is_unfinished boolean;
begin
  -- 31 days are RETENTION_DAYS_MIN of packages/config/src/rules.ts.
  for month, is_unfinished in
    select m.month, m.unfinished from months_before(least(before, now() - interval '31 days')) m
  loop
    begin
      perform from archived_months a where a.month = drop_oldest_month.month and a.verified_at is not null for update;
      outcome := case
        when is_unfinished then 'unfinished'
        when only_archived and not found then 'unarchived'
        when are_partitions_held() then 'held'
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

-- What workers of the previous release call.
create or replace function drop_month_before(before timestamptz) returns table (month text, dropped boolean, held boolean)
language sql volatile as $$
  select d.month, d.outcome = 'dropped', d.outcome = 'held' from drop_oldest_month(before, false) d
$$;

do $$
declare
  routine text;
begin
  foreach routine in array array['forget_archive()', 'begin_archive(text, uuid)', 'months_before(timestamptz)',
    'drop_oldest_month(timestamptz, boolean)', 'drop_month_before(timestamptz)'] loop
    execute format('alter function %s set search_path = %I, pg_temp', routine, current_schema());
    execute format('revoke execute on function %s from public', routine);
  end loop;
end $$;
grant execute on function drop_oldest_month(timestamptz, boolean) to merchant_payments_app;
