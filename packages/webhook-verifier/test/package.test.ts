import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { apiReportOf, unnamedBreaks } from '@merchant-payments/testing/api-report'
import { hoverTextsOf } from '@merchant-payments/testing/hover-texts'
import { faultsOf, type PublishedPackage, publishPackage } from '@merchant-payments/testing/published-package'
import { afterAll, beforeAll, expect, test } from 'vitest'

const MAIN_ENTRY_GZIP_BYTES_MAX = 2_048
const PACK_TIMEOUT_MS = 120_000

const name = '@merchant-payments/webhook-verifier'
const root = fileURLToPath(new URL('..', import.meta.url))

let published: PublishedPackage

beforeAll(async () => {
  published = await publishPackage(root)
}, PACK_TIMEOUT_MS)
afterAll(() => published.remove())

test('publint in strict mode reports nothing about the packed package', async () => {
  expect(await published.lint()).toEqual([])
})

test('its types are found where TypeScript reads no exports, as with module: commonjs in 5.9', async () => {
  expect(await published.typesWithoutExports()).toEqual({
    '.': 'index.d.cts',
    './express': 'express.d.cts',
    './fastify': 'fastify.d.cts',
    './hono': 'hono.d.cts',
    './next': 'next.d.cts',
    './testing': 'testing.d.cts',
  })
})

const importing = `import { createVerifier } from '${name}'
  import { createTestEvent, signPayload } from '${name}/testing'`
test.each([
  { how: 'imported', file: 'esm.mjs', head: importing },
  {
    how: 'required',
    file: 'cjs.cjs',
    head: importing.replaceAll(/import (.*) from (.*)/g, 'const $1 = require($2)'),
  },
  {
    how: 'imported without node:crypto',
    file: 'web.mjs',
    head: importing.replace(name, `./node_modules/${name}/dist/index.mjs`),
  },
])('it works when $how', async ({ file, head }) => {
  const program = `${head}
    const payload = JSON.stringify(createTestEvent('invoice.paid'))
    signPayload({ payload, secrets: 'secret' })
      .then((header) => createVerifier({ secrets: 'secret' }).verify(payload, header))
      .then((event) => console.log(event.type))`
  expect(await published.outputOf(file, program)).toBe('invoice.paid\n')
})

test.each([
  ['express', 'createWebhookHandler({ secrets: "a" }, () => {})'],
  ['fastify', 'webhookPlugin'],
  ['hono', 'createWebhookHandler({ secrets: "a" }, () => {})'],
  ['next', 'createWebhookHandler({ secrets: "a" }, () => {})'],
])(
  'its adapter for %s works when imported and when required, without the framework',
  async (adapter, made) => {
    const [call = ''] = made.split('(')
    const programs = {
      'adapter.mjs': `import { ${call} } from '${name}/${adapter}'\nconsole.log(typeof ${made})`,
      'adapter.cjs': `const { ${call} } = require('${name}/${adapter}')\nconsole.log(typeof ${made})`,
    }
    for (const [file, program] of Object.entries(programs)) {
      expect(await published.outputOf(file, program)).toBe('function\n')
    }
  },
)

const usage = `${importing}
  export const verifier = createVerifier({ secrets: ['a', new Uint8Array(32)], toleranceSec: 60 })
  export const header: Promise<string> = signPayload({ payload: '', secrets: 'a' })
  verifier.verify('', { 'service-signature': ['t=1,v1=2'] }).then((event) => {
    if (event.type !== 'invoice.paid') return undefined
    const { status }: { status: 'draft' | 'open' | 'paid' | 'void' | 'uncollectible' } = event.data.object
    return [status, createTestEvent('customer.created').data.object.phone]
  })`
test.each([
  { world: 'neither Node nor a browser', lib: ['es2022'], more: '' },
  { world: 'a runtime with Fetch', lib: ['es2022', 'dom'], more: `verifier.verifyRequest(new Request(''))` },
])('its types are sound for import and require in $world', async ({ lib, more }) => {
  expect(await published.typeFaultsOf(`${usage}\n${more}`, lib)).toBe('')
})

// Fewer names would mean that the types were not found.
test.each([
  ['index', 250],
  ['testing', 30],
  ['express', 10],
  ['fastify', 10],
  ['hono', 5],
  ['next', 3],
])('%s describes each name that an editor shows', (entry, namesMin) => {
  const { described, undescribed } = hoverTextsOf(join(published.folder, `dist/${entry}.d.mts`))
  expect(undescribed).toEqual([])
  expect(described).toBeGreaterThan(namesMin)
})

test('the source of the published entries compiles without the types of Node', async () => {
  expect(await faultsOf(root, join(root, 'tsconfig.build.json'))).toBe('')
})

test.each(['index', 'index-node'])('all of %s is at most 2 KiB, minified and compressed', async (entry) => {
  expect(await published.gzipBytesOf(entry)).toBeLessThanOrEqual(MAIN_ENTRY_GZIP_BYTES_MAX)
})

test.each(['index', 'testing', 'express', 'fastify', 'hono', 'next'])(
  'the API of %s is the recorded one, and every break is named in a changeset',
  async (entry) => {
    const report = apiReportOf(join(published.folder, `dist/${entry}.d.mts`))
    await expect(report).toMatchFileSnapshot(`../api/${entry}.txt`)
    expect(await unnamedBreaks(root, entry, report)).toEqual([])
  },
)
