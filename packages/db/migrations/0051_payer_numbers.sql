-- phase: expand
-- The distinct numbers of payers of all charges, for the staff's search by digits from the middle of a number. No statement
-- of a payment writes it: the worker's pass `collect-payer-numbers` does (docs/decisions/0033-payer-numbers-beside-charges.md).
create table payer_numbers (
  -- The order in which the worker looks whether a charge still has the number. A cursor must not be a number itself.
  id bigint generated always as identity primary key,
  -- Of the same collation as in charges, whose index of last digits serves no other.
  msisdn text not null unique check (msisdn ~ '^\d{12}$')
);
-- Each four digits that follow each other. PostgreSQL's own operator class: no extension is needed.
create index payer_numbers_digits on payer_numbers using gin ((array[
  substr(msisdn, 1, 4), substr(msisdn, 2, 4), substr(msisdn, 3, 4), substr(msisdn, 4, 4), substr(msisdn, 5, 4),
  substr(msisdn, 6, 4), substr(msisdn, 7, 4), substr(msisdn, 8, 4), substr(msisdn, 9, 4)]))
  with (fastupdate = on, gin_pending_list_limit = 512);
-- The planner takes no samples of payers' numbers, because an erasure does not reach them.
alter table payer_numbers alter column msisdn set statistics 0;
alter index payer_numbers_digits alter column 1 set statistics 0;

-- How far the worker is. An erasure locks this row before it clears charges, and the worker before it reads them: so no
-- number of a charge that was read before its erasure is written after it.
create table payer_number_walk (
  only_one boolean primary key default true check (only_one),
  -- The charge up to which all numbers are collected. Set it back to collect again.
  position uuid not null,
  -- The number up to which this round has looked for charges.
  checked_to bigint not null
);
insert into payer_number_walk (position, checked_to) values ('00000000-0000-0000-0000-000000000000', 0);

grant select, insert, delete on payer_numbers to merchant_payments_app;
grant select, update (position, checked_to) on payer_number_walk to merchant_payments_app;
grant select on payer_number_walk to merchant_payments_report;
