import { currencies } from '@merchant-payments/contract'
import { z } from 'zod'
import type { Context } from './context.ts'
import { approvalWindowSec, displayName, nameOf, pushDisplay, redirectDisplay } from './rail-display.ts'
import { referencedText, secret } from './secret.ts'
import { calledUrl } from './url.ts'

/** The entries of `rails`, by code; each adapter has its own shape. */
export const rails = (context: Context) =>
  z
    .record(
      z.string().regex(/^[a-z][a-z0-9_]{0,63}$/, 'must be a rail code: a lower-case letter, then a-z 0-9 _'),
      z.discriminatedUnion('adapter', [mtnMomo(context), orangeMoney(context)]),
    )
    .transform((byCode) => Object.entries(byCode).map(([code, rail]) => ({ ...rail, code })))

const mtnMomo = (context: Context) =>
  z
    .strictObject({
      adapter: z.literal('mtn_momo'),
      ...commonFields(context),
      settlement_currency: z.enum(currencies),
      // What the operator's wire takes: its sandbox knows EUR only, whatever the deployment settles in.
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

/** Where a payer finds the requests that wait, by the operator's own name of the country. */
const mtnDial: Readonly<Record<string, string>> = { mtncameroon: '*126#' }

const orangeMoney = (context: Context) => {
  const { env, livemode } = context
  const fields = z.strictObject({
    adapter: z.literal('orange_money'),
    ...commonFields(context),
    // The operator takes whole francs; its sandbox has a currency of its own, which the adapter knows.
    settlement_currency: z.literal('XAF', 'must be XAF: the rail takes no other currency'),
    token_url: calledUrl(livemode).optional(),
    /** The path segment of the subscription. */
    country: z
      .string()
      .regex(/^(?:dev|[a-z]{2})$/, 'must be two lower-case letters, such as cm, or dev')
      // Play money must never pay for anything.
      .refine((country) => !(livemode && country === 'dev'), 'must not be the sandbox in livemode'),
    merchant_key: secret(env),
    client_id: referencedText({ env, literal: true }),
    client_secret: secret(env),
    lang: z.enum(['fr', 'en']).default('fr'),
    // The payer has to type a number and a code first.
    first_query_after_ms: firstQueryAfterMs.default(10_000),
    approval_window_sec: approvalWindowSec.default(600),
    display: redirectDisplay,
  })
  return fields.transform(({ display: { name }, ...rail }) => ({
    ...rail,
    display: { name: nameOf(name, rail.display_name), prompt: null },
  }))
}

const firstQueryAfterMs = z.int().min(0).max(60_000)

const commonFields = ({ livemode }: Context) => ({
  display_name: displayName,
  base_url: calledUrl(livemode),
  connect_timeout_ms: z.int().min(1).max(60_000).default(5_000),
  total_timeout_ms: z.int().min(1).max(60_000).default(20_000),
  max_connections: z.int().min(1).max(1_024).default(64),
  first_query_after_ms: firstQueryAfterMs.default(2_000),
})

const mtnProduct = ({ env }: Context) =>
  z.strictObject({
    subscription_keys: z.tuple([secret(env), secret(env).optional()]),
    api_user: referencedText({ env, literal: true }),
    api_key: secret(env),
  })
