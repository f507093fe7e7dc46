import type { Json } from './verdict.ts'

/** The deployment of the test, as its merchants know it, and what the mock rails do (tools/mock-rails/README.md). */
export const rails = {
  mtn_momo_cm: { currency: 'XAF', flow: 'push', windowSec: 300 },
  mtn_momo_eu: { currency: 'EUR', flow: 'push', windowSec: 300 },
  orange_money_cm: { currency: 'XAF', flow: 'redirect', windowSec: 600 },
} as const

export type RailCode = keyof typeof rails

/** What payers are told of them. */
export const displays: Readonly<
  Record<
    RailCode,
    {
      readonly name: Json
      readonly color: string | null
      readonly numberPrefixes: string[]
      readonly payeeNumber: string | null
      readonly prompt: PromptDisplay | null
    }
  >
> = {
  mtn_momo_cm: {
    name: { fr: 'MTN Mobile Money', en: 'MTN MoMo' },
    color: '#ffcc00',
    numberPrefixes: ['23767', '237650'],
    payeeNumber: '237670009990',
    prompt: {
      mode: 'automatic',
      dial: '*126#',
      payee_name: 'ACME SARL',
      hint: { fr: 'Composez *126#.', en: 'Dial *126#.' },
    },
  },
  mtn_momo_eu: {
    name: { fr: 'MTN (euros)', en: 'MTN (euros)' },
    color: null,
    numberPrefixes: [],
    payeeNumber: null,
    prompt: null,
  },
  orange_money_cm: {
    name: { fr: 'Orange Money', en: 'Orange Money' },
    color: null,
    numberPrefixes: ['23769'],
    payeeNumber: null,
    prompt: null,
  },
}

type PromptDisplay = { readonly [key: string]: Json }

export const isRail = (code: string): code is RailCode => Object.hasOwn(rails, code)

/** docs/spec-gaps.md: `last_payment_error`, without the rail's code. */
export interface PaymentError {
  readonly code: string
  readonly declineCode: string | null
  readonly message: string | null
  readonly rail: string
}

type Reason = Omit<PaymentError, 'rail'>

/** What a rail says of a charge: `late` is a refusal that a success follows (spec 1.5). */
export type Fate =
  | { readonly kind: 'pending' | 'paid' | 'absent' }
  | { readonly kind: 'refused'; readonly reason: Reason; readonly late: boolean }

const pending: Fate = { kind: 'pending' }
export const paid: Fate = { kind: 'paid' }
export const absent: Fate = { kind: 'absent' }

/** What becomes of a submit: how it is answered, and what the rail says from then on. */
export interface Ending {
  readonly answer: 'accepted' | 'declined' | 'unknown' | 'not_sent'
  readonly fate: Fate
}

const reason = (code: string, declineCode: string, message: string | null = null): Reason => ({
  code,
  declineCode,
  message,
})

const refused = (why: Reason, late = false): Fate => ({ kind: 'refused', reason: why, late })

/** By the last digits of the payer's number. */
export const pushEndings = {
  '001': { answer: 'accepted', fate: paid },
  '000': { answer: 'accepted', fate: pending },
  '470': { answer: 'accepted', fate: refused(reason('insufficient_funds', 'NOT_ENOUGH_FUNDS')) },
  '455': {
    answer: 'declined',
    fate: refused(reason('payer_not_found', 'PAYER_NOT_FOUND', 'Payer does not exist.')),
  },
  '480': {
    answer: 'accepted',
    fate: refused(reason('approval_timeout', 'COULD_NOT_PERFORM_TRANSACTION'), true),
  },
  '482': { answer: 'unknown', fate: paid },
  '483': { answer: 'accepted', fate: paid },
  '484': { answer: 'unknown', fate: absent },
} as const satisfies Record<string, Ending>

/** By the last digits of the amount; whoever is not here waits for a payer at the page. */
export const redirectEndings: Readonly<Record<string, Ending>> = {
  '482': { answer: 'unknown', fate: absent },
  '484': { answer: 'unknown', fate: absent },
  '491': { answer: 'accepted', fate: paid },
}

/** What a person decides, by rail flow. */
export const decisions = {
  push: {
    approve: paid,
    refuse: refused(reason('payer_declined', 'APPROVAL_REJECTED')),
    expire: refused(reason('approval_timeout', 'COULD_NOT_PERFORM_TRANSACTION')),
  },
  redirect: {
    approve: paid,
    refuse: refused(reason('declined', 'FAILED')),
    expire: refused(reason('redirect_expired', 'EXPIRED')),
  },
} as const

export type Decision = keyof typeof decisions.push

/** Why a transfer is refused, by the last digits of the payee's number; whoever is not here is paid. */
export const transferRefusals: Readonly<Record<string, string>> = {
  '455': 'rail_misconfigured',
  '457': 'payee_refused',
}

/** By the last digits of a number: what the look-up answers where it is not a name. */
export const holders: Readonly<Record<string, 'unknown' | 'unavailable'>> = {
  '450': 'unknown',
  '451': 'unknown',
  '454': 'unavailable',
  '455': 'unavailable',
}
