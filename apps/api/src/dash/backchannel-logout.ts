import { Refusal } from '@merchant-payments/contract'
import { endProviderSessions } from '@merchant-payments/core'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type ErrorHeaders, sendJson, setRetryHeaders } from '../http/errors.ts'
import { decodeBody, parseForm } from '../http/form-body.ts'
import { formOf } from '../http/params.ts'
import type { SignInDeps } from './sign-in.ts'

/**
 * Handles a logout request of the identity provider (Back-Channel Logout 2.5). The provider has no session here. Its
 * logout token authenticates it.
 */
export async function endSessions(
  { db, identityProvider }: SignInDeps,
  request: FastifyRequest,
): Promise<void> {
  const { logout_token: token } = parseForm(decodeBody(formOf(request)))
  if (typeof token !== 'string') {
    throw new Refusal('invalid_request', 'is required', { param: 'logout_token' })
  }
  const logout = await identityProvider.readLogoutToken(token)
  if (await endProviderSessions(db.writer, logout)) return
  throw new Refusal('invalid_request', 'was already used', { param: 'logout_token' })
}

/** Sends a 400 for every error, with the error codes of RFC 6749 5.2 (Back-Channel Logout 2.8). */
export function sendLogoutError(reply: FastifyReply, headers: ErrorHeaders, refusal: Refusal): FastifyReply {
  const { status, shouldRetry } = refusal.kind
  setRetryHeaders(reply, headers, shouldRetry)
  const error = status < 500 ? 'invalid_request' : 'server_error'
  return sendJson(reply, 400, JSON.stringify({ error, error_description: refusal.message }))
}
