import { z } from 'zod'
import { currencies } from '../currency.ts'
import { listOf } from '../list.ts'
import { change, instant, staffRead } from './common.ts'

/** A merchant's registration. One that left the configuration is shown while it is disabled. */
export const MerchantClient = z.strictObject({
  id: z.string(),
  object: z.literal('merchant_client'),
  name: z.string().nullable(),
  configured: z.boolean(),
  scopes: z.array(z.string()),
  key_ids: z.array(z.string()),
  endpoints: z.array(z.strictObject({ id: z.string(), url: z.string() })),
  disabled: z.strictObject({ reason: z.string(), at: instant }).nullable(),
})
export type MerchantClient = z.infer<typeof MerchantClient>

/** All of them: a deployment has as many as its file lists. */
export const listMerchantClients = staffRead({
  id: 'merchantClients.list',
  path: '/merchant_clients',
  schema: listOf(MerchantClient),
})

export const disableMerchantClient = change({
  id: 'merchantClients.disable',
  isGrave: true,
  role: 'admin',
  path: '/merchant_clients/{id}/disable',
  prefix: 'client',
})

export const enableMerchantClient = change({
  id: 'merchantClients.enable',
  isGrave: true,
  role: 'admin',
  path: '/merchant_clients/{id}/enable',
  prefix: 'client',
})

export const StaffRail = z.strictObject({
  id: z.string(),
  object: z.literal('rail'),
  name: z.strictObject({ fr: z.string(), en: z.string() }),
  flow: z.enum(['push', 'redirect']),
  settlement_currency: z.enum(currencies),
  refunds: z.boolean(),
  account_holders: z.boolean(),
})
export type StaffRail = z.infer<typeof StaffRail>

export const listStaffRails = staffRead({ id: 'rails.list', path: '/rails', schema: listOf(StaffRail) })
