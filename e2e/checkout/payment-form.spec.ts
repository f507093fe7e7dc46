import { words } from '@merchant-payments/checkout-web/words'
import { type Shop, startShop } from '@merchant-payments/example-shop'
import { texts } from '@merchant-payments/example-shop/texts'
import type { Stack } from '@merchant-payments/stack'
import type { Page } from '@playwright/test'
import { readFile } from 'node:fs/promises'
import { refusedByPolicy } from '../src/browser/page-checks.ts'
import { violationsOn } from '../src/browser/violations.ts'
import { expect, test as base } from './stack/fixtures.ts'

const APPROVES = '670000001'
const RAIL = 'Orange Money'
const SMALLEST = { width: 320, height: 568 }

/** The example shop, whose own page has the form. */
const test = base.extend<object, { exampleShop: Shop }>({
  exampleShop: [
    async ({ stack }, use) => {
      const shop = await startShop(await settingsOf(stack))
      await use(shop)
      await shop.stop()
    },
    { scope: 'worker' },
  ],
})

const settingsOf = async (stack: Stack) => ({
  baseUrl: stack.baseUrl,
  clientId: stack.clientId,
  privateKey: await readFile(stack.privateKeyFile, 'utf8'),
  publishableKey: stack.publishableKey,
  webhookSecrets: stack.webhook?.secrets ?? [],
  rails: [stack.mockRails.pushRail, stack.mockRails.redirectRail],
  keyId: undefined,
  receivedUrl: stack.webhook?.receivedUrl ?? '',
})

const title = (page: Page) => page.getByRole('heading', { level: 2 })

/** Buys something, up to the shop's page with the form. Returns what its policy refused so far. */
async function buy(page: Page, { origin }: Shop): Promise<string[]> {
  const refusals = refusedByPolicy(page)
  await page.goto(origin)
  await page.locator('button[value=embedded]').click()
  await page.getByRole('textbox').waitFor()
  return refusals
}

async function expectAccessible(page: Page): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    expect(await violationsOn(page, { bestPractice: true })).toEqual([])
  }
}

for (const language of ['fr', 'en'] as const) {
  test.describe(`the form in the shop’s own page, in ${language}`, () => {
    test.use({ language })
    const say = words[language]
    const own = language === 'fr' ? '1' : '2'

    test('paid by push, and the shop’s webhook settles the order', async ({ page, exampleShop }) => {
      const refusals = await buy(page, exampleShop)
      await expectAccessible(page)
      await page.getByRole('textbox').fill(APPROVES)
      await expect(page.getByRole('radio').first()).toBeChecked()
      await page.getByRole('button', { name: new RegExp(`^${say.payTitle} .*2.500`) }).click()
      await expect(title(page)).toHaveText(say.succeededTitle)
      await expect(page).toHaveTitle(texts[language].paidTitle)
      await expect(page.getByText(texts[language].thanks)).toBeVisible()
      await expectAccessible(page)
      expect(refusals).toEqual([])
      await page.getByRole('link', { name: texts[language].yourOrder }).click()
      await expect(page.getByText(texts[language].paid)).toBeVisible()
    })

    test('paid at the rail’s page, which the number proposed', async ({ page, exampleShop, stack }) => {
      const refusals = await buy(page, exampleShop)
      await page.getByRole('textbox').fill('699000001')
      await expect(page.getByText(say.railProposed(RAIL))).toBeVisible()
      await page.getByRole('button', { name: say.payAtRail(RAIL) }).click()
      await page.waitForURL(`${stack.mockRails.wireUrl}/**`)
      await page.getByRole('textbox').first().fill('699000001')
      await page.getByRole('textbox').last().fill('1234')
      await page.getByRole('button').first().click()
      await page.waitForURL(`${exampleShop.origin}/**`)
      await expect(title(page)).toHaveText(say.succeededTitle)
      expect(refusals).toEqual([])
    })

    test('refused, then paid with another number', async ({ page, exampleShop }) => {
      await buy(page, exampleShop)
      await page.getByRole('textbox').fill('670000470')
      await page.keyboard.press('Enter')
      await expect(title(page)).toHaveText(say.declinedTitle)
      await expect(title(page)).toBeFocused()
      await expectAccessible(page)
      await page.getByRole('button', { name: say.otherNumber }).click()
      await expect(page.getByRole('textbox')).toHaveValue('')
      await page.getByRole('textbox').fill(APPROVES)
      await page.keyboard.press('Enter')
      await expect(title(page)).toHaveText(say.succeededTitle)
    })

    test('a late success while a second request is open: not to be confirmed', async ({
      page,
      exampleShop,
      stack,
    }) => {
      const second = `23767089${own}000`
      await buy(page, exampleShop)
      await page.getByRole('textbox').fill(`67008${own}480`)
      await page.keyboard.press('Enter')
      await expect(title(page)).toHaveText(say.declinedTitle)
      await page.getByRole('button', { name: say.otherNumber }).click()
      await page.getByRole('textbox').fill(second)
      await page.keyboard.press('Enter')
      await expect(title(page)).toHaveText(say.succeededTitle, { timeout: 75_000 })
      const warning = page.locator('p.wait', { hasText: /6.••.••.••.00/ })
      await expect(warning).toBeVisible()
      await expectAccessible(page)
      const [charge] = await stack.mockRails.control.listCharges({ msisdn: second })
      await stack.mockRails.control.refuseCharge(charge?.reference ?? '')
      await expect(warning).toHaveCount(0, { timeout: 30_000 })
    })

    test('a reload and a wrong number while the handset waits', async ({ page, exampleShop, stack }) => {
      const msisdn = `23767088${own}000`
      await buy(page, exampleShop)
      await page.getByRole('textbox').fill(msisdn)
      await page.keyboard.press('Enter')
      await expect(title(page)).toHaveText(say.approveTitle)
      await page.reload()
      await expect(title(page)).toHaveText(say.approveTitle)
      await expect(page.getByText(/6.••.••.••.00/)).toBeVisible()
      await page.getByRole('button', { name: say.wrongNumber }).click()
      await expect(page.getByText(say.wishWarning)).toBeVisible()
      await expectAccessible(page)
      const [charge] = await stack.mockRails.control.listCharges({ msisdn })
      await stack.mockRails.control.refuseCharge(charge?.reference ?? '')
      await page.getByRole('textbox').fill(APPROVES)
      await expect(page.getByText(say.freeAgain).first()).toBeVisible()
      await page.keyboard.press('Enter')
      await expect(title(page)).toHaveText(say.succeededTitle)
    })

    test('has the shop’s look, and nothing is cut off on a small screen with large text', async ({
      page,
      exampleShop,
    }) => {
      await buy(page, exampleShop)
      const button = page.getByRole('button')
      await expect(button).toHaveCSS('background-color', 'rgb(111, 59, 22)')
      await expect(button).toHaveCSS('border-radius', '4px')
      await page.setViewportSize(SMALLEST)
      await page.evaluate("document.documentElement.style.fontSize = '200%'")
      const overflow = await page.evaluate(
        'document.documentElement.scrollWidth - document.documentElement.clientWidth',
      )
      expect(overflow).toBe(0)
      await page.getByRole('textbox').fill('222000001')
      await button.click()
      await expect(page.getByRole('alert')).toHaveText(say.railMissing)
      await expect(page.getByRole('textbox')).toHaveAttribute('aria-invalid', 'true')
    })
  })
}

test.describe('the form in the shop’s own page, which moves it', () => {
  test.use({ language: 'en' })

  test('tells the outcome once', async ({ page, exampleShop }) => {
    const refusals = await buy(page, exampleShop)
    const form = "document.querySelector('merchant-payment-form')"
    await page.evaluate(`self.outcomes = []
      ${form}.addEventListener('outcome', ({ detail }) => outcomes.push(detail.outcome))`)
    await page.getByRole('textbox').fill(APPROVES)
    await page.keyboard.press('Enter')
    await expect(title(page)).toHaveText(words.en.succeededTitle)
    const readAgain = page.waitForResponse(/\/v1\/browser\/checkout\/sessions\//)
    await page.evaluate(`document.body.appendChild(document.createElement('div')).append(${form})`)
    await (await readAgain).finished()
    await expect(title(page)).toHaveText(words.en.succeededTitle)
    expect(await page.evaluate('self.outcomes')).toEqual(['succeeded'])
    expect(refusals).toEqual([])
  })
})
