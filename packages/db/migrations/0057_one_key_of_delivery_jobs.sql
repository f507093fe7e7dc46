-- phase: expand
-- A job has the id of its delivery, which deliveries has once for a merchant, an event and an endpoint. A second index said the
-- same again, and each payment wrote three entries to it. No statement of the previous release names the constraint.
alter table delivery_jobs drop constraint delivery_jobs_merchant_id_event_id_endpoint_id_key;
