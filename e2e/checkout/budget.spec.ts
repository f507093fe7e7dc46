import type { CDPSession, Page } from '@playwright/test'
import { expect, test } from './scripted/fixtures.ts'
import { change } from './scripted/scripted-api.ts'

/** Slow 3G on a phone of the cheapest kind: what the page is made for. */
const LATENCY_MS = 400
const BYTES_PER_SEC = 400_000 / 8
const CPU_SLOWDOWN = 6

/** Documents and scripts, as sent. The session's read is one request more. */
const FILES_MAX = 3
const BYTES_MAX = 90_000

/** Bounds that a loaded machine keeps; the figures themselves are written into the report. */
const AMOUNT_MS_MAX = 6_000
const USABLE_MS_MAX = 12_000

async function throttle(page: Page): Promise<CDPSession> {
  const session = await page.context().newCDPSession(page)
  await session.send('Network.enable')
  await session.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: LATENCY_MS,
    downloadThroughput: BYTES_PER_SEC,
    uploadThroughput: BYTES_PER_SEC,
  })
  await session.send('Emulation.setCPUThrottlingRate', { rate: CPU_SLOWDOWN })
  return session
}

test('on slow 3G and a slow phone the payer soon sees the amount, and can pay', async ({ page, api }) => {
  const payment = api.open()
  const requests: string[] = []
  let bytes = 0
  const session = await throttle(page)
  session.on('Network.requestWillBeSent', ({ request }) => requests.push(request.url))
  session.on('Network.loadingFinished', ({ encodedDataLength }) => {
    bytes += encodedDataLength
  })

  const startedMs = performance.now()
  await page.goto(payment.link, { waitUntil: 'commit' })
  await page
    .getByText(/12.500.FCFA/)
    .first()
    .waitFor()
  const amountMs = Math.round(performance.now() - startedMs)
  await page.getByRole('button', { name: /Payer/ }).waitFor()
  const usableMs = Math.round(performance.now() - startedMs)

  const figures = { amountMs, usableMs, bytes, requests: requests.length }
  test.info().annotations.push({ type: 'figures', description: JSON.stringify(figures) })
  console.log(`slow 3G, slow phone: ${JSON.stringify(figures)}`)
  const files = requests.filter((url) => url.includes('/c/'))
  const reads = requests.filter((url) => url.includes('/v1/browser/'))
  expect(requests.filter((url) => !url.startsWith(api.origin) && !url.startsWith('data:'))).toEqual([])
  // The later screens' script may be on its way by now.
  expect(files.length).toBeLessThanOrEqual(FILES_MAX + 1)
  expect(reads).toHaveLength(1)
  expect(bytes).toBeLessThan(BYTES_MAX)
  expect(amountMs).toBeLessThan(AMOUNT_MS_MAX)
  expect(usableMs).toBeLessThan(USABLE_MS_MAX)
})

test('the document, two scripts and one read are all that the form needs', async ({ page, api }) => {
  const asked: string[] = []
  await page.route('**/*', async (route) => {
    asked.push(new URL(route.request().url()).pathname)
    await (route.request().url().includes('later-') ? route.abort() : route.continue())
  })
  const payment = api.open()
  await page.goto(payment.link)
  await page.getByRole('button', { name: /Payer/ }).waitFor()
  expect(asked.filter((path) => path.startsWith('/c/') && !path.includes('later-'))).toHaveLength(FILES_MAX)
  expect(asked.filter((path) => path.startsWith('/v1/'))).toHaveLength(1)
})

test('the amount and the merchant are there before the main script', async ({ page, api }) => {
  await page.route(/\/main-.*\.js/, () => undefined)
  await page.goto(api.open().link, { waitUntil: 'commit' })
  await expect(page.getByText('Boutique Akwa')).toBeVisible()
  await expect(page.getByText(/12.500.FCFA/)).toBeVisible()
  await expect(page.getByText('Chargement du paiement…')).toBeVisible()
})

test('without scripts the page says what to do', async ({ browser, api }) => {
  const context = await browser.newContext({ javaScriptEnabled: false })
  const page = await context.newPage()
  await page.goto(api.open().link)
  await expect(page.locator('noscript p[lang=fr]')).toBeVisible()
  await expect(page.locator('noscript p[lang=en]')).toBeVisible()
  await context.close()
})

test('the outcome is told though the script of its screen never came', async ({ page, api }) => {
  await page.route(/later-/, (route) => route.abort())
  const payment = api.open()
  change(payment, { status: 'succeeded' })
  await page.goto(payment.link)
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Paiement réussi')
  await expect(page.getByRole('status')).toHaveText('Paiement réussi')
})

test('without the script that pays nothing is sent, and the payer is told', async ({ page, api }) => {
  const sent: string[] = []
  page.on('request', (request) => sent.push(request.method()))
  await page.route(/later-/, (route) => route.abort())
  await page.goto(api.open().link)
  await page.getByRole('textbox').fill('670123427')
  await page.getByRole('button', { name: /Payer/ }).click()
  await expect(page.getByRole('alert')).toContainText('vous ne paierez pas deux fois')
  expect(sent).not.toContain('POST')
})

test('the whole payment is made with a keyboard', async ({ page, api }) => {
  const payment = api.open()
  payment.confirms = [{ status: 'succeeded', live_charge: null }]
  await page.goto(payment.link)
  await page.getByRole('button', { name: /Payer/ }).waitFor()
  await page.keyboard.press('Tab')
  await page.keyboard.type('670123427')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { level: 1 })).toBeFocused()
  await page.keyboard.press('Tab')
  await expect(page.getByRole('link', { name: 'Retourner chez Boutique Akwa' })).toBeFocused()
})
