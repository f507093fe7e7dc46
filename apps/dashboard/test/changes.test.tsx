import type { AttentionItem } from '@merchant-payments/contract'
import { act, fireEvent, screen } from '@testing-library/react'
import { http, HttpResponse } from 'msw'
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { comes, heading, isSo, openAt, press, submit, useDashboard, write } from './page.ts'
import { envelope } from './staff-api.ts'
import {
  approvalOf,
  chargeOf,
  customerOf,
  deliveryOf,
  detailOf,
  entryOf,
  fanoutOf,
  idOf,
  invoiceOf,
  memberOf,
  returnOf,
  START_SEC,
} from './wire.ts'

const api = useDashboard()
const posts = () => api.calls.filter(({ method }) => method === 'POST')

describe('a change', () => {
  const cancel = async () => {
    api.answers.payment = detailOf({ charges: [chargeOf()] })
    await openAt(`/payments/${idOf('pi', 1)}`)
    await press('Cancel payment')
    await write(/^Reason/, 'asked by phone')
  }

  /** Keeps the answer to the next cancellation until the returned function is called. */
  function holdCancel(answer: () => Response): () => void {
    const { promise, resolve } = Promise.withResolvers<void>()
    api.server.use(
      http.post('*/dash/v1/payment_intents/:id/cancel', () => promise.then(answer), { once: true }),
    )
    return resolve
  }

  test('names its object, requires a reason, and is sent once with the token and a key', async () => {
    api.changes = [entryOf()]
    await cancel()
    expect(document.querySelector('dialog[open]')?.textContent).toContain(idOf('pi', 1))
    await submit()
    await comes(/done for/)
    const [post, ...more] = posts()
    expect(more).toEqual([])
    expect(post?.path).toBe(`/dash/v1/payment_intents/${idOf('pi', 1)}/cancel`)
    expect(post?.form).toEqual({ reason: 'asked by phone' })
    expect(post?.headers.get('csrf-token')).toBe('csrf-of-omar')
    expect(post?.headers.get('idempotency-key')).toMatch(/^[\w-]{36}$/)
  })

  test('without an answer is sent again with the same key; after a refusal, with a new one', async () => {
    api.changes = ['network_error', envelope(409, 'intent_not_cancelable', 'It has succeeded.'), entryOf()]
    await cancel()
    await submit()
    await comes('The service cannot be reached')
    await submit()
    await comes('It has succeeded.')
    await submit()
    await comes(/done for/)
    const [first, second, third] = posts().map(({ headers }) => headers.get('idempotency-key'))
    expect(second).toBe(first)
    expect(third).not.toBe(first)
  })

  test('of a refund requires an amount, has the number that paid, and fills in the rest if asked', async () => {
    const paid = chargeOf({ status: 'succeeded', next_query_at: null })
    api.answers.payment = detailOf({ status: 'succeeded', refund_reserved: 2_500, charges: [paid] })
    api.changes = [entryOf()]
    await openAt(`/payments/${idOf('pi', 1)}`)
    await press('Refund payment')
    const amount = await screen.findByLabelText<HTMLInputElement>(/^Amount in XAF/)
    expect([amount.value, amount.required]).toEqual(['', true])
    expect(screen.getByLabelText<HTMLInputElement>(/^Refund to/).value).toBe('237670000001')
    await press('All that is left: 10000')
    expect(amount.value).toBe('10000')
    await write(/^Reason/, 'the bag was torn')
    await submit()
    await comes(/done for/)
    expect(posts().map(({ path, form }) => [path, form])).toEqual([
      [
        `/dash/v1/payment_intents/${idOf('pi', 1)}/refund`,
        {
          amount: '10000',
          msisdn: '237670000001',
          reason: 'the bag was torn',
          seen_refund_reserved: '2500',
        },
      ],
    ])
  })

  test('of a refund in euros takes euros and cents, as the filters do, and sends cents', async () => {
    const paid = chargeOf({ status: 'succeeded', currency: 'EUR', amount: 5_000, next_query_at: null })
    api.answers.payment = detailOf({ status: 'succeeded', currency: 'EUR', amount: 5_000, charges: [paid] })
    api.changes = ['network_error', entryOf()]
    await openAt(`/payments/${idOf('pi', 1)}`)
    await press('Refund payment')
    const amount = await screen.findByLabelText<HTMLInputElement>('Amount in EUR')
    await press('All that is left: 50.00')
    expect(amount.value).toBe('50.00')
    const isTaken = (text: string) => {
      amount.value = text
      return amount.checkValidity()
    }
    expect(['0', '0.00', '1.234', '1,234', '12.5', '0,05'].filter(isTaken)).toEqual(['12.5', '0,05'])
    await write('Amount in EUR', '12,50')
    await write(/^Reason/, 'the bag was torn')
    await submit()
    await comes('This was sent before, and no answer came. It may have been done.')
    expect(document.querySelector('dialog[open] .note .facts')?.textContent).toContain('12.50')
    expect(posts()[0]?.form).toMatchObject({ amount: '1250' })
  })

  test('omits fields that are empty', async () => {
    api.answers.charges = { object: 'list', url: '/', has_more: false, data: [chargeOf()] }
    api.changes = [entryOf({ action: 'approval.request' })]
    await openAt('/charges?state=stuck')
    await press('Resolve')
    await act(async () => void fireEvent.click(await screen.findByLabelText('Succeeded')))
    await write(/^Reason/, 'it is in the portal')
    await submit()
    await comes(/waits until another staff member approves it/)
    expect(posts().map(({ form }) => form)).toEqual([{ outcome: 'succeeded', reason: 'it is in the portal' }])
  })

  test('that is refused for its token takes the new one, after a sign-in in another tab', async () => {
    api.changes = [envelope(403, 'forbidden', 'It is of another session.', 'csrf_token'), entryOf()]
    await cancel()
    api.answers.me = { ...memberOf('operator'), csrf_token: 'csrf-of-another-session' }
    await submit()
    await comes('Your session has changed')
    expect(screen.queryByText('Your role does not allow this')).toBeNull()
    await isSo(() => expect(api.calls.filter(({ path }) => path.endsWith('/me'))).toHaveLength(2))
    await submit()
    await comes(/done for/)
    expect(posts().map(({ headers }) => headers.get('csrf-token'))).toEqual([
      'csrf-of-omar',
      'csrf-of-another-session',
    ])
  })

  test('that is answered late closes no later dialog, and takes neither its text nor the focus', async () => {
    const answer = holdCancel(() => HttpResponse.json(entryOf()))
    await cancel()
    await submit()
    // Nothing that says so could keep the payment now.
    expect(screen.queryByRole('button', { name: 'Keep the payment' })).toBeNull()
    await press('Close')
    await press('Query rail now')
    await write(/^Reason/, 'the payer was debited')
    const field = screen.getByLabelText<HTMLTextAreaElement>(/^Reason/)
    field.focus()
    await act(async () => answer())
    await comes(/Cancel payment: done for/)
    expect(document.querySelector('dialog[open]')?.contains(field)).toBe(true)
    expect([field.value, document.activeElement]).toEqual(['the payer was debited', field])
  })

  test.each([
    [envelope(409, 'intent_not_cancelable', 'It has succeeded.'), 'Cancel payment: It has succeeded.'],
    [
      envelope(403, 'forbidden', 'Read `me` for it.', 'csrf_token'),
      /^Cancel payment: Somebody has signed in anew in this browser/,
    ],
  ])('that is refused after its dialog was closed says so: %#', async (refusal, said) => {
    const answer = holdCancel(() => refusal)
    await cancel()
    await submit()
    await press('Close')
    await act(async () => answer())
    expect(await comes(said)).toBeTruthy()
  })

  test('that requires a new sign-in leads to it, and back', async () => {
    api.changes = [envelope(403, 'step_up_required', 'Sign in again.')]
    await cancel()
    await submit()
    await comes('This needs a new sign-in')
    expect(screen.getByRole('link', { name: 'Sign in again' }).getAttribute('href')).toBe(
      `/dash/v1/sign_in?${new URLSearchParams({ return_to: `/dash/payments/${idOf('pi', 1)}`, step_up: 'true' })}`,
    )
  })

  test('that gets a 401 clears the screen', async () => {
    api.changes = [envelope(401, 'authentication_error', 'Nobody is signed in.')]
    await cancel()
    await submit()
    await heading('Your session is over')
    expect(document.body.textContent).not.toContain('A bag of rice')
  })

  test('is not offered to a role that may not make it', async () => {
    api.answers.me = memberOf('viewer')
    api.answers.payment = detailOf()
    await openAt(`/payments/${idOf('pi', 1)}`)
    await heading(/12,500/)
    expect(screen.queryByRole('button', { name: 'Cancel payment' })).toBeNull()
  })

  test('is offered only if it is possible', async () => {
    api.answers.payment = detailOf({ status: 'succeeded', refund_reserved: 12_500 })
    await openAt(`/payments/${idOf('pi', 1)}`)
    await heading(/12,500/)
    for (const name of ['Cancel payment', 'Refund payment'])
      expect(screen.queryByRole('button', { name })).toBeNull()
  })

  test('of a pending delivery is not offered', async () => {
    api.answers.delivery = {
      ...deliveryOf({ status: 'pending' }),
      event_body: null,
      event_text: null,
      attempt_log: [],
    }
    await openAt(`/deliveries/${idOf('wd', 1)}`)
    await heading(/payment_intent.succeeded to main/)
    expect(screen.queryByRole('button', { name: 'Replay' })).toBeNull()
  })
})

const openPaid = async () => {
  const paid = chargeOf({ status: 'succeeded', next_query_at: null })
  api.answers.payment = detailOf({ status: 'succeeded', charges: [paid] })
  await openAt(`/payments/${idOf('pi', 1)}`)
}
const refundPaid = async (reason = 'the bag was torn') => {
  await press('Refund payment')
  await write(/^Amount in XAF/, '1000')
  await write(/^Reason/, reason)
  await submit()
}
const keys = () => posts().map(({ headers }) => headers.get('idempotency-key'))
const kept = () => Object.keys(sessionStorage).filter((name) => name.startsWith('unanswered.'))

describe('a change without an answer', () => {
  test('keeps its key over a closed dialog, in which it is sent again', async () => {
    api.changes = ['network_error', entryOf()]
    await openPaid()
    await refundPaid()
    await comes('The service cannot be reached')
    await press('Cancel')
    await press('Refund payment')
    const note = (await comes(/This was sent before, and no answer came/)).closest('[role=alert]')
    expect(note?.textContent).toContain('Amount in XAF1000')
    expect(note?.textContent).toContain('Reasonthe bag was torn')
    await press('Send the same again')
    await comes(/done for/)
    expect(posts()[1]?.form).toEqual(posts()[0]?.form)
    expect(keys()).toEqual([keys()[0], keys()[0]])
  })

  test('has the same key if its terms are written again', async () => {
    api.changes = ['network_error', entryOf()]
    await openPaid()
    await refundPaid()
    await comes('The service cannot be reached')
    await press('Cancel')
    await refundPaid()
    await comes(/done for/)
    expect(keys()).toEqual([keys()[0], keys()[0]])
  })

  test('is not made a second time with other terms before a warning', async () => {
    api.changes = ['network_error', entryOf()]
    await openPaid()
    await refundPaid()
    await comes('The service cannot be reached')
    await press('Cancel')
    await refundPaid('the bag was torn.')
    await comes(/This differs from what was sent before/)
    expect(posts()).toHaveLength(1)
    await press('Send this as well')
    await comes(/done for/)
    expect(posts()).toHaveLength(2)
    expect(keys()[1]).not.toBe(keys()[0])
    await press('Refund payment')
    await comes(/This was sent before, and no answer came/)
  })

  test('is not made a second time by a double click, nor by Enter, through the warning', async () => {
    api.changes = ['network_error', entryOf()]
    await openPaid()
    await refundPaid()
    await comes('The service cannot be reached')
    await press('Cancel')
    await press('Refund payment')
    await write(/^Amount in XAF/, '1000')
    await write(/^Reason/, 'the bag was torn.')
    const button = document.querySelector('dialog[open] button[type=submit]') ?? document.body
    await act(async () => {
      fireEvent.click(button, { detail: 1 })
      fireEvent.click(button, { detail: 2 })
    })
    await comes(/This differs from what was sent before/)
    expect(button.getAttribute('aria-disabled')).toBe('true')
    await submit()
    // The warning moves what is below it, so that the second click may meet its own button.
    const own = screen.getByRole('button', { name: 'Send this as well' })
    await act(async () => void fireEvent.click(own, { detail: 2 }))
    expect(posts()).toHaveLength(1)
    await act(async () => void fireEvent.click(own, { detail: 1 }))
    await comes(/done for/)
    expect(posts().map(({ form }) => form['reason'])).toEqual(['the bag was torn', 'the bag was torn.'])
  })

  test('is warned of anew when the terms change after the warning', async () => {
    api.changes = ['network_error', entryOf()]
    await openPaid()
    await refundPaid()
    await comes('The service cannot be reached')
    await press('Cancel')
    await refundPaid('the bag was torn.')
    await comes(/This differs from what was sent before/)
    for (const change of [() => write(/^Amount in XAF/, '500'), () => press('All that is left: 12500')]) {
      await change()
      expect(screen.queryByText(/This differs from what was sent before/)).toBeNull()
      await submit()
      await comes(/This differs from what was sent before/)
    }
    expect(posts()).toHaveLength(1)
    await press('Send this as well')
    await comes(/done for/)
    expect(posts()[1]?.form['amount']).toBe('12500')
  })

  test('keeps its key while the API refuses the sender, and while a request with its key was seen', async () => {
    api.changes = [
      'network_error',
      envelope(403, 'step_up_required', 'Sign in again.'),
      envelope(400, 'idempotency_key_in_flight', 'It is still running.'),
      envelope(400, 'idempotency_key_in_use', 'Another release has it.'),
      envelope(409, 'refund_exceeds_payment', 'Nothing is left.'),
      entryOf(),
    ]
    await openPaid()
    await refundPaid()
    await comes('The service cannot be reached')
    await press('Send the same again')
    await comes('This needs a new sign-in')
    await press('Send the same again')
    await comes('It is still running.')
    await press('Send the same again')
    await comes('Another release has it.')
    await press('Send the same again')
    await comes('Nothing is left.')
    expect(screen.queryByRole('button', { name: 'Send the same again' })).toBeNull()
    await submit()
    await comes(/done for/)
    expect(new Set(keys().slice(0, 5)).size).toBe(1)
    expect(keys()[5]).not.toBe(keys()[0])
  })

  test('keeps its key over a reload and a new sign-in', async () => {
    api.changes = ['network_error', envelope(401, 'authentication_error', 'Nobody is signed in.'), entryOf()]
    await openPaid()
    await refundPaid()
    await comes('The service cannot be reached')
    await openPaid()
    await press('Refund payment')
    await comes(/This was sent before, and no answer came/)
    await press('Send the same again')
    await heading('Your session is over')
    await openPaid()
    await press('Refund payment')
    await press('Send the same again')
    await comes(/done for/)
    expect(keys()).toEqual([keys()[0], keys()[0], keys()[0]])
    expect(posts()[2]?.form).toEqual(posts()[0]?.form)
    await openPaid()
    await press('Refund payment')
    expect(screen.queryByText(/This was sent before/)).toBeNull()
  })

  test('is warned of after a reload, if other terms are sent', async () => {
    api.changes = ['network_error', entryOf()]
    await openPaid()
    await refundPaid()
    await comes('The service cannot be reached')
    await openPaid()
    await refundPaid('the bag was torn.')
    await comes(/This differs from what was sent before/)
    expect(posts()).toHaveLength(1)
  })

  test.each([
    [
      'another member signs in in the tab',
      () => void (api.answers.me = { ...memberOf('operator'), subject: 'olga' }),
    ],
    ['its member signs out', () => press('Sign out')],
  ])('leaves the tab once %s', async (_, leave) => {
    api.changes = ['network_error', { object: 'signed_out', redirect_to: null }]
    await openPaid()
    await refundPaid()
    await comes('The service cannot be reached')
    expect(kept()).toHaveLength(1)
    await press('Cancel')
    await leave()
    await openPaid()
    await isSo(() => expect(kept()).toEqual([]))
  })

  test('does not promise that it is repeated', async () => {
    api.changes = ['network_error']
    await openPaid()
    await refundPaid()
    await comes(/so it may have been done\. It is not repeated automatically/)
    expect(document.body.textContent).not.toContain('the request is repeated automatically')
  })
})

describe('a change that meets the end of the session', () => {
  test('that was refused unread leaves no key behind', async () => {
    api.changes = [envelope(401, 'authentication_error', 'Nobody is signed in.')]
    await openPaid()
    await refundPaid()
    await heading('Your session is over')
    expect(kept()).toEqual([])
    const left = Object.keys(sessionStorage).map((name) => sessionStorage.getItem(name))
    expect(left.join()).not.toContain(posts()[0]?.headers.get('idempotency-key'))
  })

  test('that may have been made is not said to be undone when it is refused unread', async () => {
    api.changes = ['network_error', envelope(401, 'authentication_error', 'Nobody is signed in.')]
    await openPaid()
    await refundPaid()
    await comes('The service cannot be reached')
    await submit()
    await heading('Your session is over')
    await openPaid()
    await press('Refund payment')
    await comes(/^This was sent before/)
    expect(screen.queryByText(/It was not done/)).toBeNull()
  })
})

describe('a change that requires a new sign-in', () => {
  const refund = async (title = 'This needs a new sign-in') => {
    await press('Refund payment')
    await write(/^Amount in XAF/, '1000')
    await write(/^Refund to/, '')
    await write(/^Reason/, 'the bag was torn')
    await submit()
    await comes(title)
  }
  const valueOf = async (label: RegExp | string) =>
    (await screen.findByLabelText<HTMLInputElement>(label)).value
  const written = async () => [
    await valueOf(/^Amount in XAF/),
    await valueOf(/^Refund to/),
    await valueOf(/^Reason/),
  ]
  const untouched = ['', '237670000001', '']

  test.each([
    ['has become old', envelope(403, 'step_up_required', 'Sign in again.'), 'This needs a new sign-in'],
    ['is over', envelope(401, 'authentication_error', 'Nobody is signed in.'), 'Your session is over'],
  ])(
    'because the session %s is filled in afterwards and sent once under a new key',
    async (_, refusal, title) => {
      api.changes = [refusal, entryOf()]
      await openPaid()
      await refund(title)
      await openPaid()
      await press('Refund payment')
      await comes(/^What you wrote before is here again\. It was not done/)
      expect(await written()).toEqual(['1000', '', 'the bag was torn'])
      expect(screen.queryByText(/This was sent before/)).toBeNull()
      await submit()
      await comes(/done for/)
      const [first, second, ...more] = posts()
      expect(more).toEqual([])
      expect(second?.form).toEqual(first?.form)
      expect(second?.headers.get('idempotency-key')).not.toBe(first?.headers.get('idempotency-key'))
      expect(Object.keys(sessionStorage)).toEqual([])
      await openPaid()
      await press('Refund payment')
      expect(await written()).toEqual(untouched)
    },
  )

  describe('of whose end a refresh tells', () => {
    const over = () => envelope(401, 'authentication_error', 'Nobody is signed in.')
    const typed = async () => {
      await openPaid()
      await press('Refund payment')
      await write(/^Amount in XAF/, '1000')
      await write(/^Reason/, 'the bag was torn')
    }
    /** The member comes back to the tab. */
    const refresh = async (answers: Partial<typeof api.answers>) => {
      const before = api.answers
      api.answers = { ...before, ...answers }
      await act(async () => void window.dispatchEvent(new Event('focus')))
      await heading('Your session is over')
      api.answers = before
    }

    const byItself = async () => {
      const before = api.answers
      api.answers = { ...before, payment: over() }
      await act(() => vi.advanceTimersByTimeAsync(5_000))
      vi.useRealTimers()
      await heading('Your session is over')
      api.answers = before
    }

    test.each([
      ['of the member', () => refresh({ me: over(), payment: over() })],
      ['of the page', byItself],
    ])('%s keeps what was typed in the open dialog', async (_, end) => {
      vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
      onTestFinished(() => void vi.useRealTimers())
      await typed()
      await end()
      await openPaid()
      await press('Refund payment')
      await comes(/^What you wrote before is here again\. It was not done/)
      expect(await written()).toEqual(['1000', '237670000001', 'the bag was torn'])
    })

    test('keeps nothing of a dialog that was closed or not written in', async () => {
      await typed()
      await press('Cancel')
      await press('Refund payment')
      await refresh({ me: over() })
      expect(Object.keys(sessionStorage)).toEqual([])
    })

    test('keeps nothing for another member', async () => {
      await typed()
      await refresh({ me: over() })
      api.answers.me = { ...memberOf('operator'), subject: 'olga', name: 'Olga Operator' }
      await openPaid()
      await press('Refund payment')
      expect(await written()).toEqual(untouched)
      expect(Object.keys(sessionStorage)).toEqual([])
    })
  })

  test('has its choice and its instant again, and asks to type the id anew', async () => {
    api.answers.charges = { object: 'list', url: '/', has_more: false, data: [chargeOf()] }
    api.answers.me = memberOf('admin')
    api.answers.customer = customerOf()
    api.answers.customerActivity = { object: 'activity', entries: [], complete_since: null }
    api.changes = [envelope(403, 'step_up_required', 'Sign in again.')]
    const again = async (path: string, action: string, fill: () => Promise<void>) => {
      await openAt(path)
      await press(action)
      await fill()
      await submit()
      await comes('This needs a new sign-in')
      await openAt(path)
      await press(action)
    }
    const choose = () => act(async () => void fireEvent.click(screen.getByLabelText('Failed')))
    await again('/charges?state=stuck', 'Resolve', choose)
    expect((await screen.findByLabelText<HTMLInputElement>('Failed')).checked).toBe(true)
    await again('/deliveries?merchant=acme&endpoint=main', 'Send all again since…', () =>
      write(/^Deliveries created since/, '2026-11-21T14:00'),
    )
    expect(await valueOf(/^Deliveries created since/)).toBe('2026-11-21T14:00')
    await again(`/customers/${idOf('cus', 1)}`, 'Erase customer', async () => {
      await write('Type the id to confirm', idOf('cus', 1))
      await write(/^Reason/, 'asked by letter')
    })
    expect([await valueOf('Type the id to confirm'), await valueOf(/^Reason/)]).toEqual([
      '',
      'asked by letter',
    ])
  })

  test.each([
    [
      'another member signs in in the tab',
      () => void (api.answers.me = { ...memberOf('operator'), subject: 'olga' }),
    ],
    ['its member signs out', () => press('Sign out')],
  ])('leaves the tab once %s', async (_, leave) => {
    api.changes = [
      envelope(403, 'step_up_required', 'Sign in again.'),
      { object: 'signed_out', redirect_to: null },
    ]
    await openPaid()
    await refund()
    expect(Object.keys(sessionStorage)).toHaveLength(1)
    await press('Cancel')
    await leave()
    await openPaid()
    await press('Refund payment')
    expect(await written()).toEqual(untouched)
    expect(Object.keys(sessionStorage)).toEqual([])
  })
})

describe('a duplicate charge', () => {
  const duplicate = chargeOf({ status: 'duplicate', next_query_at: null })
  const openPaid = async (change: Parameters<typeof detailOf>[0]) => {
    api.answers.payment = detailOf({ status: 'succeeded', charges: [duplicate], ...change })
    await openAt(`/payments/${idOf('pi', 1)}`)
    await heading(/12,500/)
  }

  test('is returned to the number that paid, which is shown', async () => {
    api.changes = [entryOf({ action: 'charge.return' })]
    await openPaid({})
    expect(screen.queryByRole('button', { name: 'Resolve' })).toBeNull()
    await press('Return to payer')
    expect(document.querySelector('dialog[open]')?.textContent).toContain(duplicate.payer_msisdn)
    expect(screen.queryByLabelText('Return to')).toBeNull()
    await write(/^Reason/, 'paid twice')
    await submit()
    await comes(/done for/)
    expect(posts().map(({ path, form }) => [path, form])).toEqual([
      [`/dash/v1/charges/${duplicate.id}/return`, { reason: 'paid twice' }],
    ])
  })

  test('of an erased payer requires a number', async () => {
    api.changes = [entryOf({ action: 'charge.return' })]
    await openPaid({ charges: [{ ...duplicate, payer_msisdn: '[redacted]' }] })
    await press('Return to payer')
    await write('Return to', '670000002')
    await write(/^Reason/, 'paid twice')
    await submit()
    await comes(/done for/)
    expect(posts().map(({ form }) => form)).toEqual([{ msisdn: '670000002', reason: 'paid twice' }])
  })

  test.each([
    [true, 0],
    [false, 1],
  ])('with a return that the rail has not refused (%s) is offered %i more', async (returned, offered) => {
    const instruction = returned ? 'accepted' : 'refused'
    await openPaid({ charges: [{ ...duplicate, returned }], returns: [returnOf({ instruction })] })
    await screen.findByRole('heading', { level: 2, name: /Returns of duplicate charges/ })
    expect(screen.queryAllByRole('button', { name: 'Return to payer' })).toHaveLength(offered)
  })

  test('counts to what was received, and a refund says that it does not return it', async () => {
    const good = chargeOf({ id: idOf('ch', 2), status: 'succeeded', next_query_at: null })
    await openPaid({ charges: [duplicate, good], refund_reserved: 500 })
    const facts = (await screen.findByRole('complementary', { name: 'About this payment' })).textContent
    expect(facts).toContain('Received25,000 XAF')
    expect(facts).toContain('Of it paid twice12,500 XAF')
    expect(facts).toContain('Can be refunded12,000 XAF')
    await press('Refund payment')
    await comes(/This payment was paid twice/)
  })
})

describe('waiting objects', () => {
  const listOf = <T,>(...data: T[]) => ({ object: 'list' as const, url: '/', has_more: false, data })

  test('a stuck charge is resolved by an explicit choice, without a default', async () => {
    api.answers.charges = listOf(chargeOf())
    api.changes = [entryOf({ action: 'charge.resolve' })]
    await openAt('/charges?state=stuck')
    await press('Resolve')
    expect(document.querySelector('dialog[open]')?.textContent).toContain(chargeOf().reference)
    expect(document.querySelectorAll('dialog[open] input:checked')).toHaveLength(0)
    await act(async () => void fireEvent.click(await screen.findByLabelText('Failed')))
    await write(/^Reason/, 'not in the portal')
    await submit()
    await comes(/done for/)
    expect(posts().map(({ path, form }) => [path, form])).toEqual([
      [`/dash/v1/charges/${idOf('ch', 1)}/resolve`, { outcome: 'failed', reason: 'not in the portal' }],
    ])
  })

  test('a charge that is being submitted can be neither queried nor resolved', async () => {
    api.answers.charges = listOf(chargeOf({ status: 'submitting' }))
    await openAt('/charges?state=stuck')
    await comes('Being sent')
    for (const name of ['Query rail now', 'Resolve'])
      expect(screen.queryByRole('button', { name })).toBeNull()
  })

  test('a failed charge can be queried after its watch, and a paid one cannot', async () => {
    const failed = chargeOf({ status: 'failed', next_query_at: null })
    const paid = chargeOf({ id: idOf('ch', 2), status: 'succeeded', next_query_at: null })
    api.answers.charges = listOf(failed, paid)
    api.changes = [entryOf({ action: 'charge.query' })]
    await openAt('/charges')
    await comes('Failed')
    expect(screen.queryAllByRole('button', { name: 'Query rail now' })).toHaveLength(1)
    await press('Query rail now')
    await write(/^Reason/, 'the payer was debited')
    await submit()
    await comes(/done for/)
    expect(posts().map(({ path }) => path)).toEqual([`/dash/v1/charges/${failed.id}/query`])
  })

  test('the dialog of a row stays with its text when the row leaves the list at a refresh', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    api.answers.charges = listOf(chargeOf())
    await openAt('/charges')
    await press('Resolve')
    await write(/^Reason/, 'it is in the portal')
    api.answers.charges = listOf(chargeOf({ id: idOf('ch', 2), status: 'failed', ruling: 'failed' }))
    await act(() => vi.advanceTimersByTimeAsync(15_000))
    vi.useRealTimers()
    await screen.findByTitle(idOf('ch', 2))
    expect(screen.queryByTitle(idOf('ch', 1))).toBeNull()
    const dialog = document.querySelector('dialog[open]')
    expect(dialog?.textContent).toContain(chargeOf().reference)
    expect(dialog?.querySelector('textarea')?.value).toBe('it is in the portal')
    await act(async () => void fireEvent.click(screen.getByLabelText('Failed')))
    api.changes = [entryOf({ action: 'charge.resolve' })]
    await submit()
    await comes(/done for/)
    expect(posts().map(({ path }) => path)).toEqual([`/dash/v1/charges/${idOf('ch', 1)}/resolve`])
  })

  test('only failed fan-outs can be retried', async () => {
    api.answers.fanouts = listOf(fanoutOf(), fanoutOf({ id: idOf('evt', 2), state: 'pending' }))
    api.changes = [entryOf({ action: 'fanout.retry' })]
    await openAt('/fanouts')
    await press('Retry fan-out')
    await write(/^Reason/, 'the configuration is repaired')
    await submit()
    await comes(/done for/)
    expect(posts().map(({ path }) => path)).toEqual([`/dash/v1/fanouts/${idOf('evt', 1)}/retry`])
  })
})

describe('what cannot be undone', () => {
  test('an erasure warns that metadata stays, which may hold personal data', async () => {
    api.answers.me = memberOf('admin')
    api.answers.customer = customerOf()
    api.answers.customerActivity = { object: 'activity', entries: [], complete_since: null }
    await openAt(`/customers/${idOf('cus', 1)}`)
    await press('Erase customer')
    await comes(/^Deletes name, phone, e-mail and address for good/)
    expect(await comes(/^Metadata and descriptions stay as they are, even if they hold/)).toBeTruthy()
  })

  test('a void says that the payment can no longer be paid, and not that it is canceled', async () => {
    api.answers.invoice = invoiceOf()
    await openAt(`/invoices/${idOf('in', 1)}`)
    await press('Void')
    expect(
      await comes('The invoice and its payment can no longer be paid. This cannot be undone.'),
    ).toBeTruthy()
  })
})

describe('a change that requires a second person', () => {
  const listOf = <T,>(...data: T[]) => ({ object: 'list' as const, url: '/', has_more: false, data })

  test('is shown as waiting, and not as done', async () => {
    api.answers.payment = detailOf({ status: 'succeeded' })
    api.changes = [entryOf({ action: 'approval.request' })]
    await openAt(`/payments/${idOf('pi', 1)}`)
    await press('Refund payment')
    await write(/^Amount/, '500')
    await write(/^Refund to/, '670000002')
    await write(/^Reason/, 'their phone was lost')
    await submit()
    await comes(/waits until another staff member approves it/)
    expect(screen.queryByText(/done for/)).toBeNull()
  })

  test('is approved with its amount, its number and its author in view', async () => {
    api.answers.approvalRequests = listOf(approvalOf())
    api.changes = [entryOf({ action: 'approval.approve' })]
    await openAt('/approvals?status=pending')
    await press('Approve')
    const shown = document.querySelector('dialog[open]')?.textContent ?? ''
    for (const fact of ['12,500', '237670000002', 'Olga Operator', 'their phone was lost'])
      expect(shown).toContain(fact)
    await write(/^Reason/, 'I called the payer')
    await submit()
    await comes(/done for/)
    expect(posts().map(({ path, form }) => [path, form])).toEqual([
      [`/dash/v1/approval_requests/${idOf('apr', 1)}/approve`, { reason: 'I called the payer' }],
    ])
  })

  test('is approved with the money that the rail reports, its charge, payment and merchant in view', async () => {
    api.answers.approvalRequests = listOf(
      approvalOf({
        kind: 'charge.resolve',
        target: idOf('ch', 1),
        msisdn: null,
        charge_status: 'failed',
        reported: { amount: 8_200, currency: 'XAF' },
      }),
    )
    await openAt('/approvals?status=pending')
    const table = (await screen.findByRole('table')).textContent
    expect(table).toContain('Amount differs 8,200 XAF')
    await press('Approve')
    const shown = document.querySelector('dialog[open]')?.textContent ?? ''
    for (const fact of [
      'The rail reports a success of 8,200 XAF. The charge is of 12,500 XAF',
      'Failed',
      idOf('ch', 1),
      idOf('pi', 1),
      'acme',
    ])
      expect(shown).toContain(fact)
  })

  test('is not offered for approval to its author, who can withdraw it', async () => {
    api.answers.payment = detailOf({
      status: 'succeeded',
      approval_requests: [approvalOf({ requested_by: { subject: 'omar', name: 'Omar Operator' } })],
    })
    api.changes = [entryOf({ action: 'approval.decline' })]
    await openAt(`/payments/${idOf('pi', 1)}`)
    await screen.findByRole('heading', { level: 2, name: /Requests for approval/ })
    expect(screen.queryByRole('button', { name: 'Approve' })).toBeNull()
    await press('Withdraw')
    await write(/^Reason/, 'it was the wrong payment')
    await submit()
    await comes(/done for/)
    expect(posts().map(({ path }) => path)).toEqual([`/dash/v1/approval_requests/${idOf('apr', 1)}/decline`])
  })

  test.each(['approved', 'declined', 'expired', 'obsolete'] as const)(
    'that is %s is offered to nobody',
    async (status) => {
      api.answers.approvalRequests = listOf(approvalOf({ status, msisdn: null }))
      await openAt('/approvals')
      await comes('Olga Operator')
      for (const name of ['Approve', 'Decline', 'Withdraw'])
        expect(screen.queryByRole('button', { name })).toBeNull()
    },
  )
})

describe('a charge for which the rail reports another amount', () => {
  test('shows it, and nobody rules on it without seeing it', async () => {
    const reported = { amount: 8_200, currency: 'XAF', at: 1_795_000_000 }
    api.answers.payment = detailOf({ charges: [chargeOf({ status: 'live', reported })] })
    await openAt(`/payments/${idOf('pi', 1)}`)
    await heading(/12,500/)
    const table = screen.getByRole('region', { name: 'Charges' }).textContent
    expect(table).toContain('Amount differs')
    expect(table).toContain('8,200 XAF')
    await press('Resolve')
    const dialog = document.querySelector('dialog[open]')?.textContent
    expect(dialog).toContain('The rail reports a success of 8,200 XAF')
    expect(dialog).toContain('12,500 XAF')
  })

  const reported = { amount: 8_200, currency: 'XAF', at: 1_795_000_000 }
  const openRuling = async () => {
    api.answers.payment = detailOf({ charges: [chargeOf({ status: 'live' })] })
    await openAt(`/payments/${idOf('pi', 1)}`)
    await press('Resolve')
    await act(async () => void fireEvent.click(await screen.findByLabelText('Failed')))
    await write(/^Reason/, 'it is not in the portal')
  }
  const dialogText = () => document.querySelector('dialog[open]')?.textContent ?? ''
  const reportComes = () => {
    api.answers.payment = detailOf({ charges: [chargeOf({ status: 'live', reported })] })
  }

  test('a report that comes while the dialog is open is shown there, and nothing is sent before it is seen', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    await openRuling()
    expect(dialogText()).not.toContain('The rail reports')
    reportComes()
    await act(() => vi.advanceTimersByTimeAsync(15_000))
    vi.useRealTimers()
    await comes(/has changed since you opened it/)
    expect(dialogText()).toContain('The rail reports a success of 8,200 XAF')
    await submit()
    expect(posts()).toEqual([])
    api.changes = [entryOf({ action: 'charge.resolve' })]
    await press('I have seen it')
    await submit()
    await comes(/done for/)
    expect(posts().map(({ form }) => form)).toEqual([
      {
        outcome: 'failed',
        reason: 'it is not in the portal',
        seen_reported_amount: '8200',
        seen_reported_currency: 'XAF',
      },
    ])
  })

  test('a ruling that the API refuses for a new report shows the report and keeps what was written', async () => {
    await openRuling()
    api.changes = [envelope(409, 'charge_changed', 'The rail reports other money.'), entryOf()]
    reportComes()
    await submit()
    await comes(/has changed since you opened it/)
    expect(dialogText()).toContain('The rail reports a success of 8,200 XAF')
    await press('I have seen it')
    await submit()
    await comes(/done for/)
    expect(posts().map(({ form }) => form['seen_reported_amount'])).toEqual([undefined, '8200'])
    expect(posts().map(({ form }) => form['reason'])).toEqual(Array(2).fill('it is not in the portal'))
  })
})

describe('a refund by a colleague while the dialog is open', () => {
  const dialogText = () => document.querySelector('dialog[open]')?.textContent ?? ''
  const openRefund = async () => {
    await openPaid()
    await press('Refund payment')
    expect(dialogText()).toContain('Can be refunded12,500 XAF')
    await write(/^Amount in XAF/, '500')
    await write(/^Reason/, 'the payer called')
  }
  const colleagueRefunds = (refund_reserved: number) => {
    const charges = [chargeOf({ status: 'succeeded', next_query_at: null })]
    api.answers.payment = detailOf({ status: 'succeeded', charges, refund_reserved })
  }

  test.each([
    ['in part', 500, 'Can be refunded12,000 XAF'],
    ['in full', 12_500, 'Can be refunded0 XAF'],
  ])('%s is shown there, and nothing is sent before it is seen', async (_, reserved, left) => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    await openRefund()
    colleagueRefunds(reserved)
    await act(() => vi.advanceTimersByTimeAsync(15_000))
    vi.useRealTimers()
    await comes(/has changed since you opened it/)
    expect(dialogText()).toContain(left)
    await submit()
    expect(posts()).toEqual([])
  })

  test('for which the API refuses another is shown, and what was written stays', async () => {
    await openRefund()
    api.changes = [envelope(409, 'intent_changed', 'The refunds have changed.'), entryOf()]
    colleagueRefunds(500)
    await submit()
    await comes(/has changed since you opened it/)
    await press('I have seen it')
    await submit()
    await comes(/done for/)
    expect(posts().map(({ form }) => [form['amount'], form['seen_refund_reserved']])).toEqual([
      ['500', '0'],
      ['500', '500'],
    ])
  })
})

describe('a charge that succeeded only by a ruling', () => {
  const unproven = chargeOf({ status: 'succeeded', unproven: true, ruling: 'succeeded', next_query_at: null })

  test('can be refunded after its transaction is recorded', async () => {
    api.answers.payment = detailOf({ status: 'succeeded', charges: [unproven] })
    api.changes = [entryOf({ action: 'approval.request' })]
    await openAt(`/payments/${idOf('pi', 1)}`)
    await comes(/by a ruling alone/)
    expect(screen.queryByRole('button', { name: 'Refund payment' })).toBeNull()
    await press('Add the statement')
    expect(screen.queryByLabelText('Failed')).toBeNull()
    await act(async () => void fireEvent.click(await screen.findByLabelText('Succeeded')))
    await write(/^Transaction in/, 'MP250702.1410.C51350')
    await write(/^Reason/, 'it is in the statement now')
    await submit()
    await comes(/waits until another staff member approves it/)
    expect(posts().map(({ path, form }) => [path, form])).toEqual([
      [
        `/dash/v1/charges/${unproven.id}/resolve`,
        {
          outcome: 'succeeded',
          statement: 'MP250702.1410.C51350',
          reason: 'it is in the statement now',
        },
      ],
    ])
  })

  test('is not said to be refundable', async () => {
    api.answers.payment = detailOf({ status: 'succeeded', charges: [unproven] })
    await openAt(`/payments/${idOf('pi', 1)}`)
    const facts = (await screen.findByRole('complementary', { name: 'About this payment' })).textContent
    expect(facts).toContain('Received12,500 XAF')
    expect(facts).toContain('Can be refunded0 XAF')
  })

  test('that is a duplicate cannot be returned yet', async () => {
    api.answers.payment = detailOf({ charges: [{ ...unproven, status: 'duplicate' }] })
    await openAt(`/payments/${idOf('pi', 1)}`)
    await comes(/by a ruling alone/)
    expect(screen.queryByRole('button', { name: 'Return to payer' })).toBeNull()
  })
})

describe('selected rows', () => {
  const listed = [
    deliveryOf({ id: idOf('wd', 1), status: 'exhausted' }),
    deliveryOf({ id: idOf('wd', 2), status: 'succeeded' }),
    deliveryOf({ id: idOf('wd', 3), status: 'exhausted' }),
  ]
  beforeEach(() => {
    api.answers.deliveries = { object: 'list', url: '/', has_more: false, data: listed }
  })

  test('are changed together, except those whose state does not allow it', async () => {
    api.changes = [entryOf({ action: 'bulk_job.create', after: { kind: 'delivery.replay', objects: 2 } })]
    await openAt('/deliveries')
    const all = await screen.findByRole('checkbox', { name: 'Select all rows' })
    await act(async () => void fireEvent.click(all))
    expect(screen.getByRole('group', { name: 'Selected rows' }).textContent).toContain('3 selected')
    await press('Send again')
    await write(/^Reason/, 'Their receiver is back.')
    await submit()
    await isSo(() =>
      expect(api.calls.find(({ method }) => method === 'POST')).toMatchObject({
        path: '/dash/v1/bulk_jobs',
        form: {
          kind: 'delivery.replay',
          'ids[0]': idOf('wd', 1),
          'ids[1]': idOf('wd', 3),
          reason: 'Their receiver is back.',
        },
      }),
    )
    await comes(/Started for 2 objects/)
  })

  test('cannot be selected by a viewer', async () => {
    api.answers.me = memberOf('viewer')
    await openAt('/deliveries')
    await screen.findByRole('region', { name: 'Webhook deliveries' })
    expect(screen.queryAllByRole('checkbox')).toEqual([])
  })

  test('offer no change that none of them allows', async () => {
    await openAt('/deliveries')
    const box = await screen.findByRole('checkbox', { name: `Select ${idOf('wd', 2)}` })
    await act(async () => void fireEvent.click(box))
    expect(screen.queryByRole('button', { name: 'Send again' })).toBeNull()
  })

  test('all exhausted deliveries of an endpoint are sent again since an instant of the reader’s zone', async () => {
    api.changes = [entryOf({ action: 'bulk_job.create', after: { objects: 625 } })]
    await openAt('/deliveries?merchant=acme&endpoint=main')
    await press('Send all again since…')
    await write(/^Deliveries created since/, '2026-11-21T14:00')
    await write(/^Reason/, 'Their receiver is back.')
    await submit()
    await isSo(() =>
      expect(api.calls.find(({ method }) => method === 'POST')).toMatchObject({
        path: '/dash/v1/merchant_clients/acme/recover',
        form: { endpoint: 'main', from: String(Date.UTC(2026, 10, 21, 14) / 1_000) },
      }),
    )
    await comes(/Started for 625 objects/)
  })

  test('a recovery that finds nothing says so', async () => {
    api.changes = [entryOf({ action: 'bulk_job.create', after: { objects: 0 } })]
    await openAt('/deliveries?merchant=acme&endpoint=main')
    await press('Send all again since…')
    await write(/^Reason/, 'Their receiver is back.')
    await submit()
    await comes(/^Nothing is sent: no exhausted delivery was created since then/)
    expect(screen.queryByText(/Started for/)).toBeNull()
  })
})

describe('an item of the inbox', () => {
  const item = {
    id: idOf('att', 1),
    object: 'attention_item' as const,
    alert: 'charge_amount_mismatch' as const,
    about: idOf('ch', 1),
    merchant: 'acme',
    payment_intent: idOf('pi', 1),
    facts: { reported_amount: 1_050, reported_currency: 'EUR' },
    rail_code: null,
    rail_message: null,
    version: 'of-900',
    times: 1,
    status: 'open' as const,
    assignee: null,
    created: 1_795_000_000,
    last_at: 1_795_000_000,
    resolved_at: null,
  }
  const listed = (change: Partial<AttentionItem>) => ({
    object: 'list' as const,
    url: '/',
    has_more: false,
    data: [{ ...item, ...change }],
  })

  test('is taken as the page shows it; another assignee is shown before it is sent again', async () => {
    api.answers.attentionItems = listed({})
    await openAt('/attention')
    await press('Take')
    await write(/^Reason/, 'my shift')
    api.changes = [envelope(409, 'attention_changed', 'Another assignee.'), entryOf()]
    const olga = { subject: 'olga', name: 'Olga Operator' }
    api.answers.attentionItems = listed({ status: 'acknowledged', assignee: olga })
    await submit()
    await comes(/has changed since you opened it/)
    expect(document.querySelector('dialog[open]')?.textContent).toContain('Olga Operator')
    await press('I have seen it')
    await submit()
    await comes(/done for/)
    expect(posts().map(({ form }) => form['seen_assignee'])).toEqual(['', 'olga'])
  })

  test('that a colleague handles is not among those that are taken together', async () => {
    const taken = {
      ...item,
      id: idOf('att', 2),
      status: 'acknowledged' as const,
      assignee: { subject: 'olga', name: 'Olga Operator' },
    }
    api.answers.attentionItems = { ...listed({}), data: [item, taken] }
    api.changes = [entryOf()]
    await openAt('/attention')
    await act(async () => void fireEvent.click(await screen.findByLabelText('Select all rows')))
    await press('Take all')
    await write(/^Reason/, 'my shift')
    await submit()
    await comes(/done for/)
    const [post] = posts()
    expect(Object.entries(post?.form ?? {}).filter(([name]) => name.startsWith('ids'))).toEqual([
      ['ids[0]', item.id],
    ])
  })

  test('is resolved with its facts in view; facts that come meanwhile are shown before it is sent again', async () => {
    api.answers.attentionItems = listed({})
    await openAt('/attention')
    await press('Resolve')
    const dialog = () => document.querySelector('dialog[open]')?.textContent
    const rows = () => document.querySelector('tbody')?.textContent
    expect(rows()).toContain('Reported amount: 10.50 EUR')
    expect(dialog()).toContain('Reported amount: 10.50 EUR')
    expect(dialog()).not.toContain('Reported currency')
    await write(/^Reason/, 'agreed with the operator')
    api.changes = [envelope(409, 'attention_changed', 'There is something new.'), entryOf()]
    api.answers.attentionItems = listed({
      facts: { reported_amount: 90_000 },
      version: 'of-90000',
      times: 2,
    })
    await submit()
    await comes(/has changed since you opened it/)
    expect(dialog()).toContain('Reported amount: 90000 minor units')
    await press('I have seen it')
    await submit()
    await comes(/done for/)
    expect(posts().map(({ form }) => form['seen_version'])).toEqual(['of-900', 'of-90000'])
  })
})

test('an audit entry shows its amounts in their currencies', async () => {
  const facts = [
    { before: { refund_reserved: 250 }, after: { amount: 1_050, currency: 'EUR' } },
    {
      before: { reported_amount: 25_000, reported_currency: 'XAF', status: 'failed' },
      after: { amount: 1_050, currency: 'EUR' },
    },
    {
      before: { reported_amount: 8_200, reported_currency: null, ruling: null },
      after: { amount: null, currency: 'EUR', amount_differs: 2 },
    },
    { before: { next_query_at: null }, after: { next_query_at: START_SEC } },
    { before: {}, after: { from_ms: (START_SEC - 60) * 1_000, until_ms: START_SEC * 1_000 } },
  ]
  api.answers.auditEntries = {
    object: 'list',
    url: '/',
    has_more: false,
    data: facts.map((change, n) => entryOf({ id: idOf('au', n + 1), ...change })),
  }
  await openAt('/audit-log')
  await comes(/refund_reserved/)
  const text = document.querySelector('tbody')?.textContent
  for (const shown of [
    'refund_reserved: 2.50 EUR',
    'amount: 10.50 EUR',
    'reported_amount: 25,000 XAF, status: failed',
    'reported_amount: 8200 minor units, ruling: –',
    'amount: – EUR, amount_differs: 2',
    'next_query_at: –',
    'next_query_at: 21 Nov 2026, 11:00:00',
    'from_ms: 21 Nov 2026, 10:59:00, until_ms: 21 Nov 2026, 11:00:00',
  ])
    expect(text).toContain(shown)
})
