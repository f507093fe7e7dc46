-- Lists by a customer or a status: what is asked for, the merchant, then the order of the list. The status before the
-- customer: where nothing tells two indexes apart, the planner takes the newest, and one customer has fewer rows.
create index checkout_sessions_status on checkout_sessions (status, merchant_id, id);
create index invoices_status on invoices (status, merchant_id, id);

drop index checkout_sessions_customer;
create index checkout_sessions_customer on checkout_sessions (customer_id, merchant_id, id) where customer_id is not null;
drop index invoices_customer;
create index invoices_customer on invoices (customer_id, merchant_id, id);

create index events_type on events (type, merchant_id, xid, id);
