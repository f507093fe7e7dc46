import { mintId, uuidOf } from '@merchant-payments/core'
import { addItem, draftInvoice } from '../bills.ts'
import type { TestApi } from '../harness.ts'
import { insertCustomer } from '../rows.ts'
import { createSession } from '../sessions.ts'
import { cancelCall, createIntent, eventsOf } from '../steps.ts'
import { rowMakers } from './row-makers.ts'

/** An object of each kind whose id can be in a path, by the prefix of that id. A new kind needs a line here. */
export const idMakers: Readonly<Record<string, (api: TestApi, merchant: string) => Promise<string>>> = {
  pi: async (api, merchant) => (await createIntent(api, '', { merchant })).id,
  cs: async (api, merchant) => (await createSession(api, '', { merchant })).id,
  cus: insertCustomer,
  re: async (api, merchant) => {
    const id = mintId('re', api.clock())
    await api.db.transact(async (tx) => rowMakers['refunds.list']?.insert(tx, merchant, [uuidOf(id)]))
    return id
  },
  in: async (api, merchant) => (await draftInvoice(api, '', { merchant })).id,
  ii: async (api, merchant) => {
    const { id } = await draftInvoice(api, '', { merchant })
    return (await addItem(api, id, 'amount=5000', { merchant })).id
  },
  evt: async (api, merchant) => {
    const { id } = await createIntent(api, '', { merchant })
    await api.call(cancelCall(id, { merchant }))
    const [event] = await eventsOf(api, id, merchant)
    if (event === undefined) throw new Error('a cancellation is an event')
    return event.id
  },
}
