import {
  ACTIVITY_MAX,
  ACTIVITY_OF_KIND_MAX,
  type Activity,
  type ActivityEntry,
  type ActivitySource,
  Refusal,
} from '@merchant-payments/contract'
import { recordReadOnce, type StaffReader, type Viewed } from '../../audit/read.ts'
import { renderAuditEntry } from '../../audit/render.ts'
import { createdOf, type CustomerId, idIn, idOf, idOrNull, type MerchantId } from '../../base/ids.ts'
import { noSuchCustomer } from '../../customers/queries.ts'
import { findCustomerRow } from '../../customers/staff/store.ts'
import type { Deps } from '../../deps.ts'
import { listMerchantClients, type Registration } from '../deployment/queries.ts'
import { type ActivityPrefix, type ActivityRow, readChangesOf, readNewestOfEach } from './store.ts'

/** @throws Refusal resource_missing */
export async function getCustomerActivity(
  deps: Pick<Deps, 'db' | 'clock'>,
  by: StaffReader,
  idText: string,
): Promise<Viewed<Activity>> {
  const id = idIn('cus', idText, noSuchCustomer)
  const customer = await findCustomerRow(deps.db.reader, id)
  if (customer === undefined) throw noSuchCustomer()
  const { merchantId } = customer
  const entry = await recordReadOnce(deps, by, { action: 'customer.view', target: id, merchantId })
  return { answer: await activityOf(deps, { merchantId, customerId: id }, id), entry }
}

/** @throws Refusal resource_missing */
export async function getClientActivity(
  deps: Pick<Deps, 'db'>,
  registrations: readonly Registration[],
  clientId: string,
): Promise<Activity> {
  const { data } = await listMerchantClients(deps, registrations, null)
  const merchant = data.find(({ id }) => id === clientId)
  if (merchant === undefined) throw new Refusal('resource_missing', 'No such merchant client.')
  return activityOf(deps, { merchantId: merchant.id as MerchantId, customerId: null }, clientId)
}

async function activityOf(
  { db: { lists: reader } }: Pick<Deps, 'db'>,
  wanted: { readonly merchantId: MerchantId; readonly customerId: CustomerId | null },
  target: string,
): Promise<Activity> {
  const rows = await readNewestOfEach(reader, wanted, ACTIVITY_OF_KIND_MAX)
  const objects = rows.map((row) => ({ row, id: idOf(row.prefix, row.id) }))
  const charges = rows.flatMap((row) => row.charge_ids.map((charge) => ({ row, id: idOf('ch', charge) })))
  const intentOf = new Map([...objects, ...charges].map(({ row, id }) => [id as string, paymentOf(row)]))
  const changes = await readChangesOf(reader, [target, ...intentOf.keys()], ACTIVITY_OF_KIND_MAX)
  const parts = [
    ...(Object.keys(sources) as ActivityPrefix[]).map((prefix) =>
      rows.filter((row) => row.prefix === prefix).map(ofObject),
    ),
    changes.map(renderAuditEntry).map(
      (entry): ActivityEntry => ({
        at: entry.created,
        source: 'staff',
        id: entry.target,
        text: entry.action,
        about: entry.actor.name,
        payment_intent: intentOf.get(entry.target) ?? null,
        amount: null,
        currency: null,
      }),
    ),
  ]
  return mergedOf(parts)
}

/** Newest first. A kind that has older objects ends the whole at its oldest entry, so that no gap is shown. */
function mergedOf(parts: readonly (readonly ActivityEntry[])[]): Activity {
  const ends = parts
    .filter((entries) => entries.length >= ACTIVITY_OF_KIND_MAX)
    .map((entries) => Math.min(...entries.map(({ at }) => at)))
  const since = ends.length === 0 ? null : Math.max(...ends)
  const all = parts
    .flat()
    .filter(({ at }) => since === null || at >= since)
    .toSorted((a, b) => b.at - a.at)
  const entries = all.slice(0, ACTIVITY_MAX)
  return {
    object: 'activity',
    entries,
    complete_since: all.length > ACTIVITY_MAX ? (entries.at(-1)?.at ?? null) : since,
  }
}

const sources = {
  pi: 'payment_intent',
  re: 'refund',
  cs: 'checkout_session',
  in: 'invoice',
} as const satisfies Record<ActivityPrefix, ActivitySource>

const paymentOf = ({ prefix, id, payment_intent_id: intent }: ActivityRow): string | null =>
  prefix === 'pi' ? idOf('pi', id) : idOrNull('pi', intent)

function ofObject(row: ActivityRow): ActivityEntry {
  const id = idOf(row.prefix, row.id)
  return {
    at: createdOf(id),
    source: sources[row.prefix],
    id,
    text: row.status,
    about: null,
    payment_intent: paymentOf(row),
    amount: row.amount,
    currency: row.currency,
  }
}
