-- phase: expand
-- When each build of the api and the worker first ran here. A process writes its row at its start, once for each build.
create table builds (
  app text collate "C" not null check (app in ('api', 'worker')),
  -- What MERCHANT_PAYMENTS_BUILD says: the version and the revision of the image.
  build text collate "C" not null check (length(build) between 1 and 100),
  first_at timestamptz not null,
  primary key (app, build)
);
create index builds_by_time on builds (first_at);

grant select, insert, delete on builds to merchant_payments_app;
grant select on builds to merchant_payments_report;
