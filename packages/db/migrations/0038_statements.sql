-- phase: expand
-- An operator's statement of a rail and a day, compared with the ledger. It changes no payment: a person decides what to do
-- with a difference.
create table statements (
  id uuid primary key,
  rail text collate "C" not null,
  day date not null,
  -- The day in the operator's zone.
  from_at timestamptz not null,
  until_at timestamptz not null check (until_at > from_at),
  -- reading: its lines are being uploaded. matching: they are being compared. matched: a person looks at the differences.
  -- closed: a person has ended the day. replaced: a newer statement of the day took its place.
  status text not null check (status in ('reading', 'matching', 'matched', 'closed', 'replaced')),
  -- Parts of the file that were taken, and the heads of its columns, once they were found.
  parts integer not null default 0,
  heads jsonb,
  -- Lines of the file, and those of them that moved money.
  lines integer not null default 0,
  money_lines integer not null default 0,
  -- The sums of these, and counts of rows by verdict.
  charges_sum bigint not null default 0,
  payouts_sum bigint not null default 0,
  matched integer not null default 0,
  ours_only integer not null default 0,
  theirs_only integer not null default 0,
  amount_differs integer not null default 0,
  duplicate integer not null default 0,
  -- How far the comparison is: its step, and the last row of the step.
  step text not null default 'replaced'
    check (step in ('replaced', 'charges', 'refunds', 'returns', 'lines', 'done')),
  cursor_merchant text collate "C",
  cursor_id uuid,
  cursor_n bigint not null default 0,
  created_by text collate "C" not null,
  created_name text not null,
  created_at timestamptz not null,
  closed_by text collate "C",
  closed_name text,
  closed_at timestamptz,
  check (num_nonnulls(closed_by, closed_name, closed_at) in (0, 3)),
  check ((status = 'closed') = (closed_at is not null) or status = 'replaced')
);

-- A day has one statement. A newer one replaces it until the day is closed.
create unique index statements_day on statements (rail, day) where status <> 'replaced';

create trigger statements_moves before update on statements for each row
  when (old.status is distinct from new.status)
  execute function refuse_illegal_move(
    'reading>matching', 'matching>matched', 'matched>closed', 'closed>matched',
    'reading>replaced', 'matching>replaced', 'matched>replaced');

-- The lines of a statement that moved money, and what the ledger has beside them. A row holds no number and no name.
create table statement_rows (
  statement_id uuid not null references statements (id),
  -- The line of the file, counted from its heads; a row that only the ledger has follows the last line.
  n bigint not null,
  rail text collate "C" not null,
  kind text collate "C" not null check (kind in ('charge', 'payout')),
  -- Our reference and the operator's, as far as the line names them.
  reference text collate "C" check (length(reference) <= 64),
  transaction_id text collate "C" check (length(transaction_id) <= 64),
  -- The statement's, in the smallest unit. Null if only the ledger has it.
  amount bigint,
  currency text,
  at timestamptz,
  -- Null until it is compared. found_later: a later statement has what this one lacked.
  verdict text collate "C" check (
    verdict in ('matched', 'ours_only', 'theirs_only', 'amount_differs', 'duplicate', 'found_later')),
  -- The charge, refund or return that it is.
  merchant_id text collate "C",
  object_kind text collate "C" check (object_kind in ('ch', 're', 'rt')),
  object uuid,
  payment_intent_id uuid,
  -- The ledger's.
  ledger_amount bigint,
  primary key (statement_id, n),
  check (num_nonnulls(merchant_id, object_kind, object) in (0, 3))
);

create index statement_rows_reference on statement_rows (rail, reference) where reference is not null;
create index statement_rows_transaction on statement_rows (rail, transaction_id) where transaction_id is not null;
create index statement_rows_differences on statement_rows (statement_id, verdict, n)
  where verdict in ('ours_only', 'theirs_only', 'amount_differs', 'duplicate');
create index statement_rows_missing on statement_rows (object) where verdict = 'ours_only';

grant select, insert, update on statements to merchant_payments_app;
grant select, insert, update, delete on statement_rows to merchant_payments_app;
grant select on statements, statement_rows to merchant_payments_report;

-- A statement belongs to no merchant. The rule takes what it took before, and such entries besides.
do $$
declare
  known text;
begin
  select pg_get_expr(conbin, conrelid) into strict known
  from pg_constraint where conrelid = 'audit_entries'::regclass and conname = 'audit_entries_kind_check';
  alter table audit_entries drop constraint audit_entries_kind_check;
  execute format(
    'alter table audit_entries add constraint audit_entries_kind_check check (
      case when action in (''statement.create'', ''statement.close'', ''statement.reopen'')
        then num_nulls(reason, idempotency_key, fingerprint) = 0 and actor_role <> ''viewer'' else %s end
    ) not valid', known);
end $$;
