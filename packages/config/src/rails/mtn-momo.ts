import { currencies } from '@merchant-payments/contract'
import { z } from 'zod'
import type { Context } from '../context.ts'
import { approvalWindowSec, nameOf, pushDisplay } from '../rail-display.ts'
import { referencedText, secret } from '../secret.ts'
import { setting } from '../setting.ts'
import { commonFields } from './common.ts'

export const mtnMomo = (context: Context) =>
  z
    .strictObject({
      adapter: z.literal('mtn_momo').meta(setting({ description: 'MTN MoMo: a push rail.', section: '1.4' })),
      ...commonFields,
      settlement_currency: z
        .enum(currencies)
        .meta(setting({ description: 'The currency in which the rail settles.', section: '3.1.2' })),
      wire_currency: z
        .enum(currencies)
        .optional()
        .meta(
          setting({
            description: 'The currency in calls to the operator. Its sandbox accepts only EUR.',
            absent: '`settlement_currency`',
          }),
        ),
      target_environment: z
        .string()
        .min(1)
        .meta(
          setting({
            description: 'The operator’s name of the country, such as `mtncameroon`, or `sandbox`.',
          }),
        ),
      collection: mtnProduct(context).meta(
        setting({ description: 'The account of the operator’s Collection product, which takes payments.' }),
      ),
      disbursement: mtnProduct(context)
        .nullable()
        .default(null)
        .meta(
          setting({
            description: 'The account of the Disbursement product. Without it the rail has no refunds.',
            section: '4.5.2',
          }),
        ),
      callbacks: z
        .boolean()
        .default(true)
        .meta(
          setting({ description: 'Asks the operator for a callback, which brings the next query forward.' }),
        ),
      approval_window_sec: approvalWindowSec(300),
      display: pushDisplay,
    })
    .transform(({ display: { name, color, number_prefixes, payee_number, prompt }, ...rail }) => ({
      ...rail,
      wire_currency: rail.wire_currency ?? rail.settlement_currency,
      display: {
        name: nameOf(name, rail.display_name),
        color: color === undefined ? YELLOW : color,
        number_prefixes: number_prefixes ?? mtnPrefixes[rail.target_environment] ?? [],
        payee_number,
        prompt: { ...prompt, dial: prompt.dial ?? mtnDial[rail.target_environment] ?? null },
      },
    }))

const YELLOW = '#ffcc00'

/** The USSD code under which a payer finds waiting requests, by the operator's name of the country. */
const mtnDial: Readonly<Record<string, string>> = { mtncameroon: '*126#' }

/** The operator's numbering blocks, by its name of the country. Numbers are ported, so pages only propose. */
const mtnPrefixes: Readonly<Record<string, readonly string[]>> = {
  mtncameroon: [
    '23767',
    ...['650', '651', '652', '653', '654', '680', '681', '682', '683'].map((block) => `237${block}`),
  ],
}

const mtnProduct = ({ env }: Context) =>
  z.strictObject({
    subscription_keys: z
      .tuple([secret(env), secret(env).optional()])
      .meta(setting({ description: 'One key, or the primary and the secondary.' })),
    api_user: referencedText({ env, literal: true }).meta(
      setting({ description: 'The id of the API user, which the operator issues.' }),
    ),
    api_key: secret(env).meta(setting({ description: 'The API user’s key.' })),
  })
