-- phase: expand
-- The end of a finding is written into the audit log, in the transaction that ends it. The function wrote no entry. No
-- release has had it.
drop function ops_close_finding(text, text, text, text, text, timestamptz);

-- Existing entries satisfy the rule, so they are not read again.
alter table audit_entries
  drop constraint audit_entries_kind_check,
  add constraint audit_entries_kind_check check (
    case
      when action in ('customer.view', 'number.look_up')
        then num_nonnulls(reason, idempotency_key, fingerprint) = 0
          and (merchant_id is null) = (action = 'number.look_up')
      when action in ('rail_finding.record', 'rail_finding.close')
        then num_nulls(reason, idempotency_key, fingerprint) = 0 and actor_role <> 'viewer'
      else num_nulls(reason, idempotency_key, fingerprint, merchant_id) = 0 and actor_role <> 'viewer'
    end
  ) not valid;
