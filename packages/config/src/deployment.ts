import { parseServerList, ServerListError } from '@merchant-payments/db/server-list'
import { z } from 'zod'
import { clientSecretKeys } from './client-secret-keys.ts'
import type { Context } from './context.ts'
import { merchantClient } from './merchant-client.ts'
import { rails, type RailShapes } from './rail.ts'
import { signingKey } from './rsa-key.ts'
import { referencedText, secretOf } from './secret.ts'
import { staff } from './staff.ts'
import { unique } from './unique.ts'
import { ownOrigin } from './url.ts'

/**
 * The schema of the whole file. Each field is checked separately, so one run reports every fault. Livemode's
 * rules are in livemode.ts.
 */
export const deployment = <S extends RailShapes>(context: Context, shapes: S) => {
  const { env } = context
  return z.strictObject({
    livemode: z.boolean(),
    public_base_url: ownOrigin,
    checkout_base_url: ownOrigin.optional(),
    checkout_page_dir: z.string().min(1).optional(),
    browser: z
      .strictObject({
        account_holders: z.boolean().default(false),
      })
      .prefault({}),
    /** The page at /reference. Default: on in testmode, off in livemode. */
    reference: z.boolean().optional(),
    database: database(context),
    listen: z
      .strictObject({ host: z.string().min(1).default('127.0.0.1'), port: port.default(8080) })
      .prefault({}),
    internal_listen: internalListen.optional(),
    metrics: internalListen.optional(),
    tracing: z
      .strictObject({
        endpoint: z.url({ protocol: /^https?$/ }),
        sample_ratio: z.number().min(0).max(1).default(0.01),
      })
      .optional(),
    client_secret_keys: clientSecretKeys(env),
    signing_key: referencedText({ env, literal: false }).pipe(signingKey),
    merchant_clients: z.array(merchantClient(context)).check(unique('client_id'), unique('publishable_key')),
    rails: rails(context, shapes),
    webhooks: z
      .strictObject({
        allow_private_targets: z.boolean().default(false),
      })
      .prefault({}),
    retention_days: z.int().min(RETENTION_DAYS_MIN).max(RETENTION_DAYS_MAX).default(400),
    phone: z
      .strictObject({
        default_country_code: z
          .string()
          .regex(/^[1-9]\d{2}$/, 'must be three digits in quotes')
          .default('237'),
      })
      .prefault({}),
    worker,
    /** Without it there is no /dash/v1. */
    staff: staff(context).optional(),
    compat: z
      .strictObject({
        should_retry_header: z
          .string()
          .regex(/^[a-z0-9-]+$/, 'must be a header name in lower case')
          .optional(),
      })
      .prefault({}),
    log: z
      .strictObject({
        level: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
      })
      .prefault({}),
  })
}

/** Events are dropped by the month. A younger event may have delivery attempts or readers to come. */
const RETENTION_DAYS_MIN = 31
const RETENTION_DAYS_MAX = 36_500

const port = z.int().min(0).max(65_535)

const internalListen = z.strictObject({ host: z.string().min(1).default('127.0.0.1'), port })

const database = ({ env }: Context) =>
  z.strictObject({
    url: referencedText({ env, literal: true }).superRefine(checkServerList).transform(secretOf),
    pool_size: z.int().min(1).max(1_000).default(16),
    read_connections: z.int().min(0).max(100).default(4),
    named_statements: z.boolean().default(true),
    migrate_on_boot: z.boolean().default(false),
  })

/** The driver reads an address of one server, and refuses a faulty one at the start. */
function checkServerList(address: string, ctx: z.core.$RefinementCtx<string>): void {
  try {
    parseServerList(address)
  } catch (error) {
    if (!(error instanceof ServerListError)) throw error
    ctx.addIssue(error.message)
  }
}

const worker = z
  .strictObject({
    poll_interval_ms: z.int().min(50).max(5_000).default(200),
    internal_listen: internalListen.optional(),
    metrics: internalListen.optional(),
  })
  .prefault({})
