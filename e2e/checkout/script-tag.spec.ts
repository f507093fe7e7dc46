import { readFileSync } from 'node:fs'
import { expect, test } from './stack/fixtures.ts'
import { SHOP } from './stack/shop.ts'

const packageFolder = new URL('../../packages/payer-client/', import.meta.url)
const readme = readFileSync(new URL('README.md', packageFolder), 'utf8')
const script = readFileSync(new URL('dist/payer-client.min.js', packageFolder), 'utf8')
const formScript = readFileSync(new URL('dist/payment-form.min.js', packageFolder), 'utf8')

/** The addresses and keys of the example. */
const SERVICE = 'https://payments.example.com'
const PUBLISHABLE_KEY = 'pk_live_shop'
const CLIENT_SECRET = 'pi_…_secret_…'

const [example = '', element = '', elementScript = ''] = [...readme.matchAll(/^```html\n(.*?)^```$/gms)].map(
  ([, html = '']) => html,
)

test.describe('the page of the README without a bundler', () => {
  test('takes a payment, and shows it after a reload', async ({ page, shop, stack }) => {
    const { client_secret: secret = '' } = await shop.payments.paymentIntents.create({
      amount: 5_000,
      currency: 'XAF',
      payment_method_types: [stack.mockRails.pushRail],
    })
    const html = example.replace(PUBLISHABLE_KEY, stack.publishableKey).replace(CLIENT_SECRET, secret)
    await page.route(`${SHOP}/**`, (route) => route.fulfill({ body: html, contentType: 'text/html' }))
    await page.route(`${SHOP}/payer-client.min.js`, (route) =>
      route.fulfill({ body: script, contentType: 'text/javascript' }),
    )
    await page.route(`${SERVICE}/**`, async (route) => {
      const url = route.request().url().replace(SERVICE, stack.baseUrl)
      await route.fulfill({ response: await route.fetch({ url }) })
    })
    await page.goto(`${SHOP}/order`)
    await page.getByLabel('Your number').fill('+237 6 70 00 00 01')
    await page.getByRole('button').click()
    await expect(page.getByRole('status')).toHaveText('succeeded')
    await page.reload()
    await expect(page.getByRole('status')).toHaveText('succeeded')
  })

  test('refuses a script that differs from the one of the README', async ({ page }) => {
    await page.route(`${SHOP}/**`, (route) => route.fulfill({ body: example, contentType: 'text/html' }))
    await page.route(`${SHOP}/payer-client.min.js`, (route) =>
      route.fulfill({ body: `${script};`, contentType: 'text/javascript' }),
    )
    const errors: string[] = []
    page.on('pageerror', ({ message }) => errors.push(message))
    await page.goto(`${SHOP}/order`)
    await expect.poll(() => errors).toEqual(['PayerClient is not defined'])
  })
})

for (const language of ['fr', 'en'] as const) {
  test.describe(`the form of the README without a bundler, in ${language}`, () => {
    test.use({ language })

    test('takes a payment over https, and its script has the texts', async ({ page, say, shop, stack }) => {
      const { client_secret: secret = '' } = await shop.payments.checkout.sessions.create({
        amount: 5_000,
        currency: 'XAF',
        payment_method_types: [stack.mockRails.pushRail],
        ui_mode: 'embedded',
        return_url: `${SHOP}/order`,
      })
      const html = element.replace(/client-secret="[^"]*"/, `client-secret="${secret}"`) + elementScript
      await page.route(`${SHOP}/**`, (route) => route.fulfill({ body: html, contentType: 'text/html' }))
      await page.route(`${SHOP}/payment-form.min.js`, (route) =>
        route.fulfill({ body: formScript, contentType: 'text/javascript' }),
      )
      await page.route(`${SERVICE}/**`, async (route) => {
        const url = route.request().url().replace(SERVICE, stack.baseUrl)
        await route.fulfill({ response: await route.fetch({ url }) })
      })
      await page.goto(`${SHOP}/order`)
      await page.getByRole('textbox').fill('670000001')
      await page.getByRole('button').click()
      await expect(page.getByRole('heading', { level: 2 })).toHaveText(say.succeededTitle)
    })
  })
}
