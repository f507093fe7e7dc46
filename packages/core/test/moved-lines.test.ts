import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { dayOf, NOW_MS, statementDays } from './statement-days.ts'
import { openWorld } from './world.ts'

const world = await openWorld()
const { change, clear, close, live, miscounted, open, reopen, settle, shown, upload } = statementDays(world)
beforeAll(() => {
  world.nowMs = NOW_MS
})
afterAll(() => world.stop())
beforeEach(clear)

const line = { reference: 'r1', transactionId: 'T1' }
/** As Orange Money writes its lines. */
const withoutReference = { reference: null, transactionId: 'T1' }
const accept = () => change((tx) => sql`update refunds set instruction = 'accepted'`.execute(tx))
/** With the days whose counts are wrong. */
const seen = async () => [...(await shown()), ...(await miscounted()).map((day) => `${day} is miscounted`)]

/** Copies of the merchant's payments, each paid on the first day. */
const payments = [
  [
    'refund',
    'payout',
    async () => {
      await open('refunds')
      await accept()
    },
  ],
  [
    'charge whose rail told no transaction',
    'charge',
    async () => {
      await open('charges')
      await settle(2, 'succeeded', null)
    },
  ],
] as const

describe.each(payments)('a %s of a merchant that has come from another cell', (_, kind, copy) => {
  test('agrees with the line that this cell had compared before', async () => {
    await upload(0, { ...line, kind })
    expect(await seen()).toEqual([`${dayOf(0)} theirs_only, of nothing`])
    await copy()
    await upload(1)
    expect(await seen()).toEqual([`${dayOf(0)} matched`])
  })

  test('is not missing if the line is one of a closed day', async () => {
    const first = await upload(0, { ...line, kind })
    await close(first)
    await copy()
    await upload(1)
    expect(await seen()).toEqual([`${dayOf(0)} theirs_only, of nothing`])
    await reopen(first)
    await upload(2)
    expect(await seen()).toEqual([`${dayOf(0)} matched`])
  })

  test('agrees with one of two movements that this cell had compared before', async () => {
    await upload(1, { ...line, kind })
    await upload(0, { ...line, kind, transactionId: 'T2' }, { ...line, kind })
    await copy()
    await upload(2)
    expect(await seen()).toEqual([`${dayOf(0)} matched`, `${dayOf(0)} duplicate`, `${dayOf(1)} duplicate`])
  })

  test('is missing once the file of a much later day, which this cell had compared before, is replaced', async () => {
    await upload(0)
    await upload(40, { ...line, kind })
    await copy()
    await upload(40)
    expect(await seen()).toEqual([`${dayOf(40)} ours_only`])
  })

  test.each(['arriving', 'left'] as const)('counts for nothing while it is %s', async (state) => {
    await copy()
    await live(state)
    await upload(0, { ...line, kind })
    await upload(1, { ...line, kind })
    await upload(0)
    expect(await seen()).toEqual([`${dayOf(1)} theirs_only, of nothing`])
    await live('here')
    await upload(1)
    expect(await seen()).toEqual([`${dayOf(1)} ours_only`])
  })
})

test.each([line, withoutReference])(
  'a payment that is missing when its merchant leaves is no longer missing once the next day lists it',
  async (listed) => {
    await open('charges')
    await settle(2)
    await upload(0)
    await live('left')
    expect(await seen()).toEqual([`${dayOf(0)} ours_only`])
    await upload(1, listed)
    expect(await seen()).toEqual([`${dayOf(1)} matched`])
  },
)
