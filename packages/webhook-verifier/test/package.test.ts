import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { publint } from 'publint'
import { build } from 'tsdown'
import { afterAll, beforeAll, expect, test } from 'vitest'

const MAIN_ENTRY_GZIP_BYTES_MAX = 2_048
const PACK_TIMEOUT_MS = 120_000

const name = '@merchant-payments/webhook-verifier'
const root = fileURLToPath(new URL('..', import.meta.url))
const tsc = join(root, '../../node_modules/.bin/tsc')
const run = promisify(execFile)

let consumer: string
let tarball: ArrayBuffer

// Built, packed and unpacked as for a merchant: what is tested is what is published.
beforeAll(async () => {
  consumer = await mkdtemp(join(tmpdir(), 'webhook-verifier-'))
  const packed = join(consumer, 'packed.tgz')
  const installed = join(consumer, 'node_modules', name)
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
  await writeFile(join(consumer, file), program)
  const { stdout } = await run(process.execPath, [file], { cwd: consumer })
  expect(stdout).toBe('invoice.paid\n')
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
      await writeFile(join(consumer, file), program)
      const { stdout } = await run(process.execPath, [file], { cwd: consumer })
      expect(stdout).toBe('function\n')
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
  const compilerOptions = { noEmit: true, strict: true, module: 'nodenext', target: 'es2022', types: [], lib }
  const files = ['types.mts', 'types.cts']
  await writeFile(join(consumer, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }))
  for (const file of files) await writeFile(join(consumer, file), `${usage}\n${more}`)
  const { stdout } = await run(tsc, ['-p', consumer])
  expect(stdout).toBe('')
})

test('the source of the published entries compiles without the types of Node', async () => {
  const { stdout } = await run(tsc, ['-p', join(root, 'tsconfig.build.json')])
  expect(stdout).toBe('')
})

test.each(['index', 'index-node'])('all of %s is at most 2 KiB, minified and compressed', async (entry) => {
  const outDir = join(consumer, 'minified')
  await build({
    cwd: root,
    config: false,
    entry: [`src/${entry}.ts`],
    format: 'esm',
    target: 'es2022',
    dts: false,
    minify: true,
    outDir,
    logLevel: 'error',
  })
  const bundle = await readFile(join(outDir, `${entry}.mjs`))
  expect(gzipSync(bundle, { level: 9 }).byteLength).toBeLessThanOrEqual(MAIN_ENTRY_GZIP_BYTES_MAX)
})
