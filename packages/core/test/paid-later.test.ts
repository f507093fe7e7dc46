import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { dayOf, NOW_MS, statementDays } from './statement-days.ts'
import { openWorld } from './world.ts'

const world = await openWorld()
const { begin, change, clear, close, compare, miscounted, open, reopen, settle, shown, upload } =
  statementDays(world)
beforeAll(() => {
  world.nowMs = NOW_MS
})
afterAll(() => world.stop())
beforeEach(clear)

const line = { reference: 'r1', transactionId: 'T1' }
/** As Orange Money writes its lines. */
const withoutReference = { reference: null, transactionId: 't1' }
const matched = [`${dayOf(0)} matched`]
/** With the days whose counts are wrong. */
const seen = async () => [...(await shown()), ...(await miscounted()).map((day) => `${day} is miscounted`)]

test.each([
  ['our reference', line, `${dayOf(0)} theirs_only`],
  ['the transaction', withoutReference, `${dayOf(0)} theirs_only, of nothing`],
])(
  'a line with %s agrees once the next day is compared, if its charge was paid after its day was',
  async (_, listed, before) => {
    await open('charges')
    await upload(0, listed)
    expect(await seen()).toEqual([before])
    await settle(25)
    await upload(1)
    expect(await seen()).toEqual(matched)
    await upload(0)
    expect(await seen()).toEqual([`${dayOf(0)} ours_only`])
  },
)

test.each([
  ['another amount', 'succeeded', 90, 'amount_differs'],
  ['a charge that was paid twice', 'duplicate', 100, 'duplicate'],
] as const)('a line of %s gets that verdict', async (_, status, amountMinor, verdict) => {
  await open('charges')
  await upload(0, { ...line, amountMinor })
  await settle(25, status)
  await upload(1)
  expect(await seen()).toEqual([`${dayOf(0)} ${verdict}`])
})

test('a reversal stays, and so does a line of the other kind', async () => {
  await open('charges')
  const rows = ['theirs_only', 'theirs_only', 'theirs_only'].map((verdict) => `${dayOf(0)} ${verdict}`)
  await upload(0, line, { ...line, amountMinor: -100 }, { ...line, kind: 'payout' })
  expect(await seen()).toEqual(rows)
  await settle(25)
  await upload(1)
  expect(await seen()).toEqual([`${dayOf(0)} matched`, ...rows.slice(1)])
})

test('a line that repeats one of another movement is a duplicate, also if its charge was not known', async () => {
  await open('charges')
  await upload(0, withoutReference, withoutReference)
  await settle(25)
  await upload(1, { ...line, transactionId: 'T2' })
  expect(await seen()).toEqual([`${dayOf(0)} duplicate`, `${dayOf(0)} duplicate`, `${dayOf(1)} matched`])
})

test('the lines of one movement in two days agree with the charge', async () => {
  await open('charges')
  await upload(0, withoutReference)
  await settle(25)
  await upload(1, line)
  expect(await seen()).toEqual([`${dayOf(0)} matched`, `${dayOf(1)} matched`])
})

const twice = [withoutReference, line]

test.each([
  ['first', twice],
  ['last', twice.toReversed()],
])(
  'of two lines of one movement in a file, of which the %s names no charge, one agrees',
  async (_, lines) => {
    await open('charges')
    await upload(0, ...lines)
    await settle(25)
    await upload(1)
    expect(await seen()).toEqual([`${dayOf(0)} matched`, `${dayOf(0)} duplicate`])
  },
)

test('the line of a movement is a duplicate if a line of the same file agrees when the transaction is told', async () => {
  await open('charges')
  await settle(1, 'succeeded', null)
  await upload(0, ...twice)
  expect(await seen()).toEqual([`${dayOf(0)} theirs_only, of nothing`, `${dayOf(0)} matched`])
  await settle(1)
  await upload(1)
  expect(await seen()).toEqual([`${dayOf(0)} duplicate`, `${dayOf(0)} matched`])
})

test('a file that is replaced leaves one line of each movement that agrees', async () => {
  await open('charges')
  await upload(0, { ...line, transactionId: 'T2' })
  await upload(1, ...twice)
  expect(await seen()).toEqual([
    `${dayOf(0)} theirs_only`,
    `${dayOf(1)} theirs_only, of nothing`,
    `${dayOf(1)} duplicate`,
  ])
  await settle(25)
  await upload(0)
  expect(await seen()).toEqual([`${dayOf(1)} matched`, `${dayOf(1)} duplicate`])
})

test('a refund that its rail accepted after its day was compared is confirmed by its line', async () => {
  await open('refunds')
  await upload(0, { ...line, kind: 'payout' })
  expect(await seen()).toEqual([`${dayOf(0)} theirs_only`])
  await change((tx) => sql`update refunds set instruction = 'accepted'`.execute(tx))
  await upload(1)
  expect(await seen()).toEqual(matched)
})

test('a closed day keeps the line until it is reopened', async () => {
  await open('charges')
  const first = await upload(0, line)
  await close(first)
  await settle(25)
  await upload(1)
  expect(await seen()).toEqual([`${dayOf(0)} theirs_only`])
  await reopen(first)
  expect(await seen()).toEqual(matched)
})

test('two days that are compared at once change the line once', async () => {
  await open('charges')
  await upload(0, line)
  await settle(25)
  await Promise.all([await begin(1, []), await begin(2, [])].map(compare))
  expect(await seen()).toEqual(matched)
})
