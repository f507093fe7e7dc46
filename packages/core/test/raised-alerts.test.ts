import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { recordRaised } from '../src/attention/record.ts'
import { uuidOf } from '../src/base/ids.ts'
import type { Charge } from '../src/charges/charge.ts'
import { confirmIntent } from '../src/payment-intents/confirm.ts'
import type { QueryOutcome } from '../src/rails/port.ts'
import { createRefund } from '../src/refunds/create.ts'
import type { Refund } from '../src/refunds/refund.ts'
import { updateRefund } from '../src/refunds/update.ts'
import {
  declined,
  makeCharge,
  makeIntent,
  makeRefund,
  makeRefunds,
  PAYER,
  PUSH,
  T0,
  type TestRefunds,
} from './make.ts'
import { instructRefunds, settleCharges } from './passes.ts'
import {
  claimOf,
  confirmation,
  creatingClaimOf,
  hold,
  openImpatient,
  openWorld,
  orCode,
  saveCharge,
  saveIntent,
  savePaid,
  saveRefund,
} from './world.ts'

/** Longer than every lease. */
const LONG_MS = 10 * 60_000

const world = await openWorld()
let refunds: TestRefunds
const impatient = await openImpatient(world)
beforeEach(async () => {
  world.nowMs = T0
  world.alerts.length = 0
  refunds = makeRefunds()
  world.push.refunds = refunds
  await sql`truncate refund_jobs, charge_jobs, raised_alerts, attention_items`.execute(world.owner.writer)
})
afterAll(async () => {
  await impatient.close()
  await world.stop()
})

const misconfigured = { ...declined, actor: 'merchant_config' } as const
const refusedByUs: QueryOutcome = { kind: 'failed', decline: misconfigured }
const newWord: QueryOutcome = { kind: 'unknown_status', status: 'NEW' }

const throwing = () => {
  throw new TypeError('a bug of the adapter')
}

/** The items that another process makes of what this one has left in the database, after it died. */
async function itemsOf(object: string): Promise<Record<string, number>> {
  await recordRaised(world)
  const rows = await world.db.reader
    .selectFrom('attention_items')
    .select(['alert', 'times'])
    .where('object', '=', object)
    .execute()
  return Object.fromEntries(rows.map(({ alert, times }) => [alert, times]))
}

async function saveDueCharge(): Promise<Charge> {
  const { id: intentId } = await saveIntent(world, makeIntent('processing'))
  const charge = makeCharge('live', { intentId, nextQueryAtMs: T0, openedAtMs: T0 })
  world.nowMs = T0 + 20_000
  return saveCharge(world, charge)
}

describe('an alert about a charge is a row, also if', () => {
  test('the adapter throws', async () => {
    const { id } = await saveDueCharge()
    world.push.whenAsked = throwing
    await settleCharges(world)
    expect(await itemsOf(id)).toEqual({ rail_adapter_fault: 1 })
  })

  test('the adapter throws, and the lease of the job is lost meanwhile', async () => {
    const { id } = await saveDueCharge()
    world.push.whenAsked = async () => {
      await sql`update charge_jobs set lease_until = lease_until + interval '1 minute'`.execute(
        world.db.writer,
      )
      return throwing()
    }
    await settleCharges(world)
    expect(await itemsOf(id)).toEqual({ rail_adapter_fault: 1 })
  })

  test.each([
    ['misconfigured', refusedByUs, 'rail_misconfigured'],
    [
      'of another amount',
      { kind: 'succeeded', amountMinor: 999, currency: 'XAF', railTxnId: null },
      'charge_amount_mismatch',
    ],
    ['an unknown word', newWord, 'rail_unknown_status'],
    ['none, because the adapter throws', null, 'rail_adapter_fault'],
  ] as const)('another transaction holds its rows, and the answer is %s', async (_case, answer, alert) => {
    const charge = await saveDueCharge()
    let release = () => Promise.resolve()
    world.push.whenAsked = async () => {
      release = await hold(
        world,
        sql`select from charge_jobs j, payment_intents p
        where j.charge_id = ${uuidOf(charge.id)}::uuid and p.id = ${uuidOf(charge.intentId)}::uuid for update`,
      )
      return answer ?? throwing()
    }
    await settleCharges({ ...world, db: impatient }).catch(() => undefined)
    await release()
    expect(await itemsOf(charge.id)).toEqual({ [alert]: 1 })
  })
})

describe('an alert about a charge that PostgreSQL refuses to change', () => {
  beforeAll(async () => {
    await sql`create function refuse_poison() returns trigger language plpgsql as $$
      begin
        raise exception 'poison' using errcode = '23514';
      end $$`.execute(world.owner.writer)
    await sql`create trigger poison before update on charges for each row
      when (new.rail_code = 'POISON') execute function refuse_poison()`.execute(world.owner.writer)
  })

  const poison: QueryOutcome = { kind: 'failed', decline: { ...misconfigured, railCode: 'POISON' } }
  const both = { rail_misconfigured: 1, rail_adapter_fault: 1 }

  test('is a row', async () => {
    const { id } = await saveDueCharge()
    world.push.whenAsked = () => poison
    await settleCharges(world)
    expect(await itemsOf(id)).toEqual(both)
  })

  test('is a row, also if the lease of its job is lost', async () => {
    const { id } = await saveDueCharge()
    world.push.whenAsked = async () => {
      await sql`update charge_jobs set lease_until = lease_until + interval '1 minute'`.execute(
        world.db.writer,
      )
      return poison
    }
    await settleCharges(world)
    expect(await itemsOf(id)).toEqual(both)
  })
})

describe('an alert about a charge is a row, although the api confirms it:', () => {
  test('the worker has recorded a refusal because of us first', async () => {
    const intent = await saveIntent(world, makeIntent('requires_payment_method'))
    world.push.whenSubmitted = async () => {
      world.nowMs += LONG_MS
      world.push.whenAsked = () => ({ kind: 'pending' })
      await settleCharges(world)
      return { kind: 'declined', decline: misconfigured }
    }
    await confirmIntent(world, claimOf(), intent.id, confirmation())
    const [charge] = await chargesOf(intent.id)
    expect(await itemsOf(`ch_${charge?.replaceAll('-', '')}`)).toEqual({ rail_misconfigured: 1 })
  })

  const chargesOf = async (intent: string) => {
    const rows = await world.db.reader
      .selectFrom('charges')
      .select('id')
      .where('payment_intent_id', '=', uuidOf(intent as never))
      .execute()
    return rows.map(({ id }) => id)
  }
})

describe('an alert about a refund is a row, also if the api sends it and', () => {
  async function send(): Promise<string> {
    const intent = await savePaid(world)
    const wanted = {
      paymentIntent: intent.id,
      amountMinor: 400,
      reason: null,
      metadata: {},
      destination: { [PUSH]: { msisdn: PAYER } },
    }
    await orCode(createRefund({ ...world, db: impatient }, creatingClaimOf(), wanted)).catch(() => undefined)
    const { id } = await world.db.reader
      .selectFrom('refunds')
      .select('id')
      .where('payment_intent_id', '=', uuidOf(intent.id))
      .executeTakeFirstOrThrow()
    return `re_${id.replaceAll('-', '')}`
  }

  const refused = { kind: 'declined', decline: misconfigured } as const

  test('its rail refuses it because of us', async () => {
    refunds.whenSent = () => refused
    expect(await itemsOf(await send())).toEqual({ rail_misconfigured: 1 })
  })

  test('the adapter throws', async () => {
    refunds.whenSent = throwing
    expect(await itemsOf(await send())).toEqual({ rail_adapter_fault: 1 })
  })

  test('the adapter throws, while the worker has the job', async () => {
    refunds.whenSent = async () => {
      await sql`update refund_jobs set lease_until = now()`.execute(world.db.writer)
      return throwing()
    }
    expect(await itemsOf(await send())).toEqual({ rail_adapter_fault: 1 })
  })

  test('the merchant changes its metadata meanwhile', async () => {
    refunds.whenSent = async () => {
      await sql`update refunds set revision = revision + 1`.execute(world.db.writer)
      return refused
    }
    expect(await itemsOf(await send())).toEqual({ rail_misconfigured: 1 })
  })

  test('the worker has ended it meanwhile', async () => {
    refunds.whenSent = async () => {
      world.nowMs += LONG_MS
      refunds.whenAsked = () => ({ kind: 'pending' })
      await instructRefunds(world)
      return refused
    }
    expect(await itemsOf(await send())).toEqual({ rail_misconfigured: 1 })
  })

  test('another transaction holds its row', async () => {
    let release = () => Promise.resolve()
    refunds.whenSent = async () => {
      release = await hold(world, sql`select from refunds for update`)
      return refused
    }
    const refund = await send()
    await release()
    expect(await itemsOf(refund)).toEqual({ rail_misconfigured: 1 })
  })
})

describe('an alert about a refund is a row, also if the worker asks its rail and', () => {
  async function saveDue(): Promise<Refund> {
    const refund = makeRefund('pending')
    const { id: intentId } = await savePaid(world)
    world.nowMs = T0 + 60_000
    return saveRefund(world, { ...refund, intentId })
  }

  test.each([
    ['misconfigured', () => refusedByUs, 'rail_misconfigured'],
    ['an unknown word', () => newWord, 'rail_unknown_status'],
    ['none, because the adapter throws', throwing, 'rail_adapter_fault'],
  ])('another transaction holds its rows, and the answer is %s', async (_case, answer, alert) => {
    const { id } = await saveDue()
    let release = () => Promise.resolve()
    refunds.whenAsked = async () => {
      release = await hold(
        world,
        sql`select from refunds r, refund_jobs j
        where r.id = ${uuidOf(id)}::uuid and j.refund_id = r.id for update`,
      )
      return answer()
    }
    await instructRefunds({ ...world, db: impatient }).catch(() => undefined)
    await release()
    expect(await itemsOf(id)).toEqual({ [alert]: 1 })
  })

  test.each([
    ['misconfigured', () => refusedByUs, 'rail_misconfigured'],
    ['an unknown word', () => newWord, 'rail_unknown_status'],
    ['none, because the adapter throws', throwing, 'rail_adapter_fault'],
  ])('the lease of its job is lost, and the answer is %s', async (_case, answer, alert) => {
    const { id } = await saveDue()
    refunds.whenAsked = async () => {
      await sql`update refund_jobs set lease_until = lease_until + interval '1 minute'`.execute(
        world.db.writer,
      )
      return answer()
    }
    await instructRefunds(world)
    expect(await itemsOf(id)).toEqual({ [alert]: 1 })
  })

  test('the merchant changes its metadata meanwhile', async () => {
    const { id } = await saveDue()
    refunds.whenAsked = async () => {
      await updateRefund(world, claimOf(), id, { seen: 'yes' })
      return refusedByUs
    }
    await instructRefunds(world)
    expect(await itemsOf(id)).toEqual({ rail_misconfigured: 1 })
  })

  test('the rail refuses to send it because of us, while another transaction holds it', async () => {
    const { id } = await saveDue()
    let release = () => Promise.resolve()
    refunds.whenSent = async () => {
      release = await hold(world, sql`select from refunds where id = ${uuidOf(id)}::uuid for update`)
      return { kind: 'declined', decline: misconfigured }
    }
    await instructRefunds(world)
    await release()
    expect(await itemsOf(id)).toEqual({ rail_misconfigured: 1 })
  })
})
