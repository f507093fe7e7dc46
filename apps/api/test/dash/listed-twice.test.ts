import { connect as connectTo } from '@merchant-payments/testing/client'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { instruct } from '../harness.ts'
import { succeededIntent } from '../steps.ts'
import { payTwice } from './paid-twice.ts'
import { type StaffApi, type StaffMember, startStaffApi } from './staff.ts'
import { begin, compare, heads, sendLines, uploaded } from './statement-files.ts'

const DAY_SEC = 86_400

let api: StaffApi
let omar: StaffMember
beforeAll(async () => {
  api = await startStaffApi()
})
afterAll(() => api.stop())

const pass = async (days: number) => {
  api.advance(days * DAY_SEC * 1_000)
  omar = await api.signInAs('omar')
}

/** Passes days without a payment, so that each test has its own. */
async function paidOnItsDay() {
  await pass(40)
  const { id: intent } = await succeededIntent(api)
  const [charge] = (await omar.get(`/payment_intents/${intent}`)).body.charges
  const of = (transaction: string, time = '10:00:00', amount = charge.amount) =>
    `${transaction},${charge.reference},2026-11-21 ${time},Successful,Debit,${amount}`
  return { intent, charge, of, dayAt: dayOf(charge.settled_at) }
}

/** The operator's zone is an hour ahead of UTC. */
const dayOf = (sec: number) => (offset: number) =>
  new Date((sec + 3_600 + offset * DAY_SEC) * 1_000).toISOString().slice(0, 10)

const upload = (day: string, ...lines: string[]) => uploaded(api, omar, lines, day)
const shown = async (id: string) => {
  const { matched, duplicate, theirs_only, amount_differs, ours_only, differences } = (
    await omar.get(`/statements/${id}`)
  ).body
  expect(differences).toHaveLength(duplicate + theirs_only + amount_differs + ours_only)
  return { matched, duplicate, theirs_only, amount_differs, ours_only }
}
const none = { matched: 0, duplicate: 0, theirs_only: 0, amount_differs: 0, ours_only: 0 }
const oneMatched = { ...none, matched: 1 }
const oneRepeated = { ...none, duplicate: 1 }

describe('a payment that the operator took on two days', () => {
  test.each([
    ['in their order', 0, 1],
    ['in the reverse order', 1, 0],
  ])('is a duplicate in the second statement, compared %s', async (_, one, other) => {
    const { charge, of, dayAt } = await paidOnItsDay()
    const first = await upload(dayAt(one), of('C1'))
    const second = await upload(dayAt(other), of('C2'))
    expect([await shown(first), await shown(second)]).toEqual([oneMatched, oneRepeated])
    expect((await omar.get(`/statements/${second}`)).body.differences).toMatchObject([
      { verdict: 'duplicate', about: charge.id, transaction: 'C2' },
    ])
  })

  test('is a duplicate also if it is found by our reference alone, because it is older', async () => {
    const { of, dayAt } = await paidOnItsDay()
    await upload(dayAt(0), of('C1'))
    expect(await shown(await upload(dayAt(9), of('C2')))).toEqual(oneRepeated)
    expect(await shown(await upload(dayAt(10), of('c1')))).toEqual(oneMatched)
  })

  test('is a duplicate in one of two statements that are compared at once', async () => {
    const { of, dayAt } = await paidOnItsDay()
    const ids = await Promise.all([0, 1].map((offset) => begin(omar, dayAt(offset))))
    await Promise.all(
      ids.map((id, n) => sendLines(api, omar, `${id}/lines?part=0`, `${heads}\n${of(`C${n}`)}\n`)),
    )
    // Both wait at the change of their rows, so neither would see what the other finds.
    const other = await connectTo(api.databaseUrl)
    onTestFinished(() => other.end())
    await other.query('begin; lock table statement_rows in share mode')
    const compared = ids.map(async (id) => {
      while ((await compare(omar, id, 1)).body.status === 'matching');
    })
    const waiting = async () =>
      (
        await other.query(
          "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
        )
      ).rowCount
    await expect.poll(waiting).toBe(2)
    await other.query('commit')
    await Promise.all(compared)
    const found = await Promise.all(ids.map(shown))
    expect(
      found.map(({ matched, duplicate }) => `${matched} matched, ${duplicate} duplicate`).toSorted(),
    ).toEqual(['0 matched, 1 duplicate', '1 matched, 0 duplicate'])
  })

  test('is a duplicate after a day with another amount', async () => {
    const { of, dayAt } = await paidOnItsDay()
    expect(await shown(await upload(dayAt(0), of('C1', '10:00:00', 1)))).toMatchObject({ amount_differs: 1 })
    expect(await shown(await upload(dayAt(1), of('C2')))).toEqual(oneRepeated)
  })
})

test('a refund that the operator paid on two days is a duplicate in the second statement', async () => {
  const { intent, of, dayAt } = await paidOnItsDay()
  await omar.post(`/payment_intents/${intent}/refund`, { amount: '1000', reason: 'Torn.' })
  await instruct(api)
  const [refund] = (await omar.get(`/payment_intents/${intent}`)).body.refunds
  const paid = (transaction: string) =>
    `${transaction},${refund.reference},2026-11-21 10:00:00,Successful,Cash in,1000`
  const first = await upload(dayAt(0), of('C1'), paid('P1'))
  const second = await upload(dayAt(1), paid('P2'))
  expect([await shown(first), await shown(second)]).toEqual([{ ...none, matched: 2 }, oneRepeated])
})

describe('a payment that was paid twice', () => {
  const paidTwice = async () => {
    await pass(40)
    const { charge } = await payTwice(api, omar)
    const of = (transaction: string) =>
      `${transaction},${charge.reference},2026-11-21 10:00:00,Successful,Debit,${charge.amount}`
    const giveBack = () => omar.post(`/charges/${charge.id}/return`, { reason: 'Paid twice.' })
    return { of, giveBack, dayAt: dayOf(charge.settled_at ?? 0) }
  }

  test('is a duplicate after its return if the operator took it once more', async () => {
    const { of, giveBack, dayAt } = await paidTwice()
    const first = await upload(dayAt(0), of('C1'))
    expect(await shown(first)).toMatchObject({ matched: 0, duplicate: 1 })
    await giveBack()
    expect(await shown(await upload(dayAt(1), of('C2')))).toMatchObject({ matched: 0, duplicate: 1 })
    expect(await shown(first)).toMatchObject({ matched: 1, duplicate: 0 })
  })

  test('is listed by one line after its return, however often the file is uploaded', async () => {
    const { of, giveBack, dayAt } = await paidTwice()
    await giveBack()
    let first = await upload(dayAt(0), of('C1'))
    const second = await upload(dayAt(1), of('C2'))
    expect([await shown(first), await shown(second)]).toMatchObject([{ matched: 1 }, { duplicate: 1 }])
    first = await upload(dayAt(0), of('C1'))
    expect([await shown(first), await shown(second)]).toMatchObject([{ matched: 1 }, { duplicate: 1 }])
  })

  test.each([
    ['an earlier', 0, 1],
    ['a later', 1, 0],
  ])('agrees after its return once the line of %s day is gone', async (_, one, other) => {
    const { of, giveBack, dayAt } = await paidTwice()
    await giveBack()
    await upload(dayAt(one), of('C1'))
    const second = await upload(dayAt(other), of('C2'))
    expect(await shown(second)).toMatchObject({ matched: 0, duplicate: 1 })
    await upload(dayAt(one))
    expect(await shown(second)).toMatchObject({ matched: 1, duplicate: 0 })
  })

  test('agrees in a closed day after its return once that is reopened', async () => {
    const { of, giveBack, dayAt } = await paidTwice()
    const first = await upload(dayAt(0), of('C1'))
    await omar.post(`/statements/${first}/close`, { reason: 'A test.' })
    await giveBack()
    const second = await upload(dayAt(1), of('C2'))
    expect([await shown(first), await shown(second)]).toMatchObject([{ duplicate: 1 }, { duplicate: 1 }])
    await omar.post(`/statements/${first}/reopen`, { reason: 'A test.' })
    expect([await shown(first), await shown(second)]).toMatchObject([{ matched: 1 }, { duplicate: 1 }])
  })
})

describe('one movement in the files of two days', () => {
  test.each([
    ['whose transaction is in another case', 'tx-a', '10:00:00', 'TX-A', '10:00:01'],
    ['without a transaction, at one time', '', '10:00:00', '', '10:00:00'],
    ['with a transaction in one of them, at one time', 'TX-B', '10:00:00', '', '10:00:00'],
  ])('agrees with both: %s', async (_, one, oneTime, other, otherTime) => {
    const { of, dayAt } = await paidOnItsDay()
    const first = await upload(dayAt(0), of(one, oneTime))
    const second = await upload(dayAt(1), of(other, otherTime))
    expect([await shown(first), await shown(second)]).toEqual([oneMatched, oneMatched])
  })

  test('is two movements without a transaction if the times differ', async () => {
    const { of, dayAt } = await paidOnItsDay()
    await upload(dayAt(0), of(''))
    expect(await shown(await upload(dayAt(1), of('', '10:00:01')))).toEqual(oneRepeated)
  })

  test('agrees although the second file lists another movement before it', async () => {
    const { of, dayAt } = await paidOnItsDay()
    await upload(dayAt(0), of('C1'))
    const second = await upload(dayAt(1), of('C2'), of('C1'))
    expect(await shown(second)).toEqual({ ...none, matched: 1, duplicate: 1 })
    expect((await omar.get(`/statements/${second}`)).body.differences).toMatchObject([{ transaction: 'C2' }])
  })
})

describe('a duplicate whose other line is gone, because its statement was replaced,', () => {
  test('stays one if the new statement lists it again', async () => {
    const { of, dayAt } = await paidOnItsDay()
    await upload(dayAt(0), of('C1'))
    const second = await upload(dayAt(1), of('C2'))
    expect(await shown(await upload(dayAt(0), of('C1')))).toEqual(oneMatched)
    expect(await shown(second)).toEqual(oneRepeated)
  })

  test.each([
    ['agrees', undefined, oneMatched],
    ['is of another amount', 1, { ...none, amount_differs: 1 }],
  ])('%s once the new statement is compared', async (_, amount, expected) => {
    const { of, dayAt } = await paidOnItsDay()
    await upload(dayAt(0), of('C1'))
    const second = await upload(dayAt(1), of('C2', '10:00:00', amount))
    const third = await upload(dayAt(2), of('C3'))
    expect(await shown(second)).toEqual(oneRepeated)
    expect(await shown(await upload(dayAt(0)))).toEqual(none)
    expect([await shown(second), await shown(third)]).toEqual([expected, oneRepeated])
  })

  test('agrees if the new statement lists the same movement', async () => {
    const { of, dayAt } = await paidOnItsDay()
    await upload(dayAt(0), of('C1'))
    const second = await upload(dayAt(1), of('C2'), of('C2'))
    const third = await upload(dayAt(2), of('C3'))
    expect(await shown(await upload(dayAt(0), of('C2')))).toEqual(oneMatched)
    expect(await shown(second)).toEqual({ ...none, matched: 1, duplicate: 1 })
    expect(await shown(third)).toEqual(oneRepeated)
  })

  test('agrees although its file lists another movement before it', async () => {
    const { of, dayAt } = await paidOnItsDay()
    await upload(dayAt(1), of('C1'))
    const first = await upload(dayAt(0), of('C2'), of('C3'))
    expect(await shown(first)).toEqual({ ...none, duplicate: 2 })
    expect(await shown(await upload(dayAt(1), of('C3')))).toEqual(oneMatched)
    expect((await omar.get(`/statements/${first}`)).body.differences).toMatchObject([{ transaction: 'C2' }])
  })

  test('stays one in a closed day that lists another movement, once that is reopened', async () => {
    const { of, dayAt } = await paidOnItsDay()
    await upload(dayAt(0), of('C1'))
    const second = await upload(dayAt(1), of('C2'), of('C1'))
    const change = (what: string) => omar.post(`/statements/${second}/${what}`, { reason: 'A test.' })
    await change('close')
    await upload(dayAt(0))
    await change('reopen')
    expect(await shown(second)).toEqual({ ...none, matched: 1, duplicate: 1 })
  })

  test('agrees in a closed day once that is reopened', async () => {
    const { of, dayAt } = await paidOnItsDay()
    await upload(dayAt(0), of('C1'))
    const second = await upload(dayAt(1), of('C2'), of('C3'))
    expect(await shown(second)).toEqual({ ...none, duplicate: 2 })
    const change = (what: string) => omar.post(`/statements/${second}/${what}`, { reason: 'A test.' })
    await change('close')
    await change('reopen')
    expect(await shown(second)).toEqual({ ...none, duplicate: 2 })
    await change('close')
    await upload(dayAt(0))
    expect(await shown(second)).toEqual({ ...none, duplicate: 2 })
    expect((await change('reopen')).body).toMatchObject({
      before: { status: 'closed', matched: 0, duplicate: 2 },
      after: { status: 'matched', matched: 1, duplicate: 1, ours_only: 0 },
    })
    expect(await shown(second)).toEqual({ ...none, matched: 1, duplicate: 1 })
  })
})

describe('a line of a payment that is older than three days', () => {
  test('takes the missing row of its day away, whose next statement has none either', async () => {
    const { of, dayAt } = await paidOnItsDay()
    const first = await upload(dayAt(0))
    expect(await shown(first)).toEqual({ ...none, ours_only: 1 })
    expect(await shown(await upload(dayAt(9), of('C1')))).toEqual(oneMatched)
    expect(await shown(first)).toEqual(none)
    expect(await shown(await upload(dayAt(0)))).toEqual(none)
  })

  test('is one of several of one movement, whatever its place in the file', async () => {
    const { of, dayAt } = await paidOnItsDay()
    await upload(dayAt(0), of('C1'))
    const second = await upload(dayAt(9), of('C2'), of('c1'), of('C1', '10:00:00', -1))
    expect(await shown(second)).toEqual({ ...none, matched: 1, duplicate: 1, theirs_only: 1 })
  })

  test.each([
    ['agrees', [], none, oneMatched],
    ['agrees beside a line of the same movement', ['C2'], oneMatched, oneMatched],
    ['stays a duplicate beside another movement', ['C3'], oneMatched, oneRepeated],
  ])('%s once the line that it repeats went with its statement', async (_, again, newer, expected) => {
    const { of, dayAt } = await paidOnItsDay()
    await upload(dayAt(9), of('C1'))
    const second = await upload(dayAt(10), of('C2'))
    expect(await shown(second)).toEqual(oneRepeated)
    expect(await shown(await upload(dayAt(9), ...again.map((transaction) => of(transaction))))).toEqual(newer)
    expect(await shown(second)).toEqual(expected)
  })

  test('is missing from the new statement once it went with its own, if the day of the payment is compared', async () => {
    const { of, dayAt } = await paidOnItsDay()
    await upload(dayAt(9), of('C1'))
    expect(await shown(await upload(dayAt(9)))).toEqual(none)
    await upload(dayAt(9), of('C1'))
    const first = await upload(dayAt(0))
    let last = await upload(dayAt(9))
    expect([await shown(first), await shown(last)]).toEqual([none, { ...none, ours_only: 1 }])
    last = await upload(dayAt(9))
    expect([await shown(first), await shown(last)]).toEqual([none, { ...none, ours_only: 1 }])
    await upload(dayAt(20), of('C1'))
    expect(await shown(last)).toEqual(none)
  })
})
