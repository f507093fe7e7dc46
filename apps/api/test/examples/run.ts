import { execFile } from 'node:child_process'
import { generateKeyPairSync, randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { exampleIds, type Operation } from '@merchant-payments/contract'
import { documents } from '@merchant-payments/contract/openapi'
import { createMerchantPayments, isPaymentsError } from '@merchant-payments/node-sdk'
import { signInAs, type StaffApi } from '../dash/staff.ts'
import { publicBaseUrl, publishableKeyOf } from '../harness.ts'
import { browserOperations, dashOperations, operations } from '../v1/operations.ts'
import { objectsOf } from './objects.ts'

/** Longer than any test runs, by the service's clock, which tests move on by days. */
const TOKEN_LIFE_MS = 365 * 24 * 60 * 60_000

const MERCHANT = exampleIds.merchant

/** An operation's call as the documents show it. */
export interface Example {
  readonly operation: Operation
  readonly lang: string
  readonly source: string
}

function samplesOf({ surface, path, method }: Operation): readonly { lang: string; source: string }[] {
  const { paths } = JSON.parse(documents[surface]) as {
    paths: Record<string, Record<string, { 'x-codeSamples': { lang: string; source: string }[] }>>
  }
  return paths[path]?.[method.toLowerCase()]?.['x-codeSamples'] ?? []
}

/** A request of the collection that Postman and others import. */
interface CollectionRequest {
  readonly method: string
  readonly header: readonly Pair[]
  readonly url: { readonly raw: string; readonly variable?: readonly Pair[] }
  readonly body?: { readonly urlencoded: readonly Pair[] }
}

interface Pair {
  readonly key: string
  readonly value: string
}

const collection = JSON.parse(
  readFileSync(
    new URL('../../../../packages/contract/openapi/v1.postman_collection.json', import.meta.url),
    'utf8',
  ),
) as { item: readonly { item: readonly { name: string; request: CollectionRequest }[] }[] }

/** The collection's request of an operation, as JSON. */
function requestsOf({ surface, summary }: Operation): readonly { lang: string; source: string }[] {
  if (surface !== 'v1') return []
  return collection.item
    .flatMap(({ item }) => item)
    .filter(({ name }) => name === summary)
    .map(({ request }) => ({ lang: 'Collection', source: JSON.stringify(request) }))
}

export const examples: readonly Example[] = [...operations, ...browserOperations, ...dashOperations].flatMap(
  (operation) =>
    [...samplesOf(operation), ...requestsOf(operation)].map(({ lang, source }) => ({
      operation,
      lang,
      source,
    })),
)

export interface ExampleRunner {
  /** Makes the objects that the example names, sends its call, and returns the answer beside the expected one. */
  readonly run: (example: Example) => Promise<{ answer: unknown; expected: { refused?: string } }>
  readonly close: () => Promise<void>
}

export async function openExamples(api: StaffApi): Promise<ExampleRunner> {
  const curlHome = await mkdtemp(join(tmpdir(), 'curl-'))
  // The staff's surface takes changes from its public address alone, which is here another one than it listens on.
  const { host } = new URL(api.origin)
  await writeFile(
    join(curlHome, '.curlrc'),
    `silent\nconnect-to = "${new URL(publicBaseUrl).host}:80:${host}"\n`,
  )
  return {
    run: async ({ operation: { example, surface }, lang, source }) => {
      const staff = await api.signInAs('ada')
      // A payer's secret is that of an intent, also where the path names none.
      const needed = surface === 'browser' && example.id === undefined ? [exampleIds.intent] : []
      const objects = await objectsOf(api, staff, JSON.stringify([example, ...needed]))
      const placed = (text: string): string =>
        [...objects].reduce((all, [id, object]) => all.replaceAll(id, object.id), text)
      const secret = [...objects.values()].find((object) => object.secret !== undefined)?.secret
      const call = placed(source)
      const answer = await callers[lang]?.({ api, curlHome, call, secret })
      return { answer, expected: JSON.parse(placed(JSON.stringify(example.answer))) as { refused?: string } }
    },
    close: () => rm(curlHome, { recursive: true }),
  }
}

interface Call {
  readonly api: StaffApi
  readonly curlHome: string
  readonly call: string
  readonly secret: string | undefined
}

const callers: Readonly<Record<string, (call: Call) => Promise<unknown>>> = {
  Shell: ({ api, curlHome, call, secret }) => curl(api, curlHome, call, secret),
  TypeScript: ({ api, call }) => callSdk(api, call),
  Collection: ({ api, call }) => sendRequest(api, JSON.parse(call) as CollectionRequest),
}

/** Sends a request of the collection as a program does that imported it. */
async function sendRequest(
  api: StaffApi,
  { method, header, url, body }: CollectionRequest,
): Promise<unknown> {
  const variables: readonly Pair[] = [
    { key: '{{base_url}}', value: api.origin },
    ...(url.variable ?? []).map(({ key, value }) => ({ key: `:${key}`, value })),
  ]
  const target = variables.reduce((raw, { key, value }) => raw.replace(key, value), url.raw)
  const fields = body?.urlencoded.map(({ key, value }) => [key, value] as [string, string])
  const response = await fetch(target, {
    method,
    headers: {
      authorization: `Bearer ${await api.tokenFor(MERCHANT)}`,
      ...Object.fromEntries(header.map(({ key, value }) => [key, value.replace('{{$guid}}', randomUUID())])),
    },
    ...(fields !== undefined && { body: new URLSearchParams(fields) }),
  })
  return response.json()
}

/** Runs the text of a call with a client of the merchant's. */
async function callSdk(api: StaffApi, source: string): Promise<unknown> {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const accessToken = await api.tokenFor(MERCHANT)
  const untilMs = Date.now() + TOKEN_LIFE_MS
  const payments = createMerchantPayments({
    baseUrl: api.origin,
    clientId: MERCHANT,
    privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }),
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
async function curl(api: StaffApi, home: string, source: string, secret = ''): Promise<unknown> {
  const { cookies, csrfToken } = await signInAs(api, 'ada')
  const env = {
    PATH: process.env['PATH'],
    CURL_HOME: home,
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
