export type { BrowserIntent, BrowserSession } from '@merchant-payments/payer-client/form/types'
import type { BrowserIntent, BrowserSession, RailOffer } from '@merchant-payments/payer-client/form/types'

export const SESSION_ID = `cs_${'1'.repeat(32)}`
export const INTENT_ID = `pi_${'2'.repeat(32)}`
export const SECRET = `${SESSION_ID}_secret_${'s'.repeat(43)}.pk_test_canary`

/** Saturday, 21 November 2026, 12:00 in Douala. */
export const START_MS = Date.UTC(2026, 10, 21, 11)
const startSec = START_MS / 1_000

export const mtn: RailOffer = {
  code: 'mtn_momo_cm',
  flow: 'push',
  name: { fr: 'MTN Mobile Money', en: 'MTN Mobile Money' },
  color: '#ffcc00',
  number_prefixes: ['23767', '237650', '237651', '237680'],
  instrument: 'msisdn',
  prompt: { mode: 'automatic', window_sec: 300, dial: '*126#', payee_name: null, hint: null },
}

export const orange: RailOffer = {
  code: 'orange_money_cm',
  flow: 'redirect',
  name: { fr: 'Orange Money', en: 'Orange Money' },
  color: '#ff7900',
  number_prefixes: ['23769', '237655', '237640'],
  instrument: null,
  prompt: { mode: 'automatic', window_sec: 600, dial: '#150*50#', payee_name: null, hint: null },
}

const intentOf = (change: Partial<BrowserIntent> = {}): BrowserIntent => ({
  id: INTENT_ID,
  object: 'payment_intent',
  amount: 12_500,
  currency: 'XAF',
  status: 'requires_payment_method',
  payment_method_types: [mtn.code],
  customer: null,
  description: null,
  metadata: {},
  next_action: null,
  last_payment_error: null,
  invoice: null,
  canceled_at: null,
  cancellation_reason: null,
  created: startSec,
  livemode: false,
  live_charge: null,
  succeeded_charge: null,
  ...change,
})

export const sessionOf = (change: Partial<BrowserSession> = {}): BrowserSession => ({
  id: SESSION_ID,
  object: 'checkout.session',
  status: 'open',
  payment_status: 'unpaid',
  ui_mode: 'hosted',
  amount: 12_500,
  currency: 'XAF',
  livemode: false,
  locale: null,
  expires_at: startSec + 86_400,
  success_url: 'https://shop.example/merci',
  cancel_url: 'https://shop.example/panier',
  return_url: null,
  merchant: { name: 'Boutique Akwa', accent_color: null, logo: null },
  payment_intent: intentOf(),
  rails: [mtn],
  ...change,
})

/** A push charge that waits for its payer. */
export const waiting = (windowSec = 300): Partial<BrowserIntent> => ({
  status: 'processing',
  last_payment_error: null,
  live_charge: {
    payment_method_type: mtn.code,
    approve_by: startSec + windowSec,
    payer_number: '6 •• •• •• 27',
  },
})

export const atOrange = (url = 'https://webpayment.orange.example/pay/1'): Partial<BrowserIntent> => ({
  status: 'processing',
  next_action: { type: 'redirect_to_url', redirect_to_url: { url, return_url: null } },
  live_charge: { payment_method_type: orange.code, approve_by: startSec + 600, payer_number: null },
})

/** Paid three minutes after the start. */
export const paid = (rail = mtn): Partial<BrowserIntent> => ({
  status: 'succeeded',
  last_payment_error: null,
  next_action: null,
  live_charge: null,
  succeeded_charge: {
    payment_method_type: rail.code,
    succeeded_at: startSec + 180,
    rail_txn_id: '17677469451',
    payer_number: rail.instrument === null ? null : '6 •• •• •• 27',
    payee_number: '6 •• •• •• 90',
  },
})

/** Paid late, while the charge of a later press is open. */
export const paidBeside = (
  { live_charge: charge } = waiting(),
  payerNumber: string | null = '6 •• •• •• 00',
): Partial<BrowserIntent> => ({
  ...paid(),
  live_charge: charge == null ? null : { ...charge, payer_number: payerNumber },
})

export const refused = (
  code: NonNullable<BrowserIntent['last_payment_error']>['code'],
  message: string | null = null,
  rail = mtn,
): Partial<BrowserIntent> => ({
  status: 'requires_payment_method',
  live_charge: null,
  last_payment_error: {
    type: 'rail_error',
    code,
    decline_code: null,
    message,
    payment_method_type: rail.code,
  },
})
