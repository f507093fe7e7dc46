import type { KeyObject } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import {
  adoptSigningKey,
  type Adoption,
  type Clock,
  clientSecretsOf,
  batchWrites,
  merchantsOf,
} from '@merchant-payments/core'
import { scopes } from '@merchant-payments/config'
import type { Database } from '@merchant-payments/db'
import { openTestDatabase } from '@merchant-payments/db/testing'
import { createLog, createMetrics, noTracer } from '@merchant-payments/telemetry'
import type { SurfaceLimits } from '../../src/admission/surfaces.ts'
import { buildApi } from '../../src/app.ts'
import { createTokenVerifier, type VerifyAccessToken } from '../../src/oauth/access-token.ts'
import { issuerOf } from '../../src/oauth/discovery.ts'
import type { OauthDeps } from '../../src/oauth/register.ts'
import { createSigner, type Signer } from '../../src/oauth/signing-key.ts'

export const publicBaseUrl = 'https://pay.example'
export const issuer = issuerOf(publicBaseUrl)

/** A process of the HTTP service, with a clock that the test controls. */
export interface Replica extends AsyncDisposable {
  readonly origin: string
  readonly adoption: Adoption
  readonly signer: Signer
  readonly db: Database
  readonly verifyAccessToken: VerifyAccessToken
  /** Log lines of the token endpoint's refusals. */
  readonly refusals: readonly string[]
}

interface Boot {
  readonly databaseUrl: string
  readonly clock: Clock
  readonly key: { readonly kid: string; readonly privateKey: KeyObject }
  readonly clients?: OauthDeps['clients']
  readonly limits?: SurfaceLimits
  readonly verifications?: OauthDeps['verifications']
}

/** The key with which tests sign tokens themselves. */
const shop: OauthDeps['clients'] = new Map([
  ['shop', { clientId: 'shop', jwks: new Map(), scopes, audiences: [] }],
])

export async function bootReplica({
  databaseUrl,
  clock,
  key,
  clients = shop,
  limits,
  verifications,
}: Boot): Promise<Replica> {
  const db = openTestDatabase(databaseUrl, { poolSize: 8 })
  const signer = createSigner(key)
  const adoption = await adoptSigningKey(db, { jwk: signer.jwk, nowMs: clock() })
  const refusals: string[] = []
  const note = (line: string) => void (line.includes('"msg":"token refused"') && refusals.push(line))
  const log = createLog('api', 'info', { write: note })
  const metrics = createMetrics()
  const verifyAccessToken = createTokenVerifier({
    issuer,
    reader: db.reader,
    clock,
    scopesOf: (clientId) => clients.get(clientId)?.scopes,
  })
  const fault = () => undefined

  const writes = batchWrites(db.writer)
  const app = buildApi({
    db,
    writes,
    rails: new Map(),
    clock,
    log,
    metrics,
    tracer: noTracer,
    alert: () => undefined,
    fault,
    deployment: {
      livemode: true,
      publicBaseUrl,
      checkoutBaseUrl: publicBaseUrl,
      callbackBaseUrl: publicBaseUrl,
      merchants: merchantsOf([]),
      clientSecrets: clientSecretsOf([{ version: 1, key: 'k'.repeat(32) }]),
      railDisplays: new Map(),
      payersMayLookUp: false,
      defaultCountryCode: '237',
    },
    verifyToken: verifyAccessToken,
    oauth: { publicBaseUrl, clients, signer, db, writes, clock, fault, log, metrics, verifications },
    errorHeaders: { shouldRetryAlias: null },
    readiness: { stopping: false },
    payers: { db, writes },
    callbacks: { db },
    referencePage: false,
    limits,
  })
  await app.listen({ host: '127.0.0.1', port: 0 })

  const { port } = app.server.address() as AddressInfo
  return {
    origin: `http://127.0.0.1:${port}`,
    adoption,
    signer,
    db,
    verifyAccessToken,
    refusals,
    async [Symbol.asyncDispose]() {
      await app.close()
      await db.close()
    },
  }
}
