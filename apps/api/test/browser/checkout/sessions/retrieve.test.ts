import { BrowserSession } from '@merchant-payments/contract'
import { afterAll, describe, expect, test } from 'vitest'
import { EURO_RAIL, ORANGE_RAIL, PUSH_RAIL, railDisplays, settle, startTestApi } from '../../../harness.ts'
import { openOrange } from '../../../orange.ts'
import { createSession, createSessionCall, DAY_SEC, expireCall } from '../../../sessions.ts'
import { confirmCall, intentForm, readIntent } from '../../../steps.ts'
import { strangeIds } from '../../../v1/strange-ids.ts'
import {
  browserCall,
  confirmInBrowser,
  readInBrowser,
  readSessionInBrowser,
  wrongCredentials,
} from '../../calls.ts'

const api = await startTestApi()
const orange = await openOrange(api)
afterAll(async () => {
  await orange.stop()
  await api.stop()
})

describe('200', () => {
  test('the body has all that a page needs, and no secret', async () => {
    const form = `${intentForm}&payment_method_types[1]=${ORANGE_RAIL}&payment_method_types[2]=${EURO_RAIL}&description=Rice`
    const addresses = {
      success_url: 'https://shop.test/{CHECKOUT_SESSION_ID}/done?s={CHECKOUT_SESSION_ID}',
      cancel_url: 'https://shop.test/cart',
    }
    const more = `locale=fr&metadata[order]=42&client_reference_id=canary&${new URLSearchParams(addresses).toString()}`
    const session = (await orange.call(createSessionCall(`${form}&${more}`))).body
    const answer = await orange.call(readSessionInBrowser(session.id, session.client_secret))
    const intent = await orange.call(readInBrowser(session.payment_intent, session.client_secret))
    expect({ status: answer.status, body: answer.body }).toEqual({
      status: 200,
      body: {
        id: session.id,
        object: 'checkout.session',
        status: 'open',
        payment_status: 'unpaid',
        ui_mode: 'hosted',
        amount: 5000,
        currency: 'XAF',
        livemode: false,
        locale: 'fr',
        expires_at: session.expires_at,
        success_url: `https://shop.test/${session.id}/done?s=${session.id}`,
        cancel_url: 'https://shop.test/cart',
        return_url: null,
        merchant: { name: 'The shop of acme', accent_color: null, logo: null },
        payment_intent: intent.body,
        // In the intent's order, without the rail that settles in another currency.
        rails: [
          {
            code: PUSH_RAIL,
            flow: 'push',
            name: railDisplays.get(PUSH_RAIL)?.name,
            color: '#ffcc00',
            number_prefixes: ['23767', '237650'],
            instrument: 'msisdn',
            prompt: {
              mode: 'automatic',
              window_sec: 300,
              dial: '*126#',
              payee_name: 'ACME SARL',
              hint: { fr: 'Composez *126#.', en: 'Dial *126#.' },
            },
          },
          {
            code: ORANGE_RAIL,
            flow: 'redirect',
            name: { fr: 'Orange Money', en: 'Orange Money' },
            color: null,
            number_prefixes: ['23769'],
            instrument: null,
            prompt: null,
          },
        ],
      },
    })
    expect(answer.body.payment_intent.metadata).toEqual({ order: '42' })
    expect(BrowserSession.parse(answer.body)).toEqual(answer.body)
    expect(answer.text).not.toMatch(/secret|canary/)
  })

  test('a rail that the deployment has removed is not offered', async () => {
    const form = `${intentForm}&payment_method_types[1]=${ORANGE_RAIL}&ui_mode=embedded`
    const session = (await orange.call(createSessionCall(form))).body
    const { body } = await api.call(readSessionInBrowser(session.id, session.client_secret))
    expect(body.rails.map(({ code }: { code: string }) => code)).toEqual([PUSH_RAIL])
    expect(body.payment_intent.payment_method_types).toEqual([PUSH_RAIL, ORANGE_RAIL])
  })

  test('shows the open charge, and then that it is paid', async () => {
    const session = await createSession(api)
    await api.call(confirmInBrowser(session.payment_intent, session.client_secret))
    const read = async () => (await api.call(readSessionInBrowser(session.id, session.client_secret))).body
    expect(await read()).toMatchObject({
      status: 'open',
      payment_intent: { status: 'processing', live_charge: { payment_method_type: PUSH_RAIL } },
    })
    await settle(api)
    expect(await read()).toMatchObject({
      status: 'complete',
      payment_status: 'paid',
      payment_intent: { status: 'succeeded', live_charge: null },
    })
  })

  test('after its end it is expired, swept or not, also while a charge is live', async () => {
    const session = await createSession(api)
    await api.call(confirmCall(session.payment_intent, 'waitsForThePayer'))
    api.advance(DAY_SEC * 1000)
    expect(await api.call(readSessionInBrowser(session.id, session.client_secret))).toMatchObject({
      status: 200,
      body: { status: 'expired', payment_status: 'unpaid', payment_intent: { status: 'processing' } },
    })
  })

  test('an ended session stays readable', async () => {
    const session = await createSession(api)
    await api.call(expireCall(session.id))
    expect(await api.call(readSessionInBrowser(session.id, session.client_secret))).toMatchObject({
      status: 200,
      body: { status: 'expired' },
    })
  })
})

describe('404', () => {
  test('every fault has the same answer, byte for byte', async () => {
    const session = await createSession(api)
    const { id, client_secret: secret = '' } = session
    const other = await createSession(api)
    const { body: intent } = await readIntent(api, session.payment_intent)
    const read = await api.call(readInBrowser(intent.id, 'wrong'))
    const shown = [
      ...wrongCredentials(id, secret, other.client_secret ?? ''),
      ['the intent’s own secret', { secret: intent.client_secret }] as const,
      ['the secret without its key', { secret: secret.split('.')[0] }] as const,
    ]
    for (const [fault, credentials] of shown) {
      const answer = await api.call(browserCall(`/checkout/sessions/${id}`, credentials))
      expect([fault, answer.text]).toEqual([fault, read.text])
      expect(answer).toBeRefusal('resource_missing')
    }
    for (const strange of [...strangeIds(id), intent.id]) {
      const answer = await api.call(readSessionInBrowser(strange, secret))
      expect([strange, answer.text]).toEqual([strange, read.text])
    }
  })
})
