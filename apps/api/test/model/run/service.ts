import { deepStrictEqual } from 'node:assert/strict'
import {
  type AlertFacts,
  type AlertName,
  eraseIdleCustomers,
  lapseSessions,
  pullForward,
  type RailCode,
  sweepKeys,
} from '@merchant-payments/core'
import type { Event } from '@merchant-payments/contract'
import { browserCall } from '../../browser/calls.ts'
import { fanOutAll } from '../../fan-out.ts'
import { instruct, settle, type TestApi, type TestCall } from '../../harness.ts'
import { chargesOf } from '../../rows.ts'
import type { TestAnswer } from '../../send.ts'
import type { Ask, Judgement } from '../books/judge.ts'
import type { Decision } from '../books/rails.ts'
import { renderEvent } from '../books/render.ts'
import type { Books, Shop, Told } from '../books/state.ts'
import { compare } from './compare.ts'
import { Names } from './names.ts'

/** Between two steps, so that whatever is made in them has an order. */
const STEP_MS = 1_000
/** Between two rounds of the settlement: three of them are past the two minutes in which nothing ends a lost charge. */
const ROUND_MS = 50_000
/** Longer than the first rungs of a refund, so that each round looks at it once. */
const REFUND_ROUND_MS = 6 * 60_000
const PASSES_MAX = 50
const SHOWN_CHARS = 160

/** The service as one run of the books sees it: merchants of its own, and time that stands still between steps. */
export class Service {
  readonly names = new Names()
  /** Every exchange, for people. */
  readonly transcript: string[] = []
  readonly #api: TestApi
  readonly #answers: TestAnswer[] = []
  readonly #eventsSeen = new Map<string, number>()

  constructor(api: TestApi) {
    this.#api = api
  }

  get exchanges(): number {
    return this.#answers.length
  }

  get nowMs(): number {
    return this.#api.clock()
  }

  advance(ms: number = STEP_MS): void {
    this.#api.advance(ms)
  }

  note(line: string): void {
    this.transcript.push(line)
  }

  /** Sends a request, and holds the answer against the books. */
  async exchange(ask: Ask, judgement: Judgement): Promise<void> {
    const { control } = this.#api.mock
    if (ask.throttled)
      for (const operation of ['submit', 'orange_submit', 'transfer'] as const)
        await control.addFault({ operation, kind: 'throttled', retryAfterSec: 1 })
    const call = this.#callOf(ask)
    const answer = await this.#api.call(call)
    if (ask.throttled) await control.clearFaults()
    this.#answers.push(answer)
    const sent = `${ask.shop}: ${call.method} ${call.path} ${ask.pairs.map(([name, value]) => `${name}=${value}`).join(' & ')}`
    this.note(`${sent} → ${answer.status} ${answer.text.slice(0, SHOWN_CHARS)}`)
    compare(this.names, judgement, answer, (exchange) => this.#answers[exchange])
  }

  #callOf({ shop, method, path, id, pairs, key, secret }: Ask): TestCall {
    const sent = pairs
      .map(([name, value]) => `${name}=${encodeURIComponent(this.names.resolve(value))}`)
      .join('&')
    const target = path.replace('{id}', encodeURIComponent(this.names.resolve(id)))
    const hasBody = method === 'POST' || method === 'PATCH'
    const call = hasBody
      ? { method, path: target, key, ...(sent === '' ? {} : { form: sent }) }
      : { method, path: sent === '' ? target : `${target}?${sent}` }
    if (secret === null) return { ...call, merchant: shop }
    const shown = { secret: this.names.resolve(secret), merchant: shop }
    return { ...browserCall(call.path.replace('/v1/browser', ''), shown, call), path: call.path }
  }

  /** Exactly the events that the books tell since the last time, each with the snapshot of its transition. */
  async compareEvents(shop: Shop): Promise<void> {
    const seen = this.#eventsSeen.get(shop.name) ?? 0
    const rows = await this.#api.db.reader
      .selectFrom('events')
      .select('body')
      .where('merchant_id', '=', shop.name)
      .orderBy('position')
      .offset(seen)
      .execute()
    const written = rows.map(({ body }) => JSON.parse(body) as Event)
    const expected = this.#inOrderOf(written, shop.told.splice(seen))
    shop.told.push(...expected)
    this.#eventsSeen.set(shop.name, seen + expected.length)
    const bodies = expected.map(renderEvent)
    this.names.learn(bodies, written)
    deepStrictEqual(written, this.names.resolveAll(bodies))
  }

  /** Events of one step have no order that anybody was promised: the books take the service's. */
  #inOrderOf(written: readonly Event[], told: readonly Told[]): Told[] {
    const left = [...told]
    const taken = written.flatMap(({ type, data }) => {
      const at = left.findIndex((one) => one.type === type && this.#mayBe(one, data.object['id']))
      return at < 0 ? [] : left.splice(at, 1)
    })
    return [...taken, ...left]
  }

  #mayBe({ object }: Told, id: unknown): boolean {
    const name = (object as { id: string }).id
    return this.names.isKnown(name) ? this.names.resolve(name) === id : true
  }

  /** A payer decides on the nth charge of an intent. */
  async decide(intent: string, nth: number, decision: Decision): Promise<void> {
    const charges = await chargesOf(this.#api, this.names.resolve(intent))
    const reference = charges[nth]?.reference ?? ''
    const { control } = this.#api.mock
    const decisions = {
      approve: control.approveCharge,
      refuse: control.refuseCharge,
      expire: control.expireCharge,
    }
    await decisions[decision](reference)
  }

  /** The rail's callbacks come, so that one round of the settlement asks for every charge. */
  async settle(books: Books): Promise<void> {
    const api = this.#api
    this.advance(ROUND_MS)
    const charges = await api.db.reader
      .selectFrom('charges')
      .innerJoin('charge_jobs', 'charge_id', 'id')
      .select(['charges.rail', 'reference'])
      .where('charges.merchant_id', 'in', [...books.shops.keys()])
      .execute()
    const callBack = (rail: string, value: string) =>
      pullForward(api.db.writer, rail as RailCode, { by: 'reference', value }, api.clock())
    await Promise.all(charges.map(({ rail, reference }) => callBack(rail, reference)))
    await repeat(async () => (await settle(api, 0)).claimed)
  }

  async instruct(): Promise<void> {
    this.advance(REFUND_ROUND_MS)
    await repeat(async () => (await instruct(this.#api, 0)).claimed)
  }

  lapse = () => repeat(async () => (await lapseSessions({ ...this.#api, alert: this.#alert })).lapsed)

  readonly #alert = (name: AlertName, facts: AlertFacts) => void this.#api.alerts.push({ name, facts })

  sweepIdle(): Promise<void> {
    const { db, clock } = this.#api
    const deps = { db, clock, alert: this.#alert, fault: () => undefined }
    return repeat(async () => (await eraseIdleCustomers(deps)).begun)
  }

  /** What the rails had first refused comes through. */
  comeLate = (afterMs: number) => this.#api.mock.control.advanceClock(afterMs)

  /** Work that no merchant sees. */
  async keepHouse(): Promise<void> {
    await fanOutAll(this.#api)
    await sweepKeys({ ...this.#api, alert: () => undefined })
  }
}

async function repeat(pass: () => Promise<number>): Promise<void> {
  for (let passes = 0; passes < PASSES_MAX; passes += 1) if ((await pass()) === 0) return
  throw new Error('the worker finds no end')
}
