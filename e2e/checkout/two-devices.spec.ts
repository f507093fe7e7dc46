import { expect, heading, pay, payButton, test } from './stack/fixtures.ts'

const DESKTOP = { width: 1280, height: 800 }

for (const language of ['fr', 'en'] as const) {
  test.describe(`at a computer, in ${language}`, () => {
    test.use({ language, viewport: DESKTOP })

    test('the page shows its link as a code, but not one of this computer alone, and the payment made on the phone', async ({
      page,
      browser,
      say,
      stack,
      openSale,
    }) => {
      const { link } = await openSale([stack.mockRails.pushRail])
      await expect(payButton(page, say)).toBeVisible()
      await expect(page.getByText(say.onPhoneTitle)).toHaveCount(0)
      await page.goto(link.replace('127.0.0.1', 'pay.example'))
      await expect(page.getByText(say.onPhoneTitle)).toBeVisible()
      await expect(page.locator('svg.qr path')).toHaveCount(1)

      const phone = await browser.newContext({
        locale: `${language}-CM`,
        viewport: { width: 360, height: 740 },
        hasTouch: true,
        isMobile: true,
      })
      const onPhone = await phone.newPage()
      const asked: string[] = []
      onPhone.on('request', (request) => asked.push(request.url()))
      await onPhone.goto(link)
      await pay(onPhone, say, '670000001')
      await expect(heading(onPhone)).toHaveText(say.succeededTitle)
      expect(asked.filter((url) => url.includes('qr-code'))).toEqual([])
      await expect(heading(page)).toHaveText(say.succeededTitle)
      await phone.close()
    })
  })
}
