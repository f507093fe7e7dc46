import { BrowserIntent } from '@merchant-payments/contract'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { act, openInvoice } from '../../bills.ts'
import { createCustomer } from '../../customer-steps.ts'
import { PUSH_RAIL, settle, startTestApi } from '../../harness.ts'
import { disableClient, enableClient } from '../../rows.ts'
import { adoptCall, createSession, DAY_SEC, expireCall } from '../../sessions.ts'
import { cancelCall, confirmCall, createIntent, readIntent } from '../../steps.ts'
import { strangeIds } from '../../v1/strange-ids.ts'
import { browserCall, readInBrowser, wrongCredentials } from '../calls.ts'

const WINDOW_SEC = 300

const api = await startTestApi()
afterAll(() => api.stop())
afterEach(() => enableClient(api, 'acme'))

describe('200', () => {
  test('the body is the intent with its metadata and customer, without its secret [§2.4]', async () => {
    const { id: customer } = await createCustomer(api)
    const intent = await createIntent(api, `&description=Rice&metadata[order]=42&customer=${customer}`)
    const answer = await api.call(readInBrowser(intent.id, intent.client_secret))
    const { client_secret: _, ...shown } = intent
    expect({ status: answer.status, body: answer.body }).toEqual({
      status: 200,
      body: { ...shown, live_charge: null, succeeded_charge: null },
    })
    expect(answer.body).toMatchObject({ metadata: { order: '42' }, customer, invoice: null })
    expect(BrowserIntent.parse(answer.body)).toEqual(answer.body)
    expect(answer.text).not.toMatch(/secret/)
    expect(answer).toHaveRequestId()
  })

  test('an intent of an invoice names the invoice', async () => {
    const invoice = await openInvoice(api)
    const { payment_intent: id } = await act(api, invoice.id, 'pay')
    const { client_secret: secret } = (await readIntent(api, id ?? '')).body
    const answer = await api.call(readInBrowser(id ?? '', secret))
    expect(answer).toMatchObject({ status: 200, body: { invoice: invoice.id, customer: invoice.customer } })
  })

  test.each(['waitsForThePayer', 'acceptedThenReset'] as const)(
    'says until when a charge under way can be approved: %s',
    async (ending) => {
      const { id, client_secret: secret } = await createIntent(api)
      const before = Math.floor(api.clock() / 1000)
      await api.call(confirmCall(id, ending))
      const after = Math.ceil(api.clock() / 1000)
      const { body } = await api.call(readInBrowser(id, secret))
      expect(body.live_charge).toEqual({
        payment_method_type: PUSH_RAIL,
        approve_by: expect.any(Number),
        payer_number: expect.stringMatching(/^6 •• •• •• \d\d$/),
      })
      expect(body.live_charge.approve_by - WINDOW_SEC).toBeGreaterThanOrEqual(before)
      expect(body.live_charge.approve_by - WINDOW_SEC).toBeLessThanOrEqual(after)
      const again = await api.call(readInBrowser(id, secret))
      expect(again.body).toEqual(body)
    },
  )

  test('a settled charge is no longer live: the intent shows its refusal, or its success as on a receipt', async () => {
    const refused = await createIntent(api)
    await api.call(confirmCall(refused.id, 'declines'))
    const paid = await createIntent(api)
    await api.call(confirmCall(paid.id, 'approves'))
    api.advance(90_000)
    await settle(api)
    const settledSec = Math.floor(api.clock() / 1_000)
    expect((await api.call(readInBrowser(refused.id, refused.client_secret))).body).toMatchObject({
      status: 'requires_payment_method',
      last_payment_error: { type: 'rail_error', payment_method_type: PUSH_RAIL },
      live_charge: null,
      succeeded_charge: null,
    })
    const { body } = await api.call(readInBrowser(paid.id, paid.client_secret))
    expect(body).toMatchObject({
      status: 'succeeded',
      last_payment_error: null,
      live_charge: null,
      succeeded_charge: {
        payment_method_type: PUSH_RAIL,
        succeeded_at: expect.any(Number),
        rail_txn_id: expect.stringMatching(/^\d+$/),
        payer_number: expect.stringMatching(/^6 •• •• •• \d\d$/),
        payee_number: '6 •• •• •• 90',
      },
    })
    expect(body.succeeded_charge.succeeded_at).toBeGreaterThan(body.created + 80)
    expect(body.succeeded_charge.succeeded_at).toBeLessThanOrEqual(settledSec)
  })

  test('a canceled intent with a live charge shows both', async () => {
    const { id, client_secret: secret } = await createIntent(api)
    await api.call(confirmCall(id, 'waitsForThePayer'))
    await api.call(cancelCall(id))
    expect((await api.call(readInBrowser(id, secret))).body).toMatchObject({
      status: 'canceled',
      live_charge: { payment_method_type: PUSH_RAIL },
    })
  })

  test('the session’s secret reads its intent, before and after the session’s end [§1.6, §4.6]', async () => {
    const session = await createSession(api)
    const call = readInBrowser(session.payment_intent, session.client_secret)
    expect(await api.call(call)).toMatchObject({ status: 200, body: { id: session.payment_intent } })
    await api.call(expireCall(session.id))
    expect(await api.call(call)).toMatchObject({ status: 200 })
    const { client_secret: own } = (await readIntent(api, session.payment_intent)).body
    expect(await api.call(readInBrowser(session.payment_intent, own))).toMatchObject({ status: 200 })
  })

  test('a parameter that fetch clients such as React Native’s add against caches is ignored', async () => {
    const session = await createSession(api)
    const secret = session.client_secret ?? ''
    for (const path of [`/payment_intents/${session.payment_intent}`, `/checkout/sessions/${session.id}`]) {
      const plain = await api.call(browserCall(path, { secret }))
      const marked = await api.call(browserCall(`${path}?_=1795000000000`, { secret }))
      expect({ status: marked.status, body: marked.body }).toEqual({ status: 200, body: plain.body })
    }
  })

  test('HEAD is GET without the body', async () => {
    const { id, client_secret: secret } = await createIntent(api)
    const head = await api.call(readInBrowser(id, secret, { method: 'HEAD' }))
    expect({ status: head.status, text: head.text }).toEqual({ status: 200, text: '' })
    expect(head.headers['access-control-allow-origin']).toBe('*')
  })
})

describe('404', () => {
  test('every fault has the same answer, byte for byte [§1.6]', async () => {
    const { id, client_secret: secret = '' } = await createIntent(api)
    const other = await createIntent(api)
    const session = (await api.call(adoptCall(other.id))).body
    const texts = new Set<string>()
    for (const [fault, shown] of wrongCredentials(id, secret, other.client_secret ?? '')) {
      const answer = await api.call(browserCall(`/payment_intents/${id}`, shown))
      expect([fault, answer.status]).toEqual([fault, 404])
      expect(answer).toBeRefusal('resource_missing')
      texts.add(answer.text)
    }
    const shown = { secret }
    for (const strange of strangeIds(id)) {
      const answer = await api.call(browserCall(`/payment_intents/${strange}`, shown))
      expect([strange, answer.status]).toEqual([strange, 404])
      texts.add(answer.text)
    }
    texts.add((await api.call(readInBrowser(id, session.client_secret))).text)
    texts.add((await api.call(readInBrowser(session.id, session.client_secret))).text)
    expect(texts.size).toBe(1)
    expect([...texts].join()).not.toContain(id)
  })

  test('no secret is accepted from a query, an Authorization header or a cookie', async () => {
    const { id, client_secret: secret = '' } = await createIntent(api)
    const key = 'pk_test_acme'
    for (const call of [
      browserCall(`/payment_intents/${id}?client_secret=${secret}`, { secret: undefined }),
      browserCall(`/payment_intents/${id}?publishable_key=${key}`, { secret, publishableKey: undefined }),
      browserCall(
        `/payment_intents/${id}`,
        { secret: undefined },
        { headers: { authorization: `Bearer ${secret}` } },
      ),
      browserCall(
        `/payment_intents/${id}`,
        { secret: undefined },
        { headers: { cookie: `client_secret=${secret}` } },
      ),
    ]) {
      expect(await api.call(call)).toBeRefusal('resource_missing')
    }
  })

  test('a secret from the page works only with the publishable key at its end', async () => {
    const session = await createSession(api)
    const [bare = ''] = session.client_secret?.split('.') ?? []
    for (const secret of [bare, `${bare}.`, `${bare}.pk_test_globex`]) {
      expect(await api.call(readInBrowser(session.payment_intent, secret))).toBeRefusal('resource_missing')
    }
  })

  test('payers of a disabled client are refused', async () => {
    const { id, client_secret: secret } = await createIntent(api)
    await disableClient(api, 'acme')
    expect(await api.call(readInBrowser(id, secret))).toBeRefusal('resource_missing')
    await enableClient(api, 'acme')
    expect((await api.call(readInBrowser(id, secret))).status).toBe(200)
  })
})

test('an intent stays readable long after', async () => {
  const session = await createSession(api)
  api.advance(40 * DAY_SEC * 1000)
  const answer = await api.call(readInBrowser(session.payment_intent, session.client_secret))
  expect(answer.status).toBe(200)
})
