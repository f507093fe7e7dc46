import type { Writer } from '@merchant-payments/db'
import { isPlain, type Opening, type WantedCharge } from '../charges/opening/opening.ts'
import { openCharges, OPENINGS_MAX } from '../charges/opening/store.ts'
import { type JtiVerdict, type Spending, SPENDINGS_MAX, spendJtis } from '../oauth/index.ts'
import { INSERTIONS_MAX, insertIntents, type PlainInsertion } from '../payment-intents/insertions/store.ts'
import type { Insertion } from '../payment-intents/store.ts'
import { type Transition, writeTransitions } from '../transitions.ts'
import { gather } from './gather.ts'

/** Of one statement, so that the first answers of it are not held up long by the last. */
const TRANSITIONS_TOGETHER_MAX = 64
/** Well beyond what such a statement takes when it waits for nothing. */
const PATIENCE_MS = 50

/** The writes that many requests make at once, each of which shares a statement with those beside it. */
export interface Writes {
  readonly insertIntent: (insertion: PlainInsertion) => Promise<Insertion>
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
  const open = (wanted: readonly WantedCharge[]) => openCharges(writer, wanted)
  const openTogether = gather({
    write: open,
    identityOf: ({ intentId }: WantedCharge) => intentId,
    itemsMax: OPENINGS_MAX,
    patienceMs: PATIENCE_MS,
  })
  return {
    openCharge: async (wanted) => {
      if (isPlain(wanted)) return openTogether(wanted)
      const [opening] = await open([wanted])
      if (opening === undefined) throw new Error('a charge was neither opened nor refused')
      return opening
    },
    insertIntent: gather({
      write: (insertions) => insertIntents(writer, insertions),
      identityOf: ({ claim }) => JSON.stringify([claim.merchantId, claim.scope, claim.key]),
      itemsMax: INSERTIONS_MAX,
      patienceMs: PATIENCE_MS,
    }),
    spendJti: gather({
      write: (spendings) => spendJtis(writer, spendings),
      identityOf: ({ jti }) => jti.toLowerCase(),
      itemsMax: SPENDINGS_MAX,
      patienceMs: PATIENCE_MS,
    }),
    transition: gather({
      write: (planned) =>
        writeTransitions(
          writer,
          planned.map(({ transition }) => transition),
          Math.max(...planned.map(({ nowMs }) => nowMs)),
        ),
      identityOf: ({ transition: { intent } }) => ('before' in intent ? intent.before : intent).id,
      itemsMax: TRANSITIONS_TOGETHER_MAX,
      patienceMs: PATIENCE_MS,
    }),
  }
}
