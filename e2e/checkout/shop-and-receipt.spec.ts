import { mtn, orange, paid, refused, START_MS, waiting } from '@merchant-payments/checkout-web/wire'
import { words } from '@merchant-payments/checkout-web/words'
import type { Page } from '@playwright/test'
import { readFile } from 'node:fs/promises'
import { expect, test } from './scripted/fixtures.ts'
import { change } from './scripted/scripted-api.ts'

const SHOP = 'Librairie des Peuples'
const GOODS = 'Trois cahiers et un dictionnaire'
/** Wider than a receipt. */
const ORDER = 'COMMANDE-2026-11-21-BONAPRISO-0001042-LIVRAISON'
const NUMBER = '670123427'
const LATE_SUCCESS_MAX_MS = 10_000

/** How many pixels of a saved receipt's last columns are not white. A text that leaves the image marks them. */
async function marksAtEdge(page: Page, path: string): Promise<number> {
  const image = await readFile(path, 'base64')
  const probe = await page.context().newPage()
  const marks = await probe.evaluate<number>(`(async () => {
    const answer = await fetch('data:image/png;base64,${image}')
    const picture = await createImageBitmap(await answer.blob())
    const context = new OffscreenCanvas(picture.width, picture.height).getContext('2d')
    context.drawImage(picture, 0, 0)
    const { data } = context.getImageData(picture.width - 8, 0, 8, picture.height)
    return data.filter((byte) => byte !== 255).length
  })()`)
  await probe.close()
  return marks
}

const heading = (page: Page) => page.getByRole('heading', { level: 1 })

for (const language of ['fr', 'en'] as const) {
  test.describe(`what a payer sees of the shop, in ${language}`, () => {
    test.use({ locale: `${language}-CM` })
    const say = words[language]
    const shop = { name: SHOP, accent_color: '#6a1b9a', logo: null }

    test('its name, what is bought and a way back, on the form, after a reload and after a decline', async ({
      page,
      api,
    }) => {
      const payment = api.open({ merchant: shop, rails: [mtn, orange] })
      change(payment, { description: GOODS })
      payment.confirms = [refused('insufficient_funds')]
      await page.goto(payment.link)
      await expect(page.getByText(GOODS)).toBeVisible()
      await expect(page).toHaveTitle(`${say.payTitle} · ${SHOP}`)
      const back = page.getByRole('link', { name: say.toShop(SHOP) })
      await expect(back).toHaveAttribute('href', 'https://shop.example/panier')
      await page.getByRole('textbox').fill(NUMBER)
      await expect(page.getByRole('button', { name: say.payTitle })).toHaveCSS(
        'background-color',
        'rgb(106, 27, 154)',
      )
      await page.reload()
      await expect(page.getByRole('textbox')).toHaveValue(NUMBER)
      await page.keyboard.press('Tab')
      await page.getByRole('textbox').press('Enter')
      await expect(heading(page)).toHaveText(say.declinedTitle)
      await expect(back).toBeVisible()
      await expect(page).toHaveTitle(`${say.declinedTitle} · ${SHOP}`)
    })

    test('a receipt with both masked numbers, to share, send, save and print', async ({ page, api }) => {
      await page.addInitScript('navigator.share = async (data) => { window.shared = data }')
      const payment = api.open({ merchant: shop })
      change(payment, { ...paid(), description: `${GOODS} ${ORDER}` })
      await page.goto(payment.link)
      for (const [name, value] of [
        [say.receiptMerchant, SHOP],
        [say.receiptOrder, `${GOODS} ${ORDER}`],
        [say.receiptAmount, /^12.500.FCFA$/],
        [say.receiptMeans, 'MTN Mobile Money'],
        [say.receiptPayer, /^6.••.••.••.27$/],
        [say.receiptPayee, /^6.••.••.••.90$/],
        [say.receiptDate, /2026.*12:03/],
        [say.receiptTransaction, '17677469451'],
      ] as const) {
        await expect(page.locator('dl > div').filter({ hasText: name }).locator('dd')).toHaveText(value)
      }
      await page.getByRole('button', { name: say.share }).click()
      const shared = await page.evaluate<{ text: string }>('window.shared')
      const link = await page.getByRole('link', { name: say.sendByWhatsApp }).getAttribute('href')
      for (const text of [shared.text, decodeURIComponent(link ?? '')]) {
        expect(text).toContain('17677469451')
        expect(text).not.toContain(payment.secret)
      }
      const download = page.waitForEvent('download')
      await page.getByRole('button', { name: say.saveImage }).click()
      expect((await download).suggestedFilename()).toBe(say.receiptFile)
      expect(await marksAtEdge(page, await (await download).path())).toBe(0)
      await page.emulateMedia({ media: 'print' })
      await expect(page.getByRole('button')).toHaveCount(0)
      await expect(page.getByText('17677469451')).toBeVisible()
    })

    test('our words for a refusal, the operator’s folded and masked, and a late success within ten seconds', async ({
      page,
      api,
    }) => {
      const payment = api.open()
      payment.confirms = [refused('payer_not_found', 'MSISDN 237670123427 not found')]
      await page.clock.install({ time: START_MS })
      await page.goto(payment.link)
      // Arabic digits, as a phone in the north may type them.
      await page.getByRole('textbox').fill('٦٧٠١٢٣٤٢٧')
      await expect(page.getByRole('textbox')).toHaveValue(NUMBER)
      await page.keyboard.press('Enter')
      await expect(heading(page)).toHaveText(say.declinedTitle)
      await expect(page.getByText(/MSISDN/)).toBeHidden()
      await page.getByText(say.railSays).click()
      await expect(page.getByText(/MSISDN 6.••.••.••.27 not found/)).toBeVisible()
      change(payment, paid())
      await page.clock.runFor(LATE_SUCCESS_MAX_MS)
      await expect(heading(page)).toHaveText(say.succeededTitle)
    })

    test('steps to dial, and the whole number nowhere after a reload', async ({ page, api }) => {
      const prompt = mtn.prompt && { ...mtn.prompt, mode: 'manual' as const }
      const payment = api.open({ rails: [{ ...mtn, prompt }] })
      payment.confirms = [waiting()]
      await page.goto(payment.link)
      await page.getByRole('textbox').fill(NUMBER)
      await page.keyboard.press('Enter')
      await expect(page.getByRole('listitem')).toHaveText([...say.dialSteps('*126#', 'MTN Mobile Money')])
      await page.reload()
      await expect(page.getByText(/6.••.••.••.27/).first()).toBeVisible()
      const stored = await page.evaluate<string>(
        'JSON.stringify([{ ...sessionStorage }, { ...localStorage }])',
      )
      expect(stored).not.toContain(NUMBER)
    })

    test('the session’s language goes before the browser’s', async ({ page, api }) => {
      const other = language === 'fr' ? 'en' : 'fr'
      await page.goto(api.open({ locale: other }).link)
      await expect(heading(page)).toHaveText(words[other].payTitle)
      await expect(
        page.getByRole('button', { name: new RegExp(`^${words[other].payTitle} .*12.500`) }),
      ).toBeVisible()
    })
  })
}
