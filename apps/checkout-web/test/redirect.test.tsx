import { screen } from '@testing-library/react'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { heading, openPage, pass, press, usePage } from './page.ts'
import { atOrange, orange, paid, refused, SECRET, SESSION_ID, sessionOf, START_MS } from './wire.ts'

const api = usePage()
const KEPT = `checkout.secret.${SESSION_ID}`

beforeEach(() => {
  api.session = sessionOf({ rails: [orange] })
  // jsdom does not navigate except to a fragment.
  api.confirms = [atOrange('http://127.0.0.1/rail#page')]
})

describe('a payment at the rail’s page', () => {
  test('uses a return address without the secret, and keeps the secret here', async () => {
    await openPage()
    expect(screen.queryByRole('textbox')).toBeNull()
    await press('Continue to Orange Money')

    expect(api.confirmCalls()[0]?.form).toEqual({
      'payment_method_data[type]': 'orange_money_cm',
      return_url: `${location.origin}/c/${SESSION_ID}`,
      locale: 'en',
    })
    expect(heading()).toBe('Opening Orange Money’s page…')
    const kept = { secret: SECRET, expiresAtMs: expect.any(Number) }
    expect(JSON.parse(sessionStorage.getItem(KEPT) ?? '')).toEqual(kept)
    expect(JSON.parse(localStorage.getItem(KEPT) ?? '')).toEqual(kept)
  })

  test('returns without the secret, finds it, and reads the outcome from the API', async () => {
    const page = await openPage()
    await press('Continue to Orange Money')
    page.close()

    const returned = await openPage({ fragment: '' })
    expect(heading()).toBe('Finish at Orange Money')
    expect(location.hash).toBe(`#${SECRET}`)
    expect(sessionStorage.getItem(KEPT)).not.toBeNull()
    expect(localStorage.getItem(KEPT)).toBeNull()
    api.change(paid(orange))
    await pass(2)
    expect(heading()).toBe('Payment successful')
    expect(sessionStorage.getItem(KEPT)).toBeNull()
    returned.close()
  })

  test('returns with a fragment of the rail’s own, and still finds the secret', async () => {
    const page = await openPage()
    await press('Continue to Orange Money')
    page.close()
    await openPage({ fragment: '_=_' })
    expect(heading()).toBe('Finish at Orange Money')
    expect(location.hash).toBe(`#${SECRET}`)
  })

  test('returns twice: canceled at the rail’s page, then back there and paid', async () => {
    const page = await openPage()
    await press('Continue to Orange Money')
    page.close()
    const canceled = await openPage({ fragment: '' })
    expect(heading()).toBe('Finish at Orange Money')
    canceled.close()

    api.change(paid(orange))
    await openPage({ fragment: '' })
    expect(heading()).toBe('Payment successful')
    expect(sessionStorage.getItem(KEPT) ?? localStorage.getItem(KEPT)).toBeNull()
  })

  test('also works if the payer returns in another tab', async () => {
    const page = await openPage()
    await press('Continue to Orange Money')
    page.close()
    sessionStorage.clear()
    await openPage({ fragment: '' })
    expect(heading()).toBe('Finish at Orange Money')
    expect(sessionStorage.getItem(KEPT)).not.toBeNull()
    expect(localStorage.getItem(KEPT)).toBeNull()
  })

  test('is not denied in another tab during an outage', async () => {
    const page = await openPage()
    await press('Continue to Orange Money')
    page.close()
    sessionStorage.clear()
    api.readFault = 503
    await openPage({ fragment: '' })
    expect(heading()).toBe('We are checking your request')
  })

  test.each([
    { when: 'before', leftSec: 5, button: 'Continue to Orange Money' },
    { when: 'after', leftSec: -5, button: 'Go to 127.0.0.1' },
  ])('that was left for $when the session’s end can be read on the return', async ({ leftSec, button }) => {
    api.session = sessionOf({ rails: [orange], expires_at: START_MS / 1_000 + leftSec })
    if (leftSec < 0) api.change(atOrange('http://127.0.0.1/rail#page'))
    const page = await openPage()
    await press(button)
    page.close()
    // As long as the rail gives the payer, and more.
    vi.setSystemTime(START_MS + 30 * 60_000)
    api.session = { ...api.session, status: 'expired' }
    api.change(paid(orange))
    await openPage({ fragment: '' })
    expect(heading()).toBe('Payment successful')
  })

  test.each([
    { link: 'with its secret', fragment: SECRET, shown: 'Pay' },
    { link: 'without it', fragment: '', shown: 'Incomplete link' },
  ])('a kept secret past its end is removed when a link $link is opened', async ({ fragment, shown }) => {
    const other = `checkout.secret.cs_${'7'.repeat(32)}`
    localStorage.setItem(KEPT, JSON.stringify({ secret: SECRET, expiresAtMs: START_MS }))
    localStorage.setItem(other, JSON.stringify({ secret: SECRET, expiresAtMs: START_MS - 1 }))
    await openPage({ fragment })
    expect(heading()).toBe(shown)
    expect([localStorage.getItem(KEPT), localStorage.getItem(other)]).toEqual([null, null])
    expect(sessionStorage.getItem(KEPT)).toBeNull()
  })

  test('can be resumed, after its host is named', async () => {
    api.change(atOrange('http://127.0.0.1/rail#page'))
    await openPage()
    await press('Go to 127.0.0.1')
    expect(heading()).toBe('Opening Orange Money’s page…')
    expect(sessionStorage.getItem(KEPT)).not.toBeNull()
  })

  test('that was refused is over: its secret is forgotten, and it can be tried again without a number', async () => {
    const page = await openPage()
    await press('Continue to Orange Money')
    page.close()
    api.change({ ...refused('redirect_expired'), next_action: null })
    await openPage({ fragment: '' })
    expect(heading()).toBe('The payment did not go through')
    expect(sessionStorage.getItem(KEPT) ?? localStorage.getItem(KEPT)).toBeNull()
    await press('Try again')
    expect(screen.getByRole('button', { name: 'Continue to Orange Money' })).toBeTruthy()
  })

  test('never follows an address that is not a web page', async () => {
    api.confirms = [atOrange('javascript:alert(1)')]
    await openPage()
    await press('Continue to Orange Money')
    await pass(5)
    expect(heading()).toBe('We are checking your request')
    expect(sessionStorage.getItem(KEPT)).toBeNull()
  })

  test('in livemode follows an encrypted address only', async () => {
    api.session = sessionOf({ rails: [orange], livemode: true })
    await openPage()
    await press('Continue to Orange Money')
    expect(heading()).toBe('Finish at Orange Money')
  })
})
