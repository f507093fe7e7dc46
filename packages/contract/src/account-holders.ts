import { z } from 'zod'
import { livemode, railCodeField } from './fields.ts'
import { ignored, requiredText } from './form.ts'
import { operation } from './operation.ts'

/** Spec 2.8: the answer to a name check. It has no id, because nothing is stored. */
export const AccountHolder = z
  .strictObject({
    object: z.literal('account_holder').describe('The kind of this object: always `account_holder`.'),
    payment_method_type: railCodeField('The rail whose operator was asked.'),
    msisdn: z.string().meta({
      description:
        'The number that was asked for: twelve digits with the country code and no plus sign, whatever spelling was sent (spec 2.2).',
      examples: ['237670000001'],
    }),
    registered: z
      .boolean()
      .describe(
        'Whether the operator has an active account with this number. False also for an account that is not active.',
      ),
    name: z
      .string()
      .nullable()
      .describe(
        'The name of the account’s holder. Null if the operator does not tell it, or if `registered` is false.',
      ),
    livemode,
  })
  .meta({
    id: 'AccountHolder',
    description:
      'The holder of a mobile-money account, as the operator reports it. The service stores nothing of it (spec 2.8).',
  })
export type AccountHolder = z.infer<typeof AccountHolder>

export const accountHolderQuery = z.strictObject({
  payment_method_type: requiredText.describe('The code of a rail that the deployment enabled.'),
  msisdn: requiredText.describe(
    'The phone number, in any spelling: nine digits take the deployment’s country code, and `+` or `00` begins an international number.',
  ),
  expand: ignored,
})

export const retrieveAccountHolder = operation({
  id: 'accountHolders.retrieve',
  surface: 'v1',
  method: 'GET',
  path: '/v1/account_holders',
  summary: 'Look up the holder of a mobile-money account',
  description: [
    'Asks the operator whose account a number is. Use it before you ask money from a number or send money to it.',
    'The operator is asked anew by each call. In each process of the API a merchant has 50 look-ups at once, then one a second; a call beyond that is a 503 `service_unavailable`, and the operator is not asked.',
  ],
  query: accountHolderQuery,
  errors: ['not_supported', 'provider_unavailable'],
  ok: { status: 200, schema: AccountHolder, description: 'What the operator says of the number.' },
  example: {
    params: { payment_method_type: 'mtn_momo_cm', msisdn: '+237 6 70 00 00 01' },
    answer: { object: 'account_holder', msisdn: '237670000001', registered: true },
  },
})
