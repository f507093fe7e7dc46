import type { declineCodes } from './words.ts'

export type DeclineCode = (typeof declineCodes)[number]

/** What payers read for each reason of a refusal. */
export const declineMessages = {
  insufficient_funds: {
    en: 'The mobile money account does not have enough funds, fees included.',
    fr: 'Le solde du compte Mobile Money est insuffisant, frais compris.',
  },
  insufficient_funds_or_limit: {
    en: 'The balance is too low or a limit of the account was reached.',
    fr: 'Le solde est insuffisant ou un plafond du compte est atteint.',
  },
  payer_declined: {
    en: 'The payer declined the request.',
    fr: 'Le payeur a refusé la demande de paiement.',
  },
  approval_timeout: {
    en: 'The request was not approved in time.',
    fr: 'La demande n’a pas été validée à temps.',
  },
  redirect_expired: {
    en: 'The payment page expired before the payment was confirmed.',
    fr: 'La page de paiement a expiré avant la confirmation.',
  },
  payer_not_found: {
    en: 'This number has no mobile money account with this operator.',
    fr: 'Ce numéro n’a pas de compte Mobile Money chez cet opérateur.',
  },
  payer_inactive: {
    en: 'The mobile money account is blocked or inactive.',
    fr: 'Le compte Mobile Money est bloqué ou inactif.',
  },
  limit_reached: {
    en: 'A transaction limit of the account was reached.',
    fr: 'Un plafond de transaction du compte est atteint.',
  },
  payee_refused: {
    en: 'The receiving account cannot accept this payment.',
    fr: 'Le compte destinataire ne peut pas recevoir ce paiement.',
  },
  rail_misconfigured: {
    en: 'The payment could not be processed. No money was taken.',
    fr: 'Le paiement n’a pas pu être traité. Aucun montant n’a été prélevé.',
  },
  rail_processing_error: {
    en: 'The operator could not complete the payment. Check the balance, then try again.',
    fr: 'L’opérateur n’a pas pu effectuer le paiement. Vérifiez le solde, puis réessayez.',
  },
  rail_unavailable: {
    en: 'The operator is temporarily unavailable.',
    fr: 'L’opérateur est momentanément indisponible.',
  },
  not_accepted: {
    en: 'The operator did not receive the request.',
    fr: 'L’opérateur n’a pas reçu la demande.',
  },
  declined: {
    en: 'The operator declined the payment.',
    fr: 'L’opérateur a refusé le paiement.',
  },
} as const satisfies Record<DeclineCode, { en: string; fr: string }>
