-- phase: expand
-- Making a month gives way as dropping one does (0018): while a dump or another long reader holds the tables, it does not
-- request the lock behind which every reader and writer would queue. Months are made ahead, so a later call is in time.
create or replace function ensure_partitions(at timestamptz) returns void language plpgsql security definer
set lock_timeout = '2s' as $$
declare
  -- How long readers and writers queue behind a request of a default partition.
  exclusive_wait constant text := '50ms';
  month timestamp := date_trunc('month', at at time zone 'UTC');
  lower uuid := uuid_v7_floor(month at time zone 'UTC');
  upper uuid := uuid_v7_floor((month + interval '1 month') at time zone 'UTC');
  suffix text := '_' || to_char(month, 'YYYYMM');
  parent text;
  key text;
  part text;
  unsampled text;
begin
  -- Only other calls wait here, and for these locks nobody waits long.
  lock table only events, only deliveries, only delivery_attempts in share update exclusive mode;
  if to_regclass('events' || suffix) is not null and to_regclass('deliveries' || suffix) is not null
    and to_regclass('delivery_attempts' || suffix) is not null then
    return;
  end if;
  if are_partitions_held() then
    raise exception 'another transaction holds events, deliveries or delivery_attempts, so no month is made'
      using errcode = 'lock_not_available', hint = 'End it, or try again later.';
  end if;
  perform set_config('lock_timeout', exclusive_wait, true);
  for parent, key in values ('events', 'id'), ('deliveries', 'event_id'), ('delivery_attempts', 'delivery_id') loop
    part := parent || suffix;
    if to_regclass(part) is null then
      execute format('create table %I (like %I including all)', part, parent);
      for unsampled in select attname from pg_attribute
        where attrelid = parent::regclass and attnum > 0 and not attisdropped and attstattarget = 0 loop
        execute format('alter table %I alter column %I set statistics 0', part, unsampled);
      end loop;
      execute format('lock table %I in access exclusive mode', parent || '_default');
      execute format('with late as (delete from %1$I where %2$I >= %3$L and %2$I < %4$L returning *) '
        'insert into %5$I select * from late', parent || '_default', key, lower, upper, part);
      execute format('alter table %I attach partition %I for values from (%L) to (%L)', parent, part, lower, upper);
    end if;
  end loop;
end $$;

-- Replacing a function drops its settings, and keeps its rights.
do $$
begin
  execute format('alter function ensure_partitions(timestamptz) set search_path = %I, pg_temp', current_schema());
end $$;
