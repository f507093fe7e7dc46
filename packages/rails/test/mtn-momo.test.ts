import type { RailAdapter, RailEvidence, SubmitCharge } from '@merchant-payments/core'
import { freePort } from '@merchant-payments/testing/listen'
import { describe, expect, test } from 'vitest'
import {
  atRail,
  charge,
  denied,
  openRail,
  reference,
  refund,
  walletNotFound,
  wasAccepted,
} from './open-rail.ts'
import { evidence, hang, html, json, NOW_MS, reset, type Respond } from './operator.ts'
import { accepted, token, type WalletScript } from './wallet.ts'

const submit = (rail: RailAdapter, changes: Partial<SubmitCharge> = {}) =>
  rail.submitCharge({ ...charge, ...changes })

describe('the requests on the wire', () => {
  test('are a token, then the request to pay', async () => {
    const { rail, calls } = await openRail()
    expect(await submit(rail)).toEqual(wasAccepted)
    const [minted, sent, ...others] = calls
    expect(others).toEqual([])
    expect(minted).toMatchObject({ path: '/collection/token/', body: '' })
    expect(minted?.headers).toMatchObject({
      authorization: `Basic ${Buffer.from('user:secret').toString('base64')}`,
      'ocp-apim-subscription-key': 'key-1',
      'content-length': '0',
    })
    expect(sent?.path).toBe('/collection/v1_0/requesttopay')
    expect(sent?.headers).toMatchObject({
      authorization: 'Bearer token-1',
      'ocp-apim-subscription-key': 'key-1',
      'x-reference-id': reference,
      'x-target-environment': 'mtncameroon',
      'x-callback-url': charge.callbackUrl,
      'content-type': 'application/json',
    })
    expect(JSON.parse(sent?.body ?? '')).toEqual({
      amount: '1000',
      currency: 'XAF',
      externalId: reference,
      payer: { partyIdType: 'MSISDN', partyId: '237670000001' },
      payerMessage: 'Paiement par Mobile Money',
      payeeNote: 'Paiement par Mobile Money',
    })
  })

  test('have no callback header if the deployment takes no callbacks', async () => {
    const { rail, calls } = await openRail()
    await submit(rail, { callbackUrl: null })
    expect(calls[1]?.headers).not.toHaveProperty('x-callback-url')
  })

  test('are for a refund a transfer of the other product, with its own credentials', async () => {
    const { rail, calls } = await openRail({ token: token('payout-token') })
    expect(await rail.refunds?.submitRefund(refund)).toEqual({ kind: 'accepted' })
    expect(calls.map(({ path }) => path)).toEqual(['/disbursement/token/', '/disbursement/v1_0/transfer'])
    expect(calls[1]?.headers).toMatchObject({
      authorization: 'Bearer payout-token',
      'ocp-apim-subscription-key': 'payout-key',
      'x-reference-id': reference,
    })
    expect(JSON.parse(calls[1]?.body ?? '')).toMatchObject({
      amount: '400',
      payee: { partyId: '237670000001' },
    })
  })

  test('have in the sandbox its currency, and answers are reported in ours', async () => {
    const success = json(200, {
      status: 'SUCCESSFUL',
      amount: '10',
      currency: 'EUR',
      financialTransactionId: '7',
    })
    const { rail, calls } = await openRail({ query: success }, { wireCurrency: 'EUR' })
    await submit(rail)
    expect(JSON.parse(calls[1]?.body ?? '')).toMatchObject({ amount: '10.00', currency: 'EUR' })
    expect(await rail.queryCharge(atRail)).toEqual({
      kind: 'succeeded',
      railTxnId: '7',
      amountMinor: 1000,
      currency: 'XAF',
    })
  })
})

describe('a submit is accepted', () => {
  const truncated: Respond = (response) => {
    response.writeHead(202, { 'content-length': '100' }).write('{')
    response.socket?.end()
  }

  test.each([
    ['an empty 202', accepted],
    ['a 202 with a page', html(202)],
    ['a 202 cut short', truncated],
    ['our own duplicate', json(409, { code: 'RESOURCE_ALREADY_EXIST', message: 'Duplicated reference id.' })],
  ])('%s', async (_case, answer) => {
    const { rail, trace } = await openRail({ submit: answer })
    expect(await submit(rail)).toEqual(wasAccepted)
    expect(trace()).toEqual(['token', 'submit'])
  })
})

test('an answer after the deadline counts: the deadline is only for sending', async () => {
  let nowMs = NOW_MS
  const late: Respond = (response, call) => {
    nowMs = charge.deadlineMs + 1
    accepted(response, call)
  }
  const { rail, trace } = await openRail({ submit: late }, { clock: () => nowMs })
  expect(await submit(rail)).toEqual(wasAccepted)
  expect(trace()).toEqual(['token', 'submit'])
})

describe('a 5xx is decided by one status query', () => {
  const failed = json(500, { code: 'PAYER_NOT_FOUND', message: 'Payer does not exist.' })
  const declined = {
    code: 'payer_not_found',
    actor: 'payer',
    railCode: 'PAYER_NOT_FOUND',
    railMessage: 'Payer does not exist.',
  }
  const unknown = { kind: 'unknown', evidence: evidence({ httpStatus: 500, railCode: 'PAYER_NOT_FOUND' }) }
  const rejected = {
    code: 'payer_declined',
    actor: 'payer',
    railCode: 'APPROVAL_REJECTED',
    railMessage: null,
  }

  test.each<[string, Respond, Respond, object]>([
    ['pending', failed, json(200, { status: 'PENDING' }), wasAccepted],
    [
      'successful',
      html(502),
      json(200, { status: 'SUCCESSFUL', amount: '1000', currency: 'XAF' }),
      wasAccepted,
    ],
    [
      'failed',
      failed,
      json(200, { status: 'FAILED', reason: 'APPROVAL_REJECTED' }),
      { kind: 'declined', decline: rejected },
    ],
    ['not found, with a refusal', failed, walletNotFound, { kind: 'declined', decline: declined }],
    [
      'not found, without a refusal',
      html(503),
      walletNotFound,
      { kind: 'unknown', evidence: evidence({ httpStatus: 503 }) },
    ],
    ['at a wrong address', failed, json(404, { statusCode: 404, message: 'Resource not found' }), unknown],
    ['with an unknown status', failed, json(200, { status: 'AWAITING_PIN' }), unknown],
    ['lost', failed, reset, unknown],
    ['failing too', failed, failed, unknown],
  ])('%s', async (_case, answer, found, outcome) => {
    const { rail, trace } = await openRail({ submit: answer, query: found })
    expect(await submit(rail)).toEqual(outcome)
    expect(trace()).toEqual(['token', 'submit', 'query'])
  })

  test('a hanging query ends with the submit unknown', async () => {
    const { rail, trace } = await openRail({ submit: failed, query: hang }, { totalTimeoutMs: 1_000 })
    expect(await submit(rail)).toEqual(unknown)
    expect(trace()).toEqual(['token', 'submit', 'query'])
  })

  test('a refund that the query reports as failed was at the rail, so that its failure is not of the submit', async () => {
    const poor = json(200, { status: 'FAILED', reason: 'NOT_ENOUGH_FUNDS' })
    const { rail, calls } = await openRail({ submit: html(504), query: poor })
    expect(await rail.refunds?.submitRefund(refund)).toEqual({ kind: 'accepted' })
    expect(calls.at(-1)?.path).toBe(`/disbursement/v1_0/transfer/${reference}`)
  })

  test('a refund that one query does not find is not refused yet, because the wallet may pay it late', async () => {
    const poor = json(500, {
      code: 'NOT_ENOUGH_FUNDS',
      message: 'Not enough funds.',
    })
    const { rail, calls } = await openRail({ submit: poor, query: walletNotFound })
    expect(await rail.refunds?.submitRefund(refund)).toEqual({
      kind: 'refusal_unconfirmed',
      decline: {
        code: 'rail_misconfigured',
        actor: 'merchant_config',
        railCode: 'NOT_ENOUGH_FUNDS',
        railMessage: 'Not enough funds.',
      },
    })
    expect(calls.at(-1)?.path).toBe(`/disbursement/v1_0/transfer/${reference}`)
  })
})

describe('a submit with an unknown result is not repeated', () => {
  const redirected: Respond = (response) => response.writeHead(302, { location: '/elsewhere' }).end()
  const huge: Respond = (response) => response.writeHead(200).end('x'.repeat(3_000_000))

  test.each<[string, Respond, Partial<RailEvidence>]>([
    ['a page with 200', html(200), { httpStatus: 200 }],
    ['201', json(201, { status: 'PENDING' }), { httpStatus: 201 }],
    ['a redirect', redirected, { httpStatus: 302 }],
    ['3 MB', huge, { httpStatus: 200 }],
    ['a reset', reset, { errno: 'ECONNRESET' }],
    ['a close', (response) => response.req.socket.destroy(), { errno: 'UND_ERR_SOCKET' }],
    ['garbage', (response) => response.req.socket.end('lorem ipsum'), { errno: 'HTTPParserError' }],
  ])('%s', async (_case, answer, found) => {
    const { rail, trace } = await openRail({ submit: answer })
    expect(await submit(rail)).toEqual({ kind: 'unknown', evidence: evidence(found) })
    expect(trace()).toEqual(['token', 'submit'])
  })

  test('no answer within the total time-out', async () => {
    const { rail, trace } = await openRail({ submit: hang }, { totalTimeoutMs: 1_000 })
    expect(await submit(rail)).toEqual({ kind: 'unknown', evidence: evidence({ errno: 'TIMEOUT' }) })
    expect(await rail.queryCharge(atRail)).toEqual({ kind: 'pending' })
    expect(trace()).toEqual(['token', 'submit', 'query'])
  })
})

describe('a submit was not sent', () => {
  test.each<[string, WalletScript, Partial<RailEvidence>, string[]]>([
    [
      '429',
      { submit: json(429, { statusCode: 429, message: 'Rate limit is exceeded.' }) },
      { httpStatus: 429 },
      ['token', 'submit'],
    ],
    [
      'quota',
      { submit: json(403, { statusCode: 403, message: 'Out of call volume quota.' }) },
      { httpStatus: 403 },
      ['token', 'submit'],
    ],
    ['401 twice', { submit: denied }, { httpStatus: 401 }, ['token', 'submit', 'token', 'submit']],
    [
      'login 500',
      { token: json(500, { error: 'login_failed' }) },
      { operation: 'token', httpStatus: 500, railCode: 'login_failed' },
      ['token'],
    ],
    [
      'login 401',
      { token: json(401, { error: 'login_failed' }) },
      { operation: 'token', httpStatus: 401, railCode: 'login_failed' },
      ['token', 'token'],
    ],
    ['login page', { token: html(200) }, { operation: 'token', httpStatus: 200 }, ['token']],
    [
      'login without token',
      { token: json(200, { expires_in: 3600 }) },
      { operation: 'token', httpStatus: 200 },
      ['token'],
    ],
    [
      'token unfit for a header',
      { token: json(200, { access_token: 'a\r\nb', expires_in: 3600 }) },
      { operation: 'token', httpStatus: 200 },
      ['token'],
    ],
    ['login reset', { token: reset }, { operation: 'token', errno: 'ECONNRESET' }, ['token']],
  ])('%s', async (_case, script, found, steps) => {
    const { rail, trace } = await openRail(script)
    expect(await submit(rail)).toEqual({ kind: 'not_sent', evidence: evidence(found) })
    expect(trace()).toEqual(steps)
  })

  test('a login that hangs', async () => {
    const { rail, trace } = await openRail({ token: hang }, { totalTimeoutMs: 300 })
    const found = evidence({ operation: 'token', errno: 'TIMEOUT' })
    expect(await submit(rail)).toEqual({ kind: 'not_sent', evidence: found })
    expect(trace()).toEqual(['token'])
  })

  test('nothing listens', async () => {
    const { rail } = await openRail({}, { baseUrl: `http://127.0.0.1:${await freePort()}` })
    const found = evidence({ operation: 'token', errno: 'ECONNREFUSED' })
    expect(await submit(rail)).toEqual({ kind: 'not_sent', evidence: found })
  })

  test('its deadline has passed', async () => {
    const { rail, trace } = await openRail()
    const found = evidence({ errno: 'PAST_DEADLINE' })
    expect(await submit(rail, { deadlineMs: NOW_MS - 1 })).toEqual({ kind: 'not_sent', evidence: found })
    expect(trace()).toEqual([])
  })

  test('its deadline passes while a token is minted', async () => {
    let nowMs = NOW_MS
    const slow: Respond = (response, call) => {
      nowMs = charge.deadlineMs + 1
      token('late')(response, call)
    }
    const { rail, trace } = await openRail({ token: slow }, { clock: () => nowMs })
    const found = evidence({ errno: 'PAST_DEADLINE', elapsedMs: 60_001 })
    expect(await submit(rail)).toEqual({ kind: 'not_sent', evidence: found })
    expect(trace()).toEqual(['token'])
  })

  test('its deadline passes between a 401 and the second attempt', async () => {
    let nowMs = NOW_MS
    const late: Respond = (response, call) => {
      nowMs = charge.deadlineMs + 1
      denied(response, call)
    }
    const { rail, trace } = await openRail({ submit: late }, { clock: () => nowMs })
    const found = evidence({ errno: 'PAST_DEADLINE', elapsedMs: 60_001 })
    expect(await submit(rail)).toEqual({ kind: 'not_sent', evidence: found })
    expect(trace()).toEqual(['token', 'submit', 'token'])
  })

  test('the payer has no number', async () => {
    const { rail, trace } = await openRail()
    const found = evidence({ errno: 'NO_PAYER' })
    expect(await submit(rail, { payer: null })).toEqual({ kind: 'not_sent', evidence: found })
    expect(trace()).toEqual([])
  })
})

test.each<[string, Respond, string | null, string | null]>([
  ['400', (response) => response.writeHead(400).end(), null, null],
  [
    '403',
    json(403, { code: 'FORBIDDEN_IP', message: 'Not this address\u0000.' }),
    'FORBIDDEN_IP',
    'Not this address.',
  ],
])('a %s is a fault of the deployment, and declines', async (_case, answer, railCode, railMessage) => {
  const { rail, trace } = await openRail({ submit: answer })
  expect(await submit(rail)).toEqual({
    kind: 'declined',
    decline: { code: 'rail_misconfigured', actor: 'merchant_config', railCode, railMessage },
  })
  expect(trace()).toEqual(['token', 'submit'])
})
