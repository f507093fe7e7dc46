import type { Writer } from '@merchant-payments/db'
import { isPlain, type Opening, type WantedCharge } from '../charges/opening/opening.ts'
import { openCharges, OPENINGS_MAX } from '../charges/opening/store.ts'
import {
  insertCustomers,
  type NewCustomer,
  type NewCustomerEnd,
  NEW_CUSTOMERS_MAX,
} from '../customers/insertions/store.ts'
import type { KeyClaim } from '../idempotency/key.ts'
import type { MerchantId } from '../ids.ts'
import { type JtiVerdict, type Spending, SPENDINGS_MAX, spendJtis } from '../oauth/index.ts'
import { INSERTIONS_MAX, insertIntents, type PlainInsertion } from '../payment-intents/insertions/store.ts'
import type { Insertion } from '../payment-intents/store.ts'
import { type Transition, writeTransitions } from '../transitions.ts'
import { writeAlone } from './alone.ts'
import { gather, tooManyWaiting, WAITING_MAX, WAITING_OF_OWNER_MAX } from './gather.ts'
import { type HeldRows, left } from './held-rows.ts'

/** Of one statement, so that the first answers of it are not held up long by the last. */
const TRANSITIONS_TOGETHER_MAX = 64
/** Well beyond what such a statement takes when it waits for nothing. */
const PATIENCE_MS = 50

/** The writes that many requests make at once, each of which shares a statement with those beside it. */
export interface Writes {
  readonly insertCustomer: (customer: NewCustomer) => Promise<NewCustomerEnd>
  readonly insertIntent: (insertion: PlainInsertion) => Promise<Insertion>
  /** A statement of one request's own, which may wait for rows: a bounded number at once, merchants in turn. */
  readonly alone: <T>(merchantId: MerchantId, statement: () => Promise<T>) => Promise<T>
  readonly openCharge: (wanted: WantedCharge) => Promise<Opening>
  readonly spendJti: (spending: Spending) => Promise<JtiVerdict>
  /** @returns whether it was written */
  readonly transition: (planned: PlannedTransition) => Promise<boolean>
}

interface PlannedTransition {
  readonly transition: Transition
  readonly nowMs: number
}

export function gatherWrites(writer: Writer): Writes {
  const openTogether = gather<WantedCharge, Opening>({
    write: (wanted, held) => openCharges(writer, wanted, held),
    identityOf: ({ intentId }) => intentId,
    ownerOf: ({ claim }) => claim.merchantId,
    itemsMax: OPENINGS_MAX,
    patienceMs: PATIENCE_MS,
  })
  const alone = boundAlone()
  return {
    alone,
    openCharge: async (wanted) => {
      if (isPlain(wanted)) return openTogether(wanted)
      const [opening] = await alone(wanted.claim.merchantId, () => openCharges(writer, [wanted]))
      if (opening === undefined) throw new Error('a charge was neither opened nor refused')
      return opening
    },
    insertCustomer: gather({
      write: (customers, held) => insertCustomers(writer, customers, held),
      identityOf: ({ claim }) => keyIn(claim),
      ownerOf: ({ claim }) => claim.merchantId,
      itemsMax: NEW_CUSTOMERS_MAX,
      patienceMs: PATIENCE_MS,
    }),
    insertIntent: gather({
      write: (insertions, held) => insertIntents(writer, insertions, held),
      identityOf: ({ claim }) => keyIn(claim),
      ownerOf: ({ claim }) => claim.merchantId,
      itemsMax: INSERTIONS_MAX,
      patienceMs: PATIENCE_MS,
    }),
    spendJti: gather({
      write: (spendings, held) => spendJtis(writer, spendings, held),
      identityOf: ({ jti }) => jti.toLowerCase(),
      ownerOf: ({ clientId }) => clientId,
      itemsMax: SPENDINGS_MAX,
      patienceMs: PATIENCE_MS,
    }),
    transition: gather<PlannedTransition, boolean>({
      write: (planned, held) => writePlanned(writer, planned, held),
      identityOf: ({ transition }) => intentOf(transition).id,
      ownerOf: ({ transition }) => intentOf(transition).merchantId,
      itemsMax: TRANSITIONS_TOGETHER_MAX,
      patienceMs: PATIENCE_MS,
    }),
  }
}

const keyIn = ({ merchantId, scope, key }: KeyClaim) => JSON.stringify([merchantId, scope, key])

/** Statements that may wait for rows at once, of all merchants and of one: the pool has 16 connections. */
const DIRECT = { runningMax: 8, runningOfOwnerMax: 4 }

function boundAlone(): Writes['alone'] {
  type Statement = () => Promise<unknown>
  const lanes = writeAlone<Statement, { value: unknown }>(
    async (statements) => Promise.all(statements.map(async (statement) => ({ value: await statement() }))),
    DIRECT,
  )
  return <T>(owner: MerchantId, statement: () => Promise<T>) =>
    new Promise<T>((resolve, reject) => {
      if (lanes.size() >= WAITING_MAX || lanes.sizeOf(owner) >= WAITING_OF_OWNER_MAX) throw tooManyWaiting()
      lanes.add({ item: statement, owner, resolve: ({ value }) => resolve(value as T), reject })
    })
}

const intentOf = ({ intent }: Transition) => ('before' in intent ? intent.before : intent)

/** Among skipped rows, `false` does not tell one that was raced from one that was left. */
async function writePlanned(
  writer: Writer,
  planned: readonly PlannedTransition[],
  held: HeldRows,
): Promise<(boolean | typeof left)[]> {
  const transitions = planned.map(({ transition }) => transition)
  const nowMs = Math.max(...planned.map((one) => one.nowMs))
  const written = await writeTransitions(writer, transitions, nowMs, held)
  return held === 'wait' ? written : written.map((done) => done || left)
}
