import { randomUUID } from 'node:crypto'
import type { Random } from '@merchant-payments/testing/random'
import { claimsOf, encode, forge, forgeBy } from '../oauth/forge.ts'
import { nowSec, serviceKey, shopKey, stallKey } from '../oauth/merchants.ts'
import { issuer, publicBaseUrl } from '../oauth/replica.ts'

/** A token request, in the parts that a step changes. */
export interface TokenAttempt {
  readonly header: Record<string, unknown>
  readonly claims: Record<string, unknown>
  sign: (header: object, claims: object) => string
  /** The signed header and claims. */
  respell: (assertion: string) => string
  readonly form: Map<string, string>
  readonly headers: Record<string, string>
  /** Sent after the rest of the form. */
  more: string
}

type Verdict =
  | 'issued'
  | 'invalid_client'
  | 'invalid_request'
  | 'invalid_scope'
  | 'invalid_target'
  | GrantVerdict
type GrantVerdict = 'unauthorized_client' | 'unsupported_grant_type'

/** Changes one part of a valid request. @returns the expected result by spec 5.2 and 5.3 */
export type Step = (attempt: TokenAttempt, random: Random) => Verdict

export const goodAttempt = (clientId: 'shop' | 'kiosk'): TokenAttempt => ({
  header: { alg: 'RS256', typ: 'JWT' },
  claims: claimsOf(clientId, issuer, nowSec),
  sign: (header, claims) => forge(shopKey.privateKey, claims, header),
  respell: (assertion) => assertion,
  form: new Map([
    ['grant_type', 'client_credentials'],
    ['client_id', clientId],
    ['client_assertion_type', 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'],
    ['audience', 'service:v1'],
  ]),
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
  more: '',
})

/** @returns the jti that the request would spend, and its bytes */
export function sealed({ header, claims, sign, respell, form, more }: TokenAttempt) {
  const whole = new Map(form)
  if (!whole.has('client_assertion')) whole.set('client_assertion', respell(sign(header, claims)))
  const pairs = [...whole].filter(([, value]) => value !== ABSENT)
  return { jti: claims['jti'], body: `${new URLSearchParams(pairs).toString()}${more}` }
}

const ABSENT = '\0absent'
const LEEWAY_SEC = 60
const LIFETIME_SEC_MAX = 300

const assertion: Readonly<Record<string, Step>> = {
  'exp, near its limits': ({ claims }, random) => {
    const after = random.pick([-LEEWAY_SEC, LIFETIME_SEC_MAX + LEEWAY_SEC]) + random.int(-3, 3)
    claims['exp'] = nowSec + after
    return after > -LEEWAY_SEC && after <= LIFETIME_SEC_MAX + LEEWAY_SEC ? 'issued' : 'invalid_client'
  },
  'nbf or iat, near the leeway': ({ claims }, random) => {
    const after = LEEWAY_SEC + random.int(-3, 3)
    claims[random.pick(['nbf', 'iat'])] = nowSec + after
    return after <= LEEWAY_SEC ? 'issued' : 'invalid_client'
  },
  'an instant that is no whole number': ({ claims }, random) => {
    claims[random.pick(['exp', 'nbf', 'iat'])] = random.pick([null, `${nowSec + 60}`, [nowSec], {}, true])
    return 'invalid_client'
  },
  'the other audience that is served': ({ claims }) => {
    claims['aud'] = `${publicBaseUrl}/v1/oauth/token`
    return 'issued'
  },
  'another audience': ({ claims }, random) => {
    const others = [[issuer], `${issuer}/`, issuer.toUpperCase(), 'service:v1', '', null, `${issuer}/token?`]
    claims['aud'] = random.pick(others)
    return 'invalid_client'
  },
  'another issuer or subject': ({ claims }, random) => {
    claims[random.pick(['iss', 'sub'])] = random.pick(['stall', 'Shop', '', null, ['shop'], issuer])
    return 'invalid_client'
  },
  'a claim left out': ({ claims }, random) => {
    delete claims[random.pick(['iss', 'sub', 'aud', 'jti', 'exp'])]
    return 'invalid_client'
  },
  'claims besides': ({ claims }, random) => {
    claims[random.pick(['scope', 'note', 'client_id', '__proto', 'cnf'])] = random.pick(['x', 1, null, {}])
    return 'issued'
  },
  'a jti in upper case': ({ claims }) => {
    claims['jti'] = String(claims['jti']).toUpperCase()
    return 'issued'
  },
  'another jti': ({ claims }, random) => {
    const id = randomUUID()
    claims['jti'] = random.pick([
      id.slice(1),
      `${id}0`,
      `{${id}}`,
      id.replaceAll('-', ''),
      '',
      7,
      null,
      `${id}\0`,
    ])
    return 'invalid_client'
  },
  'a type that is read': ({ header }, random) => {
    header['typ'] = random.pick(['jwt', 'JWT', 'client-authentication+jwt'])
    return 'issued'
  },
  'no type': ({ header }) => {
    delete header['typ']
    return 'issued'
  },
  'another type': ({ header }, random) => {
    header['typ'] = random.pick(['at+jwt', 'JWE', '', 1, null, ['JWT']])
    return 'invalid_client'
  },
  'the kid of the key': ({ header }) => {
    header['kid'] = 'one'
    return 'issued'
  },
  'another kid': ({ header }, random) => {
    header['kid'] = random.pick(['two', 'ONE', '', 'service-1', '__proto__', 1, null, ['one']])
    return 'invalid_client'
  },
  'a header that changes what is signed': ({ header }, random) => {
    header[random.pick(['crit', 'b64', 'jwk', 'jku', 'x5c', 'x5u'])] = random.pick([
      [],
      ['exp'],
      true,
      'x',
      {},
    ])
    return 'invalid_client'
  },
  'another algorithm': (attempt, random) => {
    const alg = random.pick(['RS384', 'PS256', 'none'] as const)
    attempt.sign = (_header, claims) => forgeBy(alg, shopKey.privateKey, claims)
    return 'invalid_client'
  },
  'another name of the algorithm': ({ header }, random) => {
    header['alg'] = random.pick(['rs256', 'RS512', 'none', '', 1, null, ['RS256']])
    return 'invalid_client'
  },
  'another key': (attempt, random) => {
    const { privateKey } = random.pick([stallKey, serviceKey])
    attempt.sign = (header, claims) => forge(privateKey, claims, header)
    return 'invalid_client'
  },
  'one byte of it': (attempt, random) => {
    const share = random.next()
    attempt.respell = (text) => {
      const at = Math.floor(share * text.length)
      const other = text[at] === 'A' ? 'B' : 'A'
      return `${text.slice(0, at)}${other}${text.slice(at + 1)}`
    }
    return 'invalid_client'
  },
  'one byte less, or more': (attempt, random) => {
    const [share, put] = [random.next(), random.pick(['', '.', '=', ' ', '\n', 'A', '\u00e9'])]
    attempt.respell = (text) => {
      const at = Math.floor(share * text.length)
      return `${text.slice(0, at)}${put}${put === '' ? text.slice(at + 1) : text.slice(at)}`
    }
    return 'invalid_client'
  },
  'parts of two': (attempt) => {
    attempt.respell = (text) => {
      const [header = '', claims = '{}', signature = ''] = text.split('.')
      const other = {
        ...(JSON.parse(Buffer.from(claims, 'base64url').toString()) as object),
        exp: nowSec + 61,
      }
      return `${header}.${encode(other)}.${signature}`
    }
    return 'invalid_client'
  },
}

const form: Readonly<Record<string, Step>> = {
  'a narrower scope': (attempt, random) => {
    if (attempt.form.get('client_id') !== 'shop') return 'issued'
    attempt.form.set(
      'scope',
      random.pick(['payments:read', 'payments:write', 'payments:write payments:read']),
    )
    return 'issued'
  },
  'an empty scope': ({ form }) => {
    form.set('scope', '')
    return 'issued'
  },
  'a scope beyond': ({ form }, random) => {
    form.set(
      'scope',
      random.pick(['payments', 'payments:read  x', 'admin', ' ', 'payments:read\tpayments:write']),
    )
    return 'invalid_scope'
  },
  'another audience of the token': ({ form }, random) => {
    form.set('audience', random.pick(['reports:v1', ABSENT, '']))
    return 'issued'
  },
  'an audience beyond': ({ form }, random) => {
    form.set('audience', random.pick(['service:v2', 'SERVICE:V1', issuer, ' service:v1']))
    return 'invalid_target'
  },
  'another client': ({ form }, random) => {
    form.set('client_id', random.pick(['stall', 'nobody', 'SHOP', "shop' --", '__proto__']))
    return 'invalid_client'
  },
  'a parameter left out': ({ form }, random) => {
    const required = ['grant_type', 'client_id', 'client_assertion_type', 'client_assertion']
    form.set(random.pick(required), random.pick([ABSENT, '']))
    return 'invalid_request'
  },
  'a parameter twice': (attempt, random) => {
    attempt.more = `&${random.pick(['grant_type', 'client_id', 'audience', 'foo=1&foo'])}=client_credentials`
    return attempt.form.get('audience') === ABSENT && attempt.more.startsWith('&aud')
      ? 'invalid_target'
      : 'invalid_request'
  },
  'a parameter besides': (attempt, random) => {
    attempt.more = random.pick(['&foo=1', '&resource=x', '&client_assertion[]=x', '&%00=1', '&='])
    return 'issued'
  },
  'a grant that exists elsewhere': ({ form }, random) => {
    const grants = ['authorization_code', 'refresh_token', 'password', 'implicit', 'device_code']
    form.set('grant_type', random.pick(grants))
    return 'unauthorized_client'
  },
  'a grant that exists nowhere': ({ form }, random) => {
    form.set('grant_type', random.pick(['device', 'Client_Credentials', 'client_credentials ', 'x']))
    return 'unsupported_grant_type'
  },
  'another kind of assertion': ({ form }, random) => {
    const kinds = ['urn:ietf:params:oauth:client-assertion-type:saml2-bearer', 'jwt-bearer', 'x']
    form.set('client_assertion_type', random.pick(kinds))
    return 'invalid_request'
  },
  'a second way to authenticate': (attempt, random) => {
    if (random.chance(0.5)) attempt.headers['authorization'] = 'Basic c2hvcDp4'
    else attempt.more = '&client_secret=x'
    return 'invalid_request'
  },
  'a content type with parameters': ({ headers }) => {
    headers['content-type'] = 'Application/X-WWW-Form-URLEncoded ; charset=UTF-8'
    return 'issued'
  },
  'another content type': ({ headers }, random) => {
    headers['content-type'] = random.pick(['application/json', 'text/plain', 'application/x-www-form', ''])
    return 'invalid_request'
  },
}

export const steps: readonly (readonly [name: string, step: Step])[] = Object.entries({
  ...assertion,
  ...form,
})
