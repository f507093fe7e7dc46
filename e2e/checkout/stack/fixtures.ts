import { type Page, test as base } from '@playwright/test'
import { words, type Words } from '@merchant-payments/checkout-web/words'
import { type Stack, startStack } from '@merchant-payments/stack'
import { watchLeaks } from './leaks.ts'
import { settleUp } from './settle-up.ts'
import { openShop, type Sale, SHOP, type Shop } from './shop.ts'

export { expect } from '@playwright/test'

type Language = 'fr' | 'en'

interface Story {
  readonly language: Language
  readonly say: Words
  /** Sells something over these rails, and opens the link as its payer. */
  readonly openSale: (rails: readonly string[]) => Promise<Sale>
}

interface World {
  readonly stack: Stack
  readonly shop: Shop
}

/** The whole system and a payer. At the end of each story, the payment's secret must not have leaked. */
export const test = base.extend<Story, World>({
  language: ['fr', { option: true }],
  locale: ({ language }, use) => use(`${language}-CM`),
  say: ({ language }, use) => use(words[language]),
  stack: [
    // oxlint-disable-next-line no-empty-pattern -- Playwright reads a fixture's needs from this pattern
    async ({}, use) => {
      const stack = await startStack({
        checkoutPage: true,
        mockRailsSettings: {
          mtn: { autoApproveAfterMs: 300, lateSuccessAfterMs: 4_000 },
          orange: { decidesAfterMs: 300 },
        },
      })
      await use(stack)
      const faults = await settleUp(stack)
      await stack.stop()
      base.expect(faults).toEqual([])
    },
    { scope: 'worker', timeout: 180_000 },
  ],
  shop: [async ({ stack }, use) => use(await openShop(stack)), { scope: 'worker' }],
  openSale: async ({ page, shop, stack }, use) => {
    const sales: Sale[] = []
    const witness = watchLeaks(page)
    await page.route(`${SHOP}/**`, (route) => route.fulfill({ body: 'shop' }))
    await use(async (rails) => {
      const sale = await shop.sell(rails)
      sales.push(sale)
      await page.goto(sale.link)
      return sale
    })
    for (const { secret } of sales) {
      base.expect(await witness.leaks(secret)).toEqual([])
      base.expect(await placesThatKnow(stack, secret)).toEqual([])
    }
  },
})

/** The places that contain the secret, among the logs of all processes and all calls to the rails. */
async function placesThatKnow({ api, worker, mockRails }: Stack, secret: string): Promise<string[]> {
  const calls = await mockRails.control.listCalls({ limit: 1_000 })
  const places = {
    'the api’s log': api.lines().join('\n'),
    'the worker’s log': worker.lines().join('\n'),
    'a rail': JSON.stringify(calls),
  }
  return Object.entries(places)
    .filter(([, text]) => text.includes(secret))
    .map(([place]) => place)
}

/** Pays from this number. Its last three digits choose what the mock does. */
export async function pay(page: Page, say: Words, number: string): Promise<void> {
  await page.getByRole('textbox').fill(number)
  await payButton(page, say).click()
}

/** Matches any space in the amount, because ICU versions differ. */
export const payButton = (page: Page, say: Words) =>
  page.getByRole('button', { name: new RegExp(`^${say.payTitle} .*12.500`) })

export const heading = (page: Page) => page.getByRole('heading', { level: 1 })
