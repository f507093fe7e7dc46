-- phase: expand
-- As for the column itself (0002): the planner takes no samples of payers' numbers, because an erasure does not reach them.
alter index charges_payer alter column 1 set statistics 0;
