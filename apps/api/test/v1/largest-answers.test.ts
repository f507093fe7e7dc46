import { EVENT_BYTES_MAX } from '@merchant-payments/contract'
import { afterAll, describe, expect, test } from 'vitest'
import { actionCall, addItem, draftInvoice, itemCall } from '../bills.ts'
import { createCustomerCall, updateCustomerCall } from '../customer-steps.ts'
import { startTestApi, type TestCall } from '../harness.ts'
import { anyRefund, cancelRefundCall, refundCall, updateCall } from '../refunds.ts'
import { insertCustomer } from '../rows.ts'
import { createSessionCall, expireCall, sessionForm } from '../sessions.ts'
import { cancelCall, confirmCall, createCall, intentForm, succeededIntent } from '../steps.ts'
import { operations } from './operations.ts'

const api = await startTestApi()
afterAll(() => api.stop())

/** docs/spec-gaps.md, idempotency and invoices. */
const ANSWER_BYTES_MAX = 524_288
const LINES_BYTES_MAX = 262_144
/** Limit for every resource except an invoice with its lines. An event has one of them as it is, and 200 bytes more. */
const RESOURCE_BYTES_MAX = EVENT_BYTES_MAX - 200

/** Characters that take six bytes in JSON, and one in a form. */
const costly = (chars: number) => '\u0001'.repeat(chars)

const metadataOf = (keys: number) =>
  Array.from({ length: keys }, (_, n) => `&metadata[${costly(38)}${n + 10}]=${costly(500)}`).join('')

const metadata = metadataOf(50)
const words = `&description=${costly(1_000)}${metadata}`
const address = ['line1', 'line2', 'city', 'state', 'postal_code'].map(
  (name) => `&address[${name}]=${costly(200)}`,
)
const person = `name=${costly(256)}&email=${costly(512)}${address.join('')}${metadata}`
const url = (name: string) => `&${name}=https://shop.example/${'%22'.repeat(2_000)}`
const urls = url('success_url') + url('cancel_url') + url('return_url')

const idFrom = async (call: TestCall): Promise<string> => {
  const { status, body } = await api.call(call)
  expect(status).toBeLessThan(300)
  return body.id
}

const intent = () => idFrom(createCall(`${intentForm}${words}`))
const session = () => idFrom(createSessionCall(largestSession))
const largestSession = `${sessionForm.replace(/&success_url=[^&]*/, '')}${urls}&client_reference_id=${costly(200)}${words}`

/** One line of the largest size, then others, until only a few bytes are left. */
async function fullInvoice(): Promise<string> {
  const { id } = await draftInvoice(api, words)
  await addItem(api, id, `amount=50000${words}`)
  for (let keys = 25; keys > 0; ) {
    const { status } = await api.call(itemCall(id, `amount=1${metadataOf(keys)}`))
    if (status !== 200) keys = Math.floor(keys / 2)
  }
  return id
}

const invoice = await fullInvoice()

const invoiceCall = (path: string, form: string): TestCall => ({ method: 'POST', path, form })

interface Largest {
  readonly id: string
  readonly bytesMax: number
  readonly status?: number
  readonly call: () => TestCall | Promise<TestCall>
}

const resource = (id: string, call: Largest['call'], status = 200): Largest => ({
  id,
  bytesMax: RESOURCE_BYTES_MAX,
  status,
  call,
})
const whole = (id: string, call: Largest['call']): Largest => ({ id, bytesMax: ANSWER_BYTES_MAX, call })

/** The order matters, because all operations use the same invoice. */
const largest: readonly Largest[] = [
  resource('paymentIntents.create', () => createCall(`${intentForm}${words}`), 201),
  resource('paymentIntents.confirm', async () => confirmCall(await intent())),
  resource('paymentIntents.cancel', async () => cancelCall(await intent())),
  resource('checkout.sessions.create', () => createSessionCall(largestSession)),
  resource('checkout.sessions.expire', async () => expireCall(await session())),
  resource('customers.create', () => createCustomerCall(person)),
  resource('customers.update', async () => updateCustomerCall(await insertCustomer(api), person)),
  resource('refunds.create', async () => refundCall((await succeededIntent(api)).id, metadata), 201),
  resource('refunds.update', async () => updateCall((await anyRefund(api)).id, metadata.slice(1))),
  resource('refunds.cancel', async () => cancelRefundCall((await anyRefund(api, metadata)).id), 409),
  resource('invoices.create', async () =>
    invoiceCall('/v1/invoices', `currency=XAF&customer=${await insertCustomer(api)}${words}`),
  ),
  resource('invoiceItems.create', async () => itemCall((await draftInvoice(api)).id, `amount=1${words}`)),
  resource('invoiceItems.update', async () => {
    const { id } = await addItem(api, (await draftInvoice(api)).id)
    return invoiceCall(`/v1/invoice_items/${id}`, words.slice(1))
  }),
  whole('invoices.update', () => invoiceCall(`/v1/invoices/${invoice}`, '')),
  whole('invoices.finalizeInvoice', () => actionCall(invoice, 'finalize')),
  whole('invoices.pay', () => actionCall(invoice, 'pay')),
  whole('invoices.markUncollectible', () => actionCall(invoice, 'mark_uncollectible')),
  whole('invoices.voidInvoice', () => actionCall(invoice, 'void')),
]

describe('the largest stored answer of each operation has a bound:', () => {
  test.each(largest)('$id', async ({ bytesMax, status = 200, call }) => {
    const answer = await api.call(await call())
    expect(answer.status).toBe(status)
    expect(Buffer.byteLength(answer.text)).toBeLessThanOrEqual(bytesMax)
    if (bytesMax === ANSWER_BYTES_MAX) expect(answer.text.length).toBeGreaterThan(LINES_BYTES_MAX + 162_000)
  })

  test('each operation that takes a key is covered', () => {
    const declared = operations.filter(({ method }) => method === 'POST').map(({ id }) => id)
    expect(largest.map(({ id }) => id).toSorted()).toEqual(declared.toSorted())
  })

  test('and so have the events of these operations', async () => {
    const sizes: number[] = []
    for (let path: string | null = '/v1/events?limit=100'; path !== null; ) {
      const { body }: { body: { data: { id: string }[]; has_more: boolean } } = await api.call({
        method: 'GET',
        path,
      })
      sizes.push(...body.data.map((event) => Buffer.byteLength(JSON.stringify(event))))
      path = body.has_more ? `/v1/events?limit=100&starting_after=${body.data.at(-1)?.id}` : null
    }
    expect(Math.max(...sizes)).toBeGreaterThan(0.8 * EVENT_BYTES_MAX)
    expect(Math.max(...sizes)).toBeLessThanOrEqual(EVENT_BYTES_MAX)
  })
})
