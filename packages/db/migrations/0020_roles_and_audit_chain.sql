-- Three group roles, and a chain over the audit log. The owner migrates and owns everything. The app role is what the api
-- and the worker log in as members of: it changes rows and nothing else, and of what is written once not even those. The
-- report role reads. Login roles are the deployment's (docs/operations.md, "Database roles").

-- All tables change hands, so all are locked, before anything else is done. A try gives way after a tenth of a second: long
-- before PostgreSQL looks for deadlocks, of which a request could be the victim, and soon enough for who queues behind it.
do $$
declare
  tries integer := 0;
begin
  loop
    begin
      perform set_config('lock_timeout', '100ms', true);
      lock table customers, customer_erasures, payment_intents, charges, charge_jobs, checkout_sessions, refunds, refund_jobs,
        charge_returns, return_jobs, invoices, invoice_items, invoice_counters, events, event_counters, fanout_jobs,
        deliveries, delivery_attempts, delivery_jobs, idempotency_keys, spent_jtis, disabled_clients, signing_keys,
        staff_sessions, audit_entries, charge_rulings, leases, schema_migrations in access exclusive mode;
      exit;
    exception when lock_not_available then
      -- Two minutes: somebody reads for longer than that. It can be run again.
      tries := tries + 1;
      if tries = 600 then
        raise;
      end if;
      perform pg_sleep(0.1);
    end;
  end loop;
  -- What follows waits for other migrations of the cluster alone.
  perform set_config('lock_timeout', '0', true);
end $$;

-- The chain: each audit entry gets a position without gaps, and a hash over itself, its position and the hash before.
create table audit_chain (
  position bigint primary key check (position > 0),
  entry_id uuid not null unique references audit_entries (id),
  previous_hash bytea not null check (length(previous_hash) = 32),
  hash bytea not null check (length(hash) = 32)
);

create trigger audit_chain_append_only before update or delete or truncate on audit_chain
  for each statement execute function refuse_change();

-- The chain's end: one row, whose lock puts entries in the order of their commits.
create table audit_head (
  only_row boolean primary key default true check (only_row),
  position bigint not null check (position >= 0),
  hash bytea not null check (length(hash) = 32)
);

insert into audit_head (position, hash) values (0, decode(repeat('00', 32), 'hex'));

-- What is hashed of an entry: its columns that are not null, as jsonb writes them. A column that a later migration adds
-- is covered once it is written, and changes no hash of an entry that has none. packages/db/src/audit-chain.ts repeats
-- the expression, so that verifying trusts no function of the database.
create function append_to_audit_chain(entry audit_entries) returns void language plpgsql
  set timezone = 'UTC' set bytea_output = 'hex' as $$
declare
  words text := (select jsonb_object_agg(f.key, f.value) from jsonb_each(to_jsonb(entry)) f where f.value <> 'null');
  head audit_head;
  digest bytea;
begin
  select * into head from audit_head for update;
  digest := sha256(head.hash || convert_to((head.position + 1) || ' ' || words, 'UTF8'));
  insert into audit_chain (position, entry_id, previous_hash, hash)
    values (head.position + 1, entry.id, head.hash, digest);
  update audit_head set position = head.position + 1, hash = digest;
end $$;

create function seal_audit_entry() returns trigger language plpgsql security definer as $$
begin
  perform append_to_audit_chain(new);
  return null;
end $$;

-- Deferred to the commit, so that the head is the last lock of every transaction, wherever in it the entry is written:
-- who waits for the head holds up nobody whom its holder waits for.
create constraint trigger audit_entries_sealed after insert on audit_entries
  deferrable initially deferred for each row execute function seal_audit_entry();

do $$
declare
  entry audit_entries;
begin
  for entry in select * from audit_entries order by id loop
    perform append_to_audit_chain(entry);
  end loop;
end $$;

-- The app role asks for a month to be dropped, and must not be able to ask for a young one. 31 days are
-- RETENTION_DAYS_MIN of packages/config/src/deployment.ts.
alter function drop_old_month(timestamptz) rename to drop_month_before;
create function drop_old_month(before timestamptz) returns table (month text, dropped boolean, held boolean)
language plpgsql as $$
begin
  return query select * from drop_month_before(least(before, now() - interval '31 days'));
end $$;

-- Roles are the cluster's, and other databases of it may be migrated at the same time: the loser of the race for a name
-- waits for the winner's commit, and takes its role.
do $$
declare
  name text;
begin
  foreach name in array array['merchant_payments_owner', 'merchant_payments_app', 'merchant_payments_report'] loop
    if not exists (select from pg_roles where rolname = name) then
      begin
        execute format('create role %I nologin', name);
      exception
        when duplicate_object or unique_violation then null;
        when insufficient_privilege then
          raise exception 'the role % is missing, and % may not create it', name, current_user
            using errcode = 'insufficient_privilege',
              hint = 'Have a superuser run the statements of docs/operations.md, "Database roles", first.';
      end;
    end if;
  end loop;
end $$;

-- Whoever migrates, and whoever has owned the tables so far, stays able to do all that an owner can: replicas of the
-- version before go on as they are, until the deployment takes the membership away.
do $$
declare
  member text;
begin
  for member in
    select current_user::text
    union
    select r.rolname from pg_class c join pg_roles r on r.oid = c.relowner
    where c.oid in ('schema_migrations'::regclass, 'payment_intents'::regclass)
  loop
    if not (pg_has_role(member, 'merchant_payments_owner', 'usage') and pg_has_role(member, 'merchant_payments_owner', 'set')) then
      execute format('grant merchant_payments_owner to %I with inherit true, set true', member);
    end if;
  end loop;
end $$;

do $$
declare
  home text := current_schema();
  part record;
  routine record;
begin
  execute format('grant usage, create on schema %I to merchant_payments_owner', home);
  execute format('grant usage on schema %I to merchant_payments_app, merchant_payments_report', home);
  -- As new databases have it since PostgreSQL 15.
  execute format('revoke create on schema %I from public', home);

  for part in
    with recursive ours (oid) as (
      select unnest(array['customers', 'customer_erasures', 'payment_intents', 'charges', 'charge_jobs',
        'checkout_sessions', 'refunds', 'refund_jobs', 'charge_returns', 'return_jobs', 'invoices', 'invoice_items',
        'invoice_counters', 'events', 'event_counters', 'fanout_jobs', 'deliveries', 'delivery_attempts',
        'delivery_jobs', 'idempotency_keys', 'spent_jtis', 'disabled_clients', 'signing_keys', 'staff_sessions',
        'audit_entries', 'audit_chain', 'audit_head', 'charge_rulings', 'leases', 'schema_migrations']::regclass[])::oid
      union all
      select i.inhrelid from pg_inherits i join ours on ours.oid = i.inhparent
    )
    select ours.oid::regclass as name from ours join pg_class c on c.oid = ours.oid order by c.relname
  loop
    execute format('alter table %s owner to merchant_payments_owner', part.name);
  end loop;

  for routine in
    select p.oid::regprocedure as name, p.provolatile = 'v' as volatile from pg_proc p
    where p.pronamespace = home::regnamespace and p.proname = any (array['refuse_illegal_move', 'uuid_v7_floor',
      'ensure_partitions', 'refuse_illegal_instruction', 'refuse_beyond_draft', 'refuse_line_beyond_draft',
      'refuse_change', 'ops_resolve_charge', 'ops_replay_delivery', 'ops_retry_fanout', 'ops_wake_charge',
      'ops_wake_refund', 'ops_wake_return', 'refuse_item_bytes', 'refuse_other_return', 'refuse_rewrite',
      'refuse_uncollected', 'expect_succeeded_charge', 'keep_succeeded_charge', 'expect_reservation', 'expect_payment',
      'are_partitions_held', 'partition_holders', 'drop_month_before', 'drop_old_month', 'keep_planner_floor',
      'append_to_audit_chain', 'seal_audit_entry'])
  loop
    execute format('alter function %s owner to merchant_payments_owner', routine.name);
    -- What a session has made of its own search_path, or of pg_temp, reaches no rule and nothing that the owner does.
    -- Those that read no table are left alone: they are inlined.
    if routine.volatile then
      execute format('alter function %s set search_path = %I, pg_temp', routine.name, home);
    end if;
  end loop;
end $$;

-- What needs ownership, for the app role alone.
alter function ensure_partitions(timestamptz) security definer;
alter function drop_old_month(timestamptz) security definer;
alter function keep_planner_floor() security definer;
revoke execute on function ensure_partitions(timestamptz), drop_old_month(timestamptz), keep_planner_floor(),
  seal_audit_entry(), drop_month_before(timestamptz), append_to_audit_chain(audit_entries) from public;
grant execute on function ensure_partitions(timestamptz), drop_old_month(timestamptz), keep_planner_floor()
  to merchant_payments_app;

-- Table by table, and nothing by default: packages/db/test/grants.ts has the same list, and a table that is in none of
-- them fails its test.
grant select, insert, update, delete on
  customers, customer_erasures, charge_jobs, refund_jobs, return_jobs, invoices, invoice_items, fanout_jobs,
  delivery_jobs, idempotency_keys, spent_jtis, staff_sessions
  to merchant_payments_app;
grant select, insert, update on
  payment_intents, charges, checkout_sessions, refunds, charge_returns, invoice_counters, event_counters, deliveries,
  signing_keys, leases
  to merchant_payments_app;
grant select, insert, delete on disabled_clients to merchant_payments_app;
grant select, insert on events, delivery_attempts, audit_entries, charge_rulings to merchant_payments_app;
grant select on audit_chain, schema_migrations to merchant_payments_app;
-- Written once, but for what an erasure redacts and for whose customer it is.
grant update (body, customer_id) on events to merchant_payments_app;
grant update (response_excerpt, customer_id) on delivery_attempts to merchant_payments_app;

grant select on
  customers, customer_erasures, charge_jobs, refunds, refund_jobs, charge_returns, return_jobs, invoices, invoice_items,
  invoice_counters, events, event_counters, fanout_jobs, deliveries, delivery_attempts, delivery_jobs, disabled_clients,
  signing_keys, audit_entries, audit_chain, audit_head, charge_rulings, leases, schema_migrations
  to merchant_payments_report;
-- Secrets of payers' pages and of rails are in no report, nor are sessions of staff and stored answers, which hold some.
do $$
declare
  part text;
  shown text;
begin
  foreach part in array array['payment_intents', 'checkout_sessions', 'charges'] loop
    select string_agg(quote_ident(attname), ', ') into shown from pg_attribute
      where attrelid = part::regclass and attnum > 0 and not attisdropped
        and attname not in ('client_secret', 'callback_secret', 'rail_token', 'redirect_url');
    execute format('grant select (%s) on %I to merchant_payments_report', shown, part);
  end loop;
end $$;
