import { Refusal } from '@merchant-payments/contract'
import { endProviderSessions } from '@merchant-payments/core'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type ErrorHeaders, sendJson, setRetryHeaders } from '../http/errors.ts'
import { decodeBody, parseForm } from '../http/form-body.ts'
import { formOf } from '../http/params.ts'
import type { SignInDeps } from './sign-in.ts'

/** Back-Channel Logout 2.5: of a provider, which has no session here; its token proves who it is. */
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
  throw new Refusal('invalid_request', 'was taken before', { param: 'logout_token' })
}

/** 2.8: a 400 whatever went wrong, in the words of RFC 6749 5.2. */
export function sendLogoutError(reply: FastifyReply, headers: ErrorHeaders, refusal: Refusal): FastifyReply {
  const { status, shouldRetry } = refusal.kind
  setRetryHeaders(reply, headers, shouldRetry)
  const error = status < 500 ? 'invalid_request' : 'server_error'
  return sendJson(reply, 400, JSON.stringify({ error, error_description: refusal.message }))
}
