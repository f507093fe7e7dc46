import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { apiReportOf, unnamedBreaks } from '@merchant-payments/testing/api-report'
import { hoverTextsOf } from '@merchant-payments/testing/hover-texts'
import { type PublishedPackage, publishPackage } from '@merchant-payments/testing/published-package'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import * as fetchEntry from '../src/fetch.ts'
import * as entry from '../src/index.ts'
import * as stripeEntry from '../src/stripe.ts'
import * as testingEntry from '../src/testing.ts'
import * as nodeEntry from '../src/index-node.ts'
import * as undiciEntry from '../src/undici.ts'
import { intent, privateKey, startApi } from './api-server.ts'

const PACK_TIMEOUT_MS = 120_000

/** The client with all its parts and the verifier of webhooks, for Node. An application adds nothing else. */
const ENTRY_GZIP_BYTES_MAX = 12_400

const name = '@merchant-payments/node-sdk'
const root = fileURLToPath(new URL('..', import.meta.url))

let published: PublishedPackage
const dist = (file: string) => join(published.folder, 'dist', file)

beforeAll(async () => {
  published = await publishPackage(root)
}, PACK_TIMEOUT_MS)
afterAll(() => published.remove())

describe('what is published', () => {
  test('is built by packing alone, and publint reports nothing', async () => {
    expect(await published.files()).toEqual(
      expect.arrayContaining([
        'LICENSE',
        'README.md',
        'dist/index.mjs',
        'dist/index.cjs',
        'dist/index.d.mts',
      ]),
    )
    expect(await published.lint()).toEqual([])
  })

  test('names its repository, and neither scripts nor private packages', async () => {
    const manifest = JSON.parse(await readFile(join(published.folder, 'package.json'), 'utf8')) as object
    expect(manifest).toMatchObject({
      repository: {
        type: 'git',
        url: 'git+https://forge.example/acme/payments.git',
        directory: 'packages/node-sdk',
      },
      homepage: 'https://forge.example/acme/payments/tree/main/packages/node-sdk#readme',
      bugs: { url: 'https://forge.example/acme/payments/issues' },
      engines: { node: '>=20' },
    })
    for (const field of ['dependencies', 'peerDependencies', 'devDependencies', 'scripts']) {
      expect(manifest).not.toHaveProperty(field)
    }
  })

  test.each<[string, object, string[]]>([
    ['index', entry, []],
    ['index-node', nodeEntry, ['node:module']],
    ['fetch', fetchEntry, []],
    ['stripe', stripeEntry, []],
    ['testing', testingEntry, []],
    ['undici', undiciEntry, []],
  ])('%s has the same names imported and required, and imports no package', async (file, source, imports) => {
    const names = Object.keys(source).sort()
    for (const [extension, load] of [
      ['mjs', `import('./node_modules/${name}/dist/${file}.mjs')`],
      ['cjs', `Promise.resolve(require('./node_modules/${name}/dist/${file}.cjs'))`],
    ]) {
      const print = `${load}.then((loaded) => console.log(Object.keys(loaded).sort().join()))`
      expect(await published.outputOf(`names.${extension}`, print)).toBe(`${names.join()}\n`)
      expect(await published.importsOf(`${file}.${extension}`)).toEqual(imports)
    }
  })

  test.each(['index', 'fetch', 'stripe', 'testing', 'undici'])(
    '%s describes each name that an editor shows',
    (file) => {
      const { described, undescribed } = hoverTextsOf(dist(`${file}.d.mts`))
      expect(undescribed).toEqual([])
      expect(described).toBeGreaterThan(file === 'index' ? NAMES_MIN : 0)
    },
  )

  test('is small', async () => {
    expect(await published.gzipBytesOf('index-node')).toBeLessThanOrEqual(ENTRY_GZIP_BYTES_MAX)
  })
})

/** A lower count would mean that the types were not found. */
const NAMES_MIN = 700

const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
const program = (baseUrl: string) => `
  const privateKey = ${JSON.stringify(pem)}
  createMerchantPayments({ baseUrl: '${baseUrl}', clientId: 'shop', privateKey })
    .paymentIntents.retrieve('${intent.id}').then(({ status }) => console.log(status))`
const heads = {
  'a.mjs': `import { createMerchantPayments } from '${name}'`,
  'a.cjs': `const { createMerchantPayments } = require('${name}')`,
}

describe('a call', () => {
  test.each(Object.entries(heads))(
    'of the package in %s is sent with its own version',
    async (file, head) => {
      const { baseUrl, requests } = await startApi({ answers: [{ body: intent }] })
      expect(await published.outputOf(file, head + program(baseUrl))).toBe('requires_payment_method\n')
      const { version } = JSON.parse(await readFile(join(published.folder, 'package.json'), 'utf8')) as {
        version: string
      }
      expect(requests).toMatchObject([{ headers: { 'user-agent': `merchant-payments-node-sdk/${version}` } }])
      expect(requests[0]?.headers).not.toHaveProperty('sec-fetch-mode')
    },
  )

  test('goes through the proxy of the environment', async () => {
    const token = { access_token: 'token-1', token_type: 'Bearer', expires_in: 900 }
    const { baseUrl: proxy, requests } = await startApi({ answers: [{ body: token }, { body: intent }] })
    const away = 'http://payments.localhost'
    const env = { NODE_USE_ENV_PROXY: '1', HTTP_PROXY: proxy, http_proxy: proxy, NO_PROXY: '', no_proxy: '' }
    const output = await published.outputOf('proxy.mjs', heads['a.mjs'] + program(away), env)
    expect(output).toBe('requires_payment_method\n')
    expect(requests).toMatchObject([
      { path: `${away}/v1/oauth/token` },
      { path: `${away}/v1/payment_intents/${intent.id}` },
    ])
  })

  test('works where a test runner refuses dynamic imports, as Jest does', async () => {
    const { baseUrl, requests } = await startApi({ answers: [{ body: intent }] })
    const load = `const vm = require('node:vm')
      const run = (file) => {
        const module = { exports: {} }
        const source = require('node:fs').readFileSync(file, 'utf8')
        const load = (id) => id.startsWith('.') ? run(require.resolve(id, { paths: [require('node:path').dirname(file)] })) : require(id)
        new vm.Script('(function (exports, require, module) {' + source + '\\n})')
          .runInThisContext()(module.exports, load, module)
        return module.exports
      }
      const { createMerchantPayments } = run(require.resolve('${name}'))`
    expect(await published.outputOf('jest.cjs', load + program(baseUrl))).toBe('requires_payment_method\n')
    expect(requests).toHaveLength(1)
  })

  test('works in a bundle for edge and browser runtimes, which have no modules of Node', async () => {
    const { baseUrl, requests } = await startApi({ answers: [{ body: intent }] })
    const bundle = await published.bundleOf(`${heads['a.mjs']}
      import { fetchTransport } from '${name}/fetch'
      export const transport = fetchTransport
      export const run = async (print) => {${program(baseUrl).replace('console.log', 'print')}.then(() => undefined)}`)
    expect(bundle).not.toMatch(/(?:from|import|require)\s*\(?\s*["']node:|\bprocess\.\w|\bBuffer\./)
    const { run } = (await import(`data:text/javascript,${encodeURIComponent(bundle)}`)) as {
      run: (print: (text: string) => void) => Promise<void>
    }
    const printed = await new Promise<string>((resolve) => void run(resolve))
    expect(printed).toBe('requires_payment_method')
    expect(requests).toHaveLength(1)
  })
})

const usage = `
  import { createMerchantPayments, isPaymentsError, type Event, type MerchantPayments } from '${name}'
  import { fetchTransport } from '${name}/fetch'
  import { undiciTransport, type UndiciDispatcher } from '${name}/undici'
  export const over = (dispatcher: UndiciDispatcher) => undiciTransport(dispatcher)
  export const payments: MerchantPayments = createMerchantPayments({
    baseUrl: 'https://a.example', clientId: 'shop', privateKey: new Uint8Array(), transport: fetchTransport() })
  export async function run(): Promise<string | undefined> {
    const { id, lastResponse } = await payments.paymentIntents.create(
      { amount: 1, currency: 'XAF', payment_method_types: ['mtn_momo_cm'] }, { idempotencyKey: 'a' })
    await payments.paymentIntents.confirm(id, { payment_method_data: { mtn_momo_cm: { msisdn: '1' } } })
    for await (const event of payments.events.list()) handle(event)
    return isPaymentsError(lastResponse) ? lastResponse.code : lastResponse.requestId
  }
  export const handle = (event: Event): number | undefined =>
    event.type === 'payment_intent.succeeded' ? event.data.object.amount : undefined`
test.each([
  { world: 'neither Node nor a browser', lib: ['es2022'], more: '' },
  {
    world: 'a runtime with Fetch',
    lib: ['es2022', 'dom'],
    more: `export const signalled = payments.events.retrieve('evt_1', { signal: AbortSignal.timeout(1) })
      export const own = fetchTransport(fetch)`,
  },
])('its types are sound for import and require in $world', async ({ lib, more }) => {
  expect(await published.typeFaultsOf(`${usage}\n${more}`, lib)).toBe('')
})

test('its types are found where TypeScript reads no exports, as with module: commonjs in 5.9', async () => {
  expect(await published.typesWithoutExports()).toEqual({
    '.': 'index.d.cts',
    './fetch': 'fetch.d.cts',
    './stripe': 'stripe.d.cts',
    './testing': 'testing.d.cts',
    './undici': 'undici.d.cts',
  })
})

test.each(['index', 'fetch', 'stripe', 'testing', 'undici'])(
  'the API of %s is the recorded one, and every break is named in a changeset',
  async (entry) => {
    const report = apiReportOf(join(published.folder, `dist/${entry}.d.mts`))
    await expect(report).toMatchFileSnapshot(`../api/${entry}.txt`)
    expect(await unnamedBreaks(root, entry, report)).toEqual([])
  },
)
