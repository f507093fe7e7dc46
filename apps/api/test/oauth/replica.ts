import type { KeyObject } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { adoptSigningKey, type Adoption, type Clock } from '@merchant-payments/core'
import { openDatabase, type Reader } from '@merchant-payments/db'
import fastify from 'fastify'
import { pino } from 'pino'
import { createTokenVerifier, type VerifyAccessToken } from '../../src/oauth/access-token.ts'
import { issuerOf } from '../../src/oauth/discovery.ts'
import { type OauthDeps, registerOauth } from '../../src/oauth/register.ts'
import { createSigner, type Signer } from '../../src/oauth/signing-key.ts'

export const publicBaseUrl = 'https://pay.example'
export const issuer = issuerOf(publicBaseUrl)

/** One process of the service, as far as its OAuth provider goes. */
export interface Replica extends AsyncDisposable {
  readonly origin: string
  readonly adoption: Adoption
  readonly signer: Signer
  readonly reader: Reader
  readonly verifyAccessToken: VerifyAccessToken
  readonly logLines: readonly string[]
}

interface Boot {
  readonly databaseUrl: string
  readonly clock: Clock
  readonly key: { readonly kid: string; readonly privateKey: KeyObject }
  readonly clients?: OauthDeps['clients']
}

export async function bootReplica({ databaseUrl, clock, key, clients = new Map() }: Boot): Promise<Replica> {
  const db = openDatabase({
    url: databaseUrl,
    poolSize: 8,
    readConnections: 0,
    applicationName: 'oauth-test',
    namedStatements: true,
    onConnectionLost: () => {},
  })
  const signer = createSigner(key)
  const adoption = await adoptSigningKey(db, { jwk: signer.jwk, nowMs: clock() })
  const logLines: string[] = []
  const log = pino({}, { write: (line) => logLines.push(line) })

  const app = fastify()
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
  registerOauth(app, { publicBaseUrl, clients, signer, db, clock, fault: () => undefined, log })
  await app.listen({ host: '127.0.0.1', port: 0 })

  const { port } = app.server.address() as AddressInfo
  return {
    origin: `http://127.0.0.1:${port}`,
    adoption,
    signer,
    reader: db.reader,
    verifyAccessToken: createTokenVerifier({ issuer, reader: db.reader, clock }),
    logLines,
    async [Symbol.asyncDispose]() {
      await app.close()
      await db.close()
    },
  }
}
