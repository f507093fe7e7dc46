import { describe, expect, test } from 'vitest'
import { atRail, charge, denied, openRail, wasAccepted } from './open-rail.ts'
import { evidence, hang, html, json, NOW_MS, type Respond } from './operator.ts'
import { accepted, token } from './wallet.ts'

describe('tokens', () => {
  test('a token that expires in between is minted again, and the same request repeated', async () => {
    const { rail, calls, trace } = await openRail({
      token: [token('old'), token('new')],
      submit: [denied, accepted],
    })
    expect(await rail.submitCharge(charge)).toEqual(wasAccepted)
    expect(trace()).toEqual(['token', 'submit', 'token', 'submit'])
    expect(calls[1]?.body).toBe(calls[3]?.body)
    expect([calls[1]?.headers.authorization, calls[3]?.headers.authorization]).toEqual([
      'Bearer old',
      'Bearer new',
    ])
  })

  test.each([
    ['at the login', 'token'],
    ['at the submit only', 'submit'],
  ] as const)('a primary key that is refused %s is replaced by the secondary', async (_case, step) => {
    const primaryDenied: Respond = (response, call) => {
      const isPrimary = call.headers['ocp-apim-subscription-key'] === 'key-1'
      const good = step === 'token' ? token('good') : accepted
      return (isPrimary ? denied : good)(response, call)
    }
    const { rail, calls } = await openRail({ [step]: primaryDenied })
    expect(await rail.submitCharge(charge)).toEqual(wasAccepted)
    expect(calls.at(-1)?.headers['ocp-apim-subscription-key']).toBe('key-2')
  })

  test('fifty concurrent calls mint one token', async () => {
    const { rail, trace } = await openRail()
    const outcomes = await Promise.all(Array.from({ length: 50 }, () => rail.queryCharge(atRail)))
    expect(new Set(outcomes.map(({ kind }) => kind))).toEqual(new Set(['pending']))
    expect(trace().filter((step) => step === 'token')).toHaveLength(1)
    expect(trace().filter((step) => step === 'query')).toHaveLength(50)
  })

  test('fifty calls with a revoked token mint one more', async () => {
    const revoked: Respond = (response, call) =>
      (call.headers.authorization === 'Bearer old' ? denied : json(200, { status: 'PENDING' }))(
        response,
        call,
      )
    const { rail, trace } = await openRail({ token: [token('old'), token('new')], query: revoked })
    const outcomes = await Promise.all(Array.from({ length: 50 }, () => rail.queryCharge(atRail)))
    expect(new Set(outcomes.map(({ kind }) => kind))).toEqual(new Set(['pending']))
    expect(trace().filter((step) => step === 'token')).toHaveLength(2)
  })

  test.each([
    [3600, 3_509_999, 1],
    [3600, 3_510_000, 2],
    ['3600', 3_509_999, 1],
    ['soon', 0, 2],
    [60, 0, 2],
  ])(
    'with a life of %j seconds and a second call after %d ms, there are %d logins',
    async (expiresIn, laterMs, logins) => {
      let nowMs = NOW_MS
      const { rail, trace } = await openRail(
        { token: json(200, { access_token: 'token', expires_in: expiresIn }) },
        { clock: () => nowMs },
      )
      await rail.queryCharge(atRail)
      nowMs += laterMs
      await rail.queryCharge(atRail)
      expect(trace().filter((step) => step === 'token')).toHaveLength(logins)
    },
  )

  test('a failed login is not cached', async () => {
    const { rail } = await openRail({ token: [html(503), token('good')] })
    expect(await rail.queryCharge(atRail)).toEqual({
      kind: 'unavailable',
      evidence: evidence({ operation: 'token', httpStatus: 503 }),
    })
    expect(await rail.queryCharge(atRail)).toEqual({ kind: 'pending' })
  })

  test('a second login that hangs ends the submit as not sent, which the first 401 proves', async () => {
    const { rail, trace } = await openRail(
      { token: [token('old'), hang], submit: denied },
      { totalTimeoutMs: 1_000 },
    )
    const found = evidence({ operation: 'token', errno: 'TIMEOUT' })
    expect(await rail.submitCharge(charge)).toEqual({ kind: 'not_sent', evidence: found })
    expect(trace()).toEqual(['token', 'submit', 'token'])
  })

  test('a caller stops waiting for a login at its own time-out, and the login continues', async () => {
    const deniedLater: Respond = (response, call) => void setTimeout(() => denied(response, call), 50)
    const { rail, trace } = await openRail(
      { token: [token('old'), hang], submit: deniedLater },
      { totalTimeoutMs: 1_000 },
    )
    expect(await rail.submitCharge(charge)).toMatchObject({ kind: 'not_sent' })
    // The second login began 50 ms after the submit and is still running, so the query joins it.
    expect(await rail.queryCharge(atRail)).toMatchObject({ kind: 'unavailable' })
    expect(trace()).toEqual(['token', 'submit', 'token'])
  })
})
