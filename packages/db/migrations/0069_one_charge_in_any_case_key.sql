-- phase: expand
-- mode: concurrently
-- As charges_statement, in any case. No statement of a release names either: the functions of the database use them.
create unique index concurrently charges_statement_any_case on charges (rail, lower(statement)) where statement is not null;
drop index concurrently if exists charges_statement;
