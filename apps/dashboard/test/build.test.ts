import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'

const packageDir = fileURLToPath(new URL('..', import.meta.url))
const dist = mkdtempSync(join(tmpdir(), 'dashboard-'))
let html = ''
let assets: string[] = []

beforeAll(async () => {
  const options = ['build', '--logLevel', 'error', '--emptyOutDir', '--outDir', dist]
  // The test runner's own NODE_ENV would build React's development version.
  const env = { ...process.env, NODE_ENV: 'production' }
  await promisify(execFile)('node_modules/.bin/vite', options, { cwd: packageDir, env })
  html = read('index.html').toString()
  const names = readdirSync(dist, { recursive: true, encoding: 'utf8' })
  assets = names.filter((name) => /\.(?:js|css)$/.test(name))
})
afterAll(() => rmSync(dist, { recursive: true }))

const read = (name: string): Buffer => readFileSync(join(dist, name))
const gzipped = (names: readonly string[]): number =>
  names.map((name) => gzipSync(read(name), { level: 9 }).length).reduce((sum, size) => sum + size)

/** Bytes loaded before the first screen: React, the router and the texts of one language included. */
const EAGER_BYTES_MAX = 150_000
const SCREEN_BYTES_MAX = 6_000
/** The library of the charts, which only the screens with charts load. */
const CHARTS_BYTES_MAX = 30_000
const ALL_BYTES_MAX = 240_000

test('the files of the first screen stay within the budget, and each screen has its own script', () => {
  const scripts = assets.filter((name) => name.endsWith('.js'))
  const languages = scripts.filter((name) => /^assets\/(?:en|fr)-/.test(name))
  expect(languages).toHaveLength(2)
  const eager = scripts.filter((name) => html.includes(name))
  for (const texts of languages) expect(gzipped([...eager, texts])).toBeLessThan(EAGER_BYTES_MAX)
  const later = scripts.filter((name) => !eager.includes(name) && !languages.includes(name))
  const hasCharts = (name: string) => /^assets\/(?:analytics|charts)-/.test(name)
  expect(later.filter((name) => !hasCharts(name) && gzipped([name]) > SCREEN_BYTES_MAX)).toEqual([])
  expect(gzipped(later.filter(hasCharts))).toBeLessThan(CHARTS_BYTES_MAX)
  expect(gzipped(scripts)).toBeLessThan(ALL_BYTES_MAX)
  for (const screen of ['overview', 'payments', 'payment', 'deliveries', 'audit-log']) {
    expect(scripts.some((name) => name.startsWith(`assets/${screen}-`))).toBe(true)
  }
})

test('the document requests only its own script and style', () => {
  const addresses = [...html.matchAll(/\b(?:src|href)="([^"]*)"/g)].map(([, address = '']) => address)
  expect(
    addresses.filter((address) => !/^(?:\/dash\/assets\/[\w-]+\.(?:js|css)|data:,)$/.test(address)),
  ).toEqual([])
  expect(html).not.toMatch(/<script(?![^>]*\bsrc=)|<style|\bstyle=|\son\w+=/)
})

test('the policy allows no inline code and no other origin', () => {
  expect(JSON.parse(read('headers.json').toString())['content-security-policy'].split('; ')).toEqual([
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ])
})

/** XML namespaces, error links of React and the router, and a base for relative URLs. */
const onlyNamed = ['www.w3.org', 'react.dev', 'localhost', 'tanstack.com', 'invalid', '.']

test('the scripts evaluate no text and name no other host', () => {
  for (const name of assets) {
    const code = read(name).toString()
    expect(code).not.toMatch(/\beval\(|new Function\(/)
    const hosts = [...code.matchAll(/https?:\/\/([\w.-]+)/g)].map(([, host = '']) => host)
    expect(hosts.filter((host) => !onlyNamed.includes(host))).toEqual([])
  }
})

test('the schemas of the contract are not shipped', () => {
  for (const name of assets) expect(read(name).toString()).not.toContain('ZodError')
})

test('each compressed file has the content of its original', () => {
  for (const name of ['index.html', ...assets]) {
    expect(brotliDecompressSync(read(`${name}.br`)).equals(read(name))).toBe(true)
    expect(gunzipSync(read(`${name}.gz`)).equals(read(name))).toBe(true)
  }
})
