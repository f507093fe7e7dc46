import { describe, expect, test } from 'vitest'
import { comes, isSo, openAt, press, useDashboard } from './page.ts'
import { envelope } from './staff-api.ts'
import { START_SEC } from './wire.ts'

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

const boundsOfFile = async () => {
  await press('Download the file')
  const sent = () => api.calls.find(({ path }) => path.endsWith('/exports'))
  await isSo(() => expect(sent()).toBeDefined())
  const { form = {} } = sent() ?? {}
  return [form['created[gte]'], form['created[lt]']]
}

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
