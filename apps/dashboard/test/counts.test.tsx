import type { MerchantDetail, Overview, StaffRefund } from '@merchant-payments/contract'
import { act, fireEvent, screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { heading, isSo, openAt, useDashboard } from './page.ts'
import { deliveryOf, detailOf, idOf, merchantOf, START_SEC } from './wire.ts'

const api = useDashboard()

/** The API stops its counts of what waits at 10 000. */
const CUT = 10_000

const overviewOf = (alerts: number, intents: number): Overview => {
  const none = { count: 0, oldest: null }
  return {
    object: 'overview',
    at: START_SEC,
    since: START_SEC - 86_400,
    counted_at_most: CUT,
    payment_intents: [{ status: 'succeeded', count: intents }],
    charges: [],
    live_charges: none,
    stuck_charges: none,
    duplicate_charges: none,
    mismatched_charges: none,
    attention_items: { count: alerts, oldest: START_SEC - 3_600 },
    pending_deliveries: none,
    exhausted_deliveries: none,
    dead_letters: none,
    pending_fanouts: none,
    failed_fanouts: none,
    refunds_to_instruct: none,
    pending_approvals: none,
    disabled_clients: 0,
  }
}

const section = (name: string | RegExp) => screen.findByRole('heading', { level: 2, name })

const tileOf = async (text: string) =>
  (await section('Needs attention')).closest('section')?.querySelector('.tile')?.textContent?.startsWith(text)
const dayOf = async () => (await section(/^Payments of the last day/)).textContent

test('the overview shows a count that the API has cut with a plus, without the age of the oldest', async () => {
  api.answers.overview = overviewOf(CUT, CUT)
  await openAt('/')
  expect(await tileOf('Alerts10,000+')).toBe(true)
  expect(document.body.textContent).not.toContain('Oldest')
  expect(await dayOf()).toBe('Payments of the last day 10,000+')
})

test('the overview shows a whole count as it is', async () => {
  api.answers.overview = overviewOf(CUT - 1, CUT - 1)
  await openAt('/')
  expect(await tileOf('Alerts9,999Oldest')).toBe(true)
  expect(await dayOf()).toBe('Payments of the last day 9,999')
})

test('a merchant’s page shows counts of deliveries that the API has cut with a plus', async () => {
  const endpoint: MerchantDetail['endpoints'][number] = {
    id: 'main',
    url: 'https://shop.example/hook',
    secrets: 1,
    is_cut: false,
    attempts: 0,
    succeeded: 0,
    p50_ms: null,
    p95_ms: null,
    last_success_at: null,
    failures: [],
    exhausted: CUT,
    due: CUT,
  }
  api.answers.merchantClient = {
    ...merchantOf(),
    endpoints: [endpoint],
    since: START_SEC,
    counted_at_most: 5_000,
    looked_at_most: 500,
    searched_at_most: CUT,
    volume: [],
  }
  await openAt('/merchants/acme')
  const shown = (await section('Endpoint main')).closest('section')?.textContent
  expect(shown).toContain('Exhausted10,000+')
  expect(shown).toContain('Due now10,000+')
})

const volume = [
  { status: 'succeeded', currency: 'EUR', count: 2, amount: 5_000 },
  { status: 'succeeded', currency: 'XAF', count: 900, amount: 9_000_000 },
  { status: 'processing', currency: 'XAF', count: 3, amount: 900 },
] as const

test.each(volume)(
  'a merchant’s count of payments that are $status in $currency leads to these alone',
  async (row) => {
    const { status, currency } = row
    api.answers.merchantClient = {
      ...merchantOf(),
      endpoints: [],
      since: START_SEC,
      counted_at_most: 5_000,
      looked_at_most: 500,
      searched_at_most: CUT,
      volume: [...volume],
    }
    api.answers.clientActivity = { object: 'activity', entries: [], complete_since: null }
    await openAt('/merchants/acme')
    const table = (await section('Payments of the last 24 hours')).closest('section')
    const link = table?.querySelectorAll('tbody a')[volume.indexOf(row)]
    await act(async () => void (link && fireEvent.click(link)))
    await heading('Payments')
    const query = { merchant: 'acme', status, currency, 'created[gte]': String(START_SEC) }
    for (const path of ['/dash/v1/payment_intents', '/dash/v1/totals/payment_intents'])
      await isSo(() =>
        expect(api.calls).toContainEqual(
          expect.objectContaining({ path, query: expect.objectContaining(query) }),
        ),
      )
    expect((await screen.findByLabelText<HTMLSelectElement>('Currency')).value).toBe(currency)
  },
)

const refund: StaffRefund = {
  id: idOf('re', 1),
  object: 'refund',
  amount: 100,
  currency: 'XAF',
  payment_intent: idOf('pi', 1),
  status: 'pending',
  fee: null,
  reason: null,
  failure_reason: null,
  destination_details: { type: 'mtn_momo_cm' },
  metadata: {},
  created: START_SEC,
  livemode: false,
  merchant: 'acme',
  customer: null,
  reference: '9d0c7a52-7f5e-4a0e-9a52-3c1d2e4f5a6b',
  instruction: 'sent',
  tries: null,
  next_look_at: null,
  rested_at: null,
  rail_code: null,
  rail_message: null,
  confirmed: null,
  request_id: null,
}

test.each([
  [true, 'Refunds 1+'],
  [false, 'Refunds 1'],
])('a payment’s refunds are counted with a plus if there are more: %s', async (has_more_refunds, text) => {
  api.answers.payment = detailOf({ refunds: [refund], has_more_refunds })
  await openAt(`/payments/${idOf('pi', 1)}`)
  expect((await section(/^Refunds/)).textContent).toBe(text)
})

test('a payment’s deliveries are counted with a plus if there can be more than are shown', async () => {
  const deliveries = Array.from({ length: 100 }, (_, n) => deliveryOf({ id: idOf('wd', n + 1) }))
  api.answers.payment = detailOf({ deliveries })
  await openAt(`/payments/${idOf('pi', 1)}`)
  expect((await section(/^Webhook deliveries/)).textContent).toBe('Webhook deliveries 100+')
})
