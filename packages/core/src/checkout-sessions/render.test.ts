import { CheckoutSession } from '@merchant-payments/contract'
import { describe, expect, test } from 'vitest'
import { ACME, clientSecrets, makeIntent, makeSession, T0 } from '../../test/make.ts'
import { merchantsOf } from '../base/merchants.ts'
import { createdOf } from '../base/ids.ts'
import { renderSession, withSessionSecret, withUrl } from './render.ts'

const merchants = merchantsOf([{ id: ACME, name: 'Acme', publishableKey: 'pk_acme' }])
const deployment = { checkoutBaseUrl: 'https://pay.example', merchants, clientSecrets }
const intent = makeIntent('requires_payment_method')
const session = makeSession(intent, 'open', { metadata: { order: '42' } })
const secret = `${clientSecrets.of(session.id)}.pk_acme`

describe('a rendered session', () => {
  test('has the fields of the interface, and neither its secret nor its address [§2.5]', () => {
    const wire = renderSession(session)
    expect(CheckoutSession.parse(wire)).toEqual({
      id: session.id,
      object: 'checkout.session',
      status: 'open',
      payment_status: 'unpaid',
      payment_intent: intent.id,
      amount: 1000,
      currency: 'XAF',
      payment_method_types: intent.paymentMethodTypes,
      customer: null,
      ui_mode: 'hosted',
      url: null,
      success_url: 'https://shop.example/thanks',
      cancel_url: null,
      return_url: null,
      client_reference_id: null,
      metadata: { order: '42' },
      expires_at: T0 / 1000 + 3_600,
      created: createdOf(session.id),
      livemode: false,
    })
    expect(JSON.stringify(wire)).not.toContain('secret')
  })

  test('gets its secret with the key of its merchant', () => {
    expect(withSessionSecret(renderSession(session), session, deployment).client_secret).toBe(secret)
    const strangers = { ...deployment, merchants: merchantsOf([]) }
    expect(() => withSessionSecret(renderSession(session), session, strangers)).toThrow('does not know')
  })

  test('keeps the secret that was stored with it', () => {
    const older = { ...session, storedSecret: `${session.id}_secret_stored` }
    const wire = withUrl(renderSession(older), older, deployment, T0)
    expect(withSessionSecret(wire, older, deployment)).toMatchObject({
      client_secret: `${session.id}_secret_stored.pk_acme`,
      url: `https://pay.example/c/${session.id}#${session.id}_secret_stored.pk_acme`,
    })
  })

  test('has an address while it is hosted, open and not over', () => {
    const urlOf = (shown: typeof session, nowMs = T0) =>
      withUrl(renderSession(shown), shown, deployment, nowMs).url
    expect(urlOf(session)).toBe(`https://pay.example/c/${session.id}#${secret}`)
    expect(urlOf(session, session.expiresAtMs - 1)).not.toBeNull()
    expect(urlOf(session, session.expiresAtMs)).toBeNull()
    expect(urlOf({ ...session, uiMode: 'embedded' })).toBeNull()
    for (const status of ['complete', 'expired'] as const) {
      const over = makeSession(intent, status)
      expect(withUrl(renderSession(over), over, deployment, T0).url).toBeNull()
    }
  })
})
