-- phase: expand
-- A rail may queue a payout and refuse it afterwards. MTN MoMo does so with every transfer.
create or replace trigger refunds_instructions before update on refunds for each row
  when (old.instruction is distinct from new.instruction)
  execute function refuse_illegal_instruction(
    'unsent>sent', 'unsent>refused', 'sent>unsent', 'sent>accepted', 'sent>refused', 'accepted>refused');
create or replace trigger charge_returns_instructions before update on charge_returns for each row
  when (old.instruction is distinct from new.instruction)
  execute function refuse_illegal_instruction(
    'unsent>sent', 'unsent>refused', 'sent>unsent', 'sent>accepted', 'sent>refused', 'accepted>refused');
