import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { afterAll, describe, expect, test } from 'vitest'
import { openCheckoutPage } from '../src/checkout-page/page.ts'
import { startTestApi } from './harness.ts'
import {
  describeConditions,
  describeNextRelease,
  describeOtherPaths,
  makeLargePage,
} from './page-conditions.ts'

const SESSION = `/c/cs_${'1'.repeat(32)}`
const html = '<!doctype html><title>Payment</title>'
const script = 'export const paid = true'
const policy = { 'content-security-policy': "default-src 'none'", 'cache-control': 'no-cache' }

const folder = mkdtempSync(join(tmpdir(), 'checkout-page-'))
mkdirSync(join(folder, 'assets'))
for (const [name, content] of [
  ['index.html', html],
  ['index.html.gz', gzipSync(html)],
  ['headers.json', JSON.stringify(policy)],
  ['assets/main-1a2b3c.js', script],
  ['assets/main-1a2b3c.js.gz', gzipSync(script)],
  ['assets/main-1a2b3c.js.br', brotliCompressSync(script)],
] as const) {
  writeFileSync(join(folder, name), content)
}
const api = await startTestApi({ checkoutPage: await openCheckoutPage(folder) })
afterAll(async () => {
  await api.stop()
  rmSync(folder, { recursive: true })
})

const get = (path: string, encoding = 'identity') =>
  fetch(api.origin + path, { headers: { 'accept-encoding': encoding } })

describe('the document', () => {
  test('is the same for each session, with the headers of its build', async () => {
    const answers = await Promise.all([
      get(SESSION),
      get(`/c/cs_${'2'.repeat(32)}`),
      get(`${SESSION}?lang=en`),
    ])
    for (const answer of answers) {
      expect(answer.status).toBe(200)
      expect(await answer.text()).toBe(html)
      expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8')
      expect(answer.headers.get('request-id')).toMatch(/^req_/)
      for (const [name, value] of Object.entries(policy)) expect(answer.headers.get(name)).toBe(value)
    }
  })

  test('is compressed for a browser that accepts it', async () => {
    const answer = await api.call({ path: SESSION, token: null, headers: { 'accept-encoding': 'gzip' } })
    expect(answer.headers['content-encoding']).toBe('gzip')
    expect(answer.headers.vary).toBe('accept-encoding')
    expect(answer.headers['content-type']).toBe('text/html; charset=utf-8')
    expect(await (await get(SESSION, 'gzip')).text()).toBe(html)
  })

  test('is not sent again to a browser that has it', async () => {
    const { headers } = await api.call({ path: SESSION, token: null })
    const again = { 'if-none-match': headers.etag ?? '' }
    expect((await api.call({ path: SESSION, token: null, headers: again })).status).toBe(304)
  })
})

describe('a script', () => {
  test('may be cached for ever', async () => {
    const answer = await get('/c/assets/main-1a2b3c.js')
    expect(await answer.text()).toBe(script)
    expect(answer.headers.get('content-type')).toMatch(/^(?:text|application)\/javascript/)
    expect(answer.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
  })

  test('is compressed for a browser that accepts it', async () => {
    for (const [accepted, sent] of [
      ['gzip', 'gzip'],
      ['gzip, deflate, br, zstd', 'br'],
    ]) {
      const answer = await get('/c/assets/main-1a2b3c.js', accepted)
      expect(answer.headers.get('content-encoding')).toBe(sent)
      expect(answer.headers.get('vary')).toBe('accept-encoding')
      expect(await answer.text()).toBe(script)
    }
  })
})

const served = [SESSION, '/c/assets/main-1a2b3c.js']
describeConditions(api, served)
describeOtherPaths(api, {
  served,
  unknown: [
    '/c',
    `${SESSION}/`,
    `${SESSION}/x`,
    '/c/assets/',
    '/c/assets/unknown.js',
    '/c/assets/../headers.json',
    '/c/assets/%2e%2e/headers.json',
    '/c/assets/..%2fheaders.json',
    '/c/assets/main-1a2b3c.js.gz',
  ],
})

test('a folder without the built page is a fault of the configuration', async () => {
  await expect(openCheckoutPage(join(folder, 'assets'))).rejects.toMatchObject({
    faults: [{ path: 'checkout_page_dir', message: 'is not a folder with the built checkout page' }],
  })
})

test('a folder with more than a page is a fault of the configuration', async () => {
  const large = makeLargePage()
  await expect(openCheckoutPage(large)).rejects.toMatchObject({
    faults: [
      {
        path: 'checkout_page_dir',
        message: 'holds more than 8 MiB: name a folder with nothing but the built checkout page',
      },
    ],
  })
  rmSync(large, { recursive: true })
})

describeNextRelease(api, { folder, served })
