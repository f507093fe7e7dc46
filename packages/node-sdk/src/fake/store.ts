import type {
  CheckoutSession,
  Customer,
  ErrorCode,
  EventObjects,
  EventType,
  Invoice,
  PaymentIntent,
  Refund,
} from '../wire.ts'

/** An error that the fake answers with. */
export class Refusal {
  readonly status: number
  readonly code: ErrorCode
  readonly message: string
  readonly param: string | undefined

  constructor(status: number, code: ErrorCode, message: string, param?: string) {
    this.status = status
    this.code = code
    this.message = message
    this.param = param
  }
}

interface StoredEvent {
  readonly id: string
  readonly object: 'event'
  readonly type: EventType
  readonly created: number
  readonly livemode: false
  readonly data: { readonly object: object }
}

/** The answer of an idempotency key. */
interface KeptAnswer {
  readonly fingerprint: string
  readonly expiresAtSec: number
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: object
}

/** Everything that the fake remembers. Each map is in the order of creation. */
export interface Store {
  readonly intents: Map<string, PaymentIntent>
  readonly sessions: Map<string, CheckoutSession>
  readonly customers: Map<string, Customer>
  readonly refunds: Map<string, Refund>
  /** Each with its lines. */
  readonly invoices: Map<string, Invoice>
  readonly events: Map<string, StoredEvent>
  /** By idempotency key. */
  readonly answers: Map<string, KeptAnswer>
  /** The rail of each charge that can still take money, by its payment intent. */
  readonly openCharges: Map<string, string>
  readonly nowSec: () => number
  /** A new id with a prefix of the service. The fake counts, so that a test gets the same ids each time. */
  readonly mint: (prefix: string) => string
  /** From 1 in order of finalization. */
  readonly nextInvoiceNumber: () => number
}

/** A test that makes more objects than this has a loop. */
const OBJECTS_MAX = 100_000

export function createStore(clock: () => number): Store {
  let minted = 0
  let invoiceNumber = 0
  return {
    intents: new Map(),
    sessions: new Map(),
    customers: new Map(),
    refunds: new Map(),
    invoices: new Map(),
    events: new Map(),
    answers: new Map(),
    openCharges: new Map(),
    nowSec: () => Math.floor(clock() / 1000),
    mint: (prefix) => {
      minted += 1
      if (minted > OBJECTS_MAX) throw new RangeError(`the fake holds at most ${OBJECTS_MAX} objects`)
      return `${prefix}_${minted.toString(16).padStart(32, '0')}`
    },
    nextInvoiceNumber: () => {
      invoiceNumber += 1
      return invoiceNumber
    },
  }
}

/** Writes an event with the resource as it is now (spec 6.2): without its secret. */
export function record<T extends EventType>(store: Store, type: T, object: EventObjects[T]): void {
  const { client_secret: _secret, ...snapshot } = { client_secret: undefined, ...copyOf(object) }
  const id = store.mint('evt')
  const data = { object: snapshot.object === 'checkout.session' ? { ...snapshot, url: null } : snapshot }
  store.events.set(id, { id, object: 'event', type, created: store.nowSec(), livemode: false, data })
}

/** A copy of what an answer can hold. Test environments with the globals of a page can lack structuredClone. */
export const copyOf = <T extends object>(value: T): T => JSON.parse(JSON.stringify(value)) as T

export function get<T>(rows: ReadonlyMap<string, T>, id: string, noun: string): T {
  const row = rows.get(id)
  if (row === undefined) throw new Refusal(404, 'resource_missing', `No such ${noun}.`)
  return row
}
