import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { runInNewContext } from 'node:vm'
import { apiReportOf, unnamedBreaks } from '@merchant-payments/testing/api-report'
import { hoverTextsOf } from '@merchant-payments/testing/hover-texts'
import { faultsOf, type PublishedPackage, publishPackage } from '@merchant-payments/testing/published-package'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import * as entry from '../src/index.ts'

/**
 * Without any error message it would be 4.9 kB; the rest is code that it needs. 0.3 kB of it serve payments that
 * several calls follow, and storages that do not answer. Budgets that end requests, and clocks that are set, take 0.1 kB.
 */
const ENTRY_GZIP_BYTES_MAX = 5_450
/**
 * The form with the client, the state machine and its styles. The texts of the payer's language load beside it. The
 * warning of a request that is open after a late success takes 0.15 kB, the report of a refused order 0.1 kB, the clock
 * that each answer sets 0.1 kB, the mark of an order that a reload must not deny 0.1 kB.
 */
const FORM_GZIP_BYTES_MAX = 15_900
/** With the texts that only the hosted page has, which a bundle leaves out. */
const LANGUAGE_GZIP_BYTES_MAX = 3_300
const PACK_TIMEOUT_MS = 120_000

const name = '@merchant-payments/payer-client'
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
    './ui': 'ui.d.cts',
    './ui/react': 'ui-react.d.cts',
  })
})

test('it has no dependencies', async () => {
  const manifest = JSON.parse(await readFile(join(published.folder, 'package.json'), 'utf8')) as object
  expect(manifest).not.toHaveProperty('dependencies')
  expect(manifest).not.toHaveProperty('peerDependencies')
  const dist = join(published.folder, 'dist')
  for (const file of (await readdir(dist)).filter((each) => /\.[cm]js$/.test(each))) {
    // A file of its own, such as the texts of a language, is no dependency.
    expect(await readFile(join(dist, file), 'utf8')).not.toMatch(
      /\b(?:from|import|require)\s*\(?\s*"(?!\.\/)/,
    )
  }
})

const importing = `import { createPayerClient, allowInsecureBaseUrl, PayerClientError } from '${name}'`
test.each([
  { how: 'imported', file: 'esm.mjs', head: importing },
  {
    how: 'required',
    file: 'cjs.cjs',
    head: importing.replace(/import (.*) from (.*)/, 'const $1 = require($2)'),
  },
])('it works when $how, without fetch, timers or a page', async ({ file, head }) => {
  const clientSecret = `pi_${'0'.repeat(32)}_secret_x`
  const program = `${head}
    const clientSecret = '${clientSecret}'
    const answer = { id: '${clientSecret.slice(0, 35)}', object: 'payment_intent', status: 'succeeded',
      next_action: null, last_payment_error: null, live_charge: null }
    const fetch = async () => ({ status: 200, headers: { get: () => null }, text: async () => JSON.stringify(answer) })
    const clock = { now: Date.now, setTimeout, clearTimeout }
    for (const each of ['fetch', 'setTimeout', 'crypto', 'navigator']) delete globalThis[each]
    createPayerClient({ baseUrl: 'https://a.example', clientSecret, publishableKey: 'pk_a', fetch, clock })
      .pay({ rail: 'mtn_momo_cm', msisdn: '670000001' }).then(({ outcome }) => console.log(outcome))`
  expect(await published.outputOf(file, program)).toBe('succeeded\n')
})

const usage = `${importing}
  import type { Attention, Fetch, PaymentResult } from '${name}'
  export const client = createPayerClient({
    baseUrl: 'https://a.example', clientSecret: 'x', publishableKey: 'pk_a', [allowInsecureBaseUrl]: true })
  export async function pay(): Promise<string | null> {
    const result: PaymentResult = await client.pay({ rail: 'mtn_momo_cm', msisdn: '670000001' })
    if (result.outcome === 'unresolved') return result.reason
    for await (const intent of client.watch()) if (intent.status === 'succeeded') break
    return result.outcome === 'failed' ? result.message : result.intent.status
  }`
test.each([
  { world: 'neither Node nor a browser', lib: ['es2022'], more: '' },
  {
    world: 'a browser',
    lib: ['es2022', 'dom'],
    more: `export const own: Fetch = fetch
      export const signal = new AbortController().signal
      client.pay({ rail: 'orange_money_cm', returnUrl: '', redirect: (url) => location.assign(url) }, { signal })
      createPayerClient({ baseUrl: '', clientSecret: '', storage: localStorage, fetch: window.fetch })`,
  },
])('its types are sound for import and require in $world', async ({ lib, more }) => {
  expect(await published.typeFaultsOf(`${usage}\n${more}`, lib)).toBe('')
})

/** Fewer would mean that the types were not found. */
const NAMES_MIN = 150
const FORM_NAMES_MIN = 5
const REACT_NAMES_MIN = 0
test.each([
  { entry: 'index', namesMin: NAMES_MIN },
  { entry: 'ui', namesMin: FORM_NAMES_MIN },
  { entry: 'ui-react', namesMin: REACT_NAMES_MIN },
])('it describes each name of $entry that an editor shows', ({ entry, namesMin }) => {
  const { described, undescribed } = hoverTextsOf(join(published.folder, `dist/${entry}.d.mts`))
  expect(undescribed).toEqual([])
  expect(described).toBeGreaterThan(namesMin)
})

test('the source of the published entry compiles with neither Node’s types nor the DOM’s', async () => {
  expect(await faultsOf(root, join(root, 'tsconfig.build.json'))).toBe('')
})

test('all of it is at most 5.45 kB, minified and compressed', async () => {
  expect(await published.gzipBytesOf('index')).toBeLessThanOrEqual(ENTRY_GZIP_BYTES_MAX)
})

test('the form is at most 15.9 kB, minified and compressed, and the texts of a language 3.3 kB', async () => {
  expect(await published.gzipBytesOf('index', 'ui')).toBeLessThanOrEqual(FORM_GZIP_BYTES_MAX)
  for (const language of ['fr', 'en'])
    expect(await published.gzipBytesOf(language, 'ui/form/words')).toBeLessThanOrEqual(
      LANGUAGE_GZIP_BYTES_MAX,
    )
})

test('the form can be imported and required where there is no page, as a server does', async () => {
  const program = 'console.log(typeof definePaymentForm)'
  const name = '@merchant-payments/payer-client/ui'
  expect(await published.outputOf('ui.mjs', `import { definePaymentForm } from '${name}'\n${program}`)).toBe(
    'function\n',
  )
  expect(
    await published.outputOf('ui.cjs', `const { definePaymentForm } = require('${name}')\n${program}`),
  ).toBe('function\n')
})

test.each([
  ['esm', (path: string) => `(await import('${path}')).allowInsecureBaseUrl`, 'symbols.mjs'],
  ['cjs', (path: string) => `require('${path}').allowInsecureBaseUrl`, 'symbols.cjs'],
] as const)('both entries have the same symbol for plain http (%s)', async (_how, load, file) => {
  const program = `console.log(${load(name)} === ${load(`${name}/ui`)})`
  expect(await published.outputOf(file, program)).toBe('true\n')
})

test('the types of the form are sound in a page', async () => {
  const program = `import { allowInsecureBaseUrl } from '@merchant-payments/payer-client'
    import { allowInsecureBaseUrl as another, definePaymentForm, type PaymentFormEvent } from '@merchant-payments/payer-client/ui'
    definePaymentForm()
    const form = document.createElement('merchant-payment-form')
    form[allowInsecureBaseUrl] = form[another] = true
    export const isPaid = ({ detail }: PaymentFormEvent): boolean => detail.outcome === 'succeeded'`
  expect(await published.typeFaultsOf(program, ['es2022', 'dom'])).toBe('')
})

describe('the scripts for pages without a bundler', () => {
  const SCRIPT = 'payer-client.min.js'
  const FORM_SCRIPT = 'payment-form.min.js'
  const read = (file: string) => readFile(join(published.folder, file), 'utf8')

  test.each([SCRIPT, FORM_SCRIPT])(
    '%s has the hash that the build writes and the README shows',
    async (script) => {
      const hash = createHash('sha384').update(await read(`dist/${script}`))
      const integrity = `sha384-${hash.digest('base64')}`
      const written = JSON.parse(await read('dist/integrity.json')) as Record<string, string>
      expect(Object.keys(written).sort()).toEqual([SCRIPT, FORM_SCRIPT])
      expect(written[script]).toBe(integrity)
      expect(await read('README.md')).toContain(`src="/${script}" integrity="${integrity}"`)
    },
  )

  test('the client’s defines one global, with everything that the package exports', async () => {
    const page: { PayerClient?: object } = {}
    runInNewContext(await read(`dist/${SCRIPT}`), page)
    expect(Object.keys(page)).toEqual(['PayerClient'])
    expect(Object.keys(page.PayerClient ?? {}).sort()).toEqual(Object.keys(entry).sort())
  })
})

test.each(['index', 'ui', 'ui-react'])(
  'the API of %s is the recorded one, and every break is named in a changeset',
  async (entry) => {
    const report = apiReportOf(join(published.folder, `dist/${entry}.d.mts`))
    await expect(report).toMatchFileSnapshot(`../api/${entry}.txt`)
    expect(await unnamedBreaks(root, entry, report)).toEqual([])
  },
)
