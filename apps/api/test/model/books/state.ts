import type { Charge, Customer, Intent, Invoice, Refund, Session } from './objects.ts'
import type { Json, Verdict } from './verdict.ts'

/**
 * What the specification has the service remember, in the smallest form that explains every answer and event. Ids,
 * secrets and addresses are names of the books' own, such as `⟨pi 3⟩`: only the service knows what it minted.
 */
export interface Books {
  readonly shops: ReadonlyMap<string, Shop>
  /** Numbers everything that was ever minted, in order. */
  minted: number
}

/** One merchant's part. Nothing in it refers to another's, so that no rule can reach there. */
export interface Shop {
  readonly name: string
  /** Each oldest first; what was removed is gone. */
  readonly customers: Customer[]
  readonly intents: Intent[]
  readonly sessions: Session[]
  readonly invoices: Invoice[]
  readonly refunds: Refund[]
  readonly told: Told[]
  /** By scope and key. */
  readonly keys: Map<string, UsedKey>
  lastNumber: number
}

/** An event, with the snapshot of its object at the transition. */
export interface Told {
  readonly id: string
  readonly type: string
  readonly atSec: number
  object: Json
}

/** An Idempotency-Key that was used. */
export interface UsedKey {
  readonly request: string
  expiresMs: number
  /** The stored answer, and the exchange that had it first; undefined of a key that a 5xx released. */
  answer: { verdict: Verdict; readonly exchange: number; redacted: boolean } | undefined
  /** What the first request began: a repetition continues it. */
  linked: Charge | Refund | undefined
}

export function openBooks(names: readonly string[]): Books {
  const shops = names.map((name): [string, Shop] => [
    name,
    {
      name,
      customers: [],
      intents: [],
      sessions: [],
      invoices: [],
      refunds: [],
      told: [],
      keys: new Map(),
      lastNumber: 0,
    },
  ])
  return { shops: new Map(shops), minted: 0 }
}

export type Kind = 'cus' | 'pi' | 'cs' | 'in' | 'ii' | 're' | 'evt'

/** A name for what the service mints now. */
export const mint = (books: Books, kind: Kind | 'page' | 'txn'): string => `⟨${kind} ${++books.minted}⟩`

/** The place of a name in the order of minting. */
export const placeOf = (name: string): number => Number(/\d+/.exec(name)?.[0])

/** The secret of an intent or a session. */
export const secretOf = (id: string): string => `⟨secret of ${id.slice(1, -1)}⟩`

export const secondsOf = (ms: number): number => Math.floor(ms / 1_000)

/** Writes an event beside the change that it tells of. */
export function tell(books: Books, shop: Shop, type: string, object: Json, nowMs: number): void {
  shop.told.push({ id: mint(books, 'evt'), type, atSec: secondsOf(nowMs), object })
}
