import { cloneDatabase } from '@merchant-payments/testing'
import { createRandom, type Random } from '@merchant-payments/testing/random'
import { soakOf } from '@merchant-payments/testing/soaks'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { clients, clock, serviceKey } from '../oauth/merchants.ts'
import { bootReplica } from '../oauth/replica.ts'
import { send, type TestAnswer } from '../send.ts'
import { faultsOf } from './judge.ts'
import { goodAttempt, sealed, type Step, steps } from './token-steps.ts'

/** `TOKEN_FUZZ_REQUESTS=10000 RANDOM_SEED=7` makes a larger run, or one again. */
const { size: REQUESTS, seed: SEED } = soakOf('tokenFuzzRequests')
const AT_ONCE = 8

const database = await cloneDatabase()
const replica = await bootReplica({
  databaseUrl: database.appUrl,
  clock,
  key: { kid: 'service-1', privateKey: serviceKey.privateKey },
  clients,
})
afterAll(async () => {
  await replica[Symbol.asyncDispose]()
  await database.drop()
})

const secrets = [
  database.appUrl,
  new URL(database.appUrl).pathname.slice(1),
  'spent_jtis',
  'disabled_clients',
]

const post = (body: string, headers: Record<string, string>): Promise<TestAnswer> =>
  send(replica.origin, { method: 'POST', path: '/v1/oauth/token', headers, body })

const resultOf = ({ status, body }: TestAnswer): string =>
  status === 200 ? 'issued' : String((body as { error?: unknown } | null)?.error)

interface Report {
  readonly faults: string[]
  readonly results: Map<string, number>
  /** Results of requests that only this step changed, by step. */
  readonly reached: Map<string, Set<string>>
}

/** A valid request, changed by zero, one or two steps. */
async function tryOnce(random: Random, { faults, results, reached }: Report): Promise<void> {
  const attempt = goodAttempt(random.pick(['shop', 'shop', 'kiosk']))
  const taken = Array.from({ length: random.pick([0, 1, 1, 1, 2]) }, () => random.pick(steps))
  const verdicts = taken.map(([, step]: readonly [string, Step]) => step(attempt, random))
  const { body } = sealed(attempt)
  const answer = await post(body, attempt.headers)
  const result = resultOf(answer)
  const names = taken.map(([name]) => name).join(' and ')
  const refusals: string[] = verdicts.filter((verdict) => verdict !== 'issued')
  // With two faults, either may be reported, and the second step may repair the first fault.
  const isRight =
    refusals.length === 0
      ? result === 'issued'
      : [...refusals, ...(taken.length > 1 ? ['issued'] : [])].includes(result)
  if (!isRight && faults.length < 20) {
    faults.push(`${names}: ${result} instead of ${verdicts.join(' and ')}: ${body.slice(0, 900)}`)
  }
  faults.push(...faultsOf(answer, 'POST', secrets).map((fault) => `${fault}: ${names}`))
  results.set(result, (results.get(result) ?? 0) + 1)
  if (taken.length === 1) reached.set(names, (reached.get(names) ?? new Set()).add(result))
  if (result !== 'issued') return
  const { access_token: token } = answer.body as { access_token: string }
  const again = await post(body, attempt.headers)
  if (resultOf(again) !== 'invalid_client') faults.push(`an assertion passed twice: ${names}`)
  const principal = await replica.verifyAccessToken(token)
  if (attempt.form.get('audience') === 'service:v1' && principal === null)
    faults.push(`a token that does not serve: ${names}`)
}

describe(`${REQUESTS} valid token requests, each changed in at most two steps, RANDOM_SEED=${SEED}:`, () => {
  const report: Report = { faults: [], results: new Map(), reached: new Map() }
  beforeAll(
    async () => {
      const random = createRandom(SEED)
      let left = REQUESTS
      const client = async () => {
        for (let nth = left--; nth > 0; nth = left--) await tryOnce(random.fork(nth), report)
      }
      await Promise.all(Array.from({ length: AT_ONCE }, client))
    },
    60_000 + REQUESTS * 60,
  )

  test('each is issued or refused as the specification requires, and no assertion succeeds twice', () => {
    expect(report.faults).toEqual([])
  })

  test('many were issued, and each refusal occurred', () => {
    expect([...report.results.keys()].toSorted()).toEqual([
      'invalid_client',
      'invalid_request',
      'invalid_scope',
      'invalid_target',
      'issued',
      'unauthorized_client',
      'unsupported_grant_type',
    ])
    expect(report.results.get('issued')).toBeGreaterThan(REQUESTS / 5)
  })

  test('each step occurred alone', () => {
    expect(steps.map(([name]) => name).filter((name) => !report.reached.has(name))).toEqual([])
  })
})
