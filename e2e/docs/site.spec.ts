import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from '@playwright/test'
import { SIDEWAYS } from '../src/browser/page-checks.ts'
import { violationsOn } from '../src/browser/violations.ts'

const DESK = { width: 1280, height: 800 }
const BUILD_TIMEOUT_MS = 240_000
const KEY_HEARD_MS = 1_000

const root = fileURLToPath(new URL('../../', import.meta.url))
const site = join(root, 'dist/docs')
const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
}

/** Pages of each kind and language, with most of the theme's parts. On the longest pages axe takes most of a minute. */
const shown = [
  '/',
  '/guides/take-your-first-payment.html',
  '/guides/coming-from-stripe.html',
  '/stuck-money.html',
  '/api/paymentIntents.html',
  '/fr/',
  '/fr/refus.html',
]

// In order and in one worker, which builds the site once.
test.describe.configure({ mode: 'default' })

let server: Server | undefined
let origin: string
test.beforeAll(async () => {
  test.setTimeout(BUILD_TIMEOUT_MS)
  await promisify(execFile)(process.execPath, [join(root, 'tools/docs/src/build.ts')])
  // As any web server serves a folder.
  server = createServer(({ url = '/' }, response) => {
    const path = join(site, decodeURIComponent(new URL(url, 'http://site').pathname))
    const file = [path, join(path, 'index.html')].find((one) => existsSync(one) && statSync(one).isFile())
    if (file === undefined) return void response.writeHead(404).end()
    response.writeHead(200, { 'content-type': types[extname(file)] ?? 'application/octet-stream' })
    response.end(readFileSync(file))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
test.afterAll(() => {
  server?.closeAllConnections()
  server?.close()
})

for (const path of shown) {
  test(`${path}: WCAG 2.2 AA by day and by night, and no wider than a small phone`, async ({ page }) => {
    const asked: string[] = []
    page.on('request', (request) => asked.push(new URL(request.url()).origin))
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      await page.goto(origin + path)
      await expect(page.getByRole('heading', { level: 1 }).first()).toBeVisible()
      expect(await page.evaluate<number>(SIDEWAYS)).toBe(0)
      expect(await violationsOn(page)).toEqual([])
    }
    expect(new Set(asked)).toEqual(new Set([origin]))
  })
}

test('the search finds a page in each language, without a service', async ({ page }) => {
  await page.setViewportSize(DESK)
  for (const [start, words, found] of [
    ['/', 'stuck money', 'Stuck money'],
    ['/fr/', 'solde insuffisant', 'Refus'],
  ] as const) {
    await page.goto(origin + start)
    // The page shows its text before its script listens to keys.
    await expect(async () => {
      await page.keyboard.press('Control+k')
      await expect(page.getByRole('searchbox')).toBeVisible({ timeout: KEY_HEARD_MS })
    }).toPass()
    await page.getByRole('searchbox').fill(words)
    await expect(page.getByRole('option').filter({ hasText: found }).first()).toBeVisible()
  }
})
