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
let starter = ''
let scripts: string[] = []

beforeAll(async () => {
  const options = ['build', '--logLevel', 'error', '--emptyOutDir', '--outDir', dist]
  // The test runner's own NODE_ENV would build React's development version.
  const env = { ...process.env, NODE_ENV: 'production' }
  await promisify(execFile)('node_modules/.bin/vite', options, { cwd: packageDir, env })
  html = read('index.html').toString()
  starter = onlyOne(/<script>([\s\S]*?)<\/script>/g)
  const names = readdirSync(dist, { recursive: true, encoding: 'utf8' })
  scripts = names.filter((name) => name.endsWith('.js'))
})
afterAll(() => rmSync(dist, { recursive: true }))

const read = (name: string): Buffer => readFileSync(join(dist, name))
const gzipped = (content: string | Buffer): number => gzipSync(content, { level: 9 }).length
const hashOf = (text: string): string => createHash('sha256').update(text).digest('base64')

function onlyOne(element: RegExp): string {
  const found = [...html.matchAll(element)].map(([, content = '']) => content)
  expect(found).toHaveLength(1)
  return found[0] ?? ''
}

/** Compressed bytes of the scripts that a payer's phone loads over a slow network, up to the form. */
const FIRST_BYTES_MAX = 22_400
/** The payer client, and the screens after the form. */
const LATER_BYTES_MAX = 10_000
/** A script for a single purpose: the QR code, the image of a receipt. */
const EXTRA_BYTES_MAX = 5_000
/** What a server sends before the first acknowledgement. */
const FIRST_FLIGHT_BYTES = 14_000

test('the scripts of the first screen, of the later ones and of each extra stay within the budget', () => {
  const first = scripts.filter((name) => html.includes(`/c/${name}`))
  expect(first).toHaveLength(1)
  const sizes = [starter, ...first.map(read)].map(gzipped)
  expect(sizes.reduce((sum, size) => sum + size)).toBeLessThan(FIRST_BYTES_MAX)
  const others = scripts.filter((name) => !first.includes(name))
  const later = others.filter((name) => name.includes('/later-'))
  expect(later.map((name) => gzipped(read(name)) < LATER_BYTES_MAX)).toEqual([true])
  const extras = others.filter((name) => !later.includes(name))
  expect(extras.map((name) => gzipped(read(name)) < EXTRA_BYTES_MAX)).toEqual([true, true])
})

test('a printed receipt has no margin for its address, which holds the secret, and its own padding', () => {
  const styles = onlyOne(/<style[^>]*>([\s\S]*?)<\/style>/g)
  expect(styles).toMatch(/@page ?\{margin:0\}/)
  expect(styles).toMatch(/@media print\{body\{padding:15mm\}/)
})

test('the document fits into one flight, uncompressed, and is readable before any script', () => {
  expect(html.length).toBeLessThan(FIRST_FLIGHT_BYTES)
  expect(html).toContain('Chargement du paiement')
  expect(html).toContain('Loading your payment')
  expect(html).toContain('<noscript>')
})

test('the document does not claim that nothing was paid, because it does not know the payment yet', () => {
  expect(html).not.toMatch(/été lancé|été prélevé|was started|was taken/)
})

test('the document requests only its main script, and its starter imports that one', () => {
  const asked = [...html.matchAll(/\b(?:src|href)="([^"]*)"/g)].map(([, address = '']) => address)
  const addresses = asked.filter((address) => address !== 'data:,')
  expect(addresses).toEqual([expect.stringMatching(/^\/c\/assets\/main-[\w-]+\.js$/)])
  const imports = [...starter.matchAll(/import\(([^)]*)\)/g)].map(([, address = '']) => address.slice(1, -1))
  expect(imports).toEqual(addresses)
})

test('the document has one script and one style, which the policy allows by their hashes', () => {
  expect(html).not.toMatch(/<script[^>]+>|\bstyle=|<[^>]*\son\w+=/)
  const styles = onlyOne(/<style>([\s\S]*?)<\/style>/g)
  const policy = JSON.parse(read('headers.json').toString())['content-security-policy']
  expect(policy.split('; ')).toEqual([
    "default-src 'none'",
    `script-src 'self' 'sha256-${hashOf(starter)}'`,
    `style-src 'sha256-${hashOf(styles)}'`,
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ])
})

/** XML namespaces, React's error links, an example in a message of the payer client, and the link that sends a receipt. */
const onlyNamed = ['www.w3.org', 'react.dev', 'a.example', 'wa.me']

test('the scripts evaluate no text, and name no host but that of one link', () => {
  for (const code of [starter, ...scripts.map((name) => read(name).toString())]) {
    expect(code).not.toMatch(/\beval\(|new Function\(/)
    const hosts = [...code.matchAll(/https?:\/\/([\w.-]+)/g)].map(([, host]) => host)
    expect(hosts.filter((host) => !onlyNamed.includes(host ?? ''))).toEqual([])
  }
})

/**
 * APIs that one of `OLDEST_BROWSERS` lacks. The build lowers syntax alone: such a call throws there, and empties the
 * page. `Intl.DateTimeFormat` ignores unknown options, and `randomUUID` is called only where it exists.
 */
const tooNew = [
  // Two dots before it spread what a minified function returns.
  /(?<!\.)\.(?:replaceAll|at|hasOwn|groupBy|withResolvers|fromAsync|isWellFormed|toWellFormed)\(/,
  /(?<!\.)\.(?:findLast|findLastIndex|toSorted|toReversed|toSpliced|with)\(/,
  /\bPromise\.(?:any|try)\b|\bAggregateError\b|\bWeakRef\b|\bFinalizationRegistry\b/,
  /\bAbortSignal\.(?:timeout|any|abort)\b|\.throwIfAborted\(/,
  /\bstructuredClone\b|\bBroadcastChannel\b|\bnavigator\.locks\b|\bOffscreenCanvas\b|\breportError\b/,
  /\bIntl\.(?:Segmenter|DisplayNames|ListFormat|supportedValuesOf)\b/,
  /\.(?:replaceChildren|requestSubmit|showModal|showPopover|checkVisibility|roundRect|formatRange)\(/,
  /\bscrollend\b|\brandomUUID\(|\(\?<[=!]/,
]

test('the scripts call nothing that the oldest browsers of the build lack', () => {
  for (const code of [starter, ...scripts.map((name) => read(name).toString())])
    expect(tooNew.map((name) => name.exec(code)?.[0]).filter((found) => found !== undefined)).toEqual([])
})

test('each compressed file has the content of its original', () => {
  for (const name of ['index.html', ...scripts]) {
    expect(brotliDecompressSync(read(`${name}.br`)).equals(read(name))).toBe(true)
    expect(gunzipSync(read(`${name}.gz`)).equals(read(name))).toBe(true)
  }
})
