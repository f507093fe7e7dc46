import type { Sign } from './private-key.ts'

/** Spec 5.2 allows 1 to 300 s. The service has a leeway of 60 s, so a minute suffices for one request. */
const ASSERTION_LIFETIME_SEC = 60

export interface AssertionInput {
  readonly clientId: string
  readonly issuer: string
  readonly keyId: string | undefined
  readonly sign: Sign
  readonly nowMs: number
}

/** Signs a new client assertion (spec 5.2). The service accepts its jti once, so each assertion is sent once. */
export async function signAssertion({
  clientId,
  issuer,
  keyId,
  sign,
  nowMs,
}: AssertionInput): Promise<string> {
  const header = { alg: 'RS256', typ: 'JWT', ...(keyId === undefined ? {} : { kid: keyId }) }
  const claims = {
    iss: clientId,
    sub: clientId,
    aud: issuer,
    jti: crypto.randomUUID(),
    exp: Math.floor(nowMs / 1000) + ASSERTION_LIFETIME_SEC,
  }
  const signingInput = `${segment(header)}.${segment(claims)}`
  return `${signingInput}.${base64url(await sign(bytesOfAscii(signingInput)))}`
}

const bytesOfAscii = (text: string) => Uint8Array.from(text, (character) => character.charCodeAt(0))

/** JSON in ASCII, because test environments with the globals of a page can lack TextEncoder. */
const segment = (value: object) =>
  base64url(bytesOfAscii(JSON.stringify(value).replaceAll(/[^\0-\x7f]/g, escaped)))

const escaped = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`

const base64url = (bytes: Uint8Array) =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '')
