import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'

const packageDir = fileURLToPath(new URL('..', import.meta.url))
const dist = mkdtempSync(join(tmpdir(), 'checkout-web-'))
let html = ''
let scripts: string[] = []

beforeAll(async () => {
  const options = ['build', '--logLevel', 'error', '--emptyOutDir', '--outDir', dist]
  // The test runner's own NODE_ENV would build React's development version.
  const env = { ...process.env, NODE_ENV: 'production' }
  await promisify(execFile)('node_modules/.bin/vite', options, { cwd: packageDir, env })
  html = read('index.html').toString()
  const names = readdirSync(dist, { recursive: true, encoding: 'utf8' })
  scripts = names.filter((name) => name.endsWith('.js'))
})
afterAll(() => rmSync(dist, { recursive: true }))

const read = (name: string): Buffer => readFileSync(join(dist, name))
const gzipped = (name: string): number => gzipSync(read(name), { level: 9 }).length

/** What a payer's phone loads over a slow network. */
const SCRIPT_BYTES_MAX = 80_000
const LATER_BYTES_MAX = 10_000
/** What a server sends before it waits for the first acknowledgement. */
const FIRST_FLIGHT_BYTES = 14_000

test('the scripts of the first screen, React included, and all the others stay within the budget', () => {
  const first = scripts.filter((name) => html.includes(`/c/${name}`))
  expect(first).toHaveLength(2)
  expect(first.map(gzipped).reduce((sum, size) => sum + size)).toBeLessThan(SCRIPT_BYTES_MAX)
  const later = scripts.filter((name) => !first.includes(name))
  expect(later.map(gzipped).reduce((sum, size) => sum + size)).toBeLessThan(LATER_BYTES_MAX)
})

test('the document comes in one flight, uncompressed, and can be read before any script', () => {
  expect(html.length).toBeLessThan(FIRST_FLIGHT_BYTES)
  expect(html).toContain('Chargement du paiement')
  expect(html).toContain('Loading your payment')
  expect(html).toContain('<noscript>')
})

test('the document asks for its two scripts and nothing else', () => {
  const addresses = [...html.matchAll(/\b(?:src|href)="([^"]*)"/g)].map(([, address = '']) => address)
  expect(addresses.filter((address) => !address.startsWith('data:'))).toHaveLength(2)
  expect(addresses.every((address) => /^(?:\/c\/assets\/[\w-]+\.js|data:,)$/.test(address))).toBe(true)
})

test('no script and no style attribute stands in the document, and its style is the one that the policy allows', () => {
  expect(html).not.toMatch(/<script(?![^>]*\bsrc=)|\bstyle=|\son\w+=/)
  const [, styles = ''] = /<style>([\s\S]*?)<\/style>/.exec(html) ?? []
  const policy = JSON.parse(read('headers.json').toString())['content-security-policy']
  const hash = createHash('sha256').update(styles).digest('base64')
  expect(policy.split('; ')).toEqual([
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'sha256-${hash}'`,
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ])
})

/** XML namespaces and React's explanations, and an example in a message of the payer client. */
const onlyNamed = ['www.w3.org', 'react.dev', 'payments.example.com']

test('the scripts evaluate no text and name no other host', () => {
  for (const name of scripts) {
    const code = read(name).toString()
    expect(code).not.toMatch(/\beval\(|new Function\(/)
    const hosts = [...code.matchAll(/https?:\/\/([\w.-]+)/g)].map(([, host]) => host)
    expect(hosts.filter((host) => !onlyNamed.includes(host ?? ''))).toEqual([])
  }
})

test('each compressed file holds what it stands for', () => {
  for (const name of ['index.html', ...scripts]) {
    expect(brotliDecompressSync(read(`${name}.br`)).equals(read(name))).toBe(true)
    expect(gunzipSync(read(`${name}.gz`)).equals(read(name))).toBe(true)
  }
})
