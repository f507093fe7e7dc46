-- Customers whole. No row is there yet: nothing before this version made one.
alter table customers
  add column line1 text,
  add column line2 text,
  add column city text,
  add column state text,
  add column postal_code text,
  add column country text,
  add column latitude_microdeg integer check (latitude_microdeg between -90000000 and 90000000),
  add column longitude_microdeg integer check (longitude_microdeg between -180000000 and 180000000),
  add column metadata jsonb not null,
  add column livemode boolean not null,
  -- Grows with each change: a writer that rendered from an older row finds nothing to write.
  add column revision integer not null default 0,
  -- What the retention sweep looks for. A day moves seldom, so that a stamp of the last use seldom touches an index.
  add column idle_since date generated always as
    (case when erased_at is null then (last_used_at at time zone 'UTC')::date end) stored,
  -- Spec 2.2.1: an address alone is not a customer.
  add constraint customers_known check (num_nonnulls(name, email, phone) > 0),
  add constraint customers_coordinates check (num_nulls(latitude_microdeg, longitude_microdeg) <> 1),
  add constraint customers_canonical check (
    erased_at is not null or ((phone is null or phone ~ '^[1-9][0-9]{11}$') and (country is null or country ~ '^[A-Z]{2}$'))),
  -- Spec 3.2: nine texts and two coordinates.
  add constraint customers_erased check (
    erased_at is null
    or (array[name, email, phone, line1, line2, city, state, postal_code, country] = array_fill('[redacted]'::text, '{9}')
      and latitude_microdeg is null)),
  set (fillfactor = 85);

create index customers_idle on customers (idle_since);

-- The planner's samples are copies too, which no erasure would reach: of these columns it takes none.
alter table customers
  alter column name set statistics 0,
  alter column email set statistics 0,
  alter column phone set statistics 0,
  alter column line1 set statistics 0,
  alter column line2 set statistics 0,
  alter column city set statistics 0,
  alter column state set statistics 0,
  alter column postal_code set statistics 0,
  alter column country set statistics 0,
  alter column latitude_microdeg set statistics 0,
  alter column longitude_microdeg set statistics 0;
alter table payment_intents
  alter column error_decline_code set statistics 0,
  alter column error_message set statistics 0;
alter table charges
  alter column payer_msisdn set statistics 0,
  alter column rail_code set statistics 0,
  alter column rail_message set statistics 0;
alter table idempotency_keys alter column body set statistics 0;
alter table events alter column body set statistics 0;
alter table delivery_attempts alter column response_excerpt set statistics 0;

-- As before, and a new partition samples no column that its parent does not.
create or replace function ensure_partitions(at timestamptz) returns void language plpgsql set lock_timeout = '2s' as $$
declare
  month timestamp := date_trunc('month', at at time zone 'UTC');
  lower uuid := uuid_v7_floor(month at time zone 'UTC');
  upper uuid := uuid_v7_floor((month + interval '1 month') at time zone 'UTC');
  parent text;
  key text;
  part text;
  unsampled text;
begin
  for parent, key in values ('events', 'id'), ('deliveries', 'event_id'), ('delivery_attempts', 'delivery_id') loop
    part := parent || '_' || to_char(month, 'YYYYMM');
    execute format('lock table only %I in share update exclusive mode', parent);
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
