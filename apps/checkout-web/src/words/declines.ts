import type { DeclineCode } from '@merchant-payments/contract'
import type { Locale } from './languages.ts'

export interface DeclineWords {
  readonly reason: string
  /** May contain `{merchant}`. */
  readonly advice: string
}

const fr: Readonly<Record<DeclineCode, DeclineWords>> = {
  insufficient_funds: {
    reason: 'Le solde ne suffit pas, frais compris.',
    advice: 'Rechargez votre compte, ou payez avec un autre numéro.',
  },
  insufficient_funds_or_limit: {
    reason: 'Le solde ne suffit pas, ou un plafond est atteint.',
    advice: 'Vérifiez le solde, ou payez avec un autre numéro.',
  },
  payer_declined: {
    reason: 'La demande a été refusée sur le téléphone.',
    advice: 'Si c’était une erreur, réessayez.',
  },
  approval_timeout: {
    reason: 'La demande n’a pas été confirmée à temps.',
    advice: 'Gardez le téléphone près de vous, et réessayez.',
  },
  redirect_expired: {
    reason: 'La page de paiement a expiré avant la confirmation.',
    advice: 'Réessayez.',
  },
  payer_not_found: {
    reason: 'Ce numéro n’a pas de compte chez cet opérateur.',
    advice: 'Vérifiez le numéro, ou choisissez un autre moyen de paiement.',
  },
  payer_inactive: {
    reason: 'Ce compte est bloqué ou inactif.',
    advice: 'Appelez votre opérateur, ou payez avec un autre numéro.',
  },
  limit_reached: {
    reason: 'Le compte a atteint un plafond.',
    advice: 'Payez avec un autre numéro, ou attendez demain.',
  },
  payee_refused: {
    reason: 'Le compte du marchand ne peut pas recevoir ce paiement.',
    advice: 'Prévenez {merchant}. Un autre moyen de paiement peut marcher.',
  },
  rail_misconfigured: {
    reason: 'Le paiement n’a pas pu être traité.',
    advice: 'Prévenez {merchant}. Un autre moyen de paiement peut marcher.',
  },
  rail_processing_error: {
    reason: 'L’opérateur n’a pas pu faire le paiement. Souvent, le solde ne suffit pas.',
    advice: 'Vérifiez le solde, puis réessayez.',
  },
  rail_unavailable: {
    reason: 'L’opérateur est indisponible pour le moment.',
    advice: 'Réessayez dans quelques minutes.',
  },
  not_accepted: {
    reason: 'L’opérateur n’a pas reçu la demande.',
    advice: 'Réessayez.',
  },
  declined: {
    reason: 'L’opérateur a refusé le paiement.',
    advice: 'Réessayez, ou payez avec un autre numéro.',
  },
}

const en: Readonly<Record<DeclineCode, DeclineWords>> = {
  insufficient_funds: {
    reason: 'There is not enough money, fees included.',
    advice: 'Top up your account, or pay with another number.',
  },
  insufficient_funds_or_limit: {
    reason: 'There is not enough money, or a limit was reached.',
    advice: 'Check the balance, or pay with another number.',
  },
  payer_declined: {
    reason: 'The request was declined on the phone.',
    advice: 'If that was a mistake, try again.',
  },
  approval_timeout: {
    reason: 'The request was not confirmed in time.',
    advice: 'Keep the phone with you, and try again.',
  },
  redirect_expired: {
    reason: 'The payment page expired before you confirmed.',
    advice: 'Try again.',
  },
  payer_not_found: {
    reason: 'This number has no account with this operator.',
    advice: 'Check the number, or choose another payment method.',
  },
  payer_inactive: {
    reason: 'This account is blocked or inactive.',
    advice: 'Call your operator, or pay with another number.',
  },
  limit_reached: {
    reason: 'The account has reached a limit.',
    advice: 'Pay with another number, or wait until tomorrow.',
  },
  payee_refused: {
    reason: 'The merchant’s account cannot receive this payment.',
    advice: 'Tell {merchant}. Another payment method may work.',
  },
  rail_misconfigured: {
    reason: 'The payment could not be processed.',
    advice: 'Tell {merchant}. Another payment method may work.',
  },
  rail_processing_error: {
    reason: 'The operator could not make the payment. Often the balance is too low.',
    advice: 'Check the balance, then try again.',
  },
  rail_unavailable: {
    reason: 'The operator is unavailable at the moment.',
    advice: 'Try again in a few minutes.',
  },
  not_accepted: {
    reason: 'The operator did not receive the request.',
    advice: 'Try again.',
  },
  declined: {
    reason: 'The operator declined the payment.',
    advice: 'Try again, or pay with another number.',
  },
}

const byLocale: Readonly<Record<Locale, Readonly<Record<DeclineCode, DeclineWords>>>> = { fr, en }

/** The texts of a code. Codes newer than this page get the generic texts. */
export function declineWords(code: DeclineCode, locale: Locale, merchant: string): DeclineWords {
  const { reason, advice } = byLocale[locale][code] ?? byLocale[locale].declined
  return { reason, advice: advice.replace('{merchant}', () => merchant) }
}
