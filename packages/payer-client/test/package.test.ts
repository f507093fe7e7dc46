import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { publint } from 'publint'
import { build } from 'tsdown'
import { afterAll, beforeAll, expect, test } from 'vitest'

const ENTRY_GZIP_BYTES_MAX = 5_250
const PACK_TIMEOUT_MS = 120_000

const name = '@merchant-payments/payer-client'
const root = fileURLToPath(new URL('..', import.meta.url))
const tsc = join(root, '../../node_modules/.bin/tsc')
const run = promisify(execFile)

let consumer: string
let installed: string
let tarball: ArrayBuffer

// Built, packed and unpacked as for a shop: what is tested is what is published.
beforeAll(async () => {
  consumer = await mkdtemp(join(tmpdir(), 'payer-client-'))
  const packed = join(consumer, 'packed.tgz')
  installed = join(consumer, 'node_modules', name)
  await build({ cwd: root, logLevel: 'error' })
  await run('npx', ['--yes', 'pnpm@12', 'pack', '--out', packed], { cwd: root })
  tarball = new Uint8Array(await readFile(packed)).buffer
  await mkdir(installed, { recursive: true })
  await run('tar', ['-xzf', packed, '-C', installed, '--strip-components=1'])
}, PACK_TIMEOUT_MS)

afterAll(async () => rm(consumer, { recursive: true, force: true }))

test('publint, at its strictest, has nothing to say about the packed package', async () => {
  const { messages } = await publint({ pack: { tarball }, strict: true })
  expect(messages).toEqual([])
})

test('it depends on nothing', async () => {
  const manifest = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8')) as object
  expect(manifest).not.toHaveProperty('dependencies')
  expect(manifest).not.toHaveProperty('peerDependencies')
  for (const file of (await readdir(join(installed, 'dist'))).filter((each) => /\.[cm]js$/.test(each))) {
    expect(await readFile(join(installed, 'dist', file), 'utf8')).not.toMatch(
      /\b(?:from|import|require)\s*\(?\s*"/,
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
])('it works when $how, in surroundings without fetch, timers or a page', async ({ file, head }) => {
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
  await writeFile(join(consumer, file), program)
  const { stdout } = await run(process.execPath, [file], { cwd: consumer })
  expect(stdout).toBe('succeeded\n')
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
  const compilerOptions = { noEmit: true, strict: true, module: 'nodenext', target: 'es2022', types: [], lib }
  const files = ['types.mts', 'types.cts']
  await writeFile(join(consumer, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }))
  for (const file of files) await writeFile(join(consumer, file), `${usage}\n${more}`)
  const { stdout } = await run(tsc, ['-p', consumer])
  expect(stdout).toBe('')
})

test('the source of the published entry compiles with neither Node’s types nor the DOM’s', async () => {
  const { stdout } = await run(tsc, ['-p', join(root, 'tsconfig.build.json')])
  expect(stdout).toBe('')
})

test('all of it is at most 5.25 kB, minified and compressed', async () => {
  const outDir = join(consumer, 'minified')
  await build({
    cwd: root,
    config: false,
    entry: ['src/index.ts'],
    format: 'esm',
    target: 'es2022',
    dts: false,
    minify: true,
    outDir,
    logLevel: 'error',
  })
  const bundle = await readFile(join(outDir, 'index.mjs'))
  expect(gzipSync(bundle, { level: 9 }).byteLength).toBeLessThanOrEqual(ENTRY_GZIP_BYTES_MAX)
})
