import { execFile } from 'node:child_process'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { createWebhookHandler } from '@merchant-payments/webhook-verifier/express'
import { createTestEvent, signPayload } from '@merchant-payments/webhook-verifier/testing'
import express from 'express'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { listen } from '@merchant-payments/testing/listen'

const run = promisify(execFile)
const pathOf = (relative: string) => fileURLToPath(new URL(relative, import.meta.url))
/** Within the package, so that its own name resolves. Git ignores it. */
const folder = pathOf('../.tsc/readme')

const readme = await readFile(pathOf('../README.md'), 'utf8')
const files = await Promise.all(
  (await readdir(pathOf('./examples'))).map((file) => readFile(pathOf(`./examples/${file}`), 'utf8')),
)
/** The examples that are not whole files. examples.test.ts runs the others. */
const fragments = [...readme.matchAll(/^```ts\n(.*?)^```$/gms)]
  .map(([, code = '']) => code)
  .filter((code) => !files.includes(code))
const [first = '', testing = ''] = fragments

const given = `
declare const process: { readonly env: Record<string, string | undefined> }
const endpointSecret = 'whsec_test'
const rawBody = process.env['PAYLOAD'] ?? ''
const request = { headers: { 'service-signature': process.env['SIGNATURE'] } }
const fulfil = async (id: string) => console.log('paid', id)
`

beforeAll(async () => {
  await mkdir(folder, { recursive: true })
  await writeFile(`${folder}/first.ts`, given + first)
  await writeFile(`${folder}/testing.ts`, testing)
})
afterAll(() => rm(folder, { recursive: true }))

test('the examples are two fragments, and files that other tests run', () => {
  expect(fragments).toHaveLength(2)
})

test('the first example verifies a webhook, and acts on it', async () => {
  const event = createTestEvent('payment_intent.succeeded')
  const payload = JSON.stringify(event)
  const signature = await signPayload({ payload, secrets: 'whsec_test' })
  const env = { ...process.env, PAYLOAD: payload, SIGNATURE: signature }
  const { stdout } = await run(process.execPath, ['first.ts'], { cwd: folder, env })
  expect(stdout).toBe(`paid ${event.data.object.id}\n`)
})

test('the example of a test delivers an event that a receiver accepts', async () => {
  const received: string[] = []
  const handler = createWebhookHandler({ secrets: 'whsec_test' }, ({ type }) => received.push(type))
  const port = await listen(createServer(express().post('/webhooks', handler)))
  await writeFile(`${folder}/sent.ts`, testing.replace('localhost:3000', `127.0.0.1:${port}`))
  await run(process.execPath, ['sent.ts'], { cwd: folder })
  expect(received).toEqual(['payment_intent.succeeded'])
})

test('both compile', async () => {
  const config = {
    extends: '../../tsconfig.json',
    compilerOptions: { noUnusedLocals: false, types: [], lib: ['es2024', 'dom'] },
    include: ['*.ts'],
    exclude: ['sent.ts'],
  }
  await writeFile(`${folder}/tsconfig.json`, JSON.stringify(config))
  const complaint = await run(pathOf('../../../node_modules/.bin/tsc'), ['-p', folder]).then(
    () => '',
    (error: Error & { stdout: string }) => error.stdout || error.message,
  )
  expect(complaint).toBe('')
})
