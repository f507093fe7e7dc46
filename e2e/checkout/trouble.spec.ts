import { expect, heading, pay, payButton, test } from './stack/fixtures.ts'

for (const language of ['fr', 'en'] as const) {
  test.describe(`trouble, in ${language}`, () => {
    test.use({ language })
    const own = language === 'fr' ? '1' : '2'

    test('offline in the middle', async ({ page, context, say, stack, openSale }) => {
      const msisdn = `23767040${own}000`
      await openSale([stack.mockRails.pushRail])
      await pay(page, say, msisdn)
      await expect(heading(page)).toHaveText(say.approveTitle)
      await context.setOffline(true)
      await expect(page.getByRole('status')).toHaveText(say.offline)
      const [charge] = await stack.mockRails.control.listCharges({ msisdn })
      await stack.mockRails.control.approveCharge(charge?.reference ?? '')
      await context.setOffline(false)
      await expect(heading(page)).toHaveText(say.succeededTitle)
    })

    test('offline before the press of the button', async ({ page, context, say, stack, openSale }) => {
      const msisdn = `23767050${own}001`
      await openSale([stack.mockRails.pushRail])
      await payButton(page, say).waitFor()
      // The payer client is fetched last.
      await page.waitForLoadState('networkidle')
      await context.setOffline(true)
      await pay(page, say, msisdn)
      await expect(heading(page)).toHaveText(say.unsureTitle)
      await context.setOffline(false)
      await expect(heading(page)).toHaveText(say.succeededTitle)
      expect(await stack.mockRails.control.listPrompts({ msisdn })).toHaveLength(1)
    })

    test('offline before the page has fetched what pays', async ({ page, say, stack, openSale }) => {
      const msisdn = `23767051${own}001`
      await page.route(/\/later-[^/]*\.js$/, (route) => route.abort('internetdisconnected'))
      await openSale([stack.mockRails.pushRail])
      await pay(page, say, msisdn)
      await expect(page.getByRole('alert')).toHaveText(say.notReceived)
      expect(await stack.mockRails.control.listPrompts({ msisdn })).toEqual([])
      await page.unroute(/\/later-[^/]*\.js$/)
      await payButton(page, say).click()
      await expect(heading(page)).toHaveText(say.succeededTitle)
      expect(await stack.mockRails.control.listPrompts({ msisdn })).toHaveLength(1)
    })

    test('the session ends under the payer', async ({ page, say, stack, shop, openSale }) => {
      const { sessionId } = await openSale([stack.mockRails.pushRail])
      await payButton(page, say).waitFor()
      await shop.payments.checkout.sessions.expire(sessionId)
      await pay(page, say, '670000001')
      await expect(heading(page)).toHaveText(say.expiredTitle)
      await expect(page.getByRole('link', { name: say.toShop('Demo shop') })).toBeVisible()
    })

    test('the merchant cancels under the payer', async ({ page, say, stack, shop, openSale }) => {
      const { intentId } = await openSale([stack.mockRails.pushRail])
      await pay(page, say, `23767060${own}000`)
      await expect(heading(page)).toHaveText(say.approveTitle)
      await shop.payments.paymentIntents.cancel(intentId)
      await expect(heading(page)).toHaveText(say.canceledTitle)
    })

    test('the api is killed and restarted under the payer', async ({ page, say, stack, openSale }) => {
      const msisdn = `23767070${own}000`
      await openSale([stack.mockRails.pushRail])
      await pay(page, say, msisdn)
      await expect(heading(page)).toHaveText(say.approveTitle)
      stack.api.kill('SIGKILL')
      await stack.api.exited
      await expect(page.getByRole('status')).toHaveText(say.noAnswer)
      await expect(heading(page)).toHaveText(say.approveTitle)
      await stack.api.restart()
      const [charge] = await stack.mockRails.control.listCharges({ msisdn })
      await stack.mockRails.control.approveCharge(charge?.reference ?? '')
      await expect(heading(page)).toHaveText(say.succeededTitle, { timeout: 40_000 })
    })

    test('an invalid number', async ({ page, say, stack, openSale }) => {
      await openSale([stack.mockRails.pushRail])
      await pay(page, say, '12')
      await expect(page.getByRole('alert')).toHaveText(say.numberRefused)
      await pay(page, say, 'tel:(+237)-670.00/00 (01)')
      await expect(heading(page)).toHaveText(say.succeededTitle)
    })
  })
}
