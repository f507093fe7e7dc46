import { STUCK_AFTER_MS } from '@merchant-payments/core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { PUSH_RAIL } from '../harness.ts'
import { confirmedIntent, succeededIntent } from '../steps.ts'
import { type StaffApi, type StaffMember, startStaffApi } from './staff.ts'

let api: StaffApi
let vera: StaffMember
beforeAll(async () => {
  api = await startStaffApi()
  vera = await api.signInAs('vera')
})
afterAll(() => api.stop())

const shown = async (query = '') =>
  (await vera.get(`/stuck_charges${query}`)).body.data.map(
    ({ payment_intent: intent }: { payment_intent: string }) => intent,
  )

describe('dash.stuckCharges.list', () => {
  test('200: charges that have waited long for their rail, and no settled one', async () => {
    await succeededIntent(api)
    const { id } = await confirmedIntent(api, 'staysPending')
    expect(await shown()).toEqual([])
    api.advance(STUCK_AFTER_MS + 1_000)
    await confirmedIntent(api, 'staysPending')
    expect(await shown()).toEqual([id])
    expect(await shown(`?rail=${PUSH_RAIL}&merchant=acme`)).toEqual([id])
    expect(await shown('?rail=orange_money_cm')).toEqual([])
    expect(await shown('?merchant=globex')).toEqual([])
  })

  test('400: a cursor of another list', async () => {
    expect(await vera.get('/stuck_charges?starting_after=pi_1')).toBeRefusal(
      'invalid_request',
      'starting_after',
    )
  })
})
