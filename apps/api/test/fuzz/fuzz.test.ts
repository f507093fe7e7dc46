import { randomInt } from 'node:crypto'
import { findViolations } from '@merchant-payments/testing/invariants'
import { createRandom } from '@merchant-payments/testing/random'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fanOutAll } from '../fan-out.ts'
import { settle, startTestApi, type TestApi } from '../harness.ts'
import { sendRaw } from '../raw.ts'
import { createSession } from '../sessions.ts'
import { createIntent } from '../steps.ts'
import { createCallers } from './callers.ts'
import { faultsOf } from './judge.ts'
import { type FuzzRequest, requestOf } from './requests.ts'
import { targets } from './targets.ts'

/** `FUZZ_REQUESTS=100000 RANDOM_SEED=7` makes a larger run, or one again. */
const REQUESTS = Number(process.env['FUZZ_REQUESTS'] ?? 3_000)
const SEED = Number(process.env['RANDOM_SEED'] ?? randomInt(2 ** 31))
const AT_ONCE = 16
const MERCHANTS = ['acme', 'globex'] as const
const FAULTS_SHOWN = 20

let api: TestApi
beforeAll(async () => {
  api = await startTestApi()
})
afterAll(() => api.stop())

describe(`${REQUESTS} requests of all kinds, RANDOM_SEED=${SEED}:`, () => {
  const faults: string[] = []
  const seen = new Map<string, Set<number>>()
  const statuses = new Set<number>()
  let unanswered = 0

  function judge({ target, method, bytes }: FuzzRequest, fault: string): void {
    const start = bytes
      .subarray(0, 700)
      .toString('latin1')
      .replace(/Bearer \S+/, 'Bearer …')
    if (faults.length < FAULTS_SHOWN)
      faults.push(`${fault}: ${target.name} ${method}: ${JSON.stringify(start)}`)
  }

  beforeAll(
    async () => {
      const random = createRandom(SEED)
      const secrets = [
        new URL(api.databaseUrl).pathname.slice(1),
        api.databaseUrl,
        api.wire.url,
        api.mock.wireUrl,
        'mock-mtn-api-key',
        'mock-collection-primary',
      ]
      const callers = createCallers(api, MERCHANTS)
      for (const merchant of MERCHANTS) {
        callers.learn(merchant, await createIntent(api, '', { merchant }))
        callers.learn(merchant, await createSession(api, '', { merchant }))
      }
      let left = REQUESTS
      const client = async () => {
        for (let nth = left--; nth > 0; nth = left--) {
          const draw = random.fork(nth)
          const caller = await callers.get(draw.pick(MERCHANTS))
          const request = requestOf(draw, draw.pick(targets), caller)
          const answers = await sendRaw(api.origin, request.bytes)
          if (answers.length === 0) {
            unanswered += 1
            if (!request.mayBeCut) judge(request, 'got no answer')
          }
          for (const answer of answers) {
            statuses.add(answer.status)
            for (const fault of faultsOf(answer, request.method, secrets)) judge(request, fault)
            if (answer.status < 300) {
              for (const fault of callers.learn(request.merchant, answer.body)) judge(request, fault)
            }
          }
          const own = answers[0]
          if (own !== undefined && !request.mayBeCut) {
            seen.set(request.target.name, (seen.get(request.target.name) ?? new Set()).add(own.status))
          }
        }
      }
      await Promise.all(Array.from({ length: AT_ONCE }, client))
    },
    60_000 + REQUESTS * 20,
  )

  test('no answer is a fault of the service, leaves the envelope, or says what is behind it', () => {
    expect(faults).toEqual([])
  })

  test('nearly every request was answered, also those that are no HTTP', () => {
    expect(unanswered).toBeLessThan(REQUESTS / 20)
  })

  test('the run saw every status, and each route was reached', () => {
    expect([...statuses]).toEqual(expect.arrayContaining([200, 201, 400, 401, 403, 404, 405, 409, 413]))
    const unreached = targets
      .filter(({ name }) => !name.startsWith('no '))
      .filter(
        ({ name }) => ![...(seen.get(name) ?? [])].some((status) => ![401, 403, 405, 413].includes(status)),
      )
    expect(unreached.map(({ name }) => name)).toEqual([])
  })

  test('the service is as it was, and every invariant holds', async () => {
    expect((await api.call({ path: '/healthz' })).status).toBe(200)
    while ((await settle(api)).claimed > 0);
    await fanOutAll(api)
    const { debits, credits } = await api.mock.control.getLedger()
    const { databaseUrl } = api
    const evidence = { databaseUrl, debits, credits, journal: [], received: null, endpoints: 0 }
    expect(await findViolations(evidence)).toEqual([])
  })
})
