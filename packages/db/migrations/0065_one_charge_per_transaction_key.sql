-- phase: expand
-- mode: concurrently
-- A transaction of a rail proves one charge only, also if two operators give it at once. There are few.
create unique index concurrently charges_statement on charges (rail, statement) where statement is not null;
