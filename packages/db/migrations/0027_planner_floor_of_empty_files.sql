-- phase: expand
-- The planner multiplies the density of a table by its pages. A table whose file is empty has none, so it was estimated
-- to have no row, whatever number of rows had been set. For a table that was never vacuumed the planner assumes ten pages
-- instead. So a table with an empty file is marked as never vacuumed. The first call after it has rows sets their number.
create or replace function keep_planner_floor() returns integer language plpgsql security definer as $$
declare
  rows_min constant real := 10000;
  never_vacuumed constant real := -1;
  small record;
  changed integer := 0;
begin
  -- PostgreSQL 17 has no such function: there a bad plan lasts until the next autovacuum.
  if current_setting('server_version_num')::integer < 180000 then
    return 0;
  end if;
  -- Below the deadlock time-out, at which autovacuum gives way to whoever waits for it.
  perform set_config('lock_timeout', '100ms', true);
  for small in
    select t.*, case when bytes = 0 then never_vacuumed else rows_min end as wanted
    from (
      select n.nspname, c.relname, c.relpages, c.reltuples, pg_relation_size(c.oid) as bytes
      from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname = current_schema() and c.relkind = 'r' and has_table_privilege(c.oid, 'maintain')
    ) t
    where case when bytes = 0 then reltuples <> never_vacuumed else reltuples < rows_min end
  loop
    begin
      perform pg_restore_relation_stats('schemaname', small.nspname::text, 'relname', small.relname::text,
        'relpages', case when small.bytes = 0 then 0 else greatest(small.relpages, 1) end, 'reltuples', small.wanted);
      changed := changed + 1;
    exception when lock_not_available then
      -- It is being vacuumed: the next call finds it.
      null;
    end;
  end loop;
  return changed;
end $$;
-- Replacing a function drops its settings.
do $$ begin
  execute format('alter function keep_planner_floor() set search_path = %I, pg_temp', current_schema());
end $$;
