import type { Random } from '@merchant-payments/testing/random'
import type { Caller, Target } from './targets.ts'
import { bomb, isRare, nastyValue, plausibleValue, respelled, spelled, strangeId } from './values.ts'

export interface FuzzRequest {
  readonly target: Target
  readonly method: string
  readonly merchant: string
  readonly bytes: Buffer
  /** The server may reset the connection before it has read everything. */
  readonly mayBeCut: boolean
}

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'QUERY', 'FROB', 'get']
/** Above every limit of bodies and headers, so that no request makes the server wait for more. */
const FLUSH = 'x'.repeat(70_000)

export function requestOf(random: Random, target: Target, caller: Caller): FuzzRequest {
  const method = random.chance(0.94) ? random.pick(target.methods) : random.pick(methods)
  const isForm = method !== 'GET' && method !== 'HEAD'
  const path = pathOf(random, target, caller)
  const form = formOf(random, target, caller)
  const wantsQuery = target.query.length > 0 || random.chance(0.03)
  const query = wantsQuery || !isForm ? `?${formOf(random, target, caller, target.query)}` : ''
  const body = isForm ? Buffer.from(form, 'latin1') : Buffer.alloc(0)
  const lines = [
    `${method} ${path}${query} HTTP/1.1`,
    'Host: api.test',
    'Connection: close',
    ...headersOf(random, target, caller, isForm),
    ...(isForm || body.length > 0 ? [`Content-Length: ${body.length}`] : []),
  ]
  const whole = Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), body])
  // Two answers to a HEAD cannot be distinguished.
  const isBroken = method !== 'HEAD' && random.chance(0.08)
  return {
    target,
    method,
    merchant: caller.merchant,
    bytes: isBroken ? Buffer.concat([broken(random, whole), Buffer.from(FLUSH)]) : whole,
    mayBeCut: isBroken || whole.length > 16_000,
  }
}

function pathOf(random: Random, target: Target, caller: Caller): string {
  const idOf = (prefix: string) => {
    const known = caller.idOf(random, prefix)
    return random.chance(0.8) ? known : strangeId(random, known)
  }
  const path = target.path.replaceAll(/\{(\w+)\}/g, () => idOf(target.prefix))
  return random.chance(0.03)
    ? `${path}${random.pick(['/', '//', '/x', '%00', '%zz', ';a', '/..', '%2F'])}`
    : path
}

/** The declared parameters, mostly valid, then random others. */
function formOf(random: Random, target: Target, caller: Caller, declared = target.body): string {
  if (random.chance(0.03)) return bomb(random)
  const isWild = random.chance(0.4)
  const pairs = declared
    .filter((name) => random.chance(isRare(name) ? 0.08 : 0.9))
    .map((name): [string, string] => [spelled(name), valueOf(random, name, caller)])
  if (isWild) {
    for (let twists = random.int(1, 3); twists > 0; twists -= 1) twist(random, pairs, declared)
  }
  return pairs.map(([name, value]) => `${encoded(random, name)}=${encoded(random, value)}`).join('&')
}

function valueOf(random: Random, name: string, caller: Caller): string {
  const prefix = {
    customer: 'cus',
    payment_intent: 'pi',
    invoice: 'in',
    starting_after: '*',
    ending_before: '*',
  }[name]
  return prefix === undefined ? plausibleValue(random, spelled(name)) : caller.idOf(random, prefix)
}

function twist(random: Random, pairs: [string, string][], declared: readonly string[]): void {
  const at = random.int(0, Math.max(pairs.length - 1, 0))
  const [name, value] = pairs[at] ?? [random.pick([...declared, 'foo']), '1']
  const [twisted, dropped] = random.pick<[[string, string][], number]>([
    [[[name, nastyValue(random)]], 1],
    [[[name, nastyValue(random)]], 1],
    [[[respelled(random, name), value]], 1],
    [
      [
        [name, value],
        [respelled(random, name), value],
      ],
      1,
    ],
    [
      [
        [name, value],
        [name, value],
      ],
      1,
    ],
    [[[random.pick([...declared, 'foo', 'expand[]']), nastyValue(random)]], 0],
    [[], 1],
  ])
  pairs.splice(at, dropped, ...twisted)
}

/** Sometimes raw, which is not a form, or cut within an escape. */
function encoded(random: Random, text: string): string {
  const escaped = encodeURIComponent(text.replaceAll(/[\ud800-\udfff]/gu, ''))
  if (random.chance(0.97)) return escaped
  return random.pick([
    escaped.slice(0, -1),
    `${escaped}%`,
    `%ED%A0%80${escaped}`,
    Buffer.from(text).toString('latin1'),
  ])
}

function headersOf(random: Random, target: Target, caller: Caller, isForm: boolean): string[] {
  const odd = (share: number, usual: string, others: readonly string[]) =>
    random.chance(share) ? random.pick(others) : usual
  const isBrowser = target.path.startsWith('/v1/browser')
  const { token } = caller
  return [
    ...(target.path.startsWith('/c/') ? [random.pick(conditions)] : []),
    ...(isBrowser
      ? [
          odd(0.05, `Publishable-Key: pk_test_${caller.merchant}`, ['Publishable-Key: x', 'A: b']),
          `Client-Secret: ${odd(0.05, caller.secretOf(random), ['', 'x', 'a_secret_b'])}`,
        ]
      : [odd(0.06, `Authorization: Bearer ${token}`, forged(random, caller))]),
    ...(isForm
      ? [
          odd(0.04, `Content-Type: application/x-www-form-urlencoded`, contentTypes),
          odd(0.05, `Idempotency-Key: ${caller.keyOf(random)}`, keys),
        ]
      : []),
    ...(random.chance(0.05) ? [random.pick(strangeHeaders)] : []),
  ]
}

const contentTypes = [
  'A: b',
  'Content-Type: application/json',
  'Content-Type: multipart/form-data; boundary=a',
  'Content-Type: application/x-www-form-urlencoded; charset=utf-16',
  'Content-Type: ;;;',
  `Content-Type: ${'a/'.repeat(3_000)}`,
]
const keys = [
  'A: b',
  'Idempotency-Key:',
  'Idempotency-Key: one',
  `Idempotency-Key: ${'k'.repeat(256)}`,
  'Idempotency-Key: caf\u00e9',
  'Idempotency-Key: one\r\nIdempotency-Key: two',
]
/** What a server of files may act on (RFC 9110 13 and 14). */
const conditions = [
  'A: b',
  'Range: bytes=0-1',
  'Range: bytes=-0',
  'Range: bytes=999999-',
  'Range: bytes=1-0,0-1,x',
  'If-Match: *',
  'If-Match: "x"',
  'If-None-Match: *',
  'If-Modified-Since: Fri, 01 Jan 2100 00:00:00 GMT',
  'If-Unmodified-Since: Sat, 01 Jan 2000 00:00:00 GMT',
  'If-Range: "x"\r\nRange: bytes=999999-',
]
const strangeHeaders = [
  'Request-Id: mine\r\nX-Request-Id: other',
  'Accept: text/html',
  'Accept-Encoding: br',
  'Accept-Version: 99',
  'Content-Encoding: gzip',
  'Expect: 100-continue',
  'Expect: foo',
  'Transfer-Encoding: chunked',
  'Upgrade: websocket\r\nConnection: Upgrade',
  'X-Http-Method-Override: DELETE',
  'X-Forwarded-Host: evil.example',
  'Stripe-Version: 2020-01-01',
  'Stripe-Account: acct_1',
  'Origin: https://evil.example',
  'Range: bytes=0-1',
  'If-None-Match: *',
  'Host: second.example',
  'Cookie: a=b',
  `X: ${'x'.repeat(20_000)}`,
  ...Array.from({ length: 4 }, (_, n) => Array.from({ length: 400 * (n + 1) }, () => 'A: b').join('\r\n')),
]

function forged(random: Random, { token, weakTokens }: Caller): string[] {
  const at = random.int(0, token.length - 1)
  const [head = '', claims = '', mark = ''] = token.split('.')
  const none = Buffer.from('{"alg":"none"}').toString('base64url')
  return [
    ...weakTokens.map((weak) => `Authorization: Bearer ${weak}`),
    'A: b',
    'Authorization:',
    'Authorization: Bearer',
    `Authorization: Basic ${token}`,
    `Authorization: Bearer ${token.slice(0, at)}${random.pick(['A', '.', '=', '\u00e9', ''])}${token.slice(at + 1)}`,
    `Authorization: Bearer ${token.slice(0, at)}`,
    `Authorization: Bearer ${none}.${claims}.`,
    `Authorization: Bearer ${head}.${claims}.${mark}.${mark}`,
    `Authorization: Bearer ${'a'.repeat(12_000)}`,
    `Authorization: Bearer ${token}\r\nAuthorization: Bearer ${token}`,
  ]
}

/** Damage to the bytes of a request by a faulty or hostile client. */
function broken(random: Random, whole: Buffer): Buffer {
  const at = random.int(0, whole.length - 1)
  const put = (text: string, from = at, to = at) =>
    Buffer.concat([whole.subarray(0, from), Buffer.from(text, 'latin1'), whole.subarray(to)])
  return random.pick([
    () => whole.subarray(0, at),
    () => put(String.fromCodePoint(random.int(0, 255)), at, at + 1),
    () => put('\0'),
    () => put('\r\n\r\n'),
    () => put('\n'),
    () => put('\u00ff'.repeat(random.int(1, 50))),
    () => put('', at, random.int(at, whole.length)),
    () => put(whole.subarray(0, at).toString('latin1')),
    () => put('Content-Length: 7\r\n', whole.indexOf('\n') + 1, whole.indexOf('\n') + 1),
    () => put('Transfer-Encoding: chunked\r\n', whole.indexOf('\n') + 1, whole.indexOf('\n') + 1),
    () => Buffer.concat([whole, whole]),
  ])()
}
