import { type DeclineCode, declineMessages } from '@merchant-payments/contract'

interface Advice {
  /** Whether the payer can pay at once, with the same number. */
  readonly again: 'yes' | 'later' | 'no'
  readonly shop: string
}

/** What a shop does about each code. The compiler asks for a new code's line. */
const advice: Readonly<Record<DeclineCode, Advice>> = {
  insufficient_funds: { again: 'later', shop: 'Offer another number or another rail.' },
  insufficient_funds_or_limit: { again: 'later', shop: 'Offer another number or another rail.' },
  payer_declined: { again: 'yes', shop: 'Ask whether the payer wants to try again.' },
  approval_timeout: {
    again: 'yes',
    shop: 'Tell the payer to look for the request on the phone. A late approval still succeeds: wait some minutes before you give the goods to somebody else.',
  },
  redirect_expired: { again: 'yes', shop: 'Confirm again: the payer gets a new page.' },
  payer_not_found: { again: 'no', shop: 'Ask for the number again: it may be of another operator.' },
  payer_inactive: { again: 'no', shop: 'Offer another number. The operator can unblock the account.' },
  limit_reached: { again: 'later', shop: 'Offer another number, another rail, or a smaller amount.' },
  payee_refused: {
    again: 'no',
    shop: 'Tell the operator of the service: the account that receives is at fault.',
  },
  rail_misconfigured: { again: 'no', shop: 'Tell the operator of the service, with the id of the intent.' },
  rail_processing_error: { again: 'later', shop: 'Often the balance is too low for the amount and the fee.' },
  rail_unavailable: { again: 'later', shop: 'Offer another rail, or ask to come back later.' },
  not_accepted: { again: 'yes', shop: 'Confirm again. Nothing reached the operator.' },
  declined: { again: 'later', shop: 'The operator gave no reason. Offer another rail.' },
}

/** Generates docs/guides/declines.md from the decline codes of the contract. */
export const declinesPage = (): string =>
  [
    opening,
    [
      '| code | tell the payer | in French | again? | what you do |',
      '| --- | --- | --- | --- | --- |',
      ...Object.entries(declineMessages).map(([code, { en, fr }]) => {
        const { again, shop } = advice[code as DeclineCode]
        return `| \`${code}\` | ${en} | ${fr} | ${again} | ${shop} |`
      }),
    ].join('\n'),
    ending,
  ].join('\n\n')

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
merchant-payments pay --dev --rail mtn_momo_cm --msisdn 237670000470   # insufficient_funds
\`\`\`
`
