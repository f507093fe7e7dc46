-- The provider's name of the sign-in (`sid` of the ID token), by which it ends sessions. Null where it names none, and on
-- sessions from before this migration: those end with their subject.
alter table staff_sessions add column provider_session_id text;
