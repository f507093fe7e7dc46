import { randomUUID } from 'node:crypto'
import { mintId } from '@merchant-payments/core'
import type { Tx } from '@merchant-payments/db'
import type { TestApi } from './harness.ts'

const LONG_AGO = '2020-01-01T00:00:00Z'

export const uuidOf = (id: string): string => id.replace(/^.*_/, '')

const redacted = '[redacted]'
/** An erased customer on the wire. */
export const redactedIdentifiers = {
  name: redacted,
  email: redacted,
  phone: redacted,
  address: {
    line1: redacted,
    line2: redacted,
    city: redacted,
    state: redacted,
    postal_code: redacted,
    country: redacted,
    latitude_microdeg: null,
    longitude_microdeg: null,
  },
}
const { address, ...known } = redactedIdentifiers
const erased = { ...known, ...address, erased_at: LONG_AGO }

/** A customer that was last used long ago. */
export async function insertCustomer(
  api: TestApi,
  merchant = 'acme',
  { erased: isErased = false } = {},
): Promise<string> {
  const id = randomUUID()
  const row = {
    merchant_id: merchant,
    id,
    name: 'Awa',
    metadata: '{}',
    livemode: false,
    last_used_at: LONG_AGO,
    ...(isErased ? erased : {}),
  }
  await api.db.transact((tx) => tx.insertInto('customers').values(row).execute())
  return `cus_${id.replaceAll('-', '')}`
}

/** The mark of an erasure, as payment resources check it. */
export async function eraseCustomer(api: TestApi, customer: string): Promise<void> {
  await api.db.transact((tx) =>
    tx.updateTable('customers').set(erased).where('id', '=', uuidOf(customer)).execute(),
  )
}

/** Milliseconds since the epoch. */
export async function lastUseOf(api: TestApi, customer: string): Promise<number> {
  const { last_used_at: lastUsedAt } = await api.db.reader
    .selectFrom('customers')
    .select('last_used_at')
    .where('id', '=', uuidOf(customer))
    .executeTakeFirstOrThrow()
  return lastUsedAt
}

/** The request that wrote an event. */
export async function requestOf(api: TestApi, event: string): Promise<string | null> {
  const row = await api.db.reader
    .selectFrom('events')
    .select('request_id')
    .where('id', '=', uuidOf(event))
    .executeTakeFirstOrThrow()
  return row.request_id
}

/** Oldest first. */
export const chargesOf = (api: TestApi, intentId: string) =>
  api.db.reader
    .selectFrom('charges')
    .select(['status', 'reference', 'payer_msisdn'])
    .where('payment_intent_id', '=', uuidOf(intentId))
    .orderBy('id')
    .execute()

export const chargeStatesOf = async (api: TestApi, intentId: string): Promise<string[]> =>
  (await chargesOf(api, intentId)).map(({ status }) => status)

/** Resolves when the condition holds; the test's own time limit bounds the wait. */
export async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setImmediate(resolve))
}

export async function disableClient(api: TestApi, clientId: string): Promise<void> {
  await api.db.transact((tx) =>
    tx.insertInto('disabled_clients').values({ client_id: clientId, reason: 'a test' }).execute(),
  )
}

export async function enableClient(api: TestApi, clientId: string): Promise<void> {
  await api.db.transact((tx) => tx.deleteFrom('disabled_clients').where('client_id', '=', clientId).execute())
}

/** Writes an event in another process's transaction, and returns its id. */
export async function insertEvent(tx: Tx, merchant: string, nowMs: number): Promise<string> {
  const id = mintId('evt', nowMs)
  const type = 'payment_intent.canceled'
  const body = JSON.stringify({
    id,
    object: 'event',
    type,
    created: 1,
    livemode: false,
    data: { object: {} },
  })
  const { last_position: position } = await tx
    .insertInto('event_counters')
    .values({ merchant_id: merchant, last_position: 1 })
    .onConflict((on) =>
      on
        .column('merchant_id')
        .doUpdateSet((eb) => ({ last_position: eb('event_counters.last_position', '+', 1) })),
    )
    .returning('last_position')
    .executeTakeFirstOrThrow()
  await tx
    .insertInto('events')
    .values({ merchant_id: merchant, id: uuidOf(id), type, body, customer_id: null, position })
    .execute()
  return id
}
