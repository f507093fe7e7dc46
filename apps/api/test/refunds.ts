import type { Refund } from '@merchant-payments/contract'
import { instant } from '@merchant-payments/db'
import { expect } from 'vitest'
import {
  type Extra,
  PUSH_RAIL,
  type Replica,
  type TestAnswer,
  type TestApi,
  type TestCall,
} from './harness.ts'
import { uuidOf } from './rows.ts'
import { succeededIntent } from './steps.ts'

/** The numbers of the mock rail whose transfers these tests use (tools/mock-rails/README.md). */
export const payees = {
  takes: '237670000001',
  refusedAtSubmit: '237670000457',
  floatIsEmpty: '237670000455',
  failsThenPays: '237670000480',
  acceptedThenReset: '237670000482',
  acceptedThen500: '237670000483',
} as const

export type Payee = keyof typeof payees

export const refundForm = (intentId: string, more = '', payee: Payee = 'takes') =>
  `payment_intent=${intentId}&destination[${PUSH_RAIL}][msisdn]=${payees[payee]}${more}`

export const refundCall = (intentId: string, more = '', extra: Extra & { payee?: Payee } = {}): TestCall => {
  const { payee, ...rest } = extra
  return { path: '/v1/refunds', form: refundForm(intentId, more, payee), ...rest }
}

export async function createRefund(
  api: Replica,
  intentId: string,
  more = '',
  payee: Payee = 'takes',
): Promise<Refund> {
  const answer = await api.call(refundCall(intentId, more, { payee }))
  expect(answer).toMatchObject({ status: 201 })
  return answer.body
}

/** A refund of a new payment. */
export const anyRefund = async (api: TestApi, more = ''): Promise<Refund> =>
  createRefund(api, (await succeededIntent(api)).id, more)

export const readRefund = (api: Replica, id: string): Promise<TestAnswer> =>
  api.call({ path: `/v1/refunds/${id}` })

export const updateCall = (id: string, form: string, extra: Extra = {}): TestCall => ({
  path: `/v1/refunds/${id}`,
  form,
  ...extra,
})

export const cancelRefundCall = (id: string, extra: Omit<TestCall, 'path'> = {}): TestCall => ({
  method: 'POST',
  path: `/v1/refunds/${id}/cancel`,
  ...extra,
})

/** The amount that refunds reserve on an intent. */
export async function reservedOf(api: TestApi, intentId: string): Promise<number> {
  const row = await api.db.reader
    .selectFrom('payment_intents')
    .select('refund_reserved')
    .where('id', '=', uuidOf(intentId))
    .executeTakeFirstOrThrow()
  return row.refund_reserved
}

/** The state of a refund's instruction, and whether its number is still stored. */
export async function instructionOf(api: TestApi, refundId: string) {
  const { instruction, destination_msisdn: number } = await api.db.reader
    .selectFrom('refunds')
    .select(['instruction', 'destination_msisdn'])
    .where('id', '=', uuidOf(refundId))
    .executeTakeFirstOrThrow()
  return { instruction, number }
}

/** Oldest first. */
export const refundIdsOf = async (api: TestApi, intentId: string): Promise<string[]> => {
  const rows = await api.db.reader
    .selectFrom('refunds')
    .select('id')
    .where('payment_intent_id', '=', uuidOf(intentId))
    .orderBy('id')
    .execute()
  return rows.map(({ id }) => `re_${id.replaceAll('-', '')}`)
}

/** Replaces a refund by one that requires an action, as a rail of another kind would leave it. */
export async function makeWait(api: TestApi, refundId: string): Promise<void> {
  await api.owner.transact(async (tx) => {
    const { revision: _, ...row } = await tx
      .deleteFrom('refunds')
      .where('id', '=', uuidOf(refundId))
      .returningAll()
      .executeTakeFirstOrThrow()
    const waiting = {
      ...row,
      // Types and triggers allow only the states that create makes.
      status: 'requires_action' as 'pending',
      instruction: 'unsent' as const,
      metadata: JSON.stringify(row.metadata),
      opened_at: instant(row.opened_at),
      submit_deadline: instant(row.submit_deadline),
      refusal_code: undefined,
    }
    await tx.deleteFrom('refund_jobs').where('refund_id', '=', uuidOf(refundId)).execute()
    await tx.insertInto('refunds').values(waiting).execute()
  })
}

/** The amount that the rail has paid out for a refund. */
export async function creditsOf(api: TestApi, refundId: string): Promise<string[]> {
  const { reference } = await api.db.reader
    .selectFrom('refunds')
    .select('reference')
    .where('id', '=', uuidOf(refundId))
    .executeTakeFirstOrThrow()
  const { credits } = await api.mock.control.getLedger({ limit: 10_000 })
  return credits.filter((credit) => credit.reference === reference).map(({ amount }) => amount)
}
