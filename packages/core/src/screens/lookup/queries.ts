import type { LookupResult } from '@merchant-payments/contract'
import type { Reader } from '@merchant-payments/db'
import { DAY_MS } from '../../base/clock.ts'
import { type AuditRead, recordRead, type StaffReader, type Viewed } from '../../audit/read.ts'
import type { Deps } from '../../deps.ts'
import { createdOf, idOf, parseId } from '../../base/ids.ts'
import type { StaffDeps } from '../../staff/limits.ts'
import { readOfNumber, readOfPerson } from '../../staff/payer-numbers.ts'
import { findDelivery } from '../../deliveries/staff/store.ts'
import { parseQuestion, type Question } from './question.ts'
import {
  findAnywhere,
  findChargesOfPart,
  findChargesOfPayer,
  findCustomersMailed,
  findCustomersNamed,
  findCustomersWith,
  findIntentsWith,
  findRailTransactions,
  findRecentChargesOfPart,
  findReferences,
  findReturn,
  findSessionsNamed,
  type FoundRow,
} from './store.ts'

type Match = LookupResult['matches'][number]

/** docs/spec-gaps.md, staff. */
const SHOWN_MAX = 20
const CHARGES_SHOWN_MAX = 50

type LookupDeps = Pick<StaffDeps, 'db' | 'clock' | 'rails' | 'deployment' | 'payerNumbers'>

export async function lookUp(deps: LookupDeps, by: StaffReader, text: string): Promise<Viewed<LookupResult>> {
  const wanted = text.trim()
  const byId = await findById(deps, wanted)
  if (byId !== null) {
    return { answer: { object: 'lookup_result', matches: byId, payer: null, amount: null }, entry: null }
  }
  const question = parseQuestion(wanted, deps.deployment.defaultCountryCode)
  const matches = await findAll(deps, question)
  const { number, amount } = question
  const payer = number === null ? null : deps.payerNumbers.handleOf(number)
  const answer = { object: 'lookup_result', matches, payer, amount } as const
  const read = readOf(deps, question, wanted)
  if (read === null) return { answer, entry: null }
  return { answer, entry: await recordRead(deps, by, read, { found: matches.length }) }
}

function readOf(deps: LookupDeps, { ending, email, name }: Question, text: string): AuditRead | null {
  if (ending !== null) return readOfNumber(deps, ending)
  return email !== null || name !== null ? readOfPerson(deps, text) : null
}

/** Age of the charges among which digits from the middle are found without the collected numbers. */
const PART_MS = DAY_MS

async function findAll({ db: { reader, lists }, clock }: LookupDeps, question: Question): Promise<Match[]> {
  const { references, number, ending, metadata, email, name } = question
  const none: Promise<FoundRow[]> = Promise.resolve([])
  const found = await Promise.all([
    findReferences(reader, 'charges', references).then(as('charge', 'ch', 'reference')),
    findReferences(reader, 'refunds', references).then(as('refund', 're', 'reference')),
    findReferences(reader, 'charge_returns', references).then(as('charge_return', 'rt', 'reference')),
    findRailTransactions(reader, references, SHOWN_MAX).then(as('charge', 'ch', 'rail_transaction')),
    findIntentsWith(reader, metadata, SHOWN_MAX).then(as('payment_intent', 'pi', 'metadata')),
    findSessionsNamed(reader, metadata.value, SHOWN_MAX).then(
      as('checkout_session', 'cs', 'client_reference'),
    ),
    (email === null ? none : findCustomersMailed(reader, email, SHOWN_MAX)).then(
      as('customer', 'cus', 'email'),
    ),
    (name === null ? none : findCustomersNamed(reader, name, SHOWN_MAX)).then(as('customer', 'cus', 'name')),
    (number === null ? none : findCustomersWith(reader, number, SHOWN_MAX)).then(
      as('customer', 'cus', 'number'),
    ),
    (ending === null ? none : findChargesOfPayer(reader, ending, CHARGES_SHOWN_MAX)).then(
      as('charge', 'ch', 'number'),
    ),
    (ending === null || number !== null
      ? none
      : findPart(lists, { part: ending, sinceMs: clock() - PART_MS })
    ).then(as('charge', 'ch', 'number')),
  ])
  // A rail can name its transaction as we name the charge.
  return [
    ...new Map(
      found
        .flat()
        .toReversed()
        .map((match) => [match.id, match]),
    ).values(),
  ].toReversed()
}

/** The numbers of new charges are collected some minutes later. */
async function findPart(lists: Reader, recent: Parameters<typeof findRecentChargesOfPart>[1]) {
  const found = await Promise.all([
    findChargesOfPart(lists, recent.part, CHARGES_SHOWN_MAX),
    findRecentChargesOfPart(lists, recent, CHARGES_SHOWN_MAX),
  ])
  return [...new Map(found.flat().map((row) => [row.id, row])).values()]
    .toSorted((a, b) => (a.id < b.id ? 1 : -1))
    .slice(0, CHARGES_SHOWN_MAX)
}

const kinds = {
  pi: ['payment_intent', 'payment_intents'],
  ch: ['charge', 'charges'],
  re: ['refund', 'refunds'],
  evt: ['event', 'events'],
  cus: ['customer', 'customers'],
  in: ['invoice', 'invoices'],
  cs: ['checkout_session', 'checkout_sessions'],
} as const

async function findById({ db }: Pick<Deps, 'db'>, text: string): Promise<Match[] | null> {
  const deliveryId = parseId('wd', text)
  if (deliveryId !== null) return findDeliveryMatch(db.reader, deliveryId)
  const returnId = parseId('rt', text)
  if (returnId !== null) {
    const row = await findReturn(db.reader, returnId)
    return row === undefined ? [] : as('charge_return', 'rt', 'id')([row])
  }
  for (const prefix of Object.keys(kinds) as (keyof typeof kinds)[]) {
    const id = parseId(prefix, text)
    if (id === null) continue
    const [kind, table] = kinds[prefix]
    const row = await findAnywhere(db.reader, table, id)
    return row === undefined ? [] : as(kind, prefix, 'id')([row])
  }
  return null
}

async function findDeliveryMatch(reader: Reader, id: Parameters<typeof findDelivery>[1]): Promise<Match[]> {
  const row = await findDelivery(reader, id)
  if (row === undefined) return []
  const { merchant_id: merchant, status } = row
  const nothingMore = { payment_intent: null, amount: null, currency: null, name: null }
  return [{ ...nothingMore, kind: 'delivery', matched: 'id', id, merchant, status, created: createdOf(id) }]
}

const as =
  (kind: Match['kind'], prefix: keyof typeof kinds | 'rt', matched: Match['matched']) =>
  (rows: readonly FoundRow[]): Match[] =>
    rows.map((row) => {
      const id = idOf(prefix, row.id)
      return {
        kind,
        matched,
        id,
        merchant: row.merchant_id,
        payment_intent: intentOf(row.payment_intent_id),
        status: row.status ?? null,
        amount: row.amount ?? row.total ?? null,
        currency: row.currency ?? null,
        name: row.name ?? null,
        created: createdOf(id),
      }
    })

const intentOf = (uuid: string | null | undefined): string | null =>
  uuid === null || uuid === undefined ? null : idOf('pi', uuid)
