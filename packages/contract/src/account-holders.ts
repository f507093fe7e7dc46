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
        'The number that was looked up: twelve digits with the country code and no plus sign, whatever spelling was sent (spec 2.2).',
      examples: ['237670000001'],
    }),
    registered: z
      .boolean()
      .describe(
        'Whether the operator has an active account with this number. False also for an inactive account.',
      ),
    name: z
      .string()
      .nullable()
      .describe(
        'The name of the account’s holder. Null if the operator does not give it, or if `registered` is false.',
      ),
    livemode,
  })
  .meta({
    id: 'AccountHolder',
    description:
      'The holder of a mobile-money account, as the operator reports it. The service does not store it (spec 2.8).',
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
    'Asks the operator whose account a number is. Use it before you charge a number or send money to it.',
    'Each call asks the operator again. In each process of the API a merchant has a burst of 50 look-ups, then one per second. A call above that is a 503 `service_unavailable` and does not reach the operator.',
  ],
  query: accountHolderQuery,
  errors: ['not_supported', 'provider_unavailable'],
  ok: { status: 200, schema: AccountHolder, description: 'The operator’s answer about the number.' },
  example: {
    params: { payment_method_type: 'mtn_momo_cm', msisdn: '+237 6 70 00 00 01' },
    answer: { object: 'account_holder', msisdn: '237670000001', registered: true },
  },
})
