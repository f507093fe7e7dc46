import { atOrange, mtn, orange, paid, refused, waiting } from '@merchant-payments/checkout-web/wire'
import { words } from '@merchant-payments/checkout-web/words'
import type { Page } from '@playwright/test'
import { expect, test } from './scripted/fixtures.ts'

/** WCAG 1.4.4 and 1.4.10 together: the smallest screen with text of twice the size. */
test.use({ viewport: { width: 320, height: 568 } })
test.beforeEach(async ({ page }) => {
  await page.addInitScript(
    "addEventListener('DOMContentLoaded', () => { document.documentElement.style.fontSize = '200%' })",
  )
})

const heading = (page: Page) => page.getByRole('heading', { level: 1 })

/** Presses Tab until the control is focused, and checks that the focus is visible. */
async function tabTo(page: Page, role: 'button' | 'link' | 'textbox' | 'radio', name: string | RegExp) {
  const control = page.getByRole(role, { name })
  await control.waitFor()
  for (let steps = 0; steps < 10; steps += 1) {
    await page.keyboard.press('Tab')
    if ((await control.and(page.locator(':focus')).count()) > 0) break
  }
  await expect(control).toBeFocused()
  await expect(control).toBeInViewport()
  await expect(control).toHaveCSS('outline-style', 'solid')
}

/** Presses the focused button, and looks which element has the focus as soon as the form is there. */
const focusedAtFirst = `new Promise((resolve) => {
  const look = () => {
    if (document.querySelector('input[type=tel]')) resolve(document.activeElement?.tagName)
  }
  new MutationObserver(look).observe(document.body, { childList: true, subtree: true })
  document.activeElement.click()
})`

async function type(page: Page, number: string): Promise<void> {
  await tabTo(page, 'textbox', /^(Numéro MTN|MTN .* number)/)
  await page.keyboard.type(number)
  await page.keyboard.press('Enter')
}

const names = { fr: 'Français', en: 'English' } as const

for (const language of ['fr', 'en'] as const) {
  test.describe(`in ${language}`, () => {
    test.use({ locale: `${language}-CM` })
    const say = words[language]
    const other = language === 'fr' ? 'en' : 'fr'

    test('with a keyboard alone: refused, then paid with another number, then back to the shop', async ({
      page,
      api,
    }) => {
      const payment = api.open()
      payment.confirms = [refused('insufficient_funds'), paid()]
      await page.goto(payment.link)
      await type(page, '670123427')
      await expect(heading(page)).toHaveText(say.declinedTitle)
      await expect(heading(page)).toBeFocused()
      await tabTo(page, 'button', say.otherNumber)
      await page.keyboard.press('Enter')
      await type(page, '670123428')
      await expect(heading(page)).toHaveText(say.succeededTitle)
      await expect(heading(page)).toBeFocused()
      await tabTo(page, 'link', say.toShop('Boutique Akwa'))
    })

    test('the heading of a new screen has the focus before the payer can press a key', async ({
      page,
      api,
    }) => {
      const payment = api.open()
      payment.confirms = [refused('insufficient_funds')]
      await page.goto(payment.link)
      await type(page, '670123427')
      await page.getByRole('button', { name: say.otherNumber }).focus()
      expect(await page.evaluate(focusedAtFirst)).toBe('H1')
    })

    test('with a keyboard alone: another rail, its page, and back', async ({ page, api }) => {
      const payment = api.open({ rails: [mtn, orange] })
      payment.confirms = [atOrange(`${api.origin}/rail`)]
      await page.route(/\/rail$/, (route) => route.fulfill({ body: 'rail' }))
      await page.goto(payment.link)
      await tabTo(page, 'radio', 'MTN Mobile Money')
      await page.keyboard.press('ArrowDown')
      await expect(page.getByRole('radio', { name: 'Orange Money' })).toBeChecked()
      await page.keyboard.press('Enter')
      await page.waitForURL('**/rail')
      await page.goBack()
      await tabTo(page, 'button', new RegExp(`^${say.toRail('')}`))
      await page.keyboard.press('Enter')
      await page.waitForURL('**/rail')
    })

    test('with a keyboard alone: help while waiting, in the other language', async ({ page, api }) => {
      const prompt = mtn.prompt && { ...mtn.prompt, mode: 'manual' as const }
      const payment = api.open({ rails: [{ ...mtn, prompt }] })
      payment.confirms = [waiting()]
      await page.goto(payment.link)
      await tabTo(page, 'button', names[other])
      await page.keyboard.press('Enter')
      await expect(page.getByRole('button', { name: names[language] })).toBeFocused()
      await page.getByRole('textbox').focus()
      await page.keyboard.type('670123427')
      await page.keyboard.press('Enter')
      await expect(heading(page)).toHaveText(words[other].approveTitle)
      await tabTo(page, 'link', words[other].dial('*126#'))
      await tabTo(page, 'button', words[other].copy)
    })

    test('with a keyboard alone: a control that is focused while the payment loads stays in view', async ({
      page,
      api,
    }) => {
      const pressed = Promise.withResolvers<void>()
      await page.route('**/v1/browser/**', async (route) => {
        await pressed.promise
        await route.continue()
      })
      await page.goto(api.open().link)
      await tabTo(page, 'button', names[other])
      pressed.resolve()
      await page.getByRole('textbox').waitFor()
      const control = page.getByRole('button', { name: names[other] })
      await expect(control).toBeFocused()
      await expect(control).toBeInViewport()
    })
  })
}
