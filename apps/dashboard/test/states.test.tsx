import { act, fireEvent, screen } from '@testing-library/react'
import { describe, expect, test } from 'vitest'
import { comes, heading, isSo, openAt, press, submit, useDashboard, write } from './page.ts'
import { envelope } from './staff-api.ts'
import { deliveryOf, detailOf, entryOf, idOf, intentOf, memberOf } from './wire.ts'

const api = useDashboard()
const nobody = () => envelope(401, 'authentication_error', 'Nobody is signed in.')
const payments = (...ids: number[]) => ({
  object: 'list' as const,
  url: '/payment_intents',
  has_more: true,
  data: ids.map((id) => intentOf({ id: idOf('pi', id) })),
})
const posts = () => api.calls.filter(({ method }) => method === 'POST')

describe('who is not signed in', () => {
  test('is shown the way in, which leads back to the very address', async () => {
    api.answers = { me: nobody() }
    await openAt('/payments?status=succeeded&phone=237670000001')
    await heading('Sign in')
    expect(screen.getByRole('link', { name: 'Sign in' }).getAttribute('href')).toBe(
      `/dash/v1/sign_in?${new URLSearchParams({ return_to: '/dash/payments?status=succeeded&phone=237670000001' })}`,
    )
    expect(api.calls.map(({ path }) => path)).toEqual(['/dash/v1/me'])
  })

  test('whose session ends amid work sees nothing of it any more', async () => {
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
    expect(screen.getByRole('link', { name: 'Sign in' }).getAttribute('href')).toContain('status%3Dcanceled')
  })

  test('is told so where the account has no role', async () => {
    api.answers = {
      me: envelope(403, 'forbidden', 'Your account has none of the roles viewer, operator, admin.'),
    }
    await openAt('/')
    expect((await screen.findByRole('alert')).textContent).toContain('none of the roles')
  })
})

describe('an answer that is no success', () => {
  test.each([
    [404, 'resource_missing', 'There is no such object'],
    [403, 'forbidden', 'Your role does not allow this'],
    [400, 'invalid_request', 'The service refused this'],
  ])('%i is told in the API’s words, with the request to ask about', async (status, code, title) => {
    api.answers.payment = envelope(status, code, 'Because of something.')
    await openAt(`/payments/${idOf('pi', 1)}`)
    const alert = await screen.findByRole('alert')
    expect(alert.textContent).toContain(title)
    expect(alert.textContent).toContain('Because of something.')
    expect(alert.textContent).toContain('req_0001')
  })

  test('of a later read leaves what is known, and says that it is old', async () => {
    api.answers.payment = detailOf()
    api.changes = [entryOf()]
    await openAt(`/payments/${idOf('pi', 1)}`)
    await press('Cancel payment')
    await write(/^Why\?/, 'asked by phone')
    api.answers.payment = envelope(500, 'internal_error', 'Something broke.')
    await submit()
    await comes(/done for/)
    await isSo(() => expect(document.body.textContent).toContain('This may be out of date: Something broke.'))
    await heading(/12,500/)
  })

  test('an address that is none', async () => {
    await openAt('/nonsense')
    expect((await heading('There is no such page')).textContent).toBeTruthy()
  })
})

describe('a list', () => {
  test('asks for what stands in its address, days as whole ones in UTC, and drops what is no filter', async () => {
    await openAt('/payments?status=succeeded&from=2026-11-20&until=2026-11-21&utm=1&limit=9')
    await comes(/No payment fits/)
    const [call] = api.calls.filter(({ path }) => path.endsWith('/payment_intents'))
    expect(call?.query).toEqual({
      status: 'succeeded',
      'created[gte]': String(Date.UTC(2026, 10, 20) / 1_000),
      'created[lt]': String(Date.UTC(2026, 10, 22) / 1_000),
    })
  })

  test('takes a number with Enter as it was typed, and the field stays in focus', async () => {
    await openAt('/payments')
    await write('Payer’s number', ' 670 00 00 01 ')
    const field = screen.getByLabelText('Payer’s number')
    field.focus()
    await act(async () => void fireEvent.keyDown(field, { key: 'Enter' }))
    await isSo(() => expect(location.search).toBe('?phone=670+00+00+01'))
    expect(document.activeElement).toBe(screen.getByLabelText('Payer’s number'))
    expect(api.calls.some(({ query }) => query['phone'] === '670 00 00 01')).toBe(true)
  })

  test('pages both ways by the ids of its ends, and a filter starts at the newest', async () => {
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
})

describe('a change', () => {
  const cancel = async () => {
    api.answers.payment = detailOf()
    await openAt(`/payments/${idOf('pi', 1)}`)
    await press('Cancel payment')
    await write(/^Why\?/, 'asked by phone')
  }

  test('names its object, takes a reason, and goes out once with the token and a key', async () => {
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

  test('without an answer goes out again under the same key; once refused, under a new one', async () => {
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

  test('sends what was filled in and leaves out what was not: a refund of all that is left has no amount', async () => {
    api.answers.payment = detailOf({ status: 'succeeded', refund_reserved: 2_500 })
    api.changes = [entryOf()]
    await openAt(`/payments/${idOf('pi', 1)}`)
    await press('Refund payment')
    expect((await screen.findByLabelText(/^Amount in XAF/)).getAttribute('placeholder')).toBe(
      'All that is left: 10000',
    )
    await write(/^Number/, '670000002')
    await write(/^Why\?/, 'the bag was torn')
    await submit()
    await comes(/done for/)
    expect(posts().map(({ path, form }) => [path, form])).toEqual([
      [
        `/dash/v1/payment_intents/${idOf('pi', 1)}/refund`,
        { msisdn: '670000002', reason: 'the bag was torn' },
      ],
    ])
  })

  test('that is refused for its token takes the new one: somebody has signed in anew in another tab', async () => {
    api.changes = [envelope(403, 'forbidden', 'It lacks its csrf-token.'), entryOf()]
    await cancel()
    api.answers.me = { ...memberOf('operator'), csrf_token: 'csrf-of-another-session' }
    await submit()
    await comes('It lacks its csrf-token.')
    await isSo(() => expect(api.calls.filter(({ path }) => path.endsWith('/me'))).toHaveLength(2))
    await submit()
    await comes(/done for/)
    expect(posts().map(({ headers }) => headers.get('csrf-token'))).toEqual([
      'csrf-of-omar',
      'csrf-of-another-session',
    ])
  })

  test('that finds nobody signed in ends what is shown', async () => {
    api.changes = [nobody()]
    await cancel()
    await submit()
    await heading('Your session is over')
    expect(document.body.textContent).not.toContain('A bag of rice')
  })

  test('is not offered to who may not make it', async () => {
    api.answers.me = memberOf('viewer')
    api.answers.payment = detailOf()
    await openAt(`/payments/${idOf('pi', 1)}`)
    await heading(/12,500/)
    expect(screen.queryByRole('button', { name: 'Cancel payment' })).toBeNull()
  })

  test('is offered only where it can be made', async () => {
    api.answers.payment = detailOf({ status: 'succeeded', refund_reserved: 12_500 })
    await openAt(`/payments/${idOf('pi', 1)}`)
    await heading(/12,500/)
    for (const name of ['Cancel payment', 'Refund payment'])
      expect(screen.queryByRole('button', { name })).toBeNull()
  })

  test('of a delivery that is still under way is not offered', async () => {
    api.answers.delivery = { ...deliveryOf({ status: 'pending' }), event_body: null, attempt_log: [] }
    await openAt(`/deliveries/${idOf('wd', 1)}`)
    await heading(/payment_intent.succeeded to main/)
    expect(screen.queryByRole('button', { name: 'Replay' })).toBeNull()
  })
})

describe('the look-up', () => {
  const match = {
    kind: 'charge',
    id: idOf('ch', 7),
    merchant: 'acme',
    payment_intent: idOf('pi', 1),
  } as const

  test('an id that is pasted anywhere leads to where it is shown', async () => {
    api.answers.lookup = { object: 'lookup_result', matches: [match] }
    api.answers.payment = detailOf()
    await openAt('/rails')
    await heading('Rails')
    const paste = Object.assign(new Event('paste'), {
      clipboardData: { getData: () => ` ${idOf('ch', 7)}\n` },
    })
    await act(async () => void window.dispatchEvent(paste))
    await heading(/12,500/)
    expect(api.calls.find(({ path }) => path.endsWith('/lookup'))?.query).toEqual({ q: idOf('ch', 7) })
  })

  test('several are shown to choose from, and none is told', async () => {
    api.answers.lookup = {
      object: 'lookup_result',
      matches: [match, { kind: 'customer', id: idOf('cus', 1), merchant: 'acme', payment_intent: null }],
    }
    await openAt('/rails')
    await heading('Rails')
    await act(async () => void fireEvent.keyDown(window, { key: 'k', ctrlKey: true }))
    await write(/An id, a rail/, '670000001')
    await submit()
    await comes('2 found.')
    api.answers.lookup = { object: 'lookup_result', matches: [] }
    await submit()
    expect(await comes(/Nothing has this id/)).toBeTruthy()
  })
})
