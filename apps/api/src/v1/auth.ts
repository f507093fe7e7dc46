import { Refusal } from '@merchant-payments/contract'
import { notAuthenticated } from '@merchant-payments/core'
import type { FastifyRequest } from 'fastify'
import type { Principal, VerifyAccessToken } from '../oauth/access-token.ts'

const bearer = /^Bearer ([\w.~+/=-]+)$/i

/**
 * Authenticates the caller (spec 5.4). Every cause has the same message.
 *
 * @throws Refusal authentication_error
 */
export async function authenticate(request: FastifyRequest, verify: VerifyAccessToken): Promise<Principal> {
  const token = bearer.exec(request.headers.authorization ?? '')?.[1]
  const principal = token === undefined ? null : await verify(token)
  if (principal === null) throw notAuthenticated()
  return principal
}

/** The WWW-Authenticate value of RFC 6750, section 3; null if the refusal is not about credentials. */
export function challengeOf({ headers }: FastifyRequest, { kind }: Refusal): string | null {
  if (kind.status === 403) return 'Bearer error="insufficient_scope"'
  if (kind.status !== 401) return null
  return headers.authorization === undefined ? 'Bearer' : 'Bearer error="invalid_token"'
}

/** A token without a scope is refused on every call, also on an unknown route (spec 5.4). */
export function requireAnyScope({ scopes }: Principal): void {
  if (scopes.length === 0) throw forbidden('either scope')
}

/** Write implies read. Every method that is not a read requires write (spec 5.4). */
export function requireScope({ scopes }: Principal, method: string): void {
  const isRead = method === 'GET' || method === 'HEAD'
  if (!isRead && !scopes.includes('payments:write')) throw forbidden('payments:write')
}

const forbidden = (scope: string) => new Refusal('forbidden', `The token does not carry ${scope}.`)
