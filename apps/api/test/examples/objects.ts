import { exampleIds } from '@merchant-payments/contract'
import { addItem, draftInvoice, openInvoice } from '../bills.ts'
import { approvalOf } from '../dash/approvals.ts'
import { payTwice } from '../dash/paid-twice.ts'
import type { StaffApi, StaffMember } from '../dash/staff.ts'
import { comparedStatement } from '../dash/statement-files.ts'
import { failFanouts, attempt, fanOutToMain } from '../dash/webhooks.ts'
import { anyRefund } from '../refunds.ts'
import { insertCustomer } from '../rows.ts'
import { createSession } from '../sessions.ts'
import { raiseAlerts } from '../raise.ts'
import { canceledIntent, confirmedIntent, createIntent, eventsOf, succeededIntent } from '../steps.ts'

/** The object that replaces an example's id, and the secret that gives its payer access. */
interface Made {
  readonly id: string
  readonly secret?: string | undefined
}

type Name = keyof typeof exampleIds

/** Creates the object for each of `exampleIds`, in the state that its comment names. */
const makers: Readonly<Record<Name, (api: StaffApi, staff: StaffMember) => Promise<Made>>> = {
  intent: async (api) => {
    const { id, client_secret: secret } = await createIntent(api)
    return { id, secret }
  },
  paidIntent: (api) => succeededIntent(api),
  session: async (api) => {
    const { id, client_secret: secret } = await createSession(api)
    return { id, secret }
  },
  customer: async (api) => ({ id: await insertCustomer(api) }),
  draft: (api) => draftInvoice(api),
  billed: async (api) => {
    const { id } = await draftInvoice(api)
    await addItem(api, id)
    return { id }
  },
  openInvoice: (api) => openInvoice(api),
  item: async (api) => addItem(api, (await draftInvoice(api)).id),
  refund: (api) => anyRefund(api),
  charge: async (api, staff) => {
    const { id } = await confirmedIntent(api, 'staysPending')
    return (await staff.get(`/payment_intents/${id}`)).body.charge
  },
  duplicate: async (api, staff) => (await payTwice(api, staff)).charge,
  delivery: async (api, staff) => {
    await canceledIntent(api)
    await fanOutToMain(api)
    await attempt(api, 'refused')
    return newest(staff, '/deliveries?status=exhausted&limit=1')
  },
  fanout: async (api, staff) => {
    await canceledIntent(api)
    await failFanouts(api)
    return newest(staff, '/fanouts?state=failed&limit=1')
  },
  approval: async (api, staff) => {
    const charge = await makers.charge(api, staff)
    const form = { outcome: 'succeeded', reason: 'It is in the statement.' }
    const author = await api.signInAs('omar')
    return { id: approvalOf(await author.post(`/charges/${charge.id}/resolve`, form)) }
  },
  attention: async (api, staff) => {
    const { id: charge } = await makers.charge(api, staff)
    await raiseAlerts(api, charge, { facts: { rail: 'rail' } })
    return newest(staff, '/attention_items?limit=1')
  },
  // The newest item is the one that `attention` has just made.
  attentionVersion: async (_api, staff) => ({
    id: (await staff.get('/attention_items?limit=1')).body.data[0].version,
  }),
  statement: async (api) => ({ id: await comparedStatement(api) }),
  closedStatement: async (api, staff) => {
    const id = await comparedStatement(api)
    await staff.post(`/statements/${id}/close`, { reason: 'All is explained.' })
    return { id }
  },
  view: async (api) => {
    // The staff member who makes the examples' changes.
    const author = await api.signInAs('ada')
    const form = {
      list: 'payments',
      name: 'Declined',
      search: 'charge=failed',
      shared: 'no',
      reason: 'For my shift.',
    }
    const { body } = await author.post('/saved_views', form)
    return { id: body.target }
  },
  bulkJob: async (api, staff) => {
    const { id: charge } = await makers.charge(api, staff)
    const author = await api.signInAs('omar')
    const form = { kind: 'charge.query', 'ids[0]': charge, reason: 'The rail is back.' }
    const { body } = await author.post('/bulk_jobs', form)
    return { id: body.target }
  },
  rail: () => Promise.resolve({ id: exampleIds.rail }),
  merchant: () => Promise.resolve({ id: exampleIds.merchant }),
  disabledMerchant: async (api) => {
    const { disabledMerchant: id } = exampleIds
    const row = { client_id: id, reason: 'Its key leaked.' }
    await api.owner.transact((tx) => tx.insertInto('disabled_clients').values(row).execute())
    return { id }
  },
  event: async (api) => {
    const { id } = await canceledIntent(api)
    const [event] = await eventsOf(api, id)
    if (event === undefined) throw new Error('a cancellation is an event')
    return event
  },
}

async function newest(staff: StaffMember, path: string): Promise<Made> {
  const { body } = await staff.get(path)
  return body.data[0]
}

/** An object for each id that a text names. */
export async function objectsOf(
  api: StaffApi,
  staff: StaffMember,
  text: string,
): Promise<ReadonlyMap<string, Made>> {
  const made = new Map<string, Made>()
  for (const [name, id] of Object.entries(exampleIds)) {
    if (text.includes(`"${id}"`)) made.set(id, await makers[name as Name](api, staff))
  }
  return made
}
