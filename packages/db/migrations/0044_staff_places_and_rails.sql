-- phase: expand
-- mode: concurrently
-- One running job in each place of a staff member.
create unique index concurrently bulk_jobs_slot on bulk_jobs (actor_subject, slot) where status = 'running';
-- The alerts of a rail, newest first.
create index concurrently attention_items_rail on attention_items ((facts ->> 'rail'), id) where facts ->> 'rail' is not null;
