import type pg from 'pg'

/** Begins to read a whole table, or many, as they are now. The role's time-outs, which are for requests, would end that. */
export async function beginSnapshot(client: pg.Client): Promise<void> {
  await client.query(`begin transaction isolation level repeatable read read only;
    set local statement_timeout = 0; set local transaction_timeout = 0`)
}
