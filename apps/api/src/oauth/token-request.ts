import type { IncomingHttpHeaders } from 'node:http'
import { TokenError } from './token-error.ts'

/** The form of spec 5.3, before the client is authenticated. */
export interface TokenRequest {
  readonly clientId: string
  readonly assertion: string
  readonly audience: string | null
  readonly scope: string | null
}

const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'

/** docs/spec-gaps.md, §5. An assertion has 8 KiB at most, and the rest of a form less than 1 KiB. */
const FORM_BYTES_MAX = 16 * 1024
/** docs/spec-gaps.md, §5. Six are known. Clients that send more are rare, and unknown ones are ignored. */
const PARAMETERS_MAX = 32

/** Registered grant types that this service grants to no client (spec 5.1.2). */
const deniedGrants: ReadonlySet<string> = new Set([
  // RFC 6749, with the names of RFC 7591.
  'authorization_code',
  'refresh_token',
  'password',
  'implicit',
  // RFC 8628, also by the short name of the specification, then RFC 7523, 7522 and 8693.
  'device_code',
  'urn:ietf:params:oauth:grant-type:device_code',
  'urn:ietf:params:oauth:grant-type:jwt-bearer',
  'urn:ietf:params:oauth:grant-type:saml2-bearer',
  'urn:ietf:params:oauth:grant-type:token-exchange',
  // User-Managed Access 2.0, and OpenID Connect's backchannel authentication.
  'urn:ietf:params:oauth:grant-type:uma-ticket',
  'urn:openid:params:grant-type:ciba',
])

/** @throws {TokenError} */
export function parseTokenRequest(headers: IncomingHttpHeaders, body: Uint8Array): TokenRequest {
  const [contentType = ''] = (headers['content-type'] ?? '').split(';')
  if (contentType.trim().toLowerCase() !== 'application/x-www-form-urlencoded') {
    throw new TokenError('invalid_request', 'the body must be application/x-www-form-urlencoded')
  }
  const form = parseForm(body)
  judgeGrant(required(form, 'grant_type'))
  if (headers.authorization !== undefined || form.has('client_secret')) {
    throw new TokenError('invalid_request', 'the client must authenticate by client_assertion alone')
  }
  if (required(form, 'client_assertion_type') !== ASSERTION_TYPE) {
    throw new TokenError('invalid_request', `client_assertion_type must be ${ASSERTION_TYPE}`)
  }
  return {
    clientId: required(form, 'client_id'),
    assertion: required(form, 'client_assertion'),
    audience: form.get('audience') ?? null,
    scope: form.get('scope') ?? null,
  }
}

/**
 * Parses by RFC 6749 3.2: no parameter twice, an empty value counts as absent, unknown names are ignored. The client is
 * not authenticated yet, so the work is bounded before it begins.
 */
function parseForm(body: Uint8Array): ReadonlyMap<string, string> {
  if (body.length > FORM_BYTES_MAX) throw new TokenError('invalid_request', 'the body is too long')
  const text = Buffer.from(body).toString()
  if (text.split('&', PARAMETERS_MAX + 1).length > PARAMETERS_MAX)
    throw new TokenError('invalid_request', 'the body has too many parameters')
  const pairs = [...new URLSearchParams(text)]
  const form = new Map(pairs)
  if (form.size < pairs.length) throw new TokenError('invalid_request', 'a parameter is given twice')
  return new Map([...form].filter(([, value]) => value !== ''))
}

function judgeGrant(grantType: string): void {
  if (grantType === 'client_credentials') return
  if (deniedGrants.has(grantType)) {
    throw new TokenError('unauthorized_client', 'the client may use client_credentials only')
  }
  throw new TokenError('unsupported_grant_type', 'grant_type must be client_credentials')
}

function required(form: ReadonlyMap<string, string>, name: string): string {
  const value = form.get(name)
  if (value === undefined) throw new TokenError('invalid_request', `${name} is required`)
  return value
}
