import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { dayOf, NOW_MS, statementDays } from './statement-days.ts'
import { openWorld } from './world.ts'

const world = await openWorld()
const { begin, clear, close, compare, miscounted, open, reopen, settle, shown, upload } = statementDays(world)
beforeAll(() => {
  world.nowMs = NOW_MS
})
afterAll(() => world.stop())
beforeEach(clear)

const line = { reference: 'r1', transactionId: 'T1' }
/** As Orange Money writes its lines. */
const withoutReference = { reference: null, transactionId: 'T1' }
const missing = [`${dayOf(0)} ours_only`]
const pay = async () => {
  await open('charges')
  await settle(1)
}
/** Charges opened up to three days before a day are compared with all of its lines. */
const days = [2, 4, 9]

test.each(days)('an upload of day %i that broke off lists no payment', async (day) => {
  await pay()
  await begin(day, [line])
  await upload(0)
  expect(await shown()).toEqual([...missing, `${dayOf(day)} null, of nothing`])
  await upload(day)
  expect(await shown()).toEqual(missing)
})

test.each(days)(
  'an upload of day %i that broke off takes no row away when a day is reopened',
  async (day) => {
    await pay()
    const first = await upload(0)
    await close(first)
    await begin(day, [line])
    await reopen(first)
    await upload(day)
    expect(await shown()).toEqual(missing)
    expect(await miscounted()).toEqual([])
  },
)

test.each(days)('the payment of a line of day %i is missing once its file is replaced', async (day) => {
  await pay()
  await upload(day, withoutReference)
  await upload(0)
  await upload(day)
  expect(await shown()).toHaveLength(1)
  expect(await shown()).toMatchObject([expect.stringMatching(/ours_only$/)])
  expect(await miscounted()).toEqual([])
})

test.each(days)(
  'a line of day %i without our reference has one verdict, in either order of the days',
  async (day) => {
    await pay()
    await upload(0)
    await upload(day, withoutReference)
    const inOrder = await shown()
    await clear()
    await pay()
    await upload(day, withoutReference)
    await upload(0)
    expect(await shown()).toEqual(inOrder)
  },
)

test('the day that is compared later takes away the row of a payment that its uncompared line names', async () => {
  await pay()
  const second = await begin(1, [line])
  await upload(0)
  expect(await shown()).toContain(missing[0])
  await compare(second)
  expect(await shown()).toEqual([`${dayOf(1)} matched`])
  expect(await miscounted()).toEqual([])
})

test('two days that are compared at once show a payment once, or list it', async () => {
  await pay()
  const ids = [await begin(0, []), await begin(1, [line]), await begin(2, [])]
  await Promise.all(ids.map(compare))
  expect(await shown()).toEqual([`${dayOf(1)} matched`])
  expect(await miscounted()).toEqual([])
})

test('a payment is not missing if a compared line has the transaction that its rail told later', async () => {
  await open('charges')
  await upload(0, withoutReference)
  await settle(25)
  await upload(1)
  expect((await shown()).filter((row) => row.includes('ours_only'))).toEqual([])
})
