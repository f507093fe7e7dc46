import { type MerchantId, uuidOf, type ChargeId } from '@merchant-payments/core'
import { createLog } from '@merchant-payments/telemetry'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openInbox } from '../src/inbox.ts'
import { startTestApi, type TestApi } from './harness.ts'
import { confirmedIntent } from './steps.ts'

let api: TestApi
beforeAll(async () => {
  api = await startTestApi()
})
afterAll(() => api.stop())

test.each([
  ['whose merchant is known', 'acme' as MerchantId],
  ['whose merchant is not known', undefined],
])('an alert of the api about a charge %s becomes an item of the inbox', async (_case, owner) => {
  const { id: intent } = await confirmedIntent(api)
  const { id } = await api.db.reader
    .selectFrom('charges')
    .select('id')
    .where('payment_intent_id', '=', uuidOf(intent as never))
    .executeTakeFirstOrThrow()
  const charge = `ch_${id.replaceAll('-', '')}` as ChargeId
  const told: unknown[] = []
  const inbox = openInbox((...alert) => void told.push(alert), {
    db: api.db,
    clock: api.clock,
    log: createLog('api', 'silent'),
  })
  inbox.alert('rail_misconfigured', { charge, rail: 'push_rail' }, owner)
  await inbox.stop()
  expect(told).toEqual([['rail_misconfigured', { charge, rail: 'push_rail' }, owner]])
  const items = await api.db.reader
    .selectFrom('attention_items')
    .select(['alert', 'merchant_id', 'payment_intent_id', 'times'])
    .where('object', '=', charge)
    .execute()
  expect(items).toMatchObject([{ alert: 'rail_misconfigured', merchant_id: 'acme', times: 1 }])
  expect(items[0]?.payment_intent_id?.replaceAll('-', '')).toBe(uuidOf(intent as never))
})
