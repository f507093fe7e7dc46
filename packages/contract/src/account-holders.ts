import { z } from 'zod'
import { requiredText } from './form.ts'
import { operation } from './operation.ts'

/** Spec 2.8: the answer to a name check. It has no id, because nothing is stored. */
export const AccountHolder = z.strictObject({
  object: z.literal('account_holder'),
  payment_method_type: z.string(),
  msisdn: z.string(),
  registered: z.boolean(),
  name: z.string().nullable(),
  livemode: z.boolean(),
})
export type AccountHolder = z.infer<typeof AccountHolder>

export const accountHolderQuery = z.strictObject({
  payment_method_type: requiredText,
  msisdn: requiredText,
  expand: z.unknown().optional(),
})

export const retrieveAccountHolder = operation({
  id: 'accountHolders.retrieve',
  surface: 'v1',
  method: 'GET',
  path: '/v1/account_holders',
  query: accountHolderQuery,
  ok: { status: 200, schema: AccountHolder },
})
