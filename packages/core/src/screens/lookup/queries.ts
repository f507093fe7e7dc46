import { type LookupResult, Refusal } from '@merchant-payments/contract'
import { recordRead, type StaffReader, type Viewed } from '../../audit/read.ts'
import type { Deps } from '../../deps.ts'
import { idOf, parseId } from '../../base/ids.ts'
import { type Msisdn, parseMsisdn } from '../../base/phone.ts'
import type { StaffDeps } from '../../staff/limits.ts'
import { readOfNumber } from '../../staff/payer-numbers.ts'
import { findDelivery } from '../../deliveries/staff/store.ts'
import { findAnywhere, findCustomersWith, findReference, type FoundRow } from './store.ts'

type Match = LookupResult['matches'][number]

const CUSTOMERS_SHOWN_MAX = 20

export async function lookUp(
  deps: Pick<StaffDeps, 'db' | 'clock' | 'rails' | 'deployment' | 'payerNumbers'>,
  by: StaffReader,
  text: string,
): Promise<Viewed<LookupResult>> {
  const wanted = text.trim()
  const byId = await findById(deps, wanted)
  if (byId !== null) return { answer: { object: 'lookup_result', matches: byId, payer: null }, entry: null }
  const number = numberIn(wanted, deps.deployment.defaultCountryCode)
  const matches = [...(await findByReference(deps, wanted)), ...(await findByPhone(deps, number))]
  if (number === null) return { answer: { object: 'lookup_result', matches, payer: null }, entry: null }
  const entry = await recordRead(deps, by, readOfNumber(deps, number), { found: matches.length })
  const payer = deps.payerNumbers.handleOf(number)
  return { answer: { object: 'lookup_result', matches, payer }, entry }
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
    return [{ kind: 'delivery', id: deliveryId, merchant: row.merchant_id, payment_intent: null }]
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

const matchOf = (kind: Match['kind'], prefix: keyof typeof kinds, row: FoundRow): Match => ({
  kind,
  id: idOf(prefix, row.id),
  merchant: row.merchant_id,
  payment_intent: intentOf(row.payment_intent_id),
})

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

function numberIn(text: string, defaultCountryCode: string): Msisdn | null {
  try {
    return parseMsisdn(text, defaultCountryCode, 'q')
  } catch (error) {
    if (error instanceof Refusal) return null
    throw error
  }
}
