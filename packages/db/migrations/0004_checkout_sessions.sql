-- Checkout sessions: what a payer's page needs beside its payment intent, one session for an intent's whole life.

create table checkout_sessions (
  merchant_id text collate "C" not null,
  id uuid not null,
  payment_intent_id uuid not null,
  status text not null check (status in ('open', 'complete', 'expired')),
  payment_status text not null default 'unpaid' check (payment_status in ('unpaid', 'paid')),
  customer_id uuid,
  client_secret text not null,
  ui_mode text not null check (ui_mode in ('hosted', 'embedded')),
  success_url text,
  cancel_url text,
  return_url text,
  client_reference_id text,
  locale text check (locale in ('fr', 'en')),
  metadata jsonb not null,
  livemode boolean not null,
  expires_at timestamptz not null,
  -- Grows with each change and with each charge that a payer opens through the session: an expiry that was planned
  -- before either finds nothing to write.
  revision integer not null default 0,
  primary key (merchant_id, id),
  -- An intent has one session, ever.
  unique (payment_intent_id, merchant_id),
  foreign key (merchant_id, payment_intent_id) references payment_intents (merchant_id, id),
  foreign key (merchant_id, customer_id) references customers (merchant_id, id),
  check (ui_mode <> 'hosted' or success_url is not null),
  -- A late success makes an expired session paid, and leaves it expired.
  check (status = 'expired' or (status = 'complete') = (payment_status = 'paid'))
) with (fillfactor = 85);

create index checkout_sessions_customer on checkout_sessions (customer_id, merchant_id) where customer_id is not null;
create index checkout_sessions_expiry on checkout_sessions (expires_at) where status = 'open';

create trigger checkout_sessions_moves before update on checkout_sessions for each row
  when (old.status is distinct from new.status)
  execute function refuse_illegal_move('open>complete', 'open>expired');
