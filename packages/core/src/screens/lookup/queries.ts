import { type LookupResult, Refusal } from '@merchant-payments/contract'
import { recordRead, type StaffReader, type Viewed } from '../../audit/read.ts'
import type { Deps } from '../../deps.ts'
import { createdOf, idOf, parseId } from '../../base/ids.ts'
import { type Msisdn, parseMsisdn } from '../../base/phone.ts'
import type { StaffDeps } from '../../staff/limits.ts'
import { readOfNumber } from '../../staff/payer-numbers.ts'
import { findDelivery } from '../../deliveries/staff/store.ts'
import { ENDING_DIGITS_MIN } from '../../charges/staff/store.ts'
import { findAnywhere, findChargesOfPayer, findCustomersWith, findReference, type FoundRow } from './store.ts'

type Match = LookupResult['matches'][number]

const CUSTOMERS_SHOWN_MAX = 20
const CHARGES_SHOWN_MAX = 50

/** Digits of a number with its country code (spec 2.2). */
const MSISDN_DIGITS = 12

export async function lookUp(
  deps: Pick<StaffDeps, 'db' | 'clock' | 'rails' | 'deployment' | 'payerNumbers'>,
  by: StaffReader,
  text: string,
): Promise<Viewed<LookupResult>> {
  const wanted = text.trim()
  const byId = await findById(deps, wanted)
  if (byId !== null) return { answer: { object: 'lookup_result', matches: byId, payer: null }, entry: null }
  const number = numberIn(wanted, deps.deployment.defaultCountryCode)
  const ending = number ?? endingIn(wanted)
  const matches = [
    ...(await findByReference(deps, wanted)),
    ...(await findByPhone(deps, number)),
    ...(await findByPayer(deps, ending)),
  ]
  const payer = number === null ? null : deps.payerNumbers.handleOf(number)
  const answer = { object: 'lookup_result', matches, payer } as const
  if (ending === null) return { answer, entry: null }
  return { answer, entry: await recordRead(deps, by, readOfNumber(deps, ending), { found: matches.length }) }
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
  if (deliveryId !== null) {
    const row = await findDelivery(db.reader, deliveryId)
    if (row === undefined) return []
    const { merchant_id: merchant, status } = row
    const created = createdOf(deliveryId)
    return [{ ...nothingMore, kind: 'delivery', id: deliveryId, merchant, status, created }]
  }
  for (const prefix of Object.keys(kinds) as (keyof typeof kinds)[]) {
    const id = parseId(prefix, text)
    if (id === null) continue
    const [kind, table] = kinds[prefix]
    const row = await findAnywhere(db.reader, table, id)
    return row === undefined ? [] : [matchOf(kind, prefix, row)]
  }
  return null
}

const nothingMore = { payment_intent: null, status: null, amount: null, currency: null } as const

function matchOf(kind: Match['kind'], prefix: keyof typeof kinds, row: FoundRow): Match {
  const id = idOf(prefix, row.id)
  return {
    kind,
    id,
    merchant: row.merchant_id,
    payment_intent: intentOf(row.payment_intent_id),
    status: row.status ?? null,
    amount: row.amount ?? row.total ?? null,
    currency: row.currency ?? null,
    created: createdOf(id),
  }
}

const intentOf = (uuid: string | null | undefined): string | null =>
  uuid === null || uuid === undefined ? null : idOf('pi', uuid)

async function findByReference({ db, rails }: Pick<Deps, 'db' | 'rails'>, text: string): Promise<Match[]> {
  const codes = [...rails.keys()]
  const [charges, refunds] = await Promise.all([
    findReference(db.reader, 'charges', codes, text),
    findReference(db.reader, 'refunds', codes, text),
  ])
  return [
    ...charges.map((row) => matchOf('charge', 'ch', row)),
    ...refunds.map((row) => matchOf('refund', 're', row)),
  ]
}

async function findByPhone({ db }: Pick<Deps, 'db'>, number: Msisdn | null): Promise<Match[]> {
  if (number === null) return []
  const rows = await findCustomersWith(db.reader, number, CUSTOMERS_SHOWN_MAX)
  return rows.map((row) => matchOf('customer', 'cus', row))
}

async function findByPayer({ db }: Pick<Deps, 'db'>, ending: string | null): Promise<Match[]> {
  if (ending === null) return []
  const rows = await findChargesOfPayer(db.reader, ending, CHARGES_SHOWN_MAX)
  return rows.map((row) => matchOf('charge', 'ch', row))
}

/** The last digits of a number, of which a payer may remember only these. Null for other texts. */
function endingIn(text: string): string | null {
  const digits = text.replaceAll(' ', '')
  return digits.length >= ENDING_DIGITS_MIN && digits.length < MSISDN_DIGITS && /^\d+$/.test(digits)
    ? digits
    : null
}

function numberIn(text: string, defaultCountryCode: string): Msisdn | null {
  try {
    return parseMsisdn(text, defaultCountryCode, 'q')
  } catch (error) {
    if (error instanceof Refusal) return null
    throw error
  }
}
