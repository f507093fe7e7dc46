import { currencies } from '@merchant-payments/contract'
import { z } from 'zod'
import type { Context } from '../context.ts'
import { approvalWindowSec, nameOf, pushDisplay } from '../rail-display.ts'
import { referencedText, secret } from '../secret.ts'
import { commonFields } from './common.ts'

export const mtnMomo = (context: Context) =>
  z
    .strictObject({
      adapter: z.literal('mtn_momo'),
      ...commonFields,
      settlement_currency: z.enum(currencies),
      // The currency in calls to the operator. Its sandbox accepts only EUR, also if the deployment settles
      // in another currency.
      wire_currency: z.enum(currencies).optional(),
      target_environment: z.string().min(1),
      collection: mtnProduct(context),
      /** Without it the rail has no refunds. */
      disbursement: mtnProduct(context).nullable().default(null),
      callbacks: z.boolean().default(true),
      approval_window_sec: approvalWindowSec.default(300),
      display: pushDisplay,
    })
    .transform(({ display: { name, prompt }, ...rail }) => ({
      ...rail,
      wire_currency: rail.wire_currency ?? rail.settlement_currency,
      display: {
        name: nameOf(name, rail.display_name),
        prompt: { ...prompt, dial: prompt.dial ?? mtnDial[rail.target_environment] ?? null },
      },
    }))

/** The USSD code under which a payer finds waiting requests, by the operator's name of the country. */
const mtnDial: Readonly<Record<string, string>> = { mtncameroon: '*126#' }

const mtnProduct = ({ env }: Context) =>
  z.strictObject({
    subscription_keys: z.tuple([secret(env), secret(env).optional()]),
    api_user: referencedText({ env, literal: true }),
    api_key: secret(env),
  })
