-- Rows that a sweep found and the database refused to change. They rest, so that they delay no others.
create table refused_rows (
  pass text not null,
  -- The row's primary key as text.
  row_key text not null,
  -- In a row; the rest doubles with each.
  failures integer not null default 1 check (failures between 1 and 100),
  -- SQLSTATE of the last refusal.
  error text,
  refused_at timestamptz not null,
  -- The sweep leaves the row out until then.
  due_at timestamptz not null,
  primary key (pass, row_key)
);
create index refused_rows_due on refused_rows (due_at);

grant select, insert, update, delete on refused_rows to merchant_payments_app;
-- Idempotency keys are among the row keys.
grant select (pass, failures, error, refused_at, due_at) on refused_rows to merchant_payments_report;
