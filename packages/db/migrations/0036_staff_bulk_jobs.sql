-- phase: expand
-- As for the columns themselves (0002): the planner takes no samples of names and e-mails, because an erasure does not
-- reach them.
alter index customers_words alter column 1 set statistics 0;
alter index customers_email alter column 1 set statistics 0;

-- One change of many objects, which the worker makes in batches. Each object has its own audit entry.
create table bulk_jobs (
  id uuid primary key,
  -- The action of each object's audit entry.
  kind text collate "C" not null check (
    kind in ('delivery.replay', 'fanout.retry', 'charge.query', 'attention.acknowledge', 'attention.resolve')),
  -- The selected objects, or all exhausted deliveries of an endpoint that were made in a time.
  ids uuid[] check (cardinality(ids) between 1 and 100),
  merchant_id text collate "C",
  endpoint_id text collate "C",
  from_at timestamptz,
  until_at timestamptz,
  -- How many there were when the job was made, and how many were changed or left alone since. The last of them by id.
  objects integer not null check (objects between 0 and 10000),
  done integer not null default 0,
  skipped integer not null default 0,
  last_id uuid,
  status text not null check (status in ('running', 'finished', 'canceled')),
  reason text not null check (length(btrim(reason)) between 1 and 500),
  actor_subject text collate "C" not null,
  actor_name text not null,
  actor_role text not null check (actor_role in ('operator', 'admin')),
  request_id text not null,
  created_at timestamptz not null,
  finished_at timestamptz,
  due_at timestamptz not null default now(),
  lease_until timestamptz,
  -- Grows with each claim, so that a holder whose lease has ended writes nothing more.
  fence integer not null default 0,
  failures smallint not null default 0,
  check ((status = 'running') = (finished_at is null)),
  check (num_nonnulls(merchant_id, endpoint_id, from_at, until_at) = case when ids is null then 4 else 0 end),
  check (ids is not null or kind = 'delivery.replay')
) with (fillfactor = 80);

create index bulk_jobs_due on bulk_jobs (due_at) where status = 'running';
-- One job at a time sends an endpoint's deliveries again.
create unique index bulk_jobs_one on bulk_jobs (merchant_id, endpoint_id) where status = 'running' and ids is null;

create trigger bulk_jobs_moves before update on bulk_jobs for each row
  when (old.status is distinct from new.status)
  execute function refuse_illegal_move('running>finished', 'running>canceled');

grant select, insert, update on bulk_jobs to merchant_payments_app;
grant select on bulk_jobs to merchant_payments_report;

-- Filters of a list under a name, for one staff member or for all. A row has no data of a payer: an address holds handles.
create table staff_views (
  id uuid primary key,
  -- The path of the list's screen.
  list text collate "C" not null check (length(list) between 1 and 40),
  name text not null check (length(btrim(name)) between 1 and 60),
  search text not null check (length(search) <= 1000),
  is_shared boolean not null,
  owner_subject text collate "C" not null,
  owner_name text not null,
  created_at timestamptz not null
);
create index staff_views_owner on staff_views (owner_subject, id);
create index staff_views_shared on staff_views (id) where is_shared;

grant select, insert, delete on staff_views to merchant_payments_app;
grant select on staff_views to merchant_payments_report;

-- A job may be of several merchants, a view is of none, and a look-up by name or e-mail is of none. Existing entries satisfy the rule, so they
-- are not read again.
alter table audit_entries
  drop constraint audit_entries_kind_check,
  add constraint audit_entries_kind_check check (
    case
      when action in ('customer.view', 'number.look_up', 'person.look_up')
        then num_nonnulls(reason, idempotency_key, fingerprint) = 0
          and (merchant_id is null) = (action <> 'customer.view')
      when action in ('rail_finding.record', 'rail_finding.close', 'bulk_job.create', 'bulk_job.cancel',
          'view.save', 'view.remove')
        then num_nulls(reason, idempotency_key, fingerprint) = 0 and actor_role <> 'viewer'
      else num_nulls(reason, idempotency_key, fingerprint, merchant_id) = 0 and actor_role <> 'viewer'
    end
  ) not valid;
