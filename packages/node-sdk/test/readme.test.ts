import { execFile } from 'node:child_process'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { intent, privateKey, startApi } from './api-server.ts'

const run = promisify(execFile)
const pathOf = (relative: string) => fileURLToPath(new URL(relative, import.meta.url))

const readme = await readFile(pathOf('../README.md'), 'utf8')
const blocks = [...readme.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code = '']) => code)
const [quickStart = ''] = blocks

/** Creates a folder that git ignores, within the package so that its own name resolves. */
async function scratchFolder(name: string): Promise<string> {
  const folder = pathOf(`../.tsc/${name}`)
  await mkdir(folder, { recursive: true })
  onTestFinished(() => rm(folder, { recursive: true }))
  return folder
}

test('the quick start of the README runs unchanged', async () => {
  const { baseUrl, requests } = await startApi({
    answers: [{ status: 201, body: intent }, { body: { ...intent, status: 'processing' } }],
  })
  const folder = await scratchFolder('quick-start')
  await writeFile(`${folder}/pay.mjs`, quickStart)
  await mkdir(`${folder}/.data`)
  await writeFile(
    `${folder}/.data/merchant-private-key.json`,
    JSON.stringify(privateKey.export({ format: 'jwk' })),
  )
  const env = { ...process.env, PAYMENTS_URL: baseUrl }
  const { stdout } = await run(process.execPath, ['pay.mjs'], { cwd: folder, env })
  expect(stdout).toBe(`${intent.id} processing\n`)
  expect(requests.map(({ path, body }) => [path, body])).toEqual([
    [
      '/v1/payment_intents',
      expect.stringMatching(
        /^amount=5000&currency=XAF&payment_method_types\[0\]=mtn_momo_cm&metadata\[order\]=order-\d+$/,
      ),
    ],
    [`/v1/payment_intents/${intent.id}/confirm`, 'payment_method_data[mtn_momo_cm][msisdn]=237670000001'],
  ])
})

/** Variables that the blocks after the quick start use. */
const given = `
import type { MerchantPayments, PrivateKey } from '@merchant-payments/node-sdk'
declare const payments: MerchantPayments
declare const privateKey: PrivateKey
declare const id: string
declare const customerId: string
declare const eventId: string
`

/** Those of the variables that a block does not declare itself. */
const givenTo = (block: string): string =>
  given
    .split('\n')
    .filter((line) => {
      const [, name] = /^declare const (\w+)/.exec(line) ?? []
      return name === undefined || !new RegExp(`const (?:${name}|\\{ ${name} \\}) =`).test(block)
    })
    .join('\n')

test('the example of a test runs unchanged', async () => {
  const [block = ''] = blocks.filter((one) => one.includes('createFakeService'))
  const folder = await scratchFolder('testing')
  await writeFile(`${folder}/fake.mjs`, block)
  const { stdout } = await run(process.execPath, ['fake.mjs'], { cwd: folder })
  expect(stdout).toContain('payment_intent.payment_failed')
})

test('every other example compiles', async () => {
  const folder = await scratchFolder('examples')
  const files = blocks
    .slice(1)
    .map((block, index) => [`example-${index}.ts`, givenTo(block) + block] as const)
  expect(files.length).toBeGreaterThan(3)
  for (const [file, code] of files) await writeFile(`${folder}/${file}`, code)
  const config = {
    extends: '../../tsconfig.json',
    // Examples may leave variables unused.
    compilerOptions: { noUnusedLocals: false },
    include: ['*.ts'],
  }
  await writeFile(`${folder}/tsconfig.json`, JSON.stringify(config))
  const tsc = pathOf('../../../node_modules/.bin/tsc')
  const complaint = await run(tsc, ['-p', folder]).then(
    () => undefined,
    (error: Error & { stdout: string }) => error.stdout || error.message,
  )
  expect(complaint).toBeUndefined()
})
