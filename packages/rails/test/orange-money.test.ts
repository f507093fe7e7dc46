import type { RailAdapter, RailEvidence, SubmitCharge } from '@merchant-payments/core'
import { freePort } from '@merchant-payments/testing/listen'
import { describe, expect, test } from 'vitest'
import { createOrangeMoney } from '../src/index.ts'
import { evidence, hang, html, json, NOW_MS, reset, type Respond } from './operator.ts'
import {
  charge,
  config,
  created,
  denied,
  openWebPayment,
  page,
  reference,
  token,
  wasAccepted,
  type WebPaymentScript,
} from './web-payment.ts'

const submit = (rail: RailAdapter, changes: Partial<SubmitCharge> = {}) =>
  rail.submitCharge({ ...charge, ...changes })

describe('the requests on the wire', () => {
  test('are a token, then the order', async () => {
    const { rail, calls } = await openWebPayment()
    expect(await submit(rail)).toEqual(wasAccepted)
    const [minted, sent, ...others] = calls
    expect(others).toEqual([])
    expect(minted).toMatchObject({ path: '/oauth/v3/token', body: 'grant_type=client_credentials' })
    expect(minted?.headers).toMatchObject({
      authorization: `Basic ${Buffer.from('client:secret').toString('base64')}`,
      'content-type': 'application/x-www-form-urlencoded',
    })
    expect(sent?.path).toBe('/orange-money-webpay/cm/v1/webpayment')
    expect(sent?.headers).toMatchObject({
      authorization: 'Bearer token-1',
      'content-type': 'application/json',
    })
    expect(JSON.parse(sent?.body ?? '')).toEqual({
      merchant_key: 'merchant-key-1',
      currency: 'XAF',
      order_id: reference,
      amount: 4000,
      return_url: 'https://shop.example/back',
      cancel_url: 'https://shop.example/back',
      notif_url: charge.callbackUrl,
      lang: 'fr',
      reference,
    })
  })

  test('have the language of the confirm, else that of the deployment', async () => {
    const { rail, calls } = await openWebPayment({}, { lang: 'en' })
    for (const locale of ['fr', null] as const) await submit(rail, { locale })
    const spoken = calls.flatMap(({ step, body }) => (step === 'submit' ? [JSON.parse(body).lang] : []))
    expect(spoken).toEqual(['fr', 'en'])
  })

  test('have in the sandbox the currency that only it knows', async () => {
    const { rail, calls } = await openWebPayment({}, { country: 'dev' })
    expect(await submit(rail)).toEqual(wasAccepted)
    expect(calls[1]?.path).toBe('/orange-money-webpay/dev/v1/webpayment')
    expect(JSON.parse(calls[1]?.body ?? '')).toMatchObject({ currency: 'OUV', amount: 4000 })
    expect(rail.capabilities.settlementCurrency).toBe('XAF')
  })

  test('have no phone number, even if the payer gave one', async () => {
    const { rail, calls } = await openWebPayment()
    const payer = '237690000001' as SubmitCharge['payer']
    expect(await submit(rail, { payer })).toEqual(wasAccepted)
    expect(calls[1]?.body).not.toContain('690000001')
  })
})

test('an answer after the deadline counts: the deadline is only for sending', async () => {
  let nowMs = NOW_MS
  const late: Respond = (response, call) => {
    nowMs = charge.deadlineMs + 1
    created(response, call)
  }
  const { rail } = await openWebPayment({ submit: late }, { clock: () => nowMs })
  expect(await submit(rail)).toEqual(wasAccepted)
})

describe('a submit whose page was lost is unknown, and not repeated', () => {
  const truncated: Respond = (response) => {
    const body = JSON.stringify(page)
    response.writeHead(201, { 'content-length': String(body.length) }).write(body.slice(0, -2))
    response.socket?.end()
  }
  const without = (field: keyof typeof page) => json(201, { ...page, [field]: undefined })
  const redirected: Respond = (response) => response.writeHead(302, { location: '/elsewhere' }).end()
  const huge = json(201, { ...page, filler: 'x'.repeat(100_000) })

  test.each<[string, Respond, Partial<RailEvidence>]>([
    ['a reset', reset, { errno: 'ECONNRESET' }],
    ['a close', (response) => response.req.socket.destroy(), { errno: 'UND_ERR_SOCKET' }],
    ['garbage', (response) => response.req.socket.end('lorem ipsum'), { errno: 'HTTPParserError' }],
    ['a 201 cut short', truncated, { httpStatus: 201 }],
    ['a 201 of 100 kB', huge, { httpStatus: 201 }],
    ['an empty 201', (response) => response.writeHead(201).end(), { httpStatus: 201 }],
    ['a 201 with a page', html(201), { httpStatus: 201 }],
    ['a 201 without payment_url', without('payment_url'), { httpStatus: 201 }],
    ['a 201 without pay_token', without('pay_token'), { httpStatus: 201 }],
    ['a 201 without notif_token', without('notif_token'), { httpStatus: 201 }],
    [
      'a script for an address',
      json(201, { ...page, payment_url: 'javascript:alert(1)' }),
      { httpStatus: 201 },
    ],
    ['a 200 with a page', html(200), { httpStatus: 200 }],
    ['a redirect', redirected, { httpStatus: 302 }],
    [
      'a duplicate order_id',
      json(400, { code: 8, message: 'order_id already exists' }),
      { httpStatus: 400, railCode: '8' },
    ],
    ['a conflict', json(409, {}), { httpStatus: 409 }],
    ['a 500', json(500, { code: 1, message: 'Internal error' }), { httpStatus: 500, railCode: '1' }],
    ['a gateway’s page', html(502), { httpStatus: 502 }],
  ])('%s', async (_case, answer, found) => {
    const { rail, trace } = await openWebPayment({ submit: answer })
    expect(await submit(rail)).toEqual({ kind: 'unknown', evidence: evidence(found) })
    expect(trace()).toEqual(['token', 'submit'])
  })

  test('no answer within the total time-out', async () => {
    const { rail, trace } = await openWebPayment({ submit: hang }, { totalTimeoutMs: 1_000 })
    expect(await submit(rail)).toEqual({ kind: 'unknown', evidence: evidence({ errno: 'TIMEOUT' }) })
    expect(trace()).toEqual(['token', 'submit'])
  })
})

describe('a submit was not sent', () => {
  const login = (found: Partial<RailEvidence>) => ({ operation: 'token', ...found }) as const

  test.each<[string, WebPaymentScript, Partial<RailEvidence>, string[]]>([
    ['429', { submit: json(429, {}) }, { httpStatus: 429 }, ['token', 'submit']],
    [
      'quota',
      { submit: json(403, { code: 53, message: 'Too many requests' }) },
      { httpStatus: 403, railCode: '53' },
      ['token', 'submit'],
    ],
    [
      '401 twice',
      { submit: denied },
      { httpStatus: 401, railCode: '42' },
      ['token', 'submit', 'token', 'submit'],
    ],
    [
      'login 401',
      { token: json(401, { error: 'invalid_client' }) },
      login({ httpStatus: 401, railCode: 'invalid_client' }),
      ['token'],
    ],
    ['login 500', { token: html(500) }, login({ httpStatus: 500 }), ['token']],
    ['login page', { token: html(200) }, login({ httpStatus: 200 }), ['token']],
    ['login reset', { token: reset }, login({ errno: 'ECONNRESET' }), ['token']],
  ])('%s', async (_case, script, found, steps) => {
    const { rail, trace } = await openWebPayment(script)
    expect(await submit(rail)).toEqual({ kind: 'not_sent', evidence: evidence(found) })
    expect(trace()).toEqual(steps)
  })

  test('nothing listens', async () => {
    const { rail } = await openWebPayment({}, { baseUrl: `http://127.0.0.1:${await freePort()}` })
    const found = evidence({ operation: 'token', errno: 'ECONNREFUSED' })
    expect(await submit(rail)).toEqual({ kind: 'not_sent', evidence: found })
  })

  test('its deadline has passed', async () => {
    const { rail, trace } = await openWebPayment()
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
    const { rail, trace } = await openWebPayment({ token: slow }, { clock: () => nowMs })
    const found = evidence({ errno: 'PAST_DEADLINE', elapsedMs: 60_001 })
    expect(await submit(rail)).toEqual({ kind: 'not_sent', evidence: found })
    expect(trace()).toEqual(['token'])
  })

  test.each(['returnUrl', 'callbackUrl'] as const)('the %s is missing', async (field) => {
    const { rail, trace } = await openWebPayment()
    const found = evidence({ errno: 'NO_URL' })
    expect(await submit(rail, { [field]: null })).toEqual({ kind: 'not_sent', evidence: found })
    expect(trace()).toEqual([])
  })
})

test.each<[number, object, string | null, string | null]>([
  [400, { code: 23, message: 'Missing body field' }, '23', 'Missing body field'],
  [403, { code: 50, message: 'Access denied\u0000.' }, '50', 'Access denied.'],
  [404, { code: 60, message: 'Resource not found' }, '60', 'Resource not found'],
  [400, {}, null, null],
])('a %d is a fault of the deployment, and declines', async (status, body, railCode, railMessage) => {
  const { rail, trace } = await openWebPayment({ submit: json(status, body) })
  expect(await submit(rail)).toEqual({
    kind: 'declined',
    decline: { code: 'rail_misconfigured', actor: 'merchant_config', railCode, railMessage },
  })
  expect(trace()).toEqual(['token', 'submit'])
})

describe('tokens', () => {
  test('a token that expires in between is minted again, and the same order repeated', async () => {
    const { rail, calls, trace } = await openWebPayment({
      token: [token('old'), token('new')],
      submit: [denied, created],
    })
    expect(await submit(rail)).toEqual(wasAccepted)
    expect(trace()).toEqual(['token', 'submit', 'token', 'submit'])
    expect(calls[1]?.body).toBe(calls[3]?.body)
    expect([calls[1]?.headers.authorization, calls[3]?.headers.authorization]).toEqual([
      'Bearer old',
      'Bearer new',
    ])
  })

  const ninetyDaysMs = 90 * 86_400_000
  test.each([
    ['7776000', ninetyDaysMs - 90_001, 1],
    ['7776000', ninetyDaysMs - 90_000, 2],
    [7776000, ninetyDaysMs - 90_001, 1],
    ['3600', 3_510_000, 2],
    [undefined, 0, 2],
  ])(
    'with a life of %j seconds and a second call after %d ms, there are %d logins',
    async (expiresIn, laterMs, logins) => {
      let nowMs = NOW_MS
      const { rail, trace } = await openWebPayment(
        { token: json(200, { token_type: 'Bearer', access_token: 'token', expires_in: expiresIn }) },
        { clock: () => nowMs },
      )
      await submit(rail, { deadlineMs: Number.MAX_SAFE_INTEGER })
      nowMs += laterMs
      await submit(rail, { deadlineMs: Number.MAX_SAFE_INTEGER })
      expect(trace().filter((step) => step === 'token')).toHaveLength(logins)
    },
  )

  test('are requested at the configured address, also on another host', async () => {
    const issuer = await openWebPayment({ lost: token('from-elsewhere') })
    const { rail, calls, trace } = await openWebPayment(
      {},
      { tokenUrl: `${issuer.baseUrl}/oauth/v2/token/?tenant=1` },
    )
    expect(await submit(rail)).toEqual(wasAccepted)
    expect(issuer.calls.map(({ path }) => path)).toEqual(['/oauth/v2/token/?tenant=1'])
    expect(trace()).toEqual(['submit'])
    expect(calls[0]?.headers.authorization).toBe('Bearer from-elsewhere')
  })

  test('are requested below the path of a gateway', async () => {
    const gateway = await openWebPayment()
    const { rail } = await openWebPayment({}, { baseUrl: `${gateway.baseUrl}/orange/` })
    await submit(rail)
    expect(gateway.calls.map(({ path }) => path)).toEqual(['/orange/oauth/v3/token'])
  })
})

describe('the adapter as a rail', () => {
  test('reports its capabilities', () => {
    const rail = createOrangeMoney({ ...config, totalTimeoutMs: 20_000 })
    const { capabilities, submitTimeoutMs, callbacks } = rail
    expect({ ...capabilities, submitTimeoutMs, callbacks }).toEqual({
      flow: 'redirect',
      settlementCurrency: 'XAF',
      instrument: 'none',
      lostSubmitIsHarmless: true,
      queriedBy: 'token',
      urlCharsMax: 120,
      namedHostsOnly: true,
      approvalWindowMs: 600_000,
      firstQueryAfterMs: 10_000,
      submitTimeoutMs: 20_000,
      callbacks: true,
    })
    expect(rail).toMatchObject({ refunds: null, accountHolders: null })
  })
})
