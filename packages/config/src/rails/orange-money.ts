import { z } from 'zod'
import type { Context } from '../context.ts'
import { approvalWindowSec, nameOf, redirectDisplay } from '../rail-display.ts'
import { referencedText, secret } from '../secret.ts'
import { setting } from '../setting.ts'
import { calledUrl } from '../url.ts'
import { commonFields, firstQueryAfterMs } from './common.ts'

export const orangeMoney = ({ env }: Context) => {
  const fields = z.strictObject({
    adapter: z
      .literal('orange_money')
      .meta(setting({ description: 'Orange Money Web Payment: a redirect rail.', section: '1.4' })),
    ...commonFields,
    settlement_currency: z.literal('XAF', 'must be XAF: the rail takes no other currency').meta(
      setting({
        // The operator's sandbox has a currency of its own, which the adapter sets.
        description: 'The rail takes whole francs.',
        section: '3.1.2',
      }),
    ),
    token_url: calledUrl
      .optional()
      .meta(
        setting({ description: 'The address of the operator’s tokens.', absent: 'made from `base_url`' }),
      ),
    country: z
      .string()
      .regex(/^(?:dev|[a-z]{2})$/, 'must be two lower-case letters, such as cm, or dev')
      .meta(setting({ description: 'The country in the operator’s paths: `cm`, or `dev` for its sandbox.' })),
    merchant_key: secret(env).meta(setting({ description: 'The operator’s key of this account.' })),
    client_id: referencedText({ env, literal: true }).meta(
      setting({ description: 'The id of the application at the operator.' }),
    ),
    client_secret: secret(env).meta(setting({ description: 'The application’s secret.' })),
    lang: z
      .enum(['fr', 'en'])
      .default('fr')
      .meta(setting({ description: 'The language of the operator’s page, if the confirm names none.' })),
    // The payer types a number and a code first, so an earlier query would find nothing.
    first_query_after_ms: firstQueryAfterMs(10_000),
    approval_window_sec: approvalWindowSec(600),
    display: redirectDisplay,
  })
  return fields.transform(({ display: { name, color, number_prefixes, payee_number }, ...rail }) => ({
    ...rail,
    display: {
      name: nameOf(name, rail.display_name),
      color: color === undefined ? ORANGE : color,
      number_prefixes: number_prefixes ?? orangePrefixes[rail.country] ?? [],
      payee_number,
      prompt: null,
    },
  }))
}

const ORANGE = '#ff7900'

/** The operator's numbering blocks by country. Numbers are ported, so pages only propose. */
const orangePrefixes: Readonly<Record<string, readonly string[]>> = {
  cm: ['23769', ...['640', '655', '656', '657', '658', '659'].map((block) => `237${block}`)],
}
