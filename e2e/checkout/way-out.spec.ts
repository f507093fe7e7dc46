import { expect, heading, pay, test } from './stack/fixtures.ts'

const RIGHT = '670000001'
const RAIL = 'Orange Money'

for (const language of ['fr', 'en'] as const) {
  test.describe(`out of a payment under way, in ${language}`, () => {
    test.use({ language })
    const own = language === 'fr' ? '1' : '2'

    test('a wrong number, declined on its phone, then the right one', async ({
      page,
      say,
      stack,
      openSale,
    }) => {
      const wrong = `23767080${own}000`
      await openSale([stack.mockRails.pushRail])
      await pay(page, say, wrong)
      await page.getByRole('button', { name: say.wrongNumber }).click()
      await expect(page.getByText(say.wishWarning)).toBeVisible()
      await expect(page.getByRole('textbox')).toHaveCount(0)

      const [charge] = await stack.mockRails.control.listCharges({ msisdn: wrong })
      await stack.mockRails.control.refuseCharge(charge?.reference ?? '')
      await expect(heading(page)).toHaveText(say.payTitle)
      await expect(page.getByText(say.freeAgain).first()).toBeVisible()
      await expect(page.getByRole('textbox')).toHaveValue('')
      await pay(page, say, RIGHT)
      await expect(heading(page)).toHaveText(say.succeededTitle)
    })

    test('the rail’s page was left: another way, after the payment was declined there', async ({
      page,
      say,
      stack,
      openSale,
    }) => {
      const { sessionId } = await openSale([stack.mockRails.pushRail, stack.mockRails.redirectRail])
      await page.getByRole('radio', { name: RAIL }).check()
      await page.getByRole('button', { name: say.payAtRail(RAIL) }).click()
      await page.waitForURL(`${stack.mockRails.wireUrl}/**`)
      await page.getByRole('link', { name: /^(Annuler|Cancel)/ }).click()
      await page.waitForURL(`**/c/${sessionId}*`)
      await page.getByRole('button', { name: say.otherWay }).click()
      await expect(page.getByText(say.atRailStays(RAIL))).toBeVisible()

      await page.getByRole('button', { name: say.toRail(new URL(stack.mockRails.wireUrl).host) }).click()
      await page.waitForURL(`${stack.mockRails.wireUrl}/**`)
      await page.getByRole('button', { name: /^(Refuser|Refuse)/ }).click()
      await expect(heading(page)).toHaveText(say.payTitle, { timeout: 40_000 })
      await expect(page.getByRole('radio').first()).toBeChecked()
      await page.getByRole('textbox').fill(RIGHT)
      await page.keyboard.press('Enter')
      await expect(heading(page)).toHaveText(say.succeededTitle)
    })
  })
}
