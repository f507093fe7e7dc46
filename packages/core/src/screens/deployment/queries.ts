import type { List, MerchantClient, StaffRail } from '@merchant-payments/contract'
import { secondsOf } from '../../base/clock.ts'
import type { Deps } from '../../deps.ts'
import type { MerchantId } from '../../base/ids.ts'
import type { RailAdapter } from '../../rails/port.ts'
import { renderPage } from '../../pages/staff/page.ts'
import { type Disabling, listDisabled } from './store.ts'

export interface Registration {
  readonly id: MerchantId
  readonly name: string
  readonly scopes: readonly string[]
  readonly keyIds: readonly string[]
  readonly endpoints: readonly { readonly id: string; readonly url: string; readonly secrets: number }[]
}

export async function listMerchantClients(
  { db }: Pick<Deps, 'db'>,
  registrations: readonly Registration[],
  status: 'enabled' | 'disabled' | null,
): Promise<List<MerchantClient>> {
  const disabled = new Map((await listDisabled(db.reader)).map((one) => [one.clientId, one]))
  const registered = new Set<string>(registrations.map(({ id }) => id))
  const all = [
    ...registrations.map((one) => renderRegistration(one, disabled.get(one.id))),
    ...[...disabled.values()].filter(({ clientId }) => !registered.has(clientId)).map(renderUnregistered),
  ]
  const items =
    status === null ? all : all.filter((one) => (one.disabled !== null) === (status === 'disabled'))
  return renderPage('/merchant_clients', { items, hasMore: false }, (item) => item)
}

const renderRegistration = (
  { id, name, scopes, keyIds, endpoints }: Registration,
  disabling: Disabling | undefined,
): MerchantClient => ({
  id,
  object: 'merchant_client',
  name,
  configured: true,
  scopes: [...scopes],
  key_ids: [...keyIds],
  endpoints: endpoints.map(({ id, url }) => ({ id, url })),
  disabled: disabling === undefined ? null : renderDisabling(disabling),
})

const renderUnregistered = (disabling: Disabling): MerchantClient => ({
  id: disabling.clientId,
  object: 'merchant_client',
  name: null,
  configured: false,
  scopes: [],
  key_ids: [],
  endpoints: [],
  disabled: renderDisabling(disabling),
})

const renderDisabling = ({ reason, disabledAtMs }: Disabling) => ({ reason, at: secondsOf(disabledAtMs) })

export const listStaffRails = ({ rails, deployment }: Pick<Deps, 'rails' | 'deployment'>): List<StaffRail> =>
  renderPage('/rails', { items: [...rails.values()], hasMore: false }, (rail) => renderRail(rail, deployment))

export function renderRail(
  { code, displayName, capabilities, refunds, accountHolders }: RailAdapter,
  { railDisplays }: Deps['deployment'],
): StaffRail {
  return {
    id: code,
    object: 'rail',
    name: railDisplays.get(code)?.name ?? { fr: displayName, en: displayName },
    flow: capabilities.flow,
    settlement_currency: capabilities.settlementCurrency,
    refunds: refunds !== null,
    account_holders: accountHolders !== null,
  }
}
