import type pg from 'pg'

/** Rules of the ledger that hold after each commit. Each statement selects what breaks its rule, as one text. */
const ledgerRules: readonly string[] = [
  `select 'the intent ' || p.id || ' is ' || p.status || ' with ' || count(c.id) || ' succeeded charges' as fault
    from payment_intents p left join charges c
      on c.merchant_id = p.merchant_id and c.payment_intent_id = p.id and c.status = 'succeeded'
    group by p.merchant_id, p.id, p.status having (p.status = 'succeeded') <> (count(c.id) = 1)`,
  `select 'the intent ' || payment_intent_id || ' has ' || count(*) || ' live charges' as fault from charges
    where status in ('submitting', 'live', 'unconfirmed') group by merchant_id, payment_intent_id having count(*) > 1`,
  `select 'the charge ' || c.id || ' differs from its intent' as fault from charges c
    join payment_intents p on p.merchant_id = c.merchant_id and p.id = c.payment_intent_id
    where (c.amount, c.currency) is distinct from (p.amount, p.currency)`,
  `select 'the intent ' || p.id || ' of ' || p.amount || ' reserves ' || p.refund_reserved || ' for refunds of '
      || coalesce(sum(r.amount), 0) as fault
    from payment_intents p left join refunds r
      on r.merchant_id = p.merchant_id and r.payment_intent_id = p.id and r.status in ('pending', 'requires_action')
    group by p.merchant_id, p.id, p.amount, p.refund_reserved
    having p.refund_reserved <> coalesce(sum(r.amount), 0) or p.refund_reserved > p.amount`,
  `select 'the paid invoice ' || v.id || ' has no paid intent of its total' as fault from invoices v
    where v.status = 'paid' and not exists (
      select from payment_intents p where p.merchant_id = v.merchant_id and p.id = v.payment_intent_id
        and p.status = 'succeeded' and p.amount = v.total)`,
]

/**
 * Rules of the merchants that live here; $1 lists those that do not. A merchant that has left keeps its ledger until it is
 * forgotten, and no jobs. The copy of one that arrives is whole only at its end.
 */
const residentRules: readonly string[] = [
  // A merchant's last events may lie in a month that was dropped, and older ones in a month that was kept. PostgreSQL 17 has
  // no function that reads the time of a UUID of version 7.
  `select 'the events of ' || e.merchant_id || ' end at ' || e.last || ', counted to '
      || coalesce(c.last_position, 0) as fault
    from (
      select merchant_id, max(position) as last, to_timestamp(max(('x' || left(replace(id::text, '-', ''), 12))::bit(48)::bigint) / 1000.0) at time zone 'UTC' as last_at
      from events where merchant_id <> all ($1::text[]) group by merchant_id) e
    left join event_counters c on c.merchant_id = e.merchant_id
    where e.last is distinct from c.last_position and not (e.last < c.last_position and exists (
      select from generate_series(date_trunc('month', e.last_at) + interval '1 month', now() at time zone 'UTC', '1 month') m
      where to_regclass('events_' || to_char(m, 'YYYYMM')) is null))`,
  `select 'the charge ' || c.id || ' is ' || c.status || ' and is never asked about' as fault from charges c
    where c.merchant_id <> all ($1::text[]) and c.status in ('submitting', 'live', 'unconfirmed') and not exists (
      select from charge_jobs j where j.merchant_id = c.merchant_id and j.charge_id = c.id)`,
  `select 'the refund ' || r.id || ' is ' || r.instruction || ' and has no job' as fault from refunds r
    where r.merchant_id <> all ($1::text[]) and r.status = 'pending' and r.instruction in ('unsent', 'sent')
      and not exists (
      select from refund_jobs j where j.merchant_id = r.merchant_id and j.refund_id = r.id)`,
  `select 'the return ' || r.id || ' is ' || r.instruction || ' and has no job' as fault from charge_returns r
    where r.merchant_id <> all ($1::text[]) and r.instruction in ('unsent', 'sent') and not exists (
      select from return_jobs j where j.merchant_id = r.merchant_id and j.return_id = r.id)`,
]

/** Faults of each rule that are listed. The first ones say what kind of fault it is. */
const FAULTS_MAX = 20

/**
 * Reads the whole ledger.
 *
 * @param elsewhere the merchants whose rows here are a copy
 * @returns what breaks its rules; empty if nothing does
 */
export async function findMoneyFaults(
  client: Pick<pg.Client, 'query'>,
  elsewhere: readonly string[],
): Promise<string[]> {
  const faults: string[] = []
  const find = async (rule: string, values: unknown[]) => {
    const { rows } = await client.query<{ fault: string }>(
      `select fault from (${rule}) f limit ${FAULTS_MAX}`,
      values,
    )
    faults.push(...rows.map(({ fault }) => fault))
  }
  for (const rule of ledgerRules) await find(rule, [])
  for (const rule of residentRules) await find(rule, [elsewhere])
  return faults
}
