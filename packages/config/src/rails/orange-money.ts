import { z } from 'zod'
import type { Context } from '../context.ts'
import { approvalWindowSec, nameOf, redirectDisplay } from '../rail-display.ts'
import { referencedText, secret } from '../secret.ts'
import { calledUrl } from '../url.ts'
import { commonFields, firstQueryAfterMs } from './common.ts'

export const orangeMoney = ({ env }: Context) => {
  const fields = z.strictObject({
    adapter: z.literal('orange_money'),
    ...commonFields,
    // The operator takes whole francs. Its sandbox uses a currency of its own, which the adapter sets.
    settlement_currency: z.literal('XAF', 'must be XAF: the rail takes no other currency'),
    token_url: calledUrl.optional(),
    country: z.string().regex(/^(?:dev|[a-z]{2})$/, 'must be two lower-case letters, such as cm, or dev'),
    merchant_key: secret(env),
    client_id: referencedText({ env, literal: true }),
    client_secret: secret(env),
    lang: z.enum(['fr', 'en']).default('fr'),
    // The payer types a number and a code first, so an earlier query would find nothing.
    first_query_after_ms: firstQueryAfterMs.default(10_000),
    approval_window_sec: approvalWindowSec.default(600),
    display: redirectDisplay,
  })
  return fields.transform(({ display: { name }, ...rail }) => ({
    ...rail,
    display: { name: nameOf(name, rail.display_name), prompt: null },
  }))
}
