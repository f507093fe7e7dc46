-- phase: expand
-- mode: concurrently
-- The lines of a charge, a refund or a return in all statements, of which one lists it and the others repeat it.
create index concurrently statement_rows_object on statement_rows (object) where object is not null;
