import { act, fireEvent, screen } from '@testing-library/react'
import { http, HttpResponse } from 'msw'
import { describe, expect, test, vi } from 'vitest'
import { readAddress } from '../src/search.ts'
import { comes, heading, isSo, openAt, press, submit, useDashboard, write } from './page.ts'
import { envelope } from './staff-api.ts'
import {
  approvalOf,
  chargeOf,
  deliveryOf,
  detailOf,
  entryOf,
  idOf,
  intentOf,
  invoiceOf,
  memberOf,
  merchantOf,
} from './wire.ts'

const api = useDashboard()
const nobody = () => envelope(401, 'authentication_error', 'Nobody is signed in.')
const payments = (...ids: number[]) => ({
  object: 'list' as const,
  url: '/payment_intents',
  has_more: true,
  data: ids.map((id) => intentOf({ id: idOf('pi', id) })),
})

describe('a person who is not signed in', () => {
  test('sees the sign-in, which leads back to the same address', async () => {
    api.answers = { me: nobody() }
    await openAt('/payments?status=succeeded&payer=num_1vAAAA')
    await heading('Sign in')
    expect(screen.getByRole('link', { name: 'Sign in' }).getAttribute('href')).toBe(
      `/dash/v1/sign_in?${new URLSearchParams({ return_to: '/dash/payments?status=succeeded&payer=num_1vAAAA' })}`,
    )
    expect(api.calls.map(({ path }) => path)).toEqual(['/dash/v1/me'])
  })

  test('whose session ends sees no data any more', async () => {
    api.answers.payments = payments(1)
    await openAt('/payments')
    await comes('A bag of rice')
    api.answers.payments = nobody()
    await act(
      async () =>
        void fireEvent.change(await screen.findByLabelText('Status'), { target: { value: 'canceled' } }),
    )
    await heading('Your session is over')
    expect(document.body.textContent).not.toContain('A bag of rice')
    expect(screen.getByRole('link', { name: 'Sign in' }).getAttribute('href')).toMatch(
      /status%3Dcanceled&step_up=true$/,
    )
  })

  test('whose session has ended sees no data after a look-up or a sign-out either', async () => {
    api.answers.payments = payments(1)
    for (const post of [
      async () => {
        await act(async () => void fireEvent.keyDown(window, { key: '/' }))
        await write(/^One of these: an id/, 'A-1042')
        await submit()
      },
      () => press('Sign out'),
    ]) {
      await openAt('/payments')
      await comes('A bag of rice')
      api.server.use(http.post('*/dash/v1/*', () => nobody()))
      await post()
      await heading('Your session is over')
      expect(document.body.textContent).not.toContain('A bag of rice')
    }
  })

  test('who has signed in anew in another tab can sign out and look up after one refusal', async () => {
    await openAt('/payments')
    await heading('Payments')
    api.changes = [
      envelope(403, 'forbidden', 'It lacks its csrf-token.'),
      { object: 'signed_out', redirect_to: null },
    ]
    api.answers.me = { ...memberOf('operator'), csrf_token: 'csrf-of-another-session' }
    await press('Sign out')
    await isSo(() => expect(api.calls.filter(({ path }) => path.endsWith('/me'))).toHaveLength(2))
    await press('Sign out')
    await heading('Your session is over')
    expect(api.calls.at(-1)?.headers.get('csrf-token')).toBe('csrf-of-another-session')
  })

  test('whose account has no role gets a message, and a way to another account', async () => {
    api.answers = {
      me: envelope(403, 'forbidden', 'Your account has none of the roles viewer, operator, admin.'),
    }
    await openAt('/')
    expect((await screen.findByRole('alert')).textContent).toContain('none of the roles')
    expect(screen.getByRole('link', { name: 'Sign in again' }).getAttribute('href')).toBe(
      `/dash/v1/sign_in?${new URLSearchParams({ return_to: '/dash/', step_up: 'true' })}`,
    )
  })
})

test('the page of an invoice that stays open shows what has become of it', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  api.answers.invoice = invoiceOf({ description: 'A bag of rice' })
  await openAt(`/invoices/${idOf('in', 1)}`)
  await comes('A bag of rice')
  api.answers.invoice = invoiceOf({ description: 'Two bags of rice' })
  await act(() => vi.advanceTimersByTimeAsync(15_000))
  vi.useRealTimers()
  await comes('Two bags of rice')
  expect(document.body.textContent).not.toContain('A bag of rice')
})

describe('an answer of a standby', () => {
  const behind = (sec: number) =>
    HttpResponse.json(payments(1), { headers: { 'staff-read-lag': String(sec) } })

  test('says how old it is once it is some seconds behind', async () => {
    api.answers.payments = behind(12)
    await openAt('/payments')
    await comes('This page is 12 seconds behind. After a change of your own you see the present.')
    expect(screen.getAllByRole('status').map(({ textContent }) => textContent)).toContain(
      'This page is 12 seconds behind. After a change of your own you see the present.',
    )
  })

  test('says nothing while the standby follows', async () => {
    api.answers.payments = behind(1)
    await openAt('/payments')
    await comes('A bag of rice')
    expect(document.body.textContent).not.toContain('seconds behind')
  })
})

describe('a computer whose clock is wrong', () => {
  const HOUR_MS = 3_600_000
  const nowSec = () => Math.floor(Date.now() / 1_000)
  test('shows ages by the clock of the api', async () => {
    api.aheadMs = 3 * HOUR_MS
    const created = nowSec() + 3 * 3_600 - 120
    api.answers.payments = { ...payments(1), data: [intentOf({ created })] }
    await openAt('/payments')
    await comes('A bag of rice')
    const [time] = document.querySelectorAll('main time')
    expect(time?.getAttribute('title')).toMatch(/, [23] minutes ago$/)
  })

  test.each([-30 * HOUR_MS, 30 * HOUR_MS])('asks for the last day of the api (%i ms)', async (byMs) => {
    api.lookup = { object: 'lookup_result', matches: [], payer: null, amount: 25_000 }
    api.aheadMs = byMs
    await openAt('/rails')
    await heading('Rails')
    await act(async () => void fireEvent.keyDown(window, { key: '/' }))
    await write(/^One of these: an id/, '25 000')
    await submit()
    const link = await screen.findByRole('link', { name: /Payments of this amount/ })
    const { from = '' } = readAddress((link.getAttribute('href') ?? '').split('?')[1] ?? '')
    const fromMs = Date.parse(`${from}Z`)
    expect(Math.abs(fromMs - (Date.now() + byMs - 24 * HOUR_MS))).toBeLessThan(60_000)
  })

  test('recovers deliveries that were exhausted in the day before the api’s time', async () => {
    api.aheadMs = -30 * HOUR_MS
    await openAt('/deliveries?merchant=acme&endpoint=main')
    await press('Send all again since…')
    const field = await screen.findByLabelText<HTMLInputElement>(/^Deliveries created since/)
    const ladderMs = (10 + 30 + 120 + 600 + 3_600 + 21_600 + 86_400) * 1_000
    const wantedMs = Date.now() - 30 * HOUR_MS - ladderMs - 24 * HOUR_MS
    expect(Math.abs(Date.parse(`${field.value}Z`) - wantedMs)).toBeLessThan(120_000)
  })
})

describe('an error answer', () => {
  test.each([
    [404, 'resource_missing', 'There is no such object'],
    [403, 'forbidden', 'Your role does not allow this'],
    [400, 'invalid_request', 'The service refused this'],
  ])('%i is shown with the API’s message and the request id', async (status, code, title) => {
    api.answers.payment = envelope(status, code, 'Because of something.')
    await openAt(`/payments/${idOf('pi', 1)}`)
    const alert = await screen.findByRole('alert')
    expect(alert.textContent).toContain(title)
    expect(alert.textContent).toContain('Because of something.')
    expect(alert.textContent).toContain('req_0001')
  })

  test('of a later read keeps the data, marked as old', async () => {
    api.answers.payment = detailOf()
    api.changes = [entryOf()]
    await openAt(`/payments/${idOf('pi', 1)}`)
    await press('Cancel payment')
    await write(/^Reason/, 'asked by phone')
    api.answers.payment = envelope(500, 'internal_error', 'Something broke.')
    await submit()
    await comes(/done for/)
    await isSo(() => expect(document.body.textContent).toContain('This may be out of date: Something broke.'))
    await heading(/12,500/)
  })

  test('an unknown address', async () => {
    await openAt('/nonsense')
    expect((await heading('There is no such page')).textContent).toBeTruthy()
  })
})

/** A page that was loaded before a release stays open beside the api of that release. */
describe('an answer of a newer api', () => {
  const listOf = <T,>(...data: T[]) => ({ object: 'list' as const, url: '/', has_more: false, data })
  const francs = { currency: 'XOF' as never }

  test('shows an amount in a currency that the page does not know as it came, beside the others', async () => {
    const other = intentOf({ id: idOf('pi', 2), amount: 700, ...francs })
    api.answers.payments = listOf(intentOf(), other)
    api.answers.paymentTotals = {
      object: 'totals',
      count: 2,
      is_more: false,
      sums: [{ ...francs, amount: 99_700 }],
    }
    await openAt('/payments')
    expect((await comes('700')).textContent).toBe('700 XOF')
    expect((await comes('12,500')).textContent).toBe('12,500 XAF')
    expect((await comes(/2 rows/)).textContent).toContain('99700 XOF')
  })

  test('of a payment in such a currency says in which units a refund is given', async () => {
    api.answers.payment = detailOf({ status: 'succeeded', charges: [chargeOf(francs)], ...francs })
    await openAt(`/payments/${idOf('pi', 1)}`)
    await heading(/12500/)
    await press('Refund payment')
    expect(await screen.findByLabelText('Amount in minor units of XOF')).toBeTruthy()
  })

  test('shows a word that the page does not know as it is', async () => {
    api.answers.approvalRequests = listOf(approvalOf({ kind: 'payout.hold' as never }))
    await openAt('/approvals')
    await comes('payout.hold')
    api.lookup = {
      object: 'lookup_result',
      matches: [1, 2].map((digit) => ({
        kind: 'payout' as never,
        matched: 'bank_account' as never,
        name: null,
        id: idOf('po', digit),
        merchant: 'acme',
        payment_intent: null,
        status: null,
        amount: null,
        currency: null,
        created: 1_795_000_000,
      })),
      payer: null,
      amount: null,
    }
    await act(async () => void fireEvent.keyDown(window, { key: '/' }))
    await write(/^One of these: an id/, 'CM21')
    await submit()
    expect(await screen.findAllByText('Bank account')).toHaveLength(2)
  })
})

describe('a list', () => {
  test('sends the filters of its address, with whole days in UTC, and drops unknown ones', async () => {
    await openAt('/payments?status=succeeded&from=2026-11-20&until=2026-11-21&utm=1&limit=9')
    await comes(/No matching payments/)
    const [call] = api.calls.filter(({ path }) => path === '/dash/v1/payment_intents')
    expect(call?.query).toEqual({
      status: 'succeeded',
      limit: '50',
      'created[gte]': String(Date.UTC(2026, 10, 20) / 1_000),
      'created[lt]': String(Date.UTC(2026, 10, 22) / 1_000),
    })
  })

  test('sends a number only by POST, puts its handle into the address, and keeps the focus in the field', async () => {
    api.lookup = { object: 'lookup_result', matches: [], payer: 'num_1vAAAA', amount: null }
    await openAt('/payments')
    await write('Payer’s number', ' 670 00 00 01 ')
    const field = screen.getByLabelText('Payer’s number')
    field.focus()
    await act(async () => void fireEvent.keyDown(field, { key: 'Enter' }))
    await isSo(() => expect(location.search).toBe('?payer=num_1vAAAA'))
    expect(document.activeElement).toBe(screen.getByLabelText('Payer’s number'))
    expect(screen.getByLabelText<HTMLInputElement>('Payer’s number').value.trim()).toBe('670 00 00 01')
    await isSo(() => expect(api.calls.some(({ query }) => query['payer'] === 'num_1vAAAA')).toBe(true))
    await act(async () => void fireEvent.blur(field))
    const [asked, ...more] = api.calls.filter(({ path }) => path.endsWith('/lookup'))
    expect(more).toEqual([])
    expect(asked).toMatchObject({ method: 'POST', query: {}, form: { q: '670 00 00 01' } })
    expect(asked?.headers.get('csrf-token')).toBe(memberOf('operator').csrf_token)
    expect(JSON.stringify(api.calls.map(({ query }) => query))).not.toMatch(/670 ?00 ?00 ?01/)
    await act(async () => void fireEvent.change(field, { target: { value: '' } }))
    await act(async () => void fireEvent.keyDown(field, { key: 'Enter' }))
    await isSo(() => expect(location.search).toBe(''))
  })

  test('reports a text that is not a number, and does not filter by it', async () => {
    api.lookup = { object: 'lookup_result', matches: [], payer: null, amount: null }
    await openAt('/customers')
    await write('Phone', 'Awa')
    await act(async () => void fireEvent.keyDown(screen.getByLabelText('Phone'), { key: 'Enter' }))
    expect(await comes('This is not a phone number.')).toBeTruthy()
    expect(location.search).toBe('')
  })

  test('pages both ways by the ids of its ends, and a new filter starts at the newest', async () => {
    api.answers.payments = payments(3, 2)
    await openAt(`/payments?starting_after=${idOf('pi', 4)}`)
    const older = await screen.findByRole('link', { name: 'Older →' })
    expect(older.getAttribute('href')).toBe(`/dash/payments?starting_after=${idOf('pi', 2)}`)
    expect(screen.getByRole('link', { name: '← Newer' }).getAttribute('href')).toBe(
      `/dash/payments?ending_before=${idOf('pi', 3)}`,
    )
    await act(
      async () => void fireEvent.change(screen.getByLabelText('Status'), { target: { value: 'succeeded' } }),
    )
    await isSo(() => expect(location.search).toBe('?status=succeeded'))
  })

  describe('that is slow to load', () => {
    /** Answers reads of payments when it is told to. */
    const hold = () => {
      const { promise, resolve } = Promise.withResolvers<void>()
      api.server.use(
        http.get('*/dash/v1/payment_intents', () => promise.then(() => HttpResponse.json(payments(9))), {
          once: true,
        }),
      )
      return () => act(async () => resolve())
    }
    const follow = async (name: string) => {
      const link = await screen.findByRole('link', { name })
      await act(async () => void fireEvent.click(link))
    }
    const busy = () => document.querySelector('[aria-busy=true]')

    test('keeps its rows while another page of the same list loads', async () => {
      api.answers.payments = payments(3, 2)
      await openAt('/payments?status=succeeded')
      await screen.findByTitle(idOf('pi', 3))
      const answer = hold()
      await follow('Older →')
      expect(await screen.findByTitle(idOf('pi', 3))).toBeTruthy()
      expect(busy()).not.toBeNull()
      await answer()
      await screen.findByTitle(idOf('pi', 9))
    })

    test.each([
      [
        'under another filter',
        async () => {
          const field = await screen.findByLabelText('Merchant')
          await act(async () => void fireEvent.change(field, { target: { value: 'globex' } }))
        },
      ],
      ['in another order', () => follow('Oldest first')],
    ])('shows no rows of before %s', async (_, change) => {
      api.answers.payments = payments(3, 2)
      api.answers.merchantClients = {
        object: 'list',
        url: '/',
        has_more: false,
        data: [merchantOf({ id: 'globex' })],
      }
      await openAt('/payments')
      await screen.findByTitle(idOf('pi', 3))
      const answer = hold()
      await change()
      await comes('Loading…')
      expect(screen.queryByTitle(idOf('pi', 3))).toBeNull()
      await answer()
      await screen.findByTitle(idOf('pi', 9))
    })
  })

  test('takes amounts in the currency that its address names, and says which it does not understand', async () => {
    await openAt('/payments?amount_from=25&amount_to=1,250&currency=EUR')
    await comes('This is not clearly an amount in EUR.')
    const call = api.calls.find(({ path }) => path === '/dash/v1/payment_intents')
    expect(call?.query).toEqual({ 'amount[gte]': '2500', currency: 'EUR', limit: '50' })
    expect(api.calls.find(({ path }) => path.endsWith('/totals/payment_intents'))?.query).toEqual({
      'amount[gte]': '2500',
      currency: 'EUR',
    })
    expect(screen.getByLabelText('Amount to').getAttribute('aria-invalid')).toBe('true')
    expect(screen.getByLabelText('Amount from').getAttribute('aria-invalid')).toBe('false')
  })

  test('has fifty rows a page, or a hundred if its address says so', async () => {
    api.answers.payments = payments(3, 2)
    await openAt('/payments?status=succeeded')
    const more = await screen.findByRole('link', { name: '100 rows a page' })
    expect(more.getAttribute('href')).toBe('/dash/payments?status=succeeded&rows=100')
    await act(async () => void fireEvent.click(more))
    await isSo(() => expect(api.calls.at(-1)?.query).toEqual({ status: 'succeeded', limit: '100' }))
    expect(screen.getByRole('link', { name: 'Older →' }).getAttribute('href')).toBe(
      `/dash/payments?status=succeeded&rows=100&starting_after=${idOf('pi', 2)}`,
    )
    await openAt('/merchants')
    await comes('The configuration names no client.')
    expect(api.calls.at(-1)).toMatchObject({ path: '/dash/v1/merchant_clients', query: {} })
  })
})

describe('the look-up', () => {
  const match = {
    kind: 'charge',
    matched: 'id',
    name: null,
    id: idOf('ch', 7),
    merchant: 'acme',
    payment_intent: idOf('pi', 1),
    status: 'succeeded',
    amount: 12_500,
    currency: 'XAF',
    created: 1_795_000_000,
  } as const

  test('an id that is pasted anywhere opens its object', async () => {
    api.lookup = { object: 'lookup_result', matches: [match], payer: null, amount: null }
    api.answers.payment = detailOf()
    await openAt('/rails')
    await heading('Rails')
    const paste = Object.assign(new Event('paste'), {
      clipboardData: { getData: () => ` ${idOf('ch', 7)}\n` },
    })
    await act(async () => void window.dispatchEvent(paste))
    await heading(/12,500/)
    expect(api.calls.find(({ path }) => path.endsWith('/lookup'))?.form).toEqual({ q: idOf('ch', 7) })
  })

  test('opens with a slash, but not in a field', async () => {
    await openAt('/payments')
    const field = await screen.findByLabelText('Customer')
    await act(async () => void fireEvent.keyDown(field, { key: '/' }))
    expect(document.querySelector('dialog[open]')).toBeNull()
    await act(async () => void fireEvent.keyDown(window, { key: '/' }))
    expect(document.querySelector('dialog[open]')?.getAttribute('aria-label')).toBe('Find')
  })

  test('several results are listed, and none is reported', async () => {
    api.lookup = {
      object: 'lookup_result',
      matches: [
        match,
        {
          ...match,
          kind: 'customer',
          id: idOf('cus', 1),
          payment_intent: null,
          status: null,
          amount: null,
          currency: null,
        },
      ],
      payer: 'num_1vAAAA',
      amount: null,
    }
    await openAt('/rails')
    await heading('Rails')
    await act(async () => void fireEvent.keyDown(window, { key: 'k', ctrlKey: true }))
    await write(/^One of these: an id/, '670000001')
    await submit()
    await comes('2 found.')
    expect((await screen.findByRole('button', { name: /^Charge/ })).textContent).toContain('12,500 XAF')
    expect(screen.getByRole('link', { name: 'All payments of this number' }).getAttribute('href')).toBe(
      '/dash/payments?payer=num_1vAAAA',
    )
    api.lookup = { object: 'lookup_result', matches: [], payer: 'num_1vAAAA', amount: null }
    await submit()
    expect(await comes(/Nothing found for this text/)).toBeTruthy()
  })

  test('that was closed leads nowhere once its answer comes', async () => {
    const answer = Promise.withResolvers<void>()
    let isAborted = false
    api.server.use(
      http.post('*/dash/v1/lookup', async ({ request }) => {
        request.signal.addEventListener('abort', () => {
          isAborted = true
        })
        await answer.promise
        return HttpResponse.json({ object: 'lookup_result', matches: [match], payer: null, amount: null })
      }),
    )
    await openAt('/rails')
    await heading('Rails')
    await act(async () => void fireEvent.keyDown(window, { key: '/' }))
    await write(/^One of these: an id/, 'A-1042')
    await submit()
    await act(async () => document.querySelector<HTMLDialogElement>('dialog[open]')?.close())
    await isSo(() => expect(isAborted).toBe(true))
    await act(async () => answer.resolve())
    expect(location.pathname).toBe('/dash/rails')
  })

  test('an amount leads to the payments of the last day with this amount', async () => {
    api.lookup = { object: 'lookup_result', matches: [], payer: null, amount: 25_000 }
    await openAt('/rails')
    await heading('Rails')
    await act(async () => void fireEvent.keyDown(window, { key: '/' }))
    await write(/^One of these: an id/, '25 000')
    await submit()
    const link = await screen.findByRole('link', { name: /Payments of this amount/ })
    expect(link.getAttribute('href')).toMatch(/from=[\dT%A:-]+&amount_from=25000&amount_to=25000$/)
    await act(async () => void fireEvent.click(link))
    await isSo(() =>
      expect(api.calls.find(({ path }) => path.endsWith('/payment_intents'))?.query).toMatchObject({
        'amount[gte]': '25000',
        'amount[lte]': '25000',
        currency: 'XAF',
      }),
    )
  })
})

describe('keys', () => {
  const type = async (...keys: string[]) => {
    for (const key of keys)
      await act(async () => void fireEvent.keyDown(document.activeElement ?? window, { key }))
  }

  test('g and a letter lead to a screen, but not from a field', async () => {
    await openAt('/rails')
    await heading('Rails')
    await type('g', 'p')
    await heading('Payments')
    screen.getByLabelText('Amount from').focus()
    await type('g', 'r')
    expect(await heading('Payments')).toBeTruthy()
  })

  test('that a person has turned off do nothing, but for Ctrl K', async () => {
    await openAt('/rails')
    await heading('Rails')
    await press('Keyboard shortcuts')
    await act(async () => void fireEvent.click(screen.getByLabelText('Use these keys')))
    await press('Close')
    await openAt('/rails')
    await heading('Rails')
    await type('?', 'g', 'p', '/')
    expect(document.querySelector('dialog[open]')).toBeNull()
    expect(await heading('Rails')).toBeTruthy()
    await act(async () => void fireEvent.keyDown(window, { key: 'k', ctrlKey: true }))
    expect(document.querySelector('dialog[open]')?.getAttribute('aria-label')).toBe('Find')
    localStorage.clear()
  })

  test('j and k move between rows, and ? lists the keys', async () => {
    const data = [1, 2].map((digit) => intentOf({ id: idOf('pi', digit) }))
    api.answers.payments = { object: 'list', url: '/', has_more: false, data }
    await openAt('/payments')
    await screen.findByRole('region', { name: 'Payments' })
    const rowOf = () => document.activeElement?.getAttribute('href')
    await type('j')
    expect(rowOf()).toBe(`/dash/payments/${idOf('pi', 1)}`)
    await type('j')
    expect(rowOf()).toBe(`/dash/payments/${idOf('pi', 2)}`)
    await type('k')
    expect(rowOf()).toBe(`/dash/payments/${idOf('pi', 1)}`)
    await type('?')
    expect(document.querySelector('dialog[open]')?.textContent).toContain('Next row')
  })
})

describe('a list’s tools', () => {
  const chooseColumn = async (head: string) => {
    const details = (await screen.findByText('Columns')).closest('details')
    await act(async () => {
      if (details) details.open = true
      if (details) fireEvent(details, new Event('toggle'))
    })
    await act(async () => void fireEvent.click(screen.getByRole('checkbox', { name: head })))
  }

  test('hide a column, which stays hidden in this browser', async () => {
    api.answers.payments = payments(1)
    await openAt('/payments')
    await screen.findByRole('columnheader', { name: 'Description' })
    await chooseColumn('Description')
    expect(screen.queryByRole('columnheader', { name: 'Description' })).toBeNull()
    expect(localStorage.getItem('columns.payments')).toBe('Description')
    localStorage.clear()
  })

  test.each([
    ['a column that was hidden is shown again', ['Age', 'Age']],
    ['a column is hidden, after an earlier release hid the actions', ['Age']],
  ])('keep the actions of the rows if %s', async (_, heads) => {
    api.answers.charges = { object: 'list', url: '/', has_more: false, data: [chargeOf()] }
    if (heads.length === 1) localStorage.setItem('columns.charges', '\nRail')
    await openAt('/charges')
    for (const head of heads) await chooseColumn(head)
    await openAt('/charges')
    await screen.findByRole('table')
    expect(screen.getAllByRole('button', { name: 'Resolve' })).toHaveLength(1)
    expect(screen.queryAllByRole('columnheader', { name: 'Age' })).toHaveLength(heads.length - 1)
    localStorage.clear()
  })

  test('save the filters of the address as a view, and lead to it', async () => {
    const owner = { subject: 'omar', name: 'Omar Operator' }
    api.answers.savedViews = {
      object: 'list',
      url: '/',
      has_more: false,
      data: [
        {
          id: idOf('vw', 1),
          object: 'saved_view',
          list: 'payments',
          name: 'My declines',
          search: 'charge=failed',
          shared: true,
          owner,
          created: 1_795_000_000,
        },
      ],
    }
    api.changes = [entryOf({ action: 'view.save' })]
    await openAt('/payments?status=canceled')
    expect((await screen.findByText('My declines')).getAttribute('href')).toBe('/dash/payments?charge=failed')
    await act(async () => void fireEvent.click(screen.getByText('Save as a view')))
    await write('Name', 'Canceled')
    await write(/^Reason/, 'For my shift.')
    await submit()
    await isSo(() =>
      expect(api.calls.find(({ method }) => method === 'POST')).toMatchObject({
        path: '/dash/v1/saved_views',
        form: { list: 'payments', search: 'status=canceled', name: 'Canceled', reason: 'For my shift.' },
      }),
    )
  })
})

describe('totals', () => {
  test('say that there are too many rows only if the API says so', async () => {
    api.answers.refundTotals = HttpResponse.json(
      {
        error: {
          code: 'invalid_request',
          message: 'The query timed out; narrow the `created` range.',
          param: 'created',
        },
      },
      { status: 400 },
    )
    await openAt('/refunds')
    await comes('Too many to count. Choose a shorter time.')
    api.answers.chargeTotals = envelope(403, 'forbidden', 'Your role does not allow this.')
    await openAt('/charges')
    expect(await comes('The rows could not be counted: Your role does not allow this.')).toBeTruthy()
  })

  test('are shown above a list, and say where they stop', async () => {
    api.answers.paymentTotals = {
      object: 'totals',
      count: 3,
      is_more: false,
      sums: [{ currency: 'XAF', amount: 10_700 }],
    }
    await openAt('/payments?amount_from=25%20000&decline=insufficient_funds')
    expect((await comes(/3 rows/)).textContent).toContain('10,700')
    expect(api.calls.find(({ path }) => path.endsWith('/totals/payment_intents'))?.query).toEqual({
      'amount[gte]': '25000',
      currency: 'XAF',
      decline: 'insufficient_funds',
    })
    api.answers.refundTotals = { object: 'totals', count: 10_000, is_more: true, sums: [] }
    await openAt('/refunds')
    await comes(/More than 10,000 rows/)
  })
})

test('a command that the browser refuses to copy is not said to be copied', async () => {
  vi.stubGlobal('navigator', {
    languages: ['en'],
    clipboard: { writeText: () => Promise.reject(new DOMException('', 'NotAllowedError')) },
  })
  const event = { event_body: null, event_text: '{}', attempt_log: [] }
  api.answers.delivery = { ...deliveryOf(), ...event }
  await openAt(`/deliveries/${idOf('wd', 1)}`)
  await press('Copy as curl')
  expect(await comes('The browser refused to copy the command.')).toBeTruthy()
})

test.each([
  [false, 'Test mode'],
  [true, 'Live: real money'],
])('the banner says whether real money moves: %j', async (livemode, text) => {
  api.answers.me = { ...memberOf('viewer'), livemode }
  await openAt('/rails')
  expect(await comes(text)).toBeTruthy()
})

test('a step of the timeline shows the present state of a refund apart from its creation', async () => {
  const step = { at: 1_795_000_000, source: 'refund' as const, id: idOf('re', 1), text: 'created' }
  api.answers.payment = detailOf({
    timeline: [{ ...step, about: null, attempts: null, state: 'failed', detail: 'PAYEE_NOT_FOUND' }],
  })
  await openAt(`/payments/${idOf('pi', 1)}`)
  await comes('Refund created')
  expect(document.querySelector('.timeline')?.textContent).toContain(
    'Refund created · Now: Failed · PAYEE_NOT_FOUND',
  )
})
