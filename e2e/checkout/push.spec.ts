import type { Stack } from '@merchant-payments/stack'
import { expect, heading, pay, payButton, test } from './stack/fixtures.ts'
import { SHOP } from './stack/shop.ts'

/** The last digits decide what the mock does. Numbers ending in 000 wait for a person; each test has its own. */
const APPROVES = '+237 6 70 00 00 01'
const LACKS_FUNDS = '670 000 470'

/** The charge whose prompt is on this number's handset. */
async function chargeOf({ mockRails }: Stack, msisdn: string): Promise<string> {
  const charges = await mockRails.control.listCharges({ msisdn, rail: 'mtn' })
  return charges.at(-1)?.reference ?? ''
}

const promptsOf = async ({ mockRails }: Stack, msisdn: string): Promise<number> =>
  (await mockRails.control.listPrompts({ msisdn })).length

for (const language of ['fr', 'en'] as const) {
  test.describe(`by push, in ${language}`, () => {
    test.use({ language })
    const own = language === 'fr' ? '1' : '2'

    test('paid with the example number of the form, and back to the shop', async ({
      page,
      say,
      stack,
      shop,
      openSale,
    }) => {
      const sale = await openSale([stack.mockRails.pushRail])
      const example = say.numberHint.replaceAll(/\D/g, '')
      await pay(page, say, example)
      await expect(heading(page)).toHaveText(say.succeededTitle)
      const receipt = page.getByRole('region', { name: say.receiptTitle })
      await expect(receipt.getByText(say.receiptTransaction)).toBeVisible()
      await expect(receipt.getByText(/^\d{9,}$/)).toBeVisible()
      await expect(page.getByText(sale.intentId)).toHaveCount(0)
      await expect(page.getByRole('link', { name: say.sendByWhatsApp })).not.toHaveAttribute(
        'href',
        new RegExp(`secret|${sale.sessionId}|${example}`),
      )
      const download = page.waitForEvent('download')
      await page.getByRole('button', { name: say.saveImage }).click()
      expect((await download).suggestedFilename()).toBe(say.receiptFile)
      expect((await shop.payments.paymentIntents.retrieve(sale.intentId)).status).toBe('succeeded')

      await page.getByRole('link', { name: say.toShop('Demo shop') }).click()
      await page.waitForURL(`${SHOP}/merci?session=${sale.sessionId}`)
      await page.goBack()
      await expect(heading(page)).toHaveText(say.succeededTitle)
    })

    test('refused for lack of money, then paid with another number', async ({
      page,
      say,
      stack,
      openSale,
    }) => {
      await openSale([stack.mockRails.pushRail])
      await pay(page, say, LACKS_FUNDS)
      await expect(heading(page)).toHaveText(say.declinedTitle)
      await expect(
        page.getByText(language === 'fr' ? 'Le solde ne suffit pas' : 'There is not enough money'),
      ).toBeVisible()
      await page.getByRole('button', { name: say.otherNumber }).click()
      await pay(page, say, APPROVES)
      await expect(heading(page)).toHaveText(say.succeededTitle)
    })

    test('a prompt that nobody answers, until it expires', async ({ page, say, stack, openSale }) => {
      const msisdn = `23767010${own}000`
      await openSale([stack.mockRails.pushRail])
      await pay(page, say, msisdn)
      await expect(heading(page)).toHaveText(say.approveTitle)
      await expect(page.getByRole('link', { name: say.dial('*126#') })).toBeVisible({ timeout: 30_000 })
      await stack.mockRails.control.expireCharge(await chargeOf(stack, msisdn))
      await expect(heading(page)).toHaveText(say.declinedTitle)
      await expect(
        page.getByText(language === 'fr' ? 'pas été confirmée à temps' : 'not confirmed in time'),
      ).toBeVisible()
    })

    test('a late success, after the decline was shown', async ({ page, say, stack, openSale }) => {
      const msisdn = `23767000${own}480`
      await openSale([stack.mockRails.pushRail])
      await pay(page, say, msisdn)
      await expect(heading(page)).toHaveText(say.declinedTitle)
      await expect(heading(page)).toHaveText(say.succeededTitle, { timeout: 75_000 })
      expect(await promptsOf(stack, msisdn)).toBe(1)
    })

    test('a late success while a second request is open: not to be confirmed, and not paid twice', async ({
      page,
      say,
      stack,
      openSale,
    }) => {
      const [late, second] = [`23767001${own}480`, `23767002${own}000`]
      await openSale([stack.mockRails.pushRail])
      await pay(page, say, late)
      await expect(heading(page)).toHaveText(say.declinedTitle)
      await page.getByRole('button', { name: say.otherNumber }).click()
      await pay(page, say, second)
      await expect(heading(page)).toHaveText(say.approveTitle)
      await expect(heading(page)).toHaveText(say.succeededTitle, { timeout: 75_000 })
      const warning = page.locator('.wait', { hasText: /6.••.••.••.00/ })
      await expect(warning).toBeVisible()
      await expect(page.getByRole('status')).toHaveText((await warning.textContent()) ?? '')
      await expect(page.getByRole('region', { name: say.receiptTitle })).toBeVisible()

      await stack.mockRails.control.refuseCharge(await chargeOf(stack, second))
      await expect(warning).toHaveCount(0, { timeout: 30_000 })
      await expect(heading(page)).toHaveText(say.succeededTitle)
    })

    test('a double click, and a second tab: one prompt', async ({ page, context, say, stack, openSale }) => {
      const msisdn = `23767020${own}000`
      const { link } = await openSale([stack.mockRails.pushRail])
      const second = await context.newPage()
      await second.goto(link)
      await second.getByRole('textbox').fill(msisdn)
      await page.getByRole('textbox').fill(msisdn)
      await Promise.all([payButton(page, say).dblclick(), payButton(second, say).click()])
      await expect(heading(page)).toHaveText(say.approveTitle)
      await expect(heading(second)).toHaveText(say.approveTitle)
      expect(await promptsOf(stack, msisdn)).toBe(1)

      await stack.mockRails.control.approveCharge(await chargeOf(stack, msisdn))
      await expect(heading(page)).toHaveText(say.succeededTitle)
      await second.bringToFront()
      await expect(heading(second)).toHaveText(say.succeededTitle)
    })

    test('the tab is closed and the link opened again in the middle', async ({
      page,
      context,
      say,
      stack,
      openSale,
    }) => {
      const msisdn = `23767030${own}000`
      const { link } = await openSale([stack.mockRails.pushRail])
      await pay(page, say, msisdn)
      await expect(heading(page)).toHaveText(say.approveTitle)
      await page.goto('about:blank')
      const later = await context.newPage()
      await later.goto(link)
      await expect(heading(later)).toHaveText(say.approveTitle)
      await expect(later.getByRole('textbox')).toHaveCount(0)
      await stack.mockRails.control.approveCharge(await chargeOf(stack, msisdn))
      await expect(heading(later)).toHaveText(say.succeededTitle)
      expect(await promptsOf(stack, msisdn)).toBe(1)
      await page.goto(link)
    })
  })
}
