import type { KeyObject } from 'node:crypto'
import type { Scope } from '@merchant-payments/config'
import {
  type Clock,
  type FaultHook,
  type GateLimits,
  findClientState,
  secondsOf,
  spendJti,
  type Writes,
} from '@merchant-payments/core'
import type { Reader } from '@merchant-payments/db'
import type { Metrics } from '@merchant-payments/telemetry'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { BaseLogger } from 'pino'
import { ACCESS_TOKEN_LIFE_SEC, mintAccessToken } from './access-token.ts'
import { verifyAssertion } from './assertion.ts'
import { createVerifications } from './verifications.ts'
import type { Surfaces } from '../admission/surfaces.ts'
import { type ErrorHeaders, noteRefusal, refusalOf, setRetryHeaders } from '../http/errors.ts'
import { createKeyRing, type KeyRing } from './key-ring.ts'
import { issuerOf, tokenEndpointOf } from './discovery.ts'
import type { Signer } from './signing-key.ts'
import { TokenError } from './token-error.ts'
import { parseTokenRequest, type TokenRequest } from './token-request.ts'

/** A merchant's registration at the token endpoint (spec 5.1.1). */
export interface OauthClient {
  readonly clientId: string
  /** Public keys by kid. */
  readonly jwks: ReadonlyMap<string, KeyObject>
  readonly scopes: readonly Scope[]
  readonly audiences: readonly string[]
}

export interface OauthDeps {
  readonly publicBaseUrl: string
  readonly clients: ReadonlyMap<string, OauthClient>
  readonly signer: Signer
  readonly db: { readonly reader: Reader }
  readonly writes: Pick<Writes, 'together'>
  readonly clock: Clock
  readonly fault: FaultHook
  readonly log: Pick<BaseLogger, 'info'>
  readonly metrics: Pick<Metrics, 'counter'>
  /** For tests. */
  readonly verifications?: GateLimits | undefined
}

/** With what the service's surfaces share. */
export interface MountedOauth extends OauthDeps {
  readonly surfaces: Pick<Surfaces, 'admit' | 'shed'>
  readonly errorHeaders: ErrorHeaders
}

/** RFC 6749 5.1. */
const noStore = { 'cache-control': 'no-store', pragma: 'no-cache' }

/**
 * POST /v1/oauth/token: exchanges a signed assertion for an access token. Each client has a share of the slots, so that
 * one that repeats its requests takes no tokens from the others. A client's id is no secret, so only a request with the
 * client's signature counts against its share. A forged one is refused before it takes a slot or costs a statement.
 * Signatures are verified a few at a time, in turns by the client that they claim to be of.
 */
export function tokenRoute(deps: MountedOauth) {
  // For operators only: the response does not contain the reason (spec 5.7).
  const count = deps.metrics.counter('oauth_tokens_total', 'Token requests, by result.', ['result', 'reason'])
  const ring = createKeyRing({ reader: deps.db.reader, clock: deps.clock })
  const isSigned = createVerifications(() => deps.surfaces.shed('oauth'), deps.verifications)
  return async (request: FastifyRequest, reply: FastifyReply) => {
    reply.headers(noStore)
    try {
      const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
      const asked = parseTokenRequest(request.headers, body)
      const signed = await verify(deps, asked, isSigned)
      const granted = await deps.surfaces.admit('oauth', asked.clientId, reply, async () => {
        await requireLivingKey(deps, ring)
        await spend(deps, signed)
        return grant(deps, signed.client, asked)
      })
      count({ result: 'issued', reason: '' })
      return granted
    } catch (error) {
      const refused = error instanceof TokenError ? error : unavailable(request, error)
      count({ result: refused.code, reason: refused.facts.reason ?? '' })
      // The request's own line has the code of an unavailable service, so that a flood writes one line for each.
      if (error === refused) noteRefused(deps, request, refused)
      return refuse(reply, deps.errorHeaders, refused)
    }
  }
}

/**
 * Throws a 503 if this replica's key was revoked, or retired a day ago: no replica would accept its tokens. It comes
 * before the assertion is spent, so that the client can retry at another replica.
 */
async function requireLivingKey({ signer }: OauthDeps, ring: KeyRing): Promise<void> {
  if ((await ring.find(signer.jwk.kid)) !== null) return
  throw new TokenError('temporarily_unavailable', 'the service has no key to sign with', {
    reason: 'signing_key_ended',
  })
}

/** Renders a 503 in this endpoint's format. @throws every other error */
function unavailable(request: FastifyRequest, error: unknown): TokenError {
  const refusal = refusalOf(error)
  if (refusal.code !== 'service_unavailable') throw error
  noteRefusal(request, refusal)
  return new TokenError('temporarily_unavailable', refusal.message)
}

function noteRefused({ log }: OauthDeps, request: FastifyRequest, { code, facts }: TokenError): void {
  log.info({ request_id: request.id, error: code, ...facts }, 'token refused')
}

function refuse(reply: FastifyReply, headers: ErrorHeaders, error: TokenError) {
  // Spec 7.2 requires the header on every error. Only an unavailable service is worth a retry.
  setRetryHeaders(reply.code(error.status), headers, error.shouldRetry)
  return error.toBody()
}

interface Signed {
  readonly client: OauthClient
  readonly jti: string
  readonly expiresAtMs: number
}

/** The unknown clients together. No client has this id. */
const UNKNOWN_CLIENTS = ''

/** Verifies the signature (spec 5.3). */
async function verify(
  deps: OauthDeps,
  { clientId, assertion }: TokenRequest,
  isSigned: ReturnType<typeof createVerifications>,
): Promise<Signed> {
  const client = deps.clients.get(clientId)
  const expected = {
    clientId,
    keys: client?.jwks ?? null,
    audiences: [tokenEndpointOf(deps.publicBaseUrl), issuerOf(deps.publicBaseUrl)],
    nowSec: secondsOf(deps.clock()),
    decoyKey: deps.signer.publicKey,
  }
  const verdict = await verifyAssertion(assertion, expected, (key, token) =>
    isSigned(client?.clientId ?? UNKNOWN_CLIENTS, key, token),
  )
  if (client === undefined || verdict.fault !== null) throw invalidClient(client, verdict.fault)
  return { client, jti: verdict.jti, expiresAtMs: verdict.refusedFromSec * 1_000 }
}

/**
 * Checks in one statement that the client is enabled and the jti unused (spec 5.3), so that a disabled client uses up
 * no jti.
 */
async function spend(deps: OauthDeps, { client, jti, expiresAtMs }: Signed): Promise<void> {
  const spending = await spendJti(deps.writes, { clientId: client.clientId, jti, expiresAtMs })
  if (spending === 'client_disabled') throw await closedClient(deps, client)
  if (spending !== 'spent') throw invalidClient(client, spending)
  deps.fault('token.jti_spent')
}

/** A client that moves between cells repeats its request, and its assertion was not spent. */
const closedClient = async ({ db }: OauthDeps, client: OauthClient) =>
  (await findClientState(db.reader, client.clientId)) === 'disabled'
    ? invalidClient(client, 'client_disabled')
    : new TokenError('temporarily_unavailable', 'the merchant is being moved', {
        reason: 'merchant_moving',
        client_id: client.clientId,
      })

/** One answer for every cause (spec 5.7). */
const invalidClient = (client: OauthClient | undefined, reason: string | null) =>
  new TokenError('invalid_client', 'client authentication failed', {
    reason,
    ...(client && { client_id: client.clientId }),
  })

async function grant(deps: OauthDeps, client: OauthClient, asked: TokenRequest) {
  const { signer, clock, publicBaseUrl } = deps
  const accessToken = await mintAccessToken(signer, {
    issuer: issuerOf(publicBaseUrl),
    clientId: client.clientId,
    audience: audienceOf(client, asked.audience),
    scopes: scopesOf(client, asked.scope),
    nowMs: clock(),
  })
  return { access_token: accessToken, token_type: 'Bearer', expires_in: ACCESS_TOKEN_LIFE_SEC }
}

/** Without an audience, the token's audience is the client, and /v1 refuses it (spec 5.3). */
function audienceOf(client: OauthClient, asked: string | null): string {
  if (asked === null || asked === client.clientId) return client.clientId
  if (client.audiences.includes(asked)) return asked
  throw new TokenError('invalid_target', 'the client is not registered for this audience')
}

/** Returns all registered scopes, or the requested subset (spec 5.3). An empty or unknown scope is an error. */
function scopesOf(client: OauthClient, asked: string | null): readonly Scope[] {
  if (asked === null) return client.scopes
  const names = asked.split(' ')
  if (!names.every((name) => client.scopes.some((scope) => scope === name))) {
    throw new TokenError('invalid_scope', 'the client is not registered for this scope')
  }
  return client.scopes.filter((scope) => names.includes(scope))
}
