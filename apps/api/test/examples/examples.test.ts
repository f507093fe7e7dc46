import { execFile } from 'node:child_process'
import { generateKeyPairSync, randomUUID } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { exampleIds, type Operation } from '@merchant-payments/contract'
import { documents } from '@merchant-payments/contract/openapi'
import { createMerchantPayments, isPaymentsError } from '@merchant-payments/node-sdk'
import { requireProgram } from '@merchant-payments/testing/program'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { signInAs, type StaffApi, startStaffApi } from '../dash/staff.ts'
import { publicBaseUrl, publishableKeyOf } from '../harness.ts'
import { browserOperations, dashOperations, operations } from '../v1/operations.ts'
import { objectsOf } from './objects.ts'

/** Longer than any test runs, by the service's clock, which tests move on by days. */
const TOKEN_LIFE_MS = 365 * 24 * 60 * 60_000

const MERCHANT = exampleIds.merchant

let api: StaffApi
let curlHome = ''
beforeAll(async () => {
  requireProgram('curl')
  api = await startStaffApi()
  curlHome = await mkdtemp(join(tmpdir(), 'curl-'))
  // The staff's surface takes changes from its public address alone, which is here another one than it listens on.
  const { host } = new URL(api.origin)
  await writeFile(
    join(curlHome, '.curlrc'),
    `silent\nconnect-to = "${new URL(publicBaseUrl).host}:80:${host}"\n`,
  )
})
afterAll(async () => {
  await rm(curlHome, { recursive: true })
  await api.stop()
})
afterEach(() => api.owner.transact((tx) => tx.deleteFrom('disabled_clients').execute()))

interface Sample {
  readonly lang: string
  readonly source: string
}

/** The calls as the documents show them. */
function samplesOf({ surface, path, method }: Operation): readonly Sample[] {
  const { paths } = JSON.parse(documents[surface]) as {
    paths: Record<string, Record<string, { 'x-codeSamples': Sample[] }>>
  }
  return paths[path]?.[method.toLowerCase()]?.['x-codeSamples'] ?? []
}

const cases = [...operations, ...browserOperations, ...dashOperations].flatMap((operation) =>
  samplesOf(operation).map(({ lang, source }) => [operation.id, lang, operation, source] as const),
)

describe('the example of', () => {
  test.each(cases)(
    '%s in %s runs as it stands, and answers what it says',
    async (_id, lang, operation, source) => {
      const { example, surface, ok } = operation
      const staff = await api.signInAs('ada')
      // A payer's secret is that of an intent, also where the path names none.
      const needed = surface === 'browser' && example.id === undefined ? [exampleIds.intent] : []
      const objects = await objectsOf(api, staff, JSON.stringify([example, ...needed]))
      const placed = (text: string): string =>
        [...objects].reduce((all, [id, object]) => all.replaceAll(id, object.id), text)
      const secret = [...objects.values()].find((object) => object.secret !== undefined)?.secret
      const answer = lang === 'Shell' ? await curl(placed(source), secret) : await callSdk(placed(source))
      const expected = JSON.parse(placed(JSON.stringify(example.answer))) as { refused?: string }
      if (expected.refused !== undefined) {
        expect(answer).toMatchObject({ error: { code: expected.refused } })
        return
      }
      expect(answer).toMatchObject(expected)
      expect(ok.schema.safeParse(answer)).toMatchObject({ success: true })
    },
  )

  test('every operation is shown by curl, and each of /v1 by the SDK too', () => {
    const shown = cases.map(([id, lang]) => `${id} ${lang}`)
    expect(shown).toEqual(
      expect.arrayContaining([
        ...[...operations, ...browserOperations, ...dashOperations].map(({ id }) => `${id} Shell`),
        ...operations.map(({ id }) => `${id} TypeScript`),
      ]),
    )
  })
})

/** Runs the text of a call with a client of the merchant's. */
async function callSdk(source: string): Promise<unknown> {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const accessToken = await api.tokenFor(MERCHANT)
  const untilMs = Date.now() + TOKEN_LIFE_MS
  const payments = createMerchantPayments({
    baseUrl: api.origin,
    clientId: MERCHANT,
    privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
    maxRetries: 0,
    tokenStore: {
      get: () => Promise.resolve({ accessToken, refreshAtMs: untilMs, expiresAtMs: untilMs }),
      set: () => Promise.resolve(),
    },
  })
  // oxlint-disable-next-line typescript/no-implied-eval -- an example of the documents, which is what is tested
  const run = new Function('payments', `return (async () => ${source})()`) as (
    client: typeof payments,
  ) => Promise<unknown>
  try {
    return await run(payments)
  } catch (error) {
    if (!isPaymentsError(error)) throw error
    return { error: { code: error.code } }
  }
}

/** Runs the text of a call in a shell that has the address and the credentials in its environment. */
async function curl(source: string, secret = ''): Promise<unknown> {
  const { cookies, csrfToken } = await signInAs(api, 'ada')
  const env = {
    PATH: process.env['PATH'],
    CURL_HOME: curlHome,
    BASE_URL: publicBaseUrl,
    ACCESS_TOKEN: await api.tokenFor(MERCHANT),
    IDEMPOTENCY_KEY: randomUUID(),
    PUBLISHABLE_KEY: publishableKeyOf(MERCHANT),
    CLIENT_SECRET: secret,
    STAFF_SESSION: cookies.get('__Host-staff_session'),
    CSRF_TOKEN: csrfToken,
  }
  const { stdout } = await promisify(execFile)('bash', ['-euc', source], { env })
  return JSON.parse(stdout)
}
