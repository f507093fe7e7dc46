import { act, fireEvent, screen } from '@testing-library/react'
import { describe, expect, test, vi } from 'vitest'
import { noteRequest } from '../src/last-request.ts'
import { comes, heading, isSo, openAt, press, submit, useDashboard, write } from './page.ts'
import { envelope } from './staff-api.ts'
import { chargeOf, customerOf, detailOf, entryOf, idOf, intentOf, memberOf } from './wire.ts'

const MINUTE_MS = 60_000

const api = useDashboard()
const posts = () => api.calls.filter(({ method }) => method === 'POST')
const asked = () => api.calls.filter(({ path }) => path.endsWith('/me'))
const olga = { ...memberOf('operator'), subject: 'olga', name: 'Olga Operator', csrf_token: 'csrf-of-olga' }
const csrfRefusal = () => envelope(403, 'forbidden', 'It lacks its csrf-token.')

/** The tab is looked at again, after somebody was in another one. */
const focus = () => act(async () => void fireEvent.focus(window))

const openPaid = async () => {
  const paid = chargeOf({ status: 'succeeded', next_query_at: null })
  api.answers.payment = detailOf({ status: 'succeeded', charges: [paid] })
  await openAt(`/payments/${idOf('pi', 1)}`)
}
const refund = async () => {
  await press('Refund payment')
  await write(/^Amount in XAF/, '1000')
  await write(/^Reason/, 'the bag was torn')
  await submit()
}

describe('a tab in which another member is signed in', () => {
  test('offers the next member no change of the one before, whose key the API would not know', async () => {
    api.changes = ['network_error', csrfRefusal(), entryOf()]
    await openPaid()
    await refund()
    await comes('The service cannot be reached')
    api.answers.me = olga
    await press('Send the same again')
    await comes('Olga Operator')
    expect(document.querySelector('dialog[open]')).toBeNull()
    expect(document.body.textContent).not.toContain('the bag was torn')
    await press('Refund payment')
    expect(screen.queryByText(/This was sent before/)).toBeNull()
    expect(screen.queryByRole('button', { name: 'Send the same again' })).toBeNull()
    expect(screen.getByLabelText<HTMLTextAreaElement>(/^Reason/).value).toBe('')
    expect(posts()).toHaveLength(2)
    expect(Object.keys(sessionStorage)).toEqual([])
  })

  test('has none of it left when the first member is back', async () => {
    api.changes = ['network_error']
    await openPaid()
    await refund()
    await comes('The service cannot be reached')
    api.answers.me = olga
    await focus()
    await comes('Olga Operator')
    api.answers.me = memberOf('operator')
    await focus()
    await comes('Omar Operator')
    await press('Refund payment')
    expect(screen.queryByText(/This was sent before/)).toBeNull()
  })

  test('says who it is as soon as it is looked at, and reads everything again', async () => {
    const view = {
      id: idOf('vw', 1),
      object: 'saved_view' as const,
      list: 'payments' as const,
      name: 'What Omar watches',
      search: 'status=canceled',
      shared: false,
      owner: { subject: 'omar', name: 'Omar Operator' },
      created: 1_795_000_000,
    }
    const listOf = <T,>(...data: T[]) => ({ object: 'list' as const, url: '/', has_more: false, data })
    api.answers.savedViews = listOf(view)
    api.answers.payments = listOf(intentOf())
    await openAt('/payments')
    await comes('What Omar watches')
    await comes('A bag of rice')
    api.answers = {
      ...api.answers,
      me: { ...olga, role: 'viewer' },
      savedViews: listOf(),
      payments: listOf(intentOf({ description: 'A bag of maize' })),
    }
    await focus()
    await comes('A bag of maize')
    expect(screen.queryByText('What Omar watches')).toBeNull()
    expect(screen.queryByText('Omar Operator')).toBeNull()
    expect(document.body.textContent).not.toContain('A bag of rice')
  })

  test('shows nothing any more if the account that is signed in has no role', async () => {
    api.answers.payments = { object: 'list', url: '/', has_more: false, data: [intentOf()] }
    await openAt('/payments')
    await comes('A bag of rice')
    api.answers.me = envelope(403, 'forbidden', 'Your account has none of the roles.')
    await focus()
    await comes('Your account has none of the roles.')
    expect(screen.queryByText('Omar Operator')).toBeNull()
    expect(document.body.textContent).not.toContain('A bag of rice')
  })

  test('keeps nothing of a session that was found over for the member who signs in next', async () => {
    api.answers.customer = customerOf({ name: 'Awa Ndiaye' })
    api.answers.customerActivity = { object: 'activity', entries: [], complete_since: null }
    await openAt(`/customers/${idOf('cus', 1)}`)
    await heading('Awa Ndiaye')
    api.answers.me = envelope(401, 'authentication_error', 'Nobody is signed in.')
    await focus()
    await heading('Your session is over')
    api.answers.me = olga
    api.answers.customer = envelope(403, 'forbidden', 'It is not for you.')
    await focus()
    await comes('Olga Operator')
    await comes('It is not for you.')
    expect(document.body.textContent).not.toContain('Awa Ndiaye')
  })

  test('shows nothing more once its session is over, although nobody touches it', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'], shouldAdvanceTime: true })
    try {
      api.answers.customer = customerOf({ name: 'Awa Ndiaye' })
      api.answers.customerActivity = { object: 'activity', entries: [], complete_since: null }
      await openAt(`/customers/${idOf('cus', 1)}`)
      await heading('Awa Ndiaye')
      await act(async () => vi.advanceTimersByTime(6 * MINUTE_MS))
      // As the answer to a last refresh, or to another tab.
      noteRequest()
      const { length } = asked()
      await act(async () => vi.advanceTimersByTime(29 * MINUTE_MS))
      expect(asked()).toHaveLength(length)
      api.answers.me = envelope(401, 'authentication_error', 'Nobody is signed in.')
      await act(async () => vi.advanceTimersByTime(3 * MINUTE_MS))
      await heading('Your session is over')
      expect(document.body.textContent).not.toContain('Awa Ndiaye')
    } finally {
      vi.useRealTimers()
    }
  })

  test('opens when somebody has signed in in another tab', async () => {
    api.answers.me = envelope(401, 'authentication_error', 'Nobody is signed in.')
    await openAt('/payments')
    await heading('Sign in')
    api.answers.me = olga
    await focus()
    expect(await heading('Payments')).toBeTruthy()
  })
})

describe('a tab that is looked at again', () => {
  test('keeps what its member has written', async () => {
    await openPaid()
    await press('Refund payment')
    await write(/^Reason/, 'the bag was torn')
    api.answers.me = { ...memberOf('operator'), csrf_token: 'csrf-of-another-session' }
    await focus()
    await isSo(() => expect(asked()).toHaveLength(2))
    expect(screen.getByLabelText<HTMLTextAreaElement>(/^Reason/).value).toBe('the bag was torn')
  })

  test('asks once who is signed in, although the browser says twice that it is shown', async () => {
    await openAt('/payments')
    await heading('Payments')
    await act(async () => {
      fireEvent(document, new Event('visibilitychange', { bubbles: true }))
      fireEvent.focus(window)
    })
    await isSo(() => expect(asked()).toHaveLength(2))
  })

  test('keeps its screen while the service cannot be reached', async () => {
    await openAt('/payments')
    await heading('Payments')
    api.answers.me = 'network_error'
    await focus()
    await isSo(() => expect(asked().length).toBeGreaterThan(1))
    expect(await heading('Payments')).toBeTruthy()
    expect(await comes('Omar Operator')).toBeTruthy()
  })
})

test('a sign-out removes the data at once, also if the provider has a page of its own for it', async () => {
  api.answers.payments = { object: 'list', url: '/', has_more: false, data: [intentOf()] }
  await openAt('/payments')
  await comes('A bag of rice')
  api.changes = [{ object: 'signed_out', redirect_to: '#provider' }]
  await press('Sign out')
  await isSo(() => expect(location.hash).toBe('#provider'))
  expect(document.body.textContent).not.toContain('A bag of rice')
})
