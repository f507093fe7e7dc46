import type { Refusal } from '@merchant-payments/contract'
import type { Session } from '@merchant-payments/db'
import { clientDisabled } from '../base/client-status.ts'
import { idIn, type MerchantId, type Prefix } from '../base/ids.ts'
import type { Find } from './store.ts'

type Get<Found> = (
  session: Pick<Session, 'reader'>,
  owner: { readonly merchantId: MerchantId },
  idText: string,
) => Promise<Found>

/**
 * Gets an object of a merchant by an id as a request names it.
 * @throws Refusal authentication_error, and `missing`: the same for an ill-formed, an unknown and a foreign id
 * (spec 7.2)
 */
export const getById =
  <P extends Prefix, Found>(prefix: P, find: Find<P, Found>, missing: () => Refusal): Get<Found> =>
  async ({ reader }, { merchantId }, idText) => {
    const id = idIn(prefix, idText, missing)
    const { open, found } = await find(reader, merchantId, id)
    if (!open) throw clientDisabled()
    if (found === undefined) throw missing()
    return found
  }
