import type { ChargeStatus } from '@merchant-payments/db'
import { describe, expect, test } from 'vitest'
import { declined, makeCharge, T0 } from '../../test/make.ts'
import { type Charge, moveCharge } from './charge.ts'
import { type ChargeMove, chargeLifecycle } from './lifecycle.ts'

const nowMs = T0 + 90_500
const statuses = Object.keys(chargeLifecycle) as ChargeStatus[]

const facts = {
  acknowledge: { railToken: 'token-1', callbackSecret: 'secret-1', firstQueryAfterMs: 3_000 },
  doubt: {},
  abandon: { watched: false },
  fail: { decline: declined },
  succeed: { railTxnId: 'txn-1' },
  duplicate: { railTxnId: 'txn-2' },
} as const
const moves = Object.keys(facts) as ChargeMove[]

const collected = { railCode: null, railMessage: null, settledAtMs: nowMs, nextQueryAtMs: null }

/** The fields that each move sets, besides the state. */
const changes: Record<ChargeMove, Partial<Charge>> = {
  acknowledge: {
    railToken: 'token-1',
    callbackSecret: 'secret-1',
    acknowledgedAtMs: nowMs,
    nextQueryAtMs: nowMs + 3_000,
    queryRung: 0,
  },
  doubt: {},
  abandon: { settledAtMs: nowMs, nextQueryAtMs: null },
  fail: {
    settledAtMs: nowMs,
    railCode: 'NOT_ENOUGH_FUNDS',
    railMessage: 'Not enough funds',
    nextQueryAtMs: nowMs + 10_000,
    queryRung: 1,
  },
  succeed: { ...collected, railTxnId: 'txn-1' },
  duplicate: { ...collected, railTxnId: 'txn-2' },
}

const pairs = statuses.flatMap((status) => moves.map((move) => [status, move] as const))
const targetOf = (status: ChargeStatus, move: ChargeMove) =>
  (chargeLifecycle[status] as Partial<Record<ChargeMove, ChargeStatus>>)[move]

// The pairs come from tables, so the compiler cannot know which are legal. The tests check that.
const move = (charge: Charge, name: ChargeMove) =>
  moveCharge(charge as Charge<'submitting'>, name, facts[name] as never, nowMs)

describe('a legal move', () => {
  test.each(pairs.filter(([status, name]) => targetOf(status, name) !== undefined))(
    'of a charge that is %s: %s changes it whole, once',
    (status, name) => {
      const before: Charge = makeCharge(status, { railCode: 'OLD', railMessage: 'Old words', queryRung: 4 })
      const copy = structuredClone(before)

      const change = move(before, name)

      const after = { ...before, ...changes[name], status: targetOf(status, name), revision: 6 }
      expect(change).toEqual({ before: copy, after })
    },
  )

  test('keeps what the rail gave before when a query acknowledges', () => {
    const before = makeCharge('unconfirmed', { railToken: 'token-0', callbackSecret: 'secret-0' })
    const { after } = moveCharge(before, 'acknowledge', { firstQueryAfterMs: 1 }, nowMs)
    expect(after).toMatchObject({ railToken: 'token-0', callbackSecret: 'secret-0' })
  })

  test('that abandons a charge which may be watched puts it on the after-watch', () => {
    const { after } = moveCharge(makeCharge('submitting'), 'abandon', { watched: true }, nowMs)
    expect(after).toMatchObject({ settledAtMs: nowMs, nextQueryAtMs: nowMs + 10_000, queryRung: 1 })
  })
})

test.each(pairs.filter(([status, name]) => targetOf(status, name) === undefined))(
  'a charge that is %s cannot %s',
  (status, name) => {
    expect(() => move(makeCharge(status), name)).toThrow(`a charge that is ${status} cannot ${name}`)
  },
)
