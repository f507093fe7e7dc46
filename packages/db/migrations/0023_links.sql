-- A payment intent takes a bounded number of charges. The position of a charge among those of its intent is given by the
-- statement that opens it. Two statements that count at the same instant give one position twice, and the second writes
-- nothing. Null on charges that were opened before this migration, or by a replica that is older than it.
alter table charges
  add column attempt smallint,
  add constraint charges_attempt_bounded check (attempt between 1 and 100);

-- Takes the place of charges_intent: a foreign key needs a full index, which begins with the same columns.
create unique index charges_attempt on charges (payment_intent_id, merchant_id, attempt);
drop index charges_intent;

-- Client secrets are derived from a key of the deployment's and the object's id. Rows that are there keep theirs, which
-- their payers have, until they are gone; new rows have none.
alter table payment_intents alter column client_secret drop not null;
alter table checkout_sessions alter column client_secret drop not null;

-- Reports read charges column by column.
grant select (attempt) on charges to merchant_payments_report;
