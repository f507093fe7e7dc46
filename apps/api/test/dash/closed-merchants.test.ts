import { randomUUID } from 'node:crypto'
import type { AuditAction } from '@merchant-payments/contract'
import { runStatement } from '@merchant-payments/testing/client'
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openInvoice } from '../bills.ts'
import { createCustomer } from '../customer-steps.ts'
import type { TestAnswer } from '../harness.ts'
import { raiseAlerts } from '../raise.ts'
import { disableClient, enableClient } from '../rows.ts'
import { canceledIntent, confirmedIntent, createIntent, succeededIntent } from '../steps.ts'
import { approvalOf } from './approvals.ts'
import { payTwice } from './paid-twice.ts'
import { type StaffMember, startStaffApi } from './staff.ts'
import { attempt, failFanouts, fanOutToMain } from './webhooks.ts'

const api = await startStaffApi()
afterAll(() => api.stop())

let omar: StaffMember
let olga: StaffMember
let ada: StaffMember
// For each test, because some move the clock on, and sessions end.
beforeEach(async () => {
  omar = await api.signInAs('omar')
  olga = await api.signInAs('olga')
  ada = await api.signInAs('ada')
})

const reason = 'Asked for by telephone.'
const liveCharge = async (): Promise<string> => {
  const { id } = await confirmedIntent(api, 'staysPending')
  return (await omar.get(`/payment_intents/${id}`)).body.charges[0].id
}
const itemOf = async (charge: string): Promise<string> => {
  await raiseAlerts(api, charge, {})
  const { body } = await omar.get('/attention_items')
  return body.data.find(({ about }: { about: string }) => about === charge).id
}
const refundOther = async () => {
  const { id } = await succeededIntent(api)
  return () => omar.post(`/payment_intents/${id}/refund`, { amount: '100', msisdn: '677889900', reason })
}

/** Rows of the cell's staff, which no move touches, and what is the result of another change here. */
type OfCell =
  | `${'view' | 'statement' | 'bulk_job' | 'rail_finding'}.${string}`
  | 'customer.view'
  | 'number.look_up'
  | 'person.look_up'
  | 'export.create'
  | 'approval.decline'
  | 'approval.lapse'
  | 'merchant_client.move'

type Answers = Readonly<Record<'draining' | 'frozen' | 'disabled', 'done' | 'moving' | 'disabled'>>
/** Begins what the merchant itself could begin. */
const asMerchant: Answers = { draining: 'moving', frozen: 'moving', disabled: 'disabled' }
/** Ends what the merchant itself could end, also while it drains. */
const endsAsMerchant: Answers = { draining: 'done', frozen: 'moving', disabled: 'disabled' }
/** Writes as the worker does, which ends its work while the merchant drains. */
const asOperator: Answers = { draining: 'done', frozen: 'moving', disabled: 'done' }
/** Writes rows of the cell alone. */
const inCell: Answers = { draining: 'done', frozen: 'done', disabled: 'done' }

/** For each kind of change its answers, and what it needs. That returns the change itself. */
const changes: Readonly<
  Record<
    Exclude<AuditAction, OfCell>,
    { answers: Answers; prepare: () => Promise<() => Promise<TestAnswer>> }
  >
> = {
  'payment_intent.cancel': {
    answers: endsAsMerchant,
    prepare: async () => {
      const { id } = await createIntent(api)
      return () => omar.post(`/payment_intents/${id}/cancel`, { reason })
    },
  },
  'refund.create': {
    answers: asMerchant,
    prepare: async () => {
      const { id } = await succeededIntent(api)
      return () => omar.post(`/payment_intents/${id}/refund`, { amount: '100', reason })
    },
  },
  'approval.request': { answers: { ...inCell, disabled: 'disabled' }, prepare: refundOther },
  'approval.approve': {
    answers: asMerchant,
    prepare: async () => {
      const ask = await refundOther()
      const request = approvalOf(await ask())
      return () => olga.post(`/approval_requests/${request}/approve`, { reason })
    },
  },
  'invoice.void': {
    answers: endsAsMerchant,
    prepare: async () => {
      const { id } = await openInvoice(api)
      return () => omar.post(`/invoices/${id}/void`, { reason })
    },
  },
  'invoice.mark_uncollectible': {
    answers: endsAsMerchant,
    prepare: async () => {
      const { id } = await openInvoice(api)
      return () => omar.post(`/invoices/${id}/mark_uncollectible`, { reason })
    },
  },
  'charge.query': {
    answers: asOperator,
    prepare: async () => {
      const id = await liveCharge()
      return () => omar.post(`/charges/${id}/query`, { reason })
    },
  },
  'charge.resolve': {
    answers: asOperator,
    prepare: async () => {
      const id = await liveCharge()
      return () => omar.post(`/charges/${id}/resolve`, { outcome: 'failed', reason })
    },
  },
  'charge.return': {
    answers: asOperator,
    prepare: async () => {
      const { charge } = await payTwice(api, omar)
      return () => omar.post(`/charges/${charge.id}/return`, { reason })
    },
  },
  'delivery.replay': {
    answers: asOperator,
    prepare: async () => {
      await canceledIntent(api)
      await fanOutToMain(api)
      await attempt(api, 'refused')
      const { body } = await omar.get('/deliveries?status=exhausted&limit=1')
      return () => omar.post(`/deliveries/${body.data[0].id}/replay`, { reason })
    },
  },
  'fanout.retry': {
    answers: asOperator,
    prepare: async () => {
      await canceledIntent(api)
      await failFanouts(api)
      const { body } = await omar.get('/fanouts?state=failed')
      return () => omar.post(`/fanouts/${body.data[0].id}/retry`, { reason })
    },
  },
  'customer.erase': {
    answers: asMerchant,
    prepare: async () => {
      const { id } = await createCustomer(api, 'name=Awa')
      return () => ada.post(`/customers/${id}/erase`, { reason })
    },
  },
  'attention.acknowledge': {
    answers: asOperator,
    prepare: async () => {
      const id = await itemOf(await liveCharge())
      return () => omar.post(`/attention_items/${id}/acknowledge`, { reason })
    },
  },
  'attention.resolve': {
    answers: asOperator,
    prepare: async () => {
      const id = await itemOf(await liveCharge())
      const { data } = (await omar.get('/attention_items')).body
      const { version } = data.find((item: { id: string }) => item.id === id)
      return () => omar.post(`/attention_items/${id}/resolve`, { reason, seen_version: version })
    },
  },
  'merchant_client.disable': {
    answers: asOperator,
    prepare: async () => () => ada.post('/merchant_clients/acme/disable', { reason }),
  },
  'merchant_client.enable': {
    // It has nothing to write unless the merchant is disabled.
    answers: inCell,
    prepare: async () => () => ada.post('/merchant_clients/acme/enable', { reason }),
  },
}

const fenced =
  'payment_intents invoices customers charges charge_jobs charge_returns refunds idempotency_keys events deliveries fanout_jobs attention_items disabled_clients'.split(
    ' ',
  )

/** Puts the merchant on its way to another cell, behind the fence of `merchant:move`. */
async function move(state: 'draining' | 'frozen'): Promise<void> {
  await runStatement(
    api.databaseUrl,
    [
      `insert into merchant_moves (merchant_id, state, move_id, other_cell)
        values ('acme', '${state}', '${randomUUID()}', 'cell_b')`,
      ...fenced.map(
        (table) => `create trigger a_merchant_move before insert or update or delete on ${table}
          for each row execute function refuse_while_moving()`,
      ),
    ].join(';'),
  )
}

afterEach(async () => {
  const drops = fenced.map((table) => `drop trigger if exists a_merchant_move on ${table}`)
  await runStatement(api.databaseUrl, [...drops, 'delete from merchant_moves'].join(';'))
  await enableClient(api, 'acme')
})

/** The status, the code and the header that a client reads. */
const factsOf = ({ status, body, headers }: TestAnswer) => [
  status,
  body.error?.code,
  headers['compat-should-retry'],
]
const expected = {
  done: [200, undefined, undefined],
  moving: [503, 'service_unavailable', 'true'],
  disabled: [409, 'client_disabled', 'false'],
}

describe.each(Object.entries(changes))('%s by staff', (_, { answers, prepare }) => {
  test.each(['draining', 'frozen'] as const)(
    'is made, or can be sent again later, while its merchant is %s',
    async (state) => {
      const change = await prepare()
      await move(state)
      expect(factsOf(await change())).toEqual(expected[answers[state]])
    },
  )

  test('is made, or refused as the merchant’s own command, while its merchant is disabled', async () => {
    const change = await prepare()
    await disableClient(api, 'acme')
    expect(factsOf(await change())).toEqual(expected[answers.disabled])
  })
})

test('a merchant that moves and is disabled is disabled', async () => {
  const change = await changes['payment_intent.cancel'].prepare()
  await disableClient(api, 'acme')
  await move('frozen')
  expect(factsOf(await change())).toEqual(expected.disabled)
})
