-- phase: expand
-- As for charges_payer (0033): the planner takes no samples of payers' numbers, because an erasure does not reach them.
alter index charges_payer_number alter column 1 set statistics 0;
