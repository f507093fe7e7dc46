import type { Page } from '@playwright/test'
import { expect, heading, pay, payButton, test } from './stack/fixtures.ts'

const PAYS = '699000001'
const REFUSES = '699000451'
const RAIL = 'Orange Money'

/** Pays on the operator's page, which is in the language that the confirm named. */
async function payAtOrange(page: Page, number: string): Promise<void> {
  await page.getByRole('textbox').first().fill(number)
  await page.getByRole('textbox').last().fill('1234')
  await page.getByRole('button').first().click()
}

for (const language of ['fr', 'en'] as const) {
  test.describe(`by redirect, in ${language}`, () => {
    test.use({ language })

    test('paid at the rail’s page', async ({ page, say, stack, openSale }) => {
      const { sessionId } = await openSale([stack.mockRails.redirectRail])
      await page.getByRole('button', { name: say.payAtRail(RAIL) }).click()
      await page.waitForURL(`${stack.mockRails.wireUrl}/**`)
      expect(await page.evaluate('document.referrer')).toBe('')
      await payAtOrange(page, PAYS)
      await page.waitForURL(`**/c/${sessionId}*`)
      await expect(heading(page)).toHaveText(say.succeededTitle)
    })

    test('left without paying, resumed, and paid', async ({ page, say, stack, openSale }) => {
      const { sessionId } = await openSale([stack.mockRails.redirectRail])
      await page.getByRole('button', { name: say.payAtRail(RAIL) }).click()
      await page.waitForURL(`${stack.mockRails.wireUrl}/**`)
      await page.goBack()
      await page.waitForURL(`**/c/${sessionId}*`)
      await expect(heading(page)).toHaveText(say.atRailTitle(RAIL))
      await page.getByRole('button', { name: say.toRail(new URL(stack.mockRails.wireUrl).host) }).click()
      await page.waitForURL(`${stack.mockRails.wireUrl}/**`)
      await payAtOrange(page, PAYS)
      await expect(heading(page)).toHaveText(say.succeededTitle)
      expect(await stack.mockRails.control.listCharges({ rail: 'orange', msisdn: `237${PAYS}` })).toBeTruthy()
    })

    test('canceled at the rail’s page, then back there and paid', async ({ page, say, stack, openSale }) => {
      const { sessionId } = await openSale([stack.mockRails.redirectRail])
      await page.getByRole('button', { name: say.payAtRail(RAIL) }).click()
      await page.waitForURL(`${stack.mockRails.wireUrl}/**`)
      await page.locator('a.button').click()
      await page.waitForURL(`**/c/${sessionId}*`)
      await expect(heading(page)).toHaveText(say.atRailTitle(RAIL))
      await page.goBack()
      await page.waitForURL(`${stack.mockRails.wireUrl}/**`)
      await payAtOrange(page, PAYS)
      await page.waitForURL(`**/c/${sessionId}*`)
      await expect(heading(page)).toHaveText(say.succeededTitle)
    })

    test('refused at the rail’s page, then paid', async ({ page, say, stack, openSale }) => {
      await openSale([stack.mockRails.redirectRail])
      await page.getByRole('button', { name: say.payAtRail(RAIL) }).click()
      await page.waitForURL(`${stack.mockRails.wireUrl}/**`)
      await payAtOrange(page, REFUSES)
      await expect(heading(page)).toHaveText(say.declinedTitle, { timeout: 40_000 })
      await page.getByRole('button', { name: say.tryAgain }).click()
      await page.getByRole('button', { name: say.payAtRail(RAIL) }).click()
      await page.waitForURL(`${stack.mockRails.wireUrl}/**`)
      await payAtOrange(page, PAYS)
      await expect(heading(page)).toHaveText(say.succeededTitle)
    })

    test('the number proposes the operator, which can be changed', async ({ page, say, stack, openSale }) => {
      await openSale([stack.mockRails.pushRail, stack.mockRails.redirectRail])
      const number = page.getByRole('textbox')
      await number.fill(PAYS)
      await expect(page.getByRole('radio', { name: RAIL })).toBeChecked()
      await expect(page.getByText(say.railProposed(RAIL))).toBeVisible()
      await expect(page.getByRole('button', { name: say.payAtRail(RAIL) })).toBeVisible()
      await page.getByRole('radio').first().check()
      await expect(payButton(page, say)).toBeVisible()
      await number.fill('670000001')
      await expect(page.getByRole('radio').first()).toBeChecked()
      await page.keyboard.press('Enter')
      await expect(heading(page)).toHaveText(say.succeededTitle)
    })

    test('a number of no operator is told before it is sent', async ({ page, say, stack, openSale }) => {
      await openSale([stack.mockRails.pushRail])
      await pay(page, say, '222 00 00 01')
      await expect(page.getByRole('alert')).toContainText(say.numberFitsNone(['MTN']).split('MTN')[0] ?? '')
      expect(await stack.mockRails.control.listPrompts({ msisdn: '237222000001' })).toEqual([])
      await page.getByRole('textbox').fill('670000001')
      await page.keyboard.press('Enter')
      await expect(heading(page)).toHaveText(say.succeededTitle)
    })
  })
}
