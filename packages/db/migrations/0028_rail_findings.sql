-- phase: expand
-- References that a rail knows and this database does not, because it was restored to an earlier time
-- (docs/operations.md, "Restore"). A finding changes no payment: a person decides what to do.
create table rail_findings (
  rail text collate "C" not null,
  kind text collate "C" not null check (kind in ('charge', 'payout')),
  reference text collate "C" not null check (length(reference) between 1 and 64),
  -- The rail's answer. unasked: the rail answers for no reference alone, and a statement of the operator lists it.
  answer text not null
    check (answer in ('succeeded', 'pending', 'unknown_status', 'failed', 'not_found', 'unasked')),
  -- As the rail reports them, or the statement if the rail was not asked. In the smallest unit.
  amount bigint check (amount >= 0),
  currency text check (length(currency) <= 500),
  transaction_id text check (length(transaction_id) <= 500),
  source text not null check (source in ('log', 'statement')),
  -- From a log line or the statement. No foreign key: the object was lost.
  merchant_id text collate "C",
  object text collate "C" check (length(object) <= 64),
  found_at timestamptz not null,
  answered_at timestamptz not null,
  -- Counts the answers that differed from the one before.
  revision integer not null default 1,
  closed_at timestamptz,
  closed_by text,
  closing_reason text,
  primary key (rail, kind, reference),
  check (num_nonnulls(closed_at, closed_by, closing_reason) in (0, 3))
);

create index rail_findings_open on rail_findings (found_at) where closed_at is null;

-- Ends a finding, once a person has decided about its money.
create function ops_close_finding(
  finding_rail text, finding_kind text, finding_reference text, reason text, operator text default session_user,
  at timestamptz default now()
) returns text language plpgsql as $$
begin
  if reason is null or btrim(reason) = '' then
    raise exception 'a reason is required' using errcode = 'invalid_parameter_value';
  end if;
  update rail_findings set closed_at = at, closed_by = operator, closing_reason = reason
  where rail = finding_rail and kind = finding_kind and reference = finding_reference and closed_at is null;
  if not found then
    raise exception 'no open finding has the % reference % of %', finding_kind, finding_reference, finding_rail
      using errcode = 'no_data_found';
  end if;
  return finding_reference;
end $$;
do $$ begin
  execute format('alter function %s set search_path = %I, pg_temp',
    'ops_close_finding(text, text, text, text, text, timestamptz)'::regprocedure, current_schema());
end $$;

grant select, insert, update on rail_findings to merchant_payments_app;
grant select on rail_findings to merchant_payments_report;

-- A finding is written into the audit log like a change by staff. Its merchant may be unknown. Existing entries satisfy the
-- stricter rule, so they are not read again.
alter table audit_entries
  drop constraint audit_entries_kind_check,
  add constraint audit_entries_kind_check check (
    case
      when action in ('customer.view', 'number.look_up')
        then num_nonnulls(reason, idempotency_key, fingerprint) = 0
          and (merchant_id is null) = (action = 'number.look_up')
      when action = 'rail_finding.record'
        then num_nulls(reason, idempotency_key, fingerprint) = 0 and actor_role <> 'viewer'
      else num_nulls(reason, idempotency_key, fingerprint, merchant_id) = 0 and actor_role <> 'viewer'
    end
  ) not valid;
