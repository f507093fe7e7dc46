-- A primary key must be the only index that begins with merchant_id, but for the one that orders a list. On a young
-- table the planner takes every index for equally cheap, and one that shares no more than the merchant with a search by
-- key walks all of the merchant's rows. The plan is kept for the life of the connection.
drop index charges_intent;
drop index charges_one_live;
drop index charges_one_succeeded;
drop index payment_intents_customer;
drop index events_customer;
drop index deliveries_customer;
drop index delivery_attempts_customer;
drop index idempotency_keys_customer;

create index charges_intent on charges (payment_intent_id, merchant_id);
-- Spec 3.1.1: at most one live charge per intent.
create unique index charges_one_live on charges (payment_intent_id, merchant_id)
  where status in ('submitting', 'live', 'unconfirmed');
create unique index charges_one_succeeded on charges (payment_intent_id, merchant_id) where status = 'succeeded';
create index payment_intents_customer on payment_intents (customer_id, merchant_id) where customer_id is not null;
create index events_customer on events (customer_id, merchant_id) where customer_id is not null;
create index deliveries_customer on deliveries (customer_id, merchant_id) where customer_id is not null;
create index delivery_attempts_customer on delivery_attempts (customer_id, merchant_id) where customer_id is not null;
create index idempotency_keys_customer on idempotency_keys (customer_id, merchant_id) where customer_id is not null;
