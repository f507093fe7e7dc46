import { access } from './browser.ts'
import { isOpen } from './charges.ts'
import type { Call } from './call.ts'
import { Form, type Pair } from './form.ts'
import { type OperationId, payerRules, rules } from './operations.ts'
import type { Books, Shop, UsedKey } from './state.ts'
import { bad, type Json, Refused, type Verdict } from './verdict.ts'

/** A request in the terms of the model. */
export interface Ask {
  readonly operation: OperationId
  readonly shop: string
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** The path with `{id}` in place of the id. */
  readonly path: string
  readonly id: string
  /** Parameters of the body or of the query. */
  readonly pairs: readonly Pair[]
  /** The key; null sends none. */
  readonly key: string | null
  /** The payer's secret. */
  readonly secret: string | null
  /** Whether the rail's gateway refuses what this request sends. */
  readonly throttled: boolean
}

/** The expected answer, and whether it replays an earlier one. */
export interface Judgement {
  readonly verdict: Verdict
  readonly replayOf: { readonly exchange: number; readonly redacted: boolean } | null
}

/** Spec 8: kept 24 hours. */
const KEY_LIFE_MS = 24 * 60 * 60 * 1_000

/** Answers a request from the model, and records its changes. */
export function judge(books: Books, ask: Ask, nowMs: number, exchange: number): Judgement {
  const shop = books.shops.get(ask.shop)
  if (shop === undefined) throw new Error('no such shop')
  const { method, secret, id, key } = ask
  const needsKey = method === 'POST' || method === 'PATCH'
  // Without the secret the answer is a 404, whatever else is wrong (spec 4.6).
  const entry = secret === null ? null : refusalOf(() => access(shop, id, secret))
  if (entry !== null && needsKey) return { verdict: entry, replayOf: null }
  if (!needsKey) return { verdict: run(books, ask, shop, nowMs, undefined), replayOf: null }
  if (key === null) return { verdict: bad('idempotency_key').verdict, replayOf: null }
  return judgeOnce(books, ask, shop, { name: scopeOf(ask) + key, nowMs, exchange })
}

/** Payers cannot use up the keys of the merchant or of another payer. */
const scopeOf = ({ secret, id }: Ask): string => (secret === null ? 'v1 ' : `browser ${id} `)

interface Occasion {
  readonly name: string
  readonly nowMs: number
  readonly exchange: number
}

/**
 * One key has one answer. A 5xx is never stored, and its work is continued (spec 8). A confirm whose own charge is under way
 * has no answer yet, so that its repetition learns the outcome (docs/spec-gaps.md).
 */
function judgeOnce(books: Books, ask: Ask, shop: Shop, { name, nowMs, exchange }: Occasion): Judgement {
  const request = `${ask.method} ${ask.path} ${ask.id} ${JSON.stringify(ask.pairs)}`
  const known = shop.keys.get(name)
  const used = known !== undefined && known.expiresMs > nowMs ? known : undefined
  if (used !== undefined && used.request !== request) {
    const refused = new Refused('idempotency_key_in_use', 'idempotency_key')
    return { verdict: refused.verdict, replayOf: null }
  }
  if (used?.answer !== undefined) return { verdict: used.answer.verdict, replayOf: used.answer }
  if (used === undefined && ask.secret !== null && keptOf(shop, scopeOf(ask), nowMs) >= PAYER_KEYS_MAX) {
    return { verdict: new Refused('too_many_attempts').verdict, replayOf: null }
  }
  const fresh = { request, expiresMs: nowMs + KEY_LIFE_MS, answer: undefined, linked: undefined }
  const held: UsedKey = used ?? fresh
  shop.keys.set(name, held)
  const begun = held.linked
  const verdict = run(books, ask, shop, nowMs, held)
  const isUnderWay = begun !== undefined && 'state' in begun && isOpen(begun)
  if (verdict.status < 500 && !isUnderWay) held.answer = { verdict, exchange, redacted: false }
  return { verdict, replayOf: null }
}

/** An intent keeps a limited number of payers' keys. Answers above it are not stored. docs/spec-gaps.md. */
const PAYER_KEYS_MAX = 50

const keptOf = ({ keys }: Shop, scope: string, nowMs: number): number =>
  [...keys].filter(([name, { expiresMs }]) => name.startsWith(scope) && expiresMs > nowMs).length

function run(books: Books, ask: Ask, shop: Shop, nowMs: number, held: UsedKey | undefined): Verdict {
  const { operation, id, pairs, secret, throttled } = ask
  const linked = held?.linked
  const begin: Call['begin'] = (begun) => {
    if (held !== undefined) Object.assign(held, { linked: begun, expiresMs: nowMs + KEY_LIFE_MS })
  }
  const call: Call = { books, shop, id, form: new Form(pairs), nowMs, linked, begin, throttled }
  try {
    const body = ruleOf(operation)(call, secret ?? '')
    return { status: created.has(operation) ? 201 : 200, body: structuredClone<Json>(body) }
  } catch (error) {
    if (error instanceof Refused) return error.verdict
    throw error
  }
}

/** Spec 4.2. */
const created = new Set<OperationId>(['paymentIntents.create', 'refunds.create'])

const ruleOf = (operation: OperationId): ((call: Call, secret: string) => Json) =>
  ({ ...rules, ...payerRules })[operation]

function refusalOf(attempt: () => unknown): Verdict | null {
  try {
    attempt()
    return null
  } catch (error) {
    if (error instanceof Refused) return error.verdict
    throw error
  }
}
