import { createHash } from 'node:crypto'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { startRails } from './mtn-client.ts'
import { open, payWith, stateOf, visit } from './orange-client.ts'
import type { Page } from './orange-client.ts'

const rails = await startRails()
afterAll(() => rails.stop())
beforeEach(() => rails.control.reset())

const RETURN_URL = 'http://127.0.0.1:9/return?s=1'
const CANCEL_URL = 'http://127.0.0.1:9/cancel'
const headingOf = ({ html }: Page) => /<h1>(.*?)<\/h1>/.exec(html)?.[1]
const linksOf = ({ html }: Page) => [...html.matchAll(/<a [^>]*href="([^"]*)"/g)].map(([, href]) => href)

describe('the page', () => {
  test('is in the language of the payment, and in the other one after a click', async () => {
    const french = await open(rails)
    const english = await open(rails, { body: { lang: 'en' } })
    const seen = [
      await visit(french.url),
      await visit(english.url),
      await visit(`${french.url}?lang=en`),
      await visit(`${english.url}?lang=fr`),
      await visit(`${french.url}?lang=de`),
    ]
    expect(
      seen.map((page) => [page.status, /<html lang="(..)">/.exec(page.html)?.[1], headingOf(page)]),
    ).toEqual([
      [200, 'fr', 'Payer avec Orange Money'],
      [200, 'en', 'Pay with Orange Money'],
      [200, 'en', 'Pay with Orange Money'],
      [200, 'fr', 'Payer avec Orange Money'],
      [200, 'fr', 'Payer avec Orange Money'],
    ])
    expect(seen.map((page) => linksOf(page)[0])).toEqual([
      '?lang=en',
      '?lang=fr',
      '?lang=fr',
      '?lang=en',
      '?lang=en',
    ])
  })

  test('shows the amount, the payee, and the remaining time', async () => {
    const { url, orderId } = await open(rails, { body: { amount: 12_500, lang: 'en' } })
    const { html } = await visit(url)
    expect(html).toContain('<dd class="amount">12,500 FCFA</dd>')
    expect(html).toContain(`<dd>${orderId}</dd>`)
    expect(html).toContain('<dd>Shop</dd>')
    expect(html).toContain('another 10 min.')
    await rails.control.advanceClock(8.5 * 60_000)
    expect((await visit(url)).html).toContain('another 2 min.')
  })

  test('a picked scenario replaces the number and the code', async () => {
    const paid = await open(rails, { body: { lang: 'en' } })
    const { html } = await visit(paid.url)
    expect(html).toContain('<option value="471" lang="en">471: FAILED: NOT_ENOUGH_FUNDS</option>')
    // A scenario that only an amount selects is over before the page is seen.
    expect(html).not.toContain('By amount')
    const form = { scenario: '471', msisdn: '', otp: '', decision: 'pay' }
    expect(await visit(paid.url, form)).toMatchObject({ status: 303, location: RETURN_URL })
    await rails.control.advanceClock(60_000)
    expect(await stateOf(rails, paid)).toBe('FAILED')
  })

  test('says that the money is not real', async () => {
    const { url } = await open(rails)
    expect((await visit(url)).html).toContain('Rail de test : aucun argent réel ne bouge.')
  })

  test('renders the merchant’s text without markup', async () => {
    const body = { reference: '"><script>alert(1)</script>', cancel_url: 'http://127.0.0.1:9/?a="b"&c=1' }
    const { url } = await open(rails, { body })
    const { html } = await visit(url)
    expect(html).not.toContain('<script')
    expect(html).toContain('&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;')
    expect(html).toContain('href="http://127.0.0.1:9/?a=&quot;b&quot;&amp;c=1"')
  })

  test('requires no script and no other origin, and its policy allows neither', async () => {
    const { url } = await open(rails)
    const { html, headers } = await visit(url)
    expect(html).not.toMatch(/<(script|img|iframe)|<link[^>]+href="(?!data:,)/)
    const [, style = ''] = /<style>([^]*?)<\/style>/.exec(html) ?? []
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'content-security-policy': [
        "default-src 'none'",
        'img-src data:',
        `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
        "base-uri 'none'",
        "frame-ancestors 'none'",
      ].join('; '),
    })
  })

  test('labels and describes every field, and Enter submits its first button', async () => {
    const { url } = await open(rails)
    const { html } = await visit(url)
    for (const id of ['msisdn', 'otp']) {
      expect(html).toContain(`<label for="${id}">`)
      expect(html).toMatch(new RegExp(`<input id="${id}" name="${id}" [^>]*aria-describedby="${id}-hint"`))
      expect(html).toContain(`id="${id}-hint"`)
    }
    expect([...html.matchAll(/<button [^>]*value="(\w+)"/g)].map(([, value]) => value)).toEqual([
      'pay',
      'refuse',
    ])
    expect(html).toContain('name="viewport" content="width=device-width, initial-scale=1"')
  })
})

describe('to pay', () => {
  test('goes to return_url, as it was given, and the payment is PENDING', async () => {
    const paid = await open(rails)
    expect(await payWith(paid.url, '001')).toMatchObject({ status: 303, location: RETURN_URL })
    expect(await stateOf(rails, paid)).toBe('PENDING')
  })

  test('goes to a return_url that is not ASCII', async () => {
    const { url } = await open(rails, { body: { return_url: 'https://boutique.example/reçu?à=1' } })
    expect(await payWith(url, '001')).toMatchObject({
      status: 303,
      location: 'https://boutique.example/re%C3%A7u?%C3%A0=1',
    })
  })

  test('goes to return_url also if the payment then fails', async () => {
    const paid = await open(rails)
    expect(await payWith(paid.url, '471')).toMatchObject({ status: 303, location: RETURN_URL })
  })

  test.each([
    ['a wrong number', { msisdn: '12', otp: '1234' }, ['msisdn']],
    ['a wrong code', { msisdn: '690000001', otp: '12' }, ['otp']],
    ['an empty form', {}, ['msisdn', 'otp']],
  ])('with %s says so at the field, and changes nothing', async (_name, form, wrong) => {
    const paid = await open(rails, { body: { lang: 'en' } })
    const page = await visit(paid.url, { ...form, decision: 'pay' })
    expect(page.status).toBe(400)
    expect(page.html).toContain('<title>Error – Pay with Orange Money')
    expect(page.html).toContain('role="alert"')
    expect(linksOf(page).filter((href) => href?.startsWith('#'))).toEqual(wrong.map((id) => `#${id}`))
    const invalid = [...page.html.matchAll(/<input id="(\w+)"[^>]*aria-invalid="true"/g)].map(([, id]) => id)
    expect(invalid).toEqual(wrong)
    for (const id of wrong) expect(page.html).toContain(`id="${id}-error"`)
    const [, focused] = /<input id="(\w+)"[^>]* autofocus>/.exec(page.html) ?? []
    expect(focused).toBe(wrong[0])
    expect(await stateOf(rails, paid)).toBe('INITIATED')
  })

  test('keeps the typed number but not the code', async () => {
    const { url } = await open(rails)
    const { html } = await visit(url, { msisdn: '6900"', otp: '9876543', decision: 'pay' })
    expect(html).toContain('value="6900&quot;"')
    expect(html).not.toContain('9876543')
  })

  test('answers in the language of the submitted page', async () => {
    const { url } = await open(rails)
    expect(headingOf(await visit(`${url}?lang=en`, { decision: 'pay' }))).toBe('Pay with Orange Money')
  })

  test('a second time makes no second debit', async () => {
    const paid = await open(rails)
    await payWith(paid.url, '001')
    const { pathname } = new URL(paid.url)
    expect(await payWith(paid.url, '002')).toMatchObject({ status: 303, location: pathname })
    await rails.control.advanceClock(1_500)
    const { debits } = await rails.control.getLedger()
    expect(debits.map((debit) => debit.msisdn)).toEqual(['237690000001'])
  })
})

describe('to refuse', () => {
  test('requires no number, goes to cancel_url, and the payment is FAILED', async () => {
    const paid = await open(rails)
    const page = await visit(paid.url, { msisdn: '', otp: '', decision: 'refuse' })
    expect(page).toMatchObject({ status: 303, location: CANCEL_URL })
    expect(await stateOf(rails, paid)).toBe('FAILED')
    expect(await rails.control.findCharge(paid.orderId)).toMatchObject({ reason: 'REFUSED_BY_PAYER' })
  })

  test('has no effect after the payer has paid', async () => {
    const paid = await open(rails)
    await payWith(paid.url, '001')
    await visit(paid.url, { decision: 'refuse' })
    expect(await stateOf(rails, paid)).toBe('PENDING')
  })
})

test('to cancel is a link without a decision: the payer can come back and pay', async () => {
  const paid = await open(rails)
  expect(linksOf(await visit(paid.url))).toEqual(['?lang=en', CANCEL_URL])
  expect(await stateOf(rails, paid)).toBe('INITIATED')
  await payWith(paid.url, '001')
  await rails.control.advanceClock(1_500)
  expect(await stateOf(rails, paid)).toBe('SUCCESS')
})

describe('after the payer', () => {
  test.each([
    ['PENDING', '454', 0, 'Paiement en cours', 'Payment in progress', RETURN_URL],
    ['SUCCESS', '001', 1_500, 'Paiement effectué', 'Payment made', RETURN_URL],
    ['FAILED', '471', 1_500, 'Paiement refusé', 'Payment refused', CANCEL_URL],
    ['EXPIRED', '452', 1_500, 'Lien expiré', 'Link expired', CANCEL_URL],
  ])(
    'the page of a payment that is %s says so and leads back',
    async (state, suffix, ms, french, english, back) => {
      const paid = await open(rails)
      await payWith(paid.url, suffix)
      await rails.control.advanceClock(ms)
      expect(await stateOf(rails, paid)).toBe(state)
      const page = await visit(paid.url)
      expect([page.status, headingOf(page)]).toEqual([200, french])
      expect(headingOf(await visit(`${paid.url}?lang=en`))).toBe(english)
      expect(linksOf(page)).toEqual(['?lang=en', back])
      expect(page.html).not.toContain('<form')
    },
  )

  test('a link that expired unpaid can no longer be paid', async () => {
    const paid = await open(rails)
    await rails.control.advanceClock(10 * 60 * 1000)
    await payWith(paid.url, '001')
    expect(headingOf(await visit(paid.url))).toBe('Lien expiré')
    await rails.control.advanceClock(60_000)
    expect((await rails.control.getLedger()).debitCount).toBe(0)
  })
})

test('an unknown link is a 404 with a page', async () => {
  const url = `${rails.wireUrl}/payment/pay_token/${'0'.repeat(64)}`
  const page = await visit(url)
  expect([page.status, headingOf(page)]).toEqual([404, 'Lien inconnu'])
  expect(headingOf(await visit(`${url}?lang=en`))).toBe('Unknown link')
  expect(await payWith(url, '001')).toMatchObject({ status: 303 })
})

test('a visit is not in the log of the merchant’s calls, so the log does not hold the payer’s input', async () => {
  const { url } = await open(rails)
  await visit(url)
  await payWith(url, '001')
  expect((await rails.control.listCalls()).map((call) => call.operation)).toEqual([
    'orange_token',
    'orange_submit',
  ])
})
