import { execFile } from 'node:child_process'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { fastClock, startServer } from './http-server.ts'
import { createService, INTENT_SECRET, PUBLISHABLE_KEY, type RailPlan } from './service.ts'

const run = promisify(execFile)
const pathOf = (relative: string) => fileURLToPath(new URL(relative, import.meta.url))
/** Within the package, so that its own name resolves. Git ignores it. */
const folder = pathOf('../.tsc/readme-runs')

const readme = await readFile(pathOf('../README.md'), 'utf8')
const blockWith = (text: string): string => {
  const blocks = [...readme.matchAll(/^```tsx?\n(.*?)^```$/gms)].map(([, code = '']) => code)
  const found = blocks.filter((code) => code.includes(text) && !code.includes("from 'react'"))
  expect(found).toHaveLength(1)
  return found[0] ?? ''
}

/** The page and the network of an example. Its requests reach the server of the test. */
const given = `
const send = globalThis.fetch
globalThis.fetch = ((url: string, init: RequestInit) =>
  send(url.replace('https://payments.example.com', process.env['URL'] ?? ''), init)) as typeof fetch
const location = { assign: (url: string) => console.log('goes to', url) }
const show = (text: string) => console.log(text)
const askForNumber = async () => '670000001'
const controller = new AbortController()
const publishableKey = '${PUBLISHABLE_KEY}'
const clientSecret = '${INTENT_SECRET}'
`
const client = `
import { createPayerClient } from '@merchant-payments/payer-client'
const client = createPayerClient({ baseUrl: 'https://payments.example.com', publishableKey, clientSecret })
`

beforeAll(async () => {
  await mkdir(folder, { recursive: true })
})
afterAll(() => rm(folder, { recursive: true }))

async function outputOf(program: string, ...plans: RailPlan[]): Promise<string> {
  const { baseUrl } = await startServer(createService(fastClock, plans))
  await writeFile(`${folder}/example.ts`, given + program)
  const env = { ...process.env, URL: baseUrl }
  return (await run(process.execPath, ['example.ts'], { cwd: folder, env })).stdout
}

const paid: RailPlan = { submit: 'accepted', outcome: 'succeeded', settleMs: 1_000 }
const refused: RailPlan = { submit: 'accepted', outcome: 'failed', settleMs: 1_000 }

test('the quick start asks again after a refusal, and takes the payment', async () => {
  expect(await outputOf(blockWith('client.resume()'), refused, paid)).toMatch(
    /^Refused: payer_declined$[^]*^succeeded\n$/m,
  )
})

test('the example of a redirect rail sends the payer to its page', async () => {
  const page = 'https://rail.example/pay/1'
  const printed = await outputOf(`${client}${blockWith('returnUrl')}show(result.outcome)`, { ...paid, page })
  expect(printed).toBe(`goes to ${page}\nsucceeded\n`)
})

/** The part of these packages that the example uses. Neither can be installed without React Native. */
const reactNative = `
declare module '@react-native-async-storage/async-storage' {
  const storage: {
    getItem(key: string): Promise<string | null>
    setItem(key: string, value: string): Promise<void>
    removeItem(key: string): Promise<void>
  }
  export default storage
}
declare module 'react-native' {
  export const AppState: {
    readonly currentState: 'active' | 'background' | 'inactive' | 'unknown' | 'extension'
    addEventListener(type: 'change', listener: (state: string) => void): { remove(): void }
  }
}
declare const publishableKey: string
declare const clientSecret: string
`

test('the example for React Native compiles', async () => {
  await writeFile(`${folder}/react-native.d.ts`, reactNative)
  await writeFile(`${folder}/native.tsx`, blockWith('AppState'))
  const config = {
    extends: '../../tsconfig.json',
    compilerOptions: { noUnusedLocals: false },
    include: ['react-native.d.ts', 'native.tsx'],
  }
  await writeFile(`${folder}/tsconfig.json`, JSON.stringify(config))
  const complaint = await run(pathOf('../../../node_modules/.bin/tsc'), ['-p', folder]).then(
    () => '',
    (error: Error & { stdout: string }) => error.stdout || error.message,
  )
  expect(complaint).toBe('')
})
