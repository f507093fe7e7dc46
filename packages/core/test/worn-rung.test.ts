import { sql } from 'kysely'
import { afterAll, expect, test } from 'vitest'
import { pullForward } from '../src/charges/store.ts'
import { declined, makeCharge, makeIntent, T0 } from './make.ts'
import { settleCharges } from './passes.ts'
import { openWorld, readCharge, saveCharge, saveIntent } from './world.ts'

const world = await openWorld()
afterAll(() => world.stop())

/** More than the rungs of any ladder, and more than the not-found answers that are counted. */
const CALLBACKS = 150

test.each([
  ['failed', { kind: 'failed', decline: declined }],
  ['unconfirmed', { kind: 'not_found' }],
  ['live', { kind: 'pending' }],
] as const)(
  'the counters of a charge that is %s stay bounded under endless callbacks',
  async (status, answer) => {
    const intent = await saveIntent(world, makeIntent('requires_payment_method'))
    const charge = await saveCharge(
      world,
      makeCharge(status, {
        intentId: intent.id,
        submitDeadlineMs: T0 + 3_600_000,
        nextQueryAtMs: T0 + 10_000,
        queryRung: 1,
      }),
    )
    world.push.whenAsked = () => answer
    world.nowMs = T0
    for (let n = 0; n < CALLBACKS; n += 1) {
      world.nowMs += 2_000
      await pullForward(
        world.db.writer,
        charge.rail,
        { by: 'reference', value: charge.reference },
        world.nowMs,
      )
      expect(await settleCharges(world)).toEqual({ claimed: 1, moved: 0 })
    }
    const { queryRung = 0, notFoundCount = 0 } = (await readCharge(world, charge.id)) ?? {}
    expect(queryRung).toBeLessThanOrEqual(7)
    expect(notFoundCount).toBeLessThanOrEqual(100)
    await sql`delete from charge_jobs`.execute(world.db.writer)
  },
)
