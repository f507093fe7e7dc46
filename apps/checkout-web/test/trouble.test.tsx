import { act, fireEvent, screen } from '@testing-library/react'
import { describe, expect, test, vi } from 'vitest'
import { later } from '../src/load-later.ts'
import { button, heading, openPage, pageText, pass, press, settle, status, usePage, write } from './page.ts'
import { envelope } from './payer-api.ts'
import { words } from '../src/words/index.ts'
import {
  type BrowserIntent,
  type BrowserSession,
  mtn,
  paid,
  refused,
  sessionOf,
  START_MS,
  waiting,
} from './wire.ts'

const api = usePage()

const pay = async (): Promise<void> => {
  write('670123427')
  await press('Pay 12,500 FCFA')
}

/** Pays and loses the answer; `meanwhile` runs once the order is on its way. */
const payWhile = async (meanwhile: () => void): Promise<void> => {
  api.onConfirm = meanwhile
  await pay()
}

const keys = () => api.confirmCalls().map(({ headers }) => headers.get('idempotency-key'))

const setOnline = async (isOnline: boolean): Promise<void> => {
  vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(isOnline)
  act(() => void window.dispatchEvent(new Event(isOnline ? 'online' : 'offline')))
  await settle()
}

const setVisible = async (isVisible: boolean): Promise<void> => {
  vi.spyOn(document, 'visibilityState', 'get').mockReturnValue(isVisible ? 'visible' : 'hidden')
  act(() => void document.dispatchEvent(new Event('visibilitychange', { bubbles: true })))
  await settle()
}

describe('a confirm without an answer', () => {
  test('that opened a charge is waited for', async () => {
    api.confirms = ['network_error']
    await openPage()
    await payWhile(() => api.change(waiting()))
    expect(heading()).toBe('We are checking your request')
    expect(screen.queryByRole('textbox')).toBeNull()
    await pass(2)
    expect(heading()).toBe('Confirm on your phone')
    expect(api.confirmCalls()).toHaveLength(1)
  })

  test('that opened none is sent again, with the same key', async () => {
    api.confirms = ['network_error', envelope(502, 'provider_unavailable'), waiting()]
    await openPage()
    await pay()
    await pass(5)
    expect(heading()).toBe('Confirm on your phone')
    expect(keys()).toHaveLength(3)
    expect(new Set(keys()).size).toBe(1)
  })

  test('is given up after some time, says so, and is sent with the same key when the payer tries again', async () => {
    api.confirms = [envelope(502, 'provider_unavailable')]
    await openPage()
    await pay()
    await pass(95)
    expect(screen.getByRole('alert').textContent).toMatch(/you will not pay twice/)
    expect(screen.getByRole<HTMLInputElement>('textbox').value).toBe('670123427')
    api.confirms = [waiting()]
    await press('Pay 12,500 FCFA')
    await pass(1)
    expect(heading()).toBe('Confirm on your phone')
    expect(new Set(keys()).size).toBe(1)
  })

  test('keeps its key over a reload', async () => {
    api.confirms = ['network_error', waiting()]
    const page = await openPage()
    await pay()
    page.close()
    await openPage()
    expect(screen.getByRole<HTMLInputElement>('textbox').value).toBe('670123427')
    await press('Pay 12,500 FCFA')
    await pass(1)
    expect(heading()).toBe('Confirm on your phone')
    expect(keys()).toHaveLength(2)
    expect(new Set(keys()).size).toBe(1)
  })

  test('that turns out declined is shown as declined', async () => {
    api.confirms = ['network_error']
    await openPage()
    await payWhile(() => api.change(refused('insufficient_funds')))
    await pass(2)
    expect(heading()).toBe('The payment did not go through')
  })

  test('is shown as being checked while reads fail', async () => {
    api.confirms = ['network_error']
    await openPage()
    await payWhile(() => {
      api.readFault = 'network_error'
    })
    await pass(20)
    expect(heading()).toBe('We are checking your request')
    expect(api.confirmCalls()).toHaveLength(1)
    api.readFault = null
    api.change(waiting())
    await press('Check now')
    await pass(1)
    expect(heading()).toBe('Confirm on your phone')
  })
})

describe('a confirm without an answer, and without a read for minutes', () => {
  const loseEverything = async () => {
    api.confirms = ['network_error']
    await openPage()
    await payWhile(() => {
      api.readFault = 'network_error'
    })
    await pass(420)
  }

  test('stays in doubt, with no button to pay again', async () => {
    await loseEverything()
    expect(heading()).toBe('We are checking your request')
    expect(screen.queryByRole('textbox')).toBeNull()
    expect(screen.queryByRole('link', { name: /Boutique/ })).toBeNull()
    expect(api.confirmCalls()).toHaveLength(1)
  })

  test.each([
    ['an open charge', waiting(), 'Confirm on your phone'],
    ['a success', paid(), 'Payment successful'],
    ['a decline', refused('insufficient_funds'), 'The payment did not go through'],
    ['nothing', {}, 'Pay'],
  ])('and then %s, which the next read shows', async (_, intent, shown) => {
    await loseEverything()
    api.readFault = null
    api.change(intent)
    await press('Check now')
    await pass(1)
    expect(heading()).toBe(shown)
    expect(/does not seem to have gone out/.test(pageText())).toBe(shown === 'Pay')
    expect(api.confirmCalls()).toHaveLength(1)
  })
})

describe('a second script that', () => {
  /** As on a line over which the script does not arrive. */
  const load = (fetch: typeof later.load) => vi.spyOn(later, 'load').mockImplementation(fetch)

  test('hangs: the press of the button ends in 20 seconds, and nothing is sent once it arrives', async () => {
    const script = await later.load()
    let arrive = (): void => {}
    const arrives = new Promise<typeof script>((resolve) => {
      arrive = () => resolve(script)
    })
    load(() => arrives)
    api.confirms = [waiting()]
    await openPage()
    await pay()
    await pass(19)
    expect(button('Sending the request…')).toBeTruthy()
    await pass(1)
    expect(screen.getByRole('alert').textContent).toMatch(/does not seem to have gone out/)
    arrive()
    await pass(5)
    expect(api.confirmCalls()).toEqual([])
    await press('Pay 12,500 FCFA')
    await pass(1)
    expect(heading()).toBe('Confirm on your phone')
  })

  test('is missing: an open charge is read every few seconds, and its decline has its reason', async () => {
    const loads = load(() => Promise.reject(new TypeError('Failed to fetch dynamically imported module')))
    api.change(waiting())
    await openPage()
    expect(heading()).toBe('Confirm on your phone')
    await pass(60)
    expect(loads.mock.calls.length).toBeLessThan(15)
    expect(api.calls.length).toBeLessThan(15)
    api.change(refused('insufficient_funds'))
    await pass(10)
    expect(heading()).toBe('The payment did not go through')
  })
})

describe('a conflict', () => {
  test('with a charge of another tab is waited for', async () => {
    api.confirms = [envelope(409, 'charge_in_progress')]
    await openPage()
    api.change(waiting())
    await pay()
    expect(heading()).toBe('Confirm on your phone')
  })

  test('with the session’s end shows that it has expired', async () => {
    api.confirms = [envelope(409, 'session_not_open')]
    await openPage()
    api.session = sessionOf({ status: 'expired' })
    await pay()
    expect(heading()).toBe('This payment link has expired')
    expect(screen.getByRole('link').getAttribute('href')).toBe('https://shop.example/panier')
  })

  test('with a cancel shows that the merchant canceled', async () => {
    api.confirms = [envelope(409, 'intent_canceled')]
    await openPage()
    api.change({ status: 'canceled' })
    await pay()
    expect(heading()).toBe('Payment canceled by the merchant')
  })

  test('with a link that was tried too often says so, links to the shop, and shows a late success', async () => {
    api.change(refused('payer_declined'))
    api.confirms = [envelope(409, 'too_many_attempts')]
    await openPage()
    await press('Try again')
    await pay()
    expect(heading()).toBe('This link takes no more tries')
    expect(pageText()).toMatch(/ask Boutique .+ for a new link/)
    expect(screen.queryByRole('textbox')).toBeNull()
    expect(screen.getByRole('link').getAttribute('href')).toBe('https://shop.example/panier')
    api.change(paid())
    await pass(37)
    expect(heading()).toBe('Payment successful')
  })

  test('without an explanation links back to the shop', async () => {
    api.confirms = [envelope(409, 'customer_erased')]
    await openPage()
    await pay()
    expect(screen.getByRole('alert').textContent).toMatch(/Start again at Boutique Akwa/)
  })
})

describe('a session that has expired', () => {
  test('after a decline says that a late payment will be shown, before it sends the payer for another link', async () => {
    api.session = sessionOf({ status: 'expired' })
    api.change(refused('approval_timeout'))
    await openPage()
    expect(heading()).toBe('This payment link has expired')
    expect(pageText()).toContain(`${words.en.declineWatch}Go back to Boutique Akwa`)
    api.change(paid())
    await pass(10)
    expect(heading()).toBe('Payment successful')
  })

  test.each([false, true])(
    'without a charge speaks of none; after an order that was refused: %s',
    async (isRefused) => {
      if (isRefused) {
        api.confirms = [envelope(400, 'invalid_request', 'payment_method_data[mtn_momo_cm][msisdn]')]
        const page = await openPage()
        await pay()
        page.close()
      }
      api.session = sessionOf({ status: 'expired' })
      await openPage()
      expect(heading()).toBe('This payment link has expired')
      expect(pageText()).not.toContain(words.en.declineWatch)
    },
  )
})

describe('reading', () => {
  test('an open payment is waited for from the start, with help', async () => {
    api.change(waiting())
    await openPage()
    expect(heading()).toBe('Confirm on your phone')
    expect(screen.getByRole('link', { name: 'Dial *126#' })).toBeTruthy()
  })

  test('a merchant’s cancel reaches a payer who waits', async () => {
    api.change(waiting())
    await openPage()
    api.change({ status: 'canceled' })
    await pass(2)
    expect(heading()).toBe('Payment canceled by the merchant')
  })

  test('a canceled payment that succeeds after all is shown', async () => {
    api.change({ status: 'canceled' })
    await openPage()
    api.change(paid())
    await pass(37)
    expect(heading()).toBe('Payment successful')
  })

  test('a succeeded payment is not read again', async () => {
    api.change(paid())
    await openPage()
    const before = api.calls.length
    await pass(120)
    expect(api.calls.length).toBe(before)
  })

  test('an unreadable payment says that no payment was started, and a retry reads it', async () => {
    api.readFault = 503
    await openPage()
    expect(heading()).toBe('We cannot check')
    expect(pageText()).toContain('No new payment was started from this page.')
    api.readFault = null
    await press('Try again')
    expect(heading()).toBe('Pay')
  })

  test('a link without its secret, with a foreign or an unknown one links back to the shop', async () => {
    for (const fragment of ['', 'nonsense', `cs_${'9'.repeat(32)}_secret_x.pk_test_1`]) {
      const page = await openPage({ fragment })
      expect(heading()).toBe('Incomplete link')
      // Nothing but the whole link can help.
      expect(screen.queryByRole('button', { name: 'Try again' })).toBeNull()
      page.close()
    }
    expect(api.calls).toEqual([])
  })

  test('a link that the API does not know is read a few times, and again on request', async () => {
    api.readFault = 404
    await openPage()
    expect(heading()).toBe('Incomplete link')
    await pass(120)
    const before = api.calls.length
    expect(before).toBeGreaterThan(1)
    expect(before).toBeLessThan(6)
    await pass(300)
    expect(api.calls.length).toBe(before)
    api.readFault = null
    await press('Try again')
    expect(heading()).toBe('Pay')
    await pass(40)
    expect(api.calls.length).toBe(before + 2)
  })

  test('during an outage the page reads ever more rarely, and never in a hot loop', async () => {
    api.change(waiting())
    await openPage()
    api.readFault = 'network_error'
    const before = api.calls.length
    await pass(180)
    expect(api.calls.length - before).toBeLessThan(14)
    expect(api.calls.length - before).toBeGreaterThan(5)
    expect(status()).toBe('No answer from the network. We are trying again.')
  })

  test('the page says that it is offline, and reads at once when the network is back', async () => {
    api.change(waiting())
    await openPage()
    await setOnline(false)
    expect(status()).toMatch(/^You are offline/)
    await pass(60)
    const before = api.calls.length
    await setOnline(true)
    await pass(1)
    expect(api.calls.length).toBe(before + 1)
    expect(status()).not.toMatch(/offline/)
  })

  test('a hidden page does not read, and reads at once when it is shown', async () => {
    api.change(waiting())
    await openPage()
    await setVisible(false)
    await pass(5)
    const before = api.calls.length
    await pass(120)
    expect(api.calls.length).toBe(before)
    api.change(paid())
    await setVisible(true)
    await pass(1)
    expect(heading()).toBe('Payment successful')
  })

  test('after the back-forward cache the page reads at once', async () => {
    api.change(waiting())
    await openPage()
    api.change(paid())
    act(() => void window.dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true })))
    await settle()
    await pass(1)
    expect(heading()).toBe('Payment successful')
  })

  test('without a followed payment the same applies to the session', async () => {
    await openPage()
    await setVisible(false)
    // The read that was due when the page was hidden is the last one.
    await pass(40)
    const before = api.calls.length
    await pass(90)
    expect(api.calls.length).toBe(before)
    api.change({ status: 'canceled' })
    await setVisible(true)
    expect(heading()).toBe('Payment canceled by the merchant')
    api.change(paid())
    act(() => void window.dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true })))
    await settle()
    expect(heading()).toBe('Payment successful')
  })

  test('a session that cannot be read is read ever more rarely', async () => {
    api.readFault = 'network_error'
    await openPage()
    await pass(120)
    expect(api.calls.length).toBeGreaterThan(4)
    expect(api.calls.length).toBeLessThan(10)
  })

  test('no answer undoes a success', async () => {
    api.change(paid())
    await openPage()
    api.change(waiting())
    fireEvent(window, new PageTransitionEvent('pageshow', { persisted: true }))
    await settle()
    expect(heading()).toBe('Payment successful')
  })
})

test('a phone whose clock is hours wrong counts down to the API’s deadline', async () => {
  api.change(waiting(45))
  api.aheadMs = -8 * 3_600_000
  vi.setSystemTime(START_MS - api.aheadMs)
  await openPage()
  expect(screen.getByRole('timer').textContent).toMatch(/^0 min 4\d s left$/)
})

describe('a reload during an outage', () => {
  test.each([
    ['whose answer was lost', {}, 'network_error', 'We are checking your request'],
    ['that prompted the payer', {}, waiting(), 'Confirm on your phone'],
    ['of another device', waiting(), null, 'Confirm on your phone'],
  ] as const)('does not deny an order %s', async (_, before, answer, shown) => {
    api.change(before)
    const page = await openPage()
    if (answer !== null) {
      api.confirms = [answer]
      await pay()
    }
    expect(heading()).toBe(shown)
    page.close()
    api.readFault = 503
    await openPage()
    expect(heading()).toBe('We are checking your request')
    expect(pageText()).toContain('Do not pay another way')
    expect(pageText()).not.toContain('No new payment was started')
    api.readFault = null
    api.change(waiting())
    await press('Check now')
    expect(heading()).toBe('Confirm on your phone')
  })

  test('does not deny an order of which a reload before it has read nothing, and said so', async () => {
    api.confirms = ['network_error']
    const page = await openPage()
    await pay()
    page.close()
    const reloaded = await openPage()
    expect(screen.getByRole('alert').textContent).toMatch(/does not seem to have gone out/)
    reloaded.close()
    api.readFault = 503
    await openPage()
    expect(heading()).toBe('We are checking your request')
  })

  test('does not take an earlier decline for the end of an order whose answer was lost', async () => {
    api.change(refused('payer_declined'))
    api.confirms = ['network_error']
    const page = await openPage()
    await press('Try again')
    await pay()
    page.close()
    const reloaded = await openPage()
    expect(screen.getByRole('alert').textContent).toMatch(/does not seem to have gone out/)
    reloaded.close()
    api.readFault = 503
    await openPage()
    expect(heading()).toBe('We are checking your request')
  })

  test('says nothing of an order that was lost before the shop canceled the payment', async () => {
    api.confirms = ['network_error']
    const page = await openPage()
    await pay()
    page.close()
    api.change({ status: 'canceled' })
    const reloaded = await openPage()
    reloaded.close()
    api.readFault = 503
    await openPage()
    expect(heading()).toBe('We cannot check')
  })

  test.each([
    ['declined', refused('payer_declined')],
    ['refused', envelope(400, 'invalid_request', 'payment_method_data[mtn_momo_cm][msisdn]')],
    ['paid', paid()],
  ])('says that no payment was started after an order that was %s', async (_, answer) => {
    api.confirms = [answer]
    const page = await openPage()
    await pay()
    page.close()
    api.readFault = 503
    await openPage()
    expect(heading()).toBe('We cannot check')
    expect(pageText()).toContain('No new payment was started from this page.')
  })
})

describe('a phone whose clock is set while the payer waits', () => {
  const MINUTE_MS = 60_000

  /** Opens the page `aheadMs` behind the API, presses the button, and sets the phone's clock right. */
  const payAndSet = async (aheadMs: number): Promise<void> => {
    api.aheadMs = aheadMs
    vi.setSystemTime(START_MS - aheadMs)
    api.confirms = [waiting()]
    await openPage()
    await pay()
    await pass(5)
    act(() => void vi.setSystemTime(Date.now() + aheadMs))
    api.aheadMs = 0
  }

  test.each([10, 60])(
    'forward by %s minutes: the request is open until its time by the API’s clock',
    async (minutes) => {
      await payAndSet(minutes * MINUTE_MS)
      await pass(10)
      expect(heading()).toBe('Confirm on your phone')
      expect(pageText()).not.toContain('Its time is over')
      await pass(240)
      expect(screen.getByRole('timer').textContent).toMatch(/^0 min 4\d s left$/)
      await pass(110)
      expect(heading()).toBe('No answer from the operator yet')
    },
  )

  test('back by an hour: the help appears, and the request ends at its time by the API’s clock', async () => {
    await payAndSet(-60 * MINUTE_MS)
    await pass(10)
    expect(screen.getByRole('link', { name: 'Dial *126#' })).toBeTruthy()
    await pass(240)
    expect(screen.getByRole('timer').textContent).toMatch(/^0 min 4\d s left$/)
    await pass(50)
    expect(pageText()).toContain('Its time is over')
  })

  test('forward, while no read is answered: the request is open again once one is', async () => {
    await payAndSet(10 * MINUTE_MS)
    api.readFault = 503
    await pass(30)
    api.readFault = null
    await pass(40)
    expect(heading()).toBe('Confirm on your phone')
    expect(pageText()).not.toContain('Its time is over')
  })
})

test('a server of the version before, without the newest fields: the payer can still pay', async () => {
  const { color: _color, number_prefixes: _prefixes, ...rail } = mtn
  const { rail_txn_id: _txn, ...succeeded } = paid().succeeded_charge ?? {}
  const older = { merchant: { name: 'Boutique Akwa' }, rails: [rail] } as unknown as BrowserSession
  api.session = sessionOf(older)
  api.confirms = [{ ...paid(), succeeded_charge: succeeded as BrowserIntent['succeeded_charge'] }]
  await openPage()
  await pay()
  expect(heading()).toBe(words.en.succeededTitle)
  expect(pageText()).not.toContain(words.en.receiptTransaction)
})
