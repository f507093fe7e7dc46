-- phase: expand
-- The state of an item's object when its alert was last raised. An item that a person has resolved is opened again if this
-- changes. Null for alerts from before this migration, and for objects without a state.
alter table attention_items add column state text collate "C";
-- An address has a column of the same name, which the planner may not sample. Nothing is looked for by this one.
alter table attention_items alter column state set statistics 0;

-- Which of a staff member's places a running job takes, so that two requests at once never start one job too many. Null for
-- jobs from before this migration.
alter table bulk_jobs add column slot smallint;
