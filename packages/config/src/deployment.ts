import {
  ownParametersOf,
  parseServerList,
  serverAddresses,
  ServerListError,
} from '@merchant-payments/db/server-list'
import { parse } from 'pg-connection-string'
import { z } from 'zod'
import { addresses } from './addresses.ts'
import { clientSecretKeys } from './client-secret-keys.ts'
import type { Context } from './context.ts'
import { merchantClient } from './merchant-client.ts'
import { rails, type RailShapes } from './rail.ts'
import { rsaBounds, signingKey } from './rsa-key.ts'
import { rules } from './rules.ts'
import { referencedText, secretOf } from './secret.ts'
import { setting } from './setting.ts'
import { staff } from './staff.ts'
import { statements } from './statements.ts'
import { unique } from './unique.ts'

/**
 * The schema of the whole file. Each field is checked separately, so one run reports every fault. Livemode's
 * rules are in livemode.ts.
 */
export const deployment = <S extends RailShapes>(context: Context, shapes: S) => {
  const { env } = context
  return z.strictObject({
    ...addresses,
    database: database(context).meta(setting({ description: 'PostgreSQL 17 or newer.' })),
    client_secret_keys: clientSecretKeys(env),
    signing_key: referencedText({ env, literal: false })
      .pipe(signingKey)
      .meta(
        setting({
          description: `The private RSA key that signs access tokens: a JWK as JSON, or a PKCS#8 PEM. It has ${rsaBounds}.`,
          section: '5.5',
        }),
      ),
    merchant_clients: z
      .array(merchantClient(context))
      .check(unique('client_id'), unique('publishable_key'))
      .meta(setting({ description: 'The merchants.', section: '5.1.1' })),
    rails: rails(context, shapes).meta(
      setting({
        description:
          'The ways to move money, by the code that `payment_method_types` names. It is part of paths, so `search` is refused. `adapter` decides which keys a rail has.',
        section: '1.4',
      }),
    ),
    statements: statements.meta(
      setting({
        description: 'The columns of the operators’ statements. A rail without them cannot be reconciled.',
      }),
    ),
    staff: staff(context)
      .optional()
      .meta(
        setting({
          description: 'The staff’s surface and its OpenID provider.',
          section: '1.6',
          absent: 'there is no `/dash/v1`',
        }),
      ),
    ...rules,
  })
}

const processCount = (kind: string) =>
  z
    .int()
    .min(1)
    .max(1_000)
    .default(2)
    .meta(
      setting({
        description: `How many processes of the ${kind} use the database side by side, those of a roll-out included.`,
      }),
    )

const database = ({ env }: Context) =>
  z.strictObject({
    url: referencedText({ env, literal: true })
      .superRefine(checkServerList)
      .transform(secretOf)
      .meta(
        setting({
          description:
            'The address of the service’s own login, which owns nothing. Several servers are named as libpq does.',
        }),
      ),
    reader_url: referencedText({ env, literal: true })
      .superRefine(checkOneServer)
      .transform(secretOf)
      .optional()
      .meta(
        setting({
          description:
            'The address of a hot standby for the staff’s reads, their files and their reports. It names one server.',
          absent: 'staff read from the primary',
        }),
      ),
    pool_size: z
      .int()
      .min(1)
      .max(1_000)
      .optional()
      .meta(
        setting({
          description: 'Connections of each process for writes.',
          absent:
            '16, and all pools are made smaller if the processes of `shared_by` need more than the database admits',
        }),
      ),
    shared_by: z
      .strictObject({
        apis: processCount('api'),
        workers: processCount('worker'),
      })
      .prefault({})
      .meta(setting({ description: 'The processes among which the connections are shared out.' })),
    read_connections: z
      .int()
      .min(0)
      .max(100)
      .default(4)
      .meta(
        setting({
          description: 'Connections that short reads share. With 0, reads use the pool for writes.',
        }),
      ),
    named_statements: z
      .boolean()
      .default(true)
      .meta(setting({ description: 'Prepares statements by name. Set false behind PgBouncer before 1.21.' })),
    migrate_on_boot: z
      .boolean()
      .default(false)
      .meta(
        setting({
          description: 'Applies the expand phase at each start. The login must then own the schema.',
        }),
      ),
  })

function checkServerList(address: string, ctx: z.core.$RefinementCtx<string>): void {
  try {
    checkAddresses(serverAddresses(address), ctx)
  } catch (error) {
    if (!(error instanceof ServerListError)) throw error
    ctx.addIssue(error.message)
  }
}

/** The driver lets a parameter of the address win over the service's own, such as its time-outs. */
function checkAddresses(addresses: readonly string[], ctx: z.core.$RefinementCtx<string>): void {
  const own = ownParametersOf(addresses[0] ?? '')
  if (own.length > 0) ctx.addIssue(`must not set ${own.join(', ')}: the service sets it itself`)
  else if (!addresses.every(isReadable))
    ctx.addIssue('is no address that the driver can read, or names a file of TLS that cannot be read')
}

function isReadable(address: string): boolean {
  try {
    parse(address)
    return true
  } catch {
    // The error's message may quote the address.
    return false
  }
}

function checkOneServer(address: string, ctx: z.core.$RefinementCtx<string>): void {
  try {
    if (parseServerList(address) === null) checkAddresses([address], ctx)
    else ctx.addIssue('must name one server')
  } catch (error) {
    if (!(error instanceof ServerListError)) throw error
    ctx.addIssue('must name one server')
  }
}
