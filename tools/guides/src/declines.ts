import { type DeclineCode, declineMessages } from '@merchant-payments/contract'

type Language = 'en' | 'fr'

interface Advice {
  /** Whether the payer can pay at once, with the same number. */
  readonly again: 'yes' | 'later' | 'no'
  readonly shop: Readonly<Record<Language, string>>
}

/** What a shop does about each code. The compiler asks for a new code's line. */
const advice: Readonly<Record<DeclineCode, Advice>> = {
  insufficient_funds: {
    again: 'later',
    shop: {
      en: 'Offer another number or another rail.',
      fr: 'Proposez un autre numéro ou un autre opérateur.',
    },
  },
  insufficient_funds_or_limit: {
    again: 'later',
    shop: {
      en: 'Offer another number or another rail.',
      fr: 'Proposez un autre numéro ou un autre opérateur.',
    },
  },
  payer_declined: {
    again: 'yes',
    shop: {
      en: 'Ask whether the payer wants to try again.',
      fr: 'Demandez au payeur s’il veut réessayer.',
    },
  },
  approval_timeout: {
    again: 'yes',
    shop: {
      en: 'Tell the payer to look for the request on the phone. A late approval still succeeds: wait half an hour before you give the goods to somebody else.',
      fr: 'Dites au payeur de chercher la demande sur son téléphone. Une validation tardive aboutit quand même : attendez une demi-heure avant de vendre l’article à quelqu’un d’autre.',
    },
  },
  redirect_expired: {
    again: 'yes',
    shop: {
      en: 'Confirm again: the payer gets a new page.',
      fr: 'Confirmez à nouveau : le payeur reçoit une nouvelle page.',
    },
  },
  payer_not_found: {
    again: 'no',
    shop: {
      en: 'Ask for the number again: it may be of another operator.',
      fr: 'Redemandez le numéro : il appartient peut-être à un autre opérateur.',
    },
  },
  payer_inactive: {
    again: 'no',
    shop: {
      en: 'Offer another number. The operator can unblock the account.',
      fr: 'Proposez un autre numéro. L’opérateur peut débloquer le compte.',
    },
  },
  limit_reached: {
    again: 'later',
    shop: {
      en: 'Offer another number, another rail, or a smaller amount.',
      fr: 'Proposez un autre numéro, un autre opérateur ou un montant moindre.',
    },
  },
  payee_refused: {
    again: 'no',
    shop: {
      en: 'Tell the operator of the service: the account that receives is at fault.',
      fr: 'Prévenez l’opérateur du service : le compte qui reçoit est en cause.',
    },
  },
  rail_misconfigured: {
    again: 'no',
    shop: {
      en: 'Tell the operator of the service, with the id of the intent.',
      fr: 'Prévenez l’opérateur du service, avec l’identifiant du paiement.',
    },
  },
  rail_processing_error: {
    again: 'later',
    shop: {
      en: 'Often the balance is too low for the amount and the fee.',
      fr: 'Souvent, le solde ne couvre pas le montant et les frais.',
    },
  },
  rail_unavailable: {
    again: 'later',
    shop: {
      en: 'Offer another rail, or ask to come back later.',
      fr: 'Proposez un autre opérateur, ou invitez le payeur à revenir plus tard.',
    },
  },
  not_accepted: {
    again: 'yes',
    shop: {
      en: 'Confirm again. The operator says that it has no such request.',
      fr: 'Confirmez à nouveau. L’opérateur dit ne pas avoir cette demande.',
    },
  },
  declined: {
    again: 'later',
    shop: {
      en: 'The operator gave no reason. Offer another rail.',
      fr: 'L’opérateur n’a pas donné de raison. Proposez un autre opérateur.',
    },
  },
}

/** Generates docs/guides/declines.md from the decline codes of the contract. */
export const declinesPage = (): string =>
  [
    opening,
    tableOf(['code', 'tell the payer', 'in French', 'again?', 'what you do'], englishRow),
    ending,
  ].join('\n\n')

/** Generates docs/guides/fr/refus.md, for merchants who read French. */
export const refusPage = (): string =>
  [
    frenchOpening,
    tableOf(['code', 'à dire au payeur', 'réessayer ?', 'que faire'], frenchRow),
    frenchEnding,
  ].join('\n\n')

type Row = (code: DeclineCode) => readonly string[]

function tableOf(head: readonly string[], row: Row): string {
  const codes = Object.keys(declineMessages) as DeclineCode[]
  return [head, head.map(() => '---'), ...codes.map(row)]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n')
}

const englishRow: Row = (code) => {
  const { en, fr } = declineMessages[code]
  const { again, shop } = advice[code]
  return [`\`${code}\``, en, fr, again, shop.en]
}

const frenchRow: Row = (code) => {
  const { again, shop } = advice[code]
  return [`\`${code}\``, declineMessages[code].fr, inFrench[again], shop.fr]
}

const inFrench: Readonly<Record<Advice['again'], string>> = { yes: 'oui', later: 'plus tard', no: 'non' }

const opening = `<!-- Generated from packages/contract by \`npx pnpm@12 guides\`. Do not edit: change the declarations. -->

# Declines

A payment that the rail refuses is no error of the API: the confirm answers 200, or \`payment_intent.payment_failed\` comes later. The
intent is \`requires_payment_method\` again, and its \`last_payment_error\` has

- \`code\`: one of the codes below, the same on every rail. Decide by it. Treat one that you do not know as \`declined\`.
- \`decline_code\` and \`message\`: the rail's own, for your support. Do not show them to the payer.
- \`payment_method_type\`: the rail.

The intent can be confirmed again, with another number or another of its rails. An intent has 25 attempts at most, and a payer's
page fewer.

**Do not give up at once.** Operators sometimes report a refusal and collect the money minutes later. Then the intent becomes
\`succeeded\`, also after a cancel, and \`payment_intent.succeeded\` comes as usual.`

const ending = `"again?" says whether the same number can pay at once.

To see a code, pay on a development system with a number of [Testing](testing.md):

\`\`\`sh
npx merchant-payments pay --env-file .env --rail mtn_momo_cm --msisdn 237670000470   # insufficient_funds
\`\`\`
`

const frenchOpening = `<!-- Generated from packages/contract by \`npx pnpm@12 guides\`. Do not edit: change the declarations. -->

# Refus

Un paiement refusé par l’opérateur n’est pas une erreur de l’API : la confirmation répond 200, ou
\`payment_intent.payment_failed\` arrive plus tard. Le paiement revient à \`requires_payment_method\`, et son \`last_payment_error\` contient

- \`code\` : l’un des codes ci-dessous, le même chez tous les opérateurs. Fondez-vous sur lui seul. Traitez un code inconnu comme
  \`declined\`.
- \`decline_code\` et \`message\` : ceux de l’opérateur, pour votre service client. Ne les montrez pas au payeur.
- \`payment_method_type\` : l’opérateur, tel que \`mtn_momo_cm\`.

Le paiement peut être confirmé à nouveau, avec un autre numéro ou chez un autre opérateur. Un paiement a droit à 25
tentatives au plus, et à un nombre moindre depuis la page du payeur.

**N’abandonnez pas tout de suite.** Il arrive qu’un opérateur annonce un refus et prélève l’argent quelques minutes plus tard. Le
paiement devient alors \`succeeded\`, même après une annulation, et \`payment_intent.succeeded\` arrive comme d’habitude.`

const frenchEnding = `« Réessayer ? » : le même numéro peut-il payer aussitôt ?

Pour voir un code, payez sur un système de développement avec un numéro de [Testing](../testing.md) (en anglais) :

\`\`\`sh
npx merchant-payments pay --env-file .env --rail mtn_momo_cm --msisdn 237670000470   # insufficient_funds
\`\`\`
`
