import { FINANCE_DAYS_MAX } from '@merchant-payments/contract'
import { act, fireEvent, screen } from '@testing-library/react'
import { http } from 'msw'
import { describe, expect, test } from 'vitest'
import { comes, isSo, openAt, press, useDashboard } from './page.ts'
import { envelope } from './staff-api.ts'
import { merchantOf, START_SEC } from './wire.ts'

const api = useDashboard()
const DAY_SEC = 86_400

const day = {
  day: '2026-11-21',
  merchant: 'acme',
  rail: 'mtn_momo_cm',
  currency: 'XAF' as const,
  payments: 2,
  gross: 25_000,
  duplicates: 0,
  duplicates_amount: 0,
  refunds: 0,
  refunds_amount: 0,
  returns: 0,
  returns_amount: 0,
  net: 25_000,
}
const summary = {
  object: 'finance_summary' as const,
  from: START_SEC - 7 * DAY_SEC,
  until: START_SEC,
  days: [day],
}

const analytics = {
  object: 'analytics' as const,
  size: 'hour' as const,
  from: START_SEC - DAY_SEC,
  until: START_SEC,
  final_until: START_SEC,
  points: [],
  declines: [],
  funnel: { created: 7, sent: 5, approved: 4 },
  marks: [],
  builds: [],
}
const merchants = {
  object: 'list' as const,
  url: '/',
  has_more: false,
  data: [merchantOf({ id: 'globex' })],
}

const boundsOfFile = async () => {
  await press('Download the file')
  const sent = () => api.calls.find(({ path }) => path.endsWith('/exports'))
  await isSo(() => expect(sent()).toBeDefined())
  const { form = {} } = sent() ?? {}
  return [form['created[gte]'], form['created[lt]']]
}

test('the sums say when they end', async () => {
  api.answers.financeSummary = summary
  await openAt('/finance')
  const note = await screen.findByText(/^The sums end at:/)
  expect(note.querySelector('time')?.dateTime).toBe(new Date(summary.until * 1_000).toISOString())
})

describe('a file of rows', () => {
  test('without dates begins where the sums of the screen begin', async () => {
    api.answers.financeSummary = summary
    await openAt('/finance')
    await comes('2026-11-21')
    expect(await boundsOfFile()).toEqual([String(summary.from), undefined])
  })

  test('with dates has those, also if they are too many days for the screen', async () => {
    api.answers.financeSummary = envelope(400, 'invalid_request', 'must cover at most 31 days')
    await openAt('/finance?from=2026-01-01&until=2026-06-30')
    await comes('must cover at most 31 days')
    expect(await boundsOfFile()).toEqual([
      String(Date.UTC(2026, 0, 1) / 1_000),
      String(Date.UTC(2026, 6, 1) / 1_000),
    ])
  })
})

describe('a summary of too much', () => {
  const refuse = (message: string) => {
    api.answers.financeSummary = envelope(400, 'invalid_request', message, 'created')
  }
  const asked = () => api.calls.filter(({ path }) => path.endsWith('/finance_summary'))
  const boundsOf = () => asked().at(-1)?.query

  test('is asked for once, and leads to half of the default days, and on to the last of them', async () => {
    refuse('must be a shorter range: the sum ended after 500000 rows')
    await openAt('/finance?merchant=acme')
    await comes('must be a shorter range: the sum ended after 500000 rows')
    await comes(/download the file, which takes more/)
    expect(asked()).toHaveLength(1)
    const todaySec = Math.floor(Date.now() / 1_000 / DAY_SEC) * DAY_SEC
    for (const [name, days] of [
      ['Show the last 4 days of these', 4],
      ['Show the last 2 days of these', 2],
      ['Show the last day of these', 1],
    ] as const) {
      await press(name)
      await isSo(() =>
        expect(boundsOf()).toMatchObject({
          merchant: 'acme',
          'created[gte]': String(todaySec - (days - 1) * DAY_SEC),
        }),
      )
    }
    await comes('must be a shorter range: the sum ended after 500000 rows')
    expect(screen.queryByRole('button', { name: /^Show the last/ })).toBeNull()
  })

  test('of more days than the screen takes leads to the last that it takes', async () => {
    refuse('must cover at most 31 days')
    await openAt('/finance?from=2026-01-01&until=2026-06-30')
    await comes('must cover at most 31 days')
    api.answers.financeSummary = summary
    await press(`Show the last ${FINANCE_DAYS_MAX} days of these`)
    await comes('2026-11-21')
    expect(boundsOf()).toMatchObject({
      'created[gte]': String(Date.UTC(2026, 4, 31) / 1_000),
      'created[lt]': String(Date.UTC(2026, 6, 1) / 1_000),
    })
    expect(screen.queryByText(/download the file, which takes more/)).toBeNull()
  })
})

describe('a screen that is slow to load', () => {
  const hold = (path: string) =>
    api.server.use(http.get(`*/dash/v1${path}`, () => new Promise<never>(() => undefined), { once: true }))
  const choose = async (merchant: string) => {
    const field = await screen.findByLabelText('Merchant')
    await act(async () => void fireEvent.change(field, { target: { value: merchant } }))
    await comes('Loading…')
  }

  test('shows no sums of one merchant under another', async () => {
    api.answers.financeSummary = summary
    api.answers.merchantClients = merchants
    await openAt('/finance')
    await comes('2026-11-21')
    hold('/finance_summary')
    await choose('globex')
    expect(document.body.textContent).not.toContain('25,000')
  })

  test('shows no charts of one merchant under another', async () => {
    api.answers.analytics = analytics
    api.answers.merchantClients = merchants
    await openAt('/analytics')
    await comes('Payments created')
    hold('/analytics')
    await choose('globex')
    expect(screen.queryByText('Payments created')).toBeNull()
  })
})
