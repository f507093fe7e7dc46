-- phase: expand
-- A staff member who loads a file of rows leaves an entry, as one who looks a person up does: without a reason, and without a
-- merchant if the file has rows of all. The rule takes what it took before, and such entries besides.
do $$
declare
  known text;
begin
  select pg_get_expr(conbin, conrelid) into strict known
  from pg_constraint where conrelid = 'audit_entries'::regclass and conname = 'audit_entries_kind_check';
  alter table audit_entries drop constraint audit_entries_kind_check;
  execute format(
    'alter table audit_entries add constraint audit_entries_kind_check check (
      case when action = ''export.create'' then num_nonnulls(reason, idempotency_key, fingerprint) = 0 else %s end
    ) not valid', known);
end $$;
