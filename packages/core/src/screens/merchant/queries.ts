import { type MerchantDetail, Refusal } from '@merchant-payments/contract'
import { DAY_MS, secondsOf, secondsOrNull } from '../../base/clock.ts'
import type { MerchantId } from '../../base/ids.ts'
import type { Deps } from '../../deps.ts'
import { listMerchantClients, type Registration } from '../deployment/queries.ts'
import { SEARCHED_MAX } from '../../pages/staff/search-store.ts'
import { ATTEMPTS_MAX, PAYMENTS_MAX, readHealth, readVolume } from './store.ts'

const COUNTED_MS = DAY_MS

/** @throws Refusal resource_missing */
export async function getMerchant(
  deps: Pick<Deps, 'db' | 'clock'>,
  registrations: readonly Registration[],
  clientId: string,
): Promise<MerchantDetail> {
  const { data } = await listMerchantClients(deps, registrations, null)
  const merchant = data.find(({ id }) => id === clientId)
  if (merchant === undefined) throw new Refusal('resource_missing', 'No such merchant client.')
  const { reader } = deps.db
  const nowMs = deps.clock()
  const sinceMs = nowMs - COUNTED_MS
  const secretsOf = new Map(
    registrations.find(({ id }) => id === clientId)?.endpoints.map(({ id, secrets }) => [id, secrets]),
  )
  const [volume, endpoints] = await Promise.all([
    readVolume(reader, clientId as MerchantId, sinceMs),
    Promise.all(
      merchant.endpoints.map(async (endpoint) => ({
        ...endpoint,
        secrets: secretsOf.get(endpoint.id) ?? 0,
        ...healthOf(await readHealth(reader, clientId as MerchantId, endpoint.id, nowMs)),
      })),
    ),
  ])
  return {
    ...merchant,
    endpoints,
    since: secondsOf(sinceMs),
    counted_at_most: PAYMENTS_MAX,
    looked_at_most: ATTEMPTS_MAX,
    searched_at_most: SEARCHED_MAX,
    volume: [...volume],
  }
}

const healthOf = ({
  last_success_at: lastMs,
  failures,
  ...counts
}: Awaited<ReturnType<typeof readHealth>>) => ({
  ...counts,
  last_success_at: secondsOrNull(lastMs),
  failures: [...failures],
})
