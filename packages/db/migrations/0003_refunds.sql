-- Refunds (spec 2.7, 4.5): money promised back to a payer, and the instruction to the rail that pays it.

-- What refunds hold of a paid intent: each adds to it and takes from it in the statement that changes the refund.
alter table payment_intents
  add column refund_reserved integer not null default 0,
  add constraint payment_intents_refund_reserved_check
    check (refund_reserved between 0 and amount and (refund_reserved = 0 or status = 'succeeded'));

create table refunds (
  merchant_id text collate "C" not null,
  id uuid not null,
  payment_intent_id uuid not null,
  status text not null check (status in ('requires_action', 'pending', 'failed', 'canceled')),
  amount integer not null check (amount between 1 and 99999999),
  currency text not null check (currency in ('XAF', 'EUR')),
  customer_id uuid,
  reason text check (reason in ('duplicate', 'fraudulent', 'requested_by_customer')),
  failure_reason text,
  metadata jsonb not null,
  livemode boolean not null,
  opened_at timestamptz not null,
  rail text collate "C" not null,
  -- What the rail knows the refund by; committed before any call.
  reference text collate "C" not null,
  -- unsent: certainly not at the rail. sent: perhaps.
  instruction text not null check (instruction in ('unsent', 'sent', 'accepted', 'refused')),
  -- Gone once the rail has accepted or refused.
  destination_msisdn text,
  submit_deadline timestamptz not null,
  -- When the worker next looks after the instruction; null when it never will again.
  instruct_at timestamptz,
  lease_until timestamptz,
  tries smallint not null default 0,
  not_found_count smallint not null default 0,
  rail_code text,
  rail_message text,
  -- Of the request that made it: its events are told by it too.
  request_id text,
  -- Grows with each change: a writer that rendered from an older row finds nothing to write.
  revision integer not null default 0,
  primary key (merchant_id, id),
  foreign key (merchant_id, payment_intent_id) references payment_intents (merchant_id, id),
  unique (rail, reference),
  check ((status = 'failed') = (failure_reason is not null)),
  check ((status = 'failed') = (instruction = 'refused')),
  check (instruction in ('unsent', 'sent') or (destination_msisdn is null and instruct_at is null))
) with (fillfactor = 80);

create index refunds_intent on refunds (payment_intent_id, merchant_id, id);
create index refunds_customer on refunds (customer_id, merchant_id) where customer_id is not null;
create index refunds_due on refunds (instruct_at) where instruct_at is not null;

create trigger refunds_moves before update on refunds for each row
  when (old.status is distinct from new.status)
  execute function refuse_illegal_move('pending>failed', 'requires_action>canceled');

create function refuse_illegal_instruction() returns trigger language plpgsql as $$
begin
  if not (old.instruction || '>' || new.instruction) = any (tg_argv) then
    raise exception 'illegal move of an instruction: % to %', old.instruction, new.instruction
      using errcode = 'check_violation';
  end if;
  return new;
end $$;

create trigger refunds_instructions before update on refunds for each row
  when (old.instruction is distinct from new.instruction)
  execute function refuse_illegal_instruction(
    'unsent>sent', 'unsent>refused', 'sent>unsent', 'sent>accepted', 'sent>refused');

-- As for what else an erasure must reach: the planner takes no samples.
alter table refunds
  alter column destination_msisdn set statistics 0,
  alter column rail_code set statistics 0,
  alter column rail_message set statistics 0;
