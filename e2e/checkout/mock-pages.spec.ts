import { violationsOn } from '../src/browser/violations.ts'
import { expect, heading, pay, test } from './stack/fixtures.ts'

for (const language of ['fr', 'en'] as const) {
  test.describe(`the mock’s pages, in ${language}`, () => {
    test.use({ language })

    test('the handset gives a number for a scenario, and shows its prompt with a formatted amount', async ({
      page,
      context,
      say,
      stack,
      openSale,
    }) => {
      const handset = await context.newPage()
      await handset.goto(stack.mockRails.controlUrl)
      const scenario = handset.getByRole('combobox', { name: 'Number for a scenario' })
      await scenario.selectOption({ value: '237670000000' })
      await expect(handset.locator('output')).toHaveText('6 70 00 00 00')

      await openSale([stack.mockRails.pushRail])
      await pay(page, say, '6 70 00 00 00')
      await expect(heading(page)).toHaveText(say.approveTitle)
      await handset.bringToFront()
      const newest = handset.locator('#prompts li').first()
      await expect(newest).toContainText('12,500 FCFA')
      await expect(newest).toContainText('Payment to Demo shop')
      await expect(newest).toContainText(
        language === 'fr' ? 'Paiement par Mobile Money' : 'Mobile Money payment',
      )
      for (const colorScheme of ['light', 'dark'] as const) {
        await handset.emulateMedia({ colorScheme })
        expect(await violationsOn(handset)).toEqual([])
      }
      await newest.getByRole('button', { name: /^Approve/ }).click()
      await page.bringToFront()
      await expect(heading(page)).toHaveText(say.succeededTitle)
    })

    test('the operator’s page of the mock has a picker of scenarios, and no violation of WCAG 2.2 AA', async ({
      page,
      say,
      stack,
      openSale,
    }) => {
      await openSale([stack.mockRails.redirectRail])
      await page.getByRole('button', { name: say.payAtRail('Orange Money') }).click()
      await page.waitForURL(`${stack.mockRails.wireUrl}/**`)
      await expect(page.getByText(/12.500 FCFA/).first()).toBeVisible()
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        expect(await violationsOn(page)).toEqual([])
      }
      await page.getByRole('combobox').selectOption('471')
      await page.getByRole('button', { name: /^(Payer|Pay) / }).click()
      await expect(heading(page)).toHaveText(say.declinedTitle, { timeout: 40_000 })
    })
  })
}
