-- phase: expand
-- Since when no worker that met the event knew its merchant, as delivery_jobs has it for an endpoint (0018).
alter table fanout_jobs add column missing_since timestamptz;
