import { z } from 'zod'
import { exampleIds } from '../examples.ts'
import { currencyField, objectField } from '../fields.ts'
import { listOf } from '../list.ts'
import { change, instant, staffRead, textOrNull } from './common.ts'
import { clientStatuses } from '../words.ts'

/** A merchant's registration. A merchant that is no longer configured is shown while it is disabled. */
export const MerchantClient = z
  .strictObject({
    id: z.string().describe('The client id of the merchant.'),
    object: objectField('merchant_client'),
    name: textOrNull('The merchant’s name, as payers see it.', 'if the merchant is no longer configured'),
    configured: z.boolean().describe('Whether the merchant is in the deployment’s configuration.'),
    scopes: z.array(z.string().describe('A scope.')).describe('The scopes that its tokens can carry.'),
    key_ids: z.array(z.string().describe('A key id.')).describe('The `kid` of each of its registered keys.'),
    endpoints: z
      .array(
        z.strictObject({
          id: z.string().describe('The endpoint’s id in the configuration.'),
          url: z.string().describe('The address to which events are posted.'),
        }),
      )
      .describe('Its webhook endpoints.'),
    disabled: z
      .strictObject({
        reason: z.string().describe('Why, in the words of the member who disabled it.'),
        at: instant('When it was disabled.'),
      })
      .nullable()
      .describe('Since when and why the merchant is disabled. Null if it is not.'),
  })
  .meta({
    id: 'MerchantClient',
    description:
      'A merchant’s registration. A merchant that is no longer configured is shown while it is disabled.',
  })
export type MerchantClient = z.infer<typeof MerchantClient>

/** Not paged: a deployment has as many merchants as its file lists. */
export const listMerchantClients = staffRead({
  id: 'merchantClients.list',
  path: '/merchant_clients',
  summary: 'List all merchants of the deployment',
  description: [
    'Lists all registered merchants, and disabled merchants that are no longer registered. The list is not paged.',
  ],
  query: z.strictObject({
    status: z
      .enum(clientStatuses, `must be one of ${clientStatuses.join(', ')}`)
      .optional()
      .describe('Shows merchants in this state.'),
  }),
  schema: listOf(MerchantClient),
  ok: 'All merchants.',
  example: { answer: { object: 'list', has_more: false } },
})

export const disableMerchantClient = change({
  id: 'merchantClients.disable',
  isGrave: true,
  role: 'admin',
  path: '/merchant_clients/{id}/disable',
  prefix: 'client',
  summary: 'Disable a merchant at once',
  description: [
    'The merchant gets no new tokens, and 401 on /v1 from the next request (spec 5.1.5). Its payments still settle.',
  ],
  errors: [],
  example: {
    id: exampleIds.merchant,
    params: { reason: 'Its key leaked.' },
    answer: { object: 'audit_entry', action: 'merchant_client.disable', target: exampleIds.merchant },
  },
})

export const enableMerchantClient = change({
  id: 'merchantClients.enable',
  isGrave: true,
  role: 'admin',
  path: '/merchant_clients/{id}/enable',
  prefix: 'client',
  summary: 'Enable a disabled merchant',
  description: ['The merchant can call the API again. Tokens that have not expired are valid again.'],
  errors: [],
  example: {
    id: exampleIds.disabledMerchant,
    params: { reason: 'It has a new key.' },
    answer: { object: 'audit_entry', action: 'merchant_client.enable', target: exampleIds.disabledMerchant },
  },
})

export const StaffRail = z
  .strictObject({
    id: z.string().describe('The code of the rail.'),
    object: objectField('rail'),
    name: z
      .strictObject({
        fr: z.string().describe('The name in French.'),
        en: z.string().describe('The name in English.'),
      })
      .describe('The rail’s name, as payers know it.'),
    flow: z
      .enum(['push', 'redirect'])
      .describe(
        '`push`: the rail prompts the payer’s handset. `redirect`: the rail has a page of its own (spec 1.4).',
      ),
    settlement_currency: currencyField.describe('The currency in which the rail settles.'),
    refunds: z.boolean().describe('Whether the rail supports refunds.'),
    account_holders: z.boolean().describe('Whether the rail can look up account holders.'),
  })
  .meta({ id: 'StaffRail', description: 'A rail that the deployment enables, and what it can do.' })
export type StaffRail = z.infer<typeof StaffRail>

export const listStaffRails = staffRead({
  id: 'rails.list',
  path: '/rails',
  summary: 'List the rails of the deployment',
  description: ['Lists all rails that the deployment enables. The list is not paged.'],
  schema: listOf(StaffRail),
  ok: 'All rails.',
  example: { answer: { object: 'list', has_more: false } },
})
