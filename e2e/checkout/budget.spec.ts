import { loadavg } from 'node:os'
import { paid } from '@merchant-payments/checkout-web/wire'
import { expect, test } from './scripted/fixtures.ts'
import { change } from './scripted/scripted-api.ts'
import { type Visit, visitOnSlowPhone } from './scripted/slow-phone.ts'

/** To a usable form: the document, the main script, and one read of the API. */
const REQUESTS_MAX = 3
const BYTES_MAX = 30_000

const FIRST_PAINT_MS_MAX = 1_000
const AMOUNT_MS_MAX = 1_500
const USABLE_MS_MAX = 2_000

/**
 * Other load on the machine can only slow a visit down. One visit within all time limits proves that the page
 * can meet them, and a page that is too slow never has one. Bytes and requests do not depend on load, so
 * every visit must keep their limits.
 */
const VISITS_MAX = 24
const VISITS_TIMEOUT_MS = 240_000

test('on slow 3G and a slow phone the payer soon sees the amount, and can pay', async ({ browser, api }) => {
  test.setTimeout(VISITS_TIMEOUT_MS)
  const visits: Visit[] = []
  while (visits.length < VISITS_MAX && !visits.some(isSoon)) {
    const visit = await visitOnSlowPhone(browser, api.open().link)
    visits.push(visit)
    console.log(`slow 3G, slow phone: ${figuresOf(visit)}`)
    expect(visit.requests).toHaveLength(REQUESTS_MAX)
    expect(visit.requests.filter((url) => !url.startsWith(api.origin))).toEqual([])
    expect(visit.bytes).toBeLessThan(BYTES_MAX)
  }
  expect(visits.filter(isSoon), `no visit of ${VISITS_MAX} was within the aims`).toHaveLength(1)
})

const isSoon = ({ firstPaintMs, amountMs, usableMs }: Visit): boolean =>
  firstPaintMs < FIRST_PAINT_MS_MAX && amountMs < AMOUNT_MS_MAX && usableMs < USABLE_MS_MAX

function figuresOf({ firstPaintMs, amountMs, usableMs, bytes }: Visit): string {
  const [first, amount, usable] = [firstPaintMs, amountMs, usableMs].map(Math.round)
  const load = loadavg()[0]?.toFixed(1)
  return `first paint ${first} ms, amount ${amount} ms, usable ${usable} ms, ${bytes} bytes, load ${load}`
}

test('the amount and the merchant are there before the main script', async ({ page, api }) => {
  await page.route(/\/main-.*\.js/, () => undefined)
  await page.goto(api.open().link, { waitUntil: 'commit' })
  await expect(page.getByText('Boutique Akwa')).toBeVisible()
  await expect(page.getByText(/12.500.FCFA/)).toBeVisible()
  await expect(page.getByText('Chargement du paiement…')).toBeVisible()
})

test('a script that the network has lost is asked for again', async ({ page, api }) => {
  for (const script of [/\/main-.*\.js/, /\/later-.*\.js/]) {
    await page.route(script, (route) => route.abort(), { times: 2 })
  }
  const payment = api.open()
  payment.confirms = [paid()]
  await page.goto(payment.link)
  await page.getByRole('textbox').fill('670123427')
  await page.waitForResponse(/\/later-/)
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Paiement réussi')
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
  change(payment, paid())
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
  payment.confirms = [paid()]
  await page.goto(payment.link)
  await page.getByRole('button', { name: /Payer/ }).waitFor()
  await page.keyboard.press('Tab')
  await page.keyboard.type('670123427')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { level: 1 })).toBeFocused()
  await page.keyboard.press('Tab')
  await expect(page.getByRole('link', { name: 'Retourner chez Boutique Akwa' })).toBeFocused()
})
