-- phase: expand
-- Alerts about an object, which a person handles: the inbox of a shift. The worker writes them from its alerts. A row has no
-- data of a person; its object does.
create table attention_items (
  id uuid primary key,
  -- A name of packages/core/src/base/alerts.ts.
  alert text collate "C" not null,
  -- The id of the wire. No foreign key: an event outlives no partition.
  object text collate "C" not null,
  merchant_id text collate "C" not null,
  payment_intent_id uuid,
  -- The facts of the newest alert: ids, counts and codes.
  facts jsonb not null,
  times integer not null default 1 check (times > 0),
  first_at timestamptz not null,
  last_at timestamptz not null,
  status text not null check (status in ('open', 'acknowledged', 'resolved')),
  assignee text collate "C",
  assignee_name text,
  resolved_at timestamptz,
  check ((status = 'resolved') = (resolved_at is not null)),
  check (num_nonnulls(assignee, assignee_name) in (0, 2)),
  check (status <> 'acknowledged' or assignee is not null)
) with (fillfactor = 80);

-- One item of an alert about an object. Raised again after it was resolved, it is open again.
create unique index attention_items_one on attention_items (alert, object);
create index attention_items_waiting on attention_items (id) where status <> 'resolved';
create index attention_items_object on attention_items (object, id);

create trigger attention_items_moves before update on attention_items for each row
  when (old.status is distinct from new.status)
  execute function refuse_illegal_move(
    'open>acknowledged', 'open>resolved', 'acknowledged>resolved', 'acknowledged>open', 'resolved>open');

grant select, insert, update on attention_items to merchant_payments_app;
grant select on attention_items to merchant_payments_report;
