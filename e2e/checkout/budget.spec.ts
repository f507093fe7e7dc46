import { loadavg } from 'node:os'
import { paid } from '@merchant-payments/checkout-web/wire'
import { words } from '@merchant-payments/checkout-web/words'
import { expect, test } from './scripted/fixtures.ts'
import { change } from './scripted/scripted-api.ts'
import { startSlowLine } from './scripted/slow-line.ts'
import { type Visit, visitOnSlowPhone } from './scripted/slow-phone.ts'

/** To a usable form: the document, the main script, and one read of the API. */
const REQUESTS_MAX = 3
const BYTES_MAX = 30_000

/** Times depend on the machine's load, so they are printed and not checked. Bytes and requests do not. */
const VISITS = 3

test('over slow 3G with TLS and HTTP/2 the form needs three requests and 30 kB', async ({ browser, api }) => {
  const line = await startSlowLine(api.origin)
  for (let visits = 0; visits < VISITS; visits += 1) {
    const visit = await visitOnSlowPhone(browser, api.open().link.replace(api.origin, line.origin))
    console.log(`slow 3G, TLS, HTTP/2, slow phone: ${figuresOf(visit)}`)
    expect(visit.requests).toHaveLength(REQUESTS_MAX)
    expect(visit.requests.filter((url) => !url.startsWith(line.origin))).toEqual([])
    expect(visit.bytes).toBeLessThan(BYTES_MAX)
  }
  await line.stop()
})

function figuresOf({ firstPaintMs, amountMs, usableMs, bytes }: Visit): string {
  const [first, amount, usable] = [firstPaintMs, amountMs, usableMs].map(Math.round)
  const load = loadavg()[0]?.toFixed(1)
  return `first paint ${first} ms, amount ${amount} ms, usable ${usable} ms, ${bytes} bytes, load ${load}`
}

for (const language of ['fr', 'en'] as const) {
  test.describe(`in ${language}`, () => {
    test.use({ locale: `${language}-CM` })
    const say = words[language]

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
      await expect(page.getByRole('heading', { level: 1 })).toHaveText(say.succeededTitle)
    })

    test('without scripts the page says what to do', async ({ browser, api }) => {
      const context = await browser.newContext({ javaScriptEnabled: false })
      const page = await context.newPage()
      await page.goto(api.open().link)
      await expect(page.locator('noscript p[lang=fr]')).toBeVisible()
      await expect(page.locator('noscript p[lang=en]')).toBeVisible()
      await context.close()
    })

    test('the outcome is shown even if the script of its screen does not load', async ({ page, api }) => {
      await page.route(/later-/, (route) => route.abort())
      const payment = api.open()
      change(payment, paid())
      await page.goto(payment.link)
      await expect(page.getByRole('heading', { level: 1 })).toHaveText(say.succeededTitle)
      await expect(page.getByRole('status')).toHaveText(say.succeededTitle)
    })

    test('without the script that pays nothing is sent, and the payer is told', async ({ page, api }) => {
      const sent: string[] = []
      page.on('request', (request) => sent.push(request.method()))
      await page.route(/later-/, (route) => route.abort())
      await page.goto(api.open().link)
      await page.getByRole('textbox').fill('670123427')
      await page.getByRole('button', { name: say.payTitle }).click()
      await expect(page.getByRole('alert')).toHaveText(say.notReceived)
      expect(sent).not.toContain('POST')
    })

    test('the whole payment is made with a keyboard', async ({ page, api }) => {
      const payment = api.open()
      payment.confirms = [paid()]
      await page.goto(payment.link)
      await page.getByRole('button', { name: say.payTitle }).waitFor()
      await page.keyboard.press('Tab')
      await page.keyboard.type('670123427')
      await page.keyboard.press('Enter')
      await expect(page.getByRole('heading', { level: 1 })).toBeFocused()
      await page.keyboard.press('Tab')
      await expect(page.getByRole('link', { name: say.toShop('Boutique Akwa') })).toBeFocused()
    })
  })
}
