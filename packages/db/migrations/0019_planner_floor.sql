-- A connection plans a statement once. A plan that was made while a queue stood empty reads the queue from end to end for
-- each row of its batch, and stays when the queue fills, until the next autovacuum looks at the table. So no table is
-- ever said to be nearly empty: after each vacuum that says so, this says otherwise, and every connection plans anew.
-- It leaves out what somebody else owns in the same schema.
create function keep_planner_floor() returns integer language plpgsql as $$
declare
  rows_min constant real := 10000;
  small record;
  raised integer := 0;
begin
  -- PostgreSQL 17 has no such function: there a bad plan lasts until the next autovacuum.
  if current_setting('server_version_num')::integer < 180000 then
    return 0;
  end if;
  -- Below the deadlock time-out, at which autovacuum gives way to whoever waits for it.
  perform set_config('lock_timeout', '100ms', true);
  for small in
    select n.nspname, c.relname, c.relpages
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = current_schema() and c.relkind = 'r' and c.reltuples < rows_min
      and has_table_privilege(c.oid, 'maintain')
  loop
    begin
      perform pg_restore_relation_stats('schemaname', small.nspname::text, 'relname', small.relname::text,
        'relpages', greatest(small.relpages, 1), 'reltuples', rows_min);
      raised := raised + 1;
    exception when lock_not_available then
      -- It is being vacuumed: the next call finds it.
      null;
    end;
  end loop;
  return raised;
end $$;
