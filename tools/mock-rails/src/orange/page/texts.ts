import type { OrangeState } from '../payment.ts'

export type Lang = 'fr' | 'en'

export type Texts = {
  readonly testRail: string
  readonly heading: string
  readonly amount: string
  readonly order: string
  readonly merchantReference: string
  readonly validFor: (minutes: number) => string
  readonly error: string
  readonly errors: string
  readonly scenario: string
  readonly scenarioHint: string
  readonly byNumber: string
  readonly number: string
  readonly numberHint: string
  readonly numberError: string
  readonly otp: string
  readonly otpHint: string
  readonly otpError: string
  readonly pay: (amount: string) => string
  readonly refuse: string
  readonly cancel: string
  readonly cancelHint: string
  readonly back: string
  readonly states: Readonly<Record<Exclude<OrangeState, 'INITIATED'> | 'UNKNOWN', readonly [string, string]>>
}

const fr: Texts = {
  testRail: 'Rail de test : aucun argent réel ne bouge.',
  heading: 'Payer avec Orange Money',
  amount: 'Montant',
  order: 'Commande',
  merchantReference: 'Référence',
  validFor: (minutes) => `Ce lien est encore valable ${minutes} min.`,
  error: 'Erreur',
  errors: 'Le paiement n’a pas été envoyé',
  scenario: 'Choisir ce qui se passe',
  scenarioHint: 'Un scénario choisi remplace le numéro et le code.',
  byNumber: 'Selon le numéro saisi',
  number: 'Votre numéro Orange Money',
  numberHint:
    'Neuf chiffres, par exemple 6 90 00 00 01. Les trois derniers choisissent ce qui se passe : 471 n’a pas assez d’argent, 451 refuse.',
  numberError: 'Saisissez un numéro de neuf chiffres qui commence par 6.',
  otp: 'Code temporaire (OTP)',
  otpHint: 'De quatre à six chiffres. Sur ce rail de test, n’importe lesquels conviennent.',
  otpError: 'Saisissez un code de quatre à six chiffres.',
  pay: (amount) => `Payer ${amount}`,
  refuse: 'Refuser le paiement',
  cancel: 'Annuler et revenir chez le marchand',
  cancelHint: 'Annuler ne décide rien : ce lien reste valable.',
  back: 'Revenir chez le marchand',
  states: {
    PENDING: ['Paiement en cours', 'Orange traite ce paiement. Le marchand en connaîtra l’issue.'],
    SUCCESS: ['Paiement effectué', 'Le compte Orange Money a été débité.'],
    FAILED: ['Paiement refusé', 'Ce paiement n’a pas abouti.'],
    EXPIRED: ['Lien expiré', 'Ce lien de paiement n’est plus valable.'],
    UNKNOWN: ['Lien inconnu', 'Aucun paiement ne correspond à ce lien.'],
  },
}

const en: Texts = {
  testRail: 'Test rail: no real money moves.',
  heading: 'Pay with Orange Money',
  amount: 'Amount',
  order: 'Order',
  merchantReference: 'Reference',
  validFor: (minutes) => `This link is good for another ${minutes} min.`,
  error: 'Error',
  errors: 'The payment was not sent',
  scenario: 'Choose what happens',
  scenarioHint: 'A chosen scenario replaces the number and the code.',
  byNumber: 'By the number typed',
  number: 'Your Orange Money number',
  numberHint:
    'Nine digits, for example 6 90 00 00 01. The last three choose what happens: 471 is short of money, 451 refuses.',
  numberError: 'Enter a number of nine digits that begins with 6.',
  otp: 'One-time code (OTP)',
  otpHint: 'Four to six digits. On this test rail any will do.',
  otpError: 'Enter a code of four to six digits.',
  pay: (amount) => `Pay ${amount}`,
  refuse: 'Refuse the payment',
  cancel: 'Cancel and go back to the merchant',
  cancelHint: 'Cancelling decides nothing: this link stays good.',
  back: 'Go back to the merchant',
  states: {
    PENDING: [
      'Payment in progress',
      'Orange is processing this payment. The merchant will learn how it ends.',
    ],
    SUCCESS: ['Payment made', 'The Orange Money account was debited.'],
    FAILED: ['Payment refused', 'This payment did not go through.'],
    EXPIRED: ['Link expired', 'This payment link is no longer valid.'],
    UNKNOWN: ['Unknown link', 'No payment belongs to this link.'],
  },
}

export const TEXTS: Readonly<Record<Lang, Texts>> = { fr, en }
