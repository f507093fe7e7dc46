import { mkdirSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { paid } from '@merchant-payments/checkout-web/wire'
import type { CDPSession, Page, Route } from '@playwright/test'
import { refusedByPolicy, SIDEWAYS } from '../src/browser/page-checks.ts'
import { violationsOn } from '../src/browser/violations.ts'
import { expect, test } from './scripted/fixtures.ts'
import { change } from './scripted/scripted-api.ts'
import { screens } from './scripted/screens.ts'

/** The number of lines that the digits of the amount take. */
const LINES_OF_DIGITS = `(() => {
  const text = document.querySelector('.amount')?.firstChild
  if (text == null) return 0
  const [digits] = /\\d.*\\d/.exec(text.data)
  const range = document.createRange()
  range.setStart(text, text.data.indexOf(digits))
  range.setEnd(text, text.data.indexOf(digits) + digits.length)
  return new Set([...range.getClientRects()].map(({ top }) => top)).size
})()`
const SMALLEST = { width: 320, height: 568 }
const DESKTOP = { width: 1280, height: 800 }
const PHONE = { width: 360, height: 740 }

/**
 * `SCREENSHOTS=1` rewrites the pictures of the documentation: French in the light scheme, English in the dark one.
 * `SCREENSHOTS=all` takes every combination at three widths, to look at.
 */
const wanted = process.env['SCREENSHOTS']
const isEach = wanted === 'all'
const pictures = new URL(isEach ? '../../dist/screenshots/' : '../../docs/screenshots/', import.meta.url)

for (const { name, heading, reach } of screens) {
  test(`${name}: WCAG 2.2 AA in both languages, light and dark, narrow and enlarged`, async ({
    page,
    api,
  }) => {
    const refusals = refusedByPolicy(page)
    await reach(page, api)
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(heading)
    await page.waitForLoadState('networkidle')
    expect(refusals).toEqual([])

    for (const language of ['fr', 'en']) {
      if (language === 'en') await page.getByRole('button', { name: 'English' }).click()
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        expect(await violationsOn(page, { bestPractice: true })).toEqual([])
        await takePicture(page, name, language, colorScheme)
      }
    }
    await expectNoSidewaysScroll(page)
  })
}

test('loading: the same of the page before its main script, without and with the amount', async ({
  page,
  api,
}) => {
  await page.route(/\/main-.*\.js/, () => undefined)
  for (const answer of [() => undefined, (route: Route) => route.continue()]) {
    await page.route('**/v1/browser/**', answer)
    await page.goto(api.open().link, { waitUntil: 'commit' })
    await page.getByText('Chargement du paiement…').waitFor()
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      expect(await violationsOn(page, { bestPractice: true })).toEqual([])
    }
  }
  await expect(page.getByText('Boutique Akwa')).toBeVisible()
  await expectNoSidewaysScroll(page)
})

test('a receipt prints without what is there to be pressed, dark on white whatever the screen is', async ({
  page,
  api,
}) => {
  const payment = api.open()
  change(payment, paid())
  await page.goto(payment.link)
  await expect(page.getByRole('button', { name: 'Imprimer' })).toBeVisible()
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' })
  await expect(page.getByRole('button')).toHaveCount(0)
  await expect(page.getByRole('link')).toHaveCount(0)
  for (const text of ['Boutique Akwa', '21 novembre 2026 à 12:03', '17677469451']) {
    await expect(page.getByRole('definition').filter({ hasText: text })).toBeVisible()
  }
  await expect(page.locator('body')).toHaveCSS('color', 'rgb(20, 32, 26)')
  // 15 mm. With a page margin of 0, no browser prints the URL there.
  await expect(page.locator('body')).toHaveCSS('padding-top', '56.6929px')
})

test('the notice of being offline covers nothing', async ({ page, api }) => {
  await page.setViewportSize(SMALLEST)
  await screens.find(({ name }) => name === 'offline')?.reach(page, api)
  const notice = await page.getByRole('status').boundingBox()
  const content = await page.getByRole('main').boundingBox()
  expect((notice?.y ?? 0) + (notice?.height ?? 0)).toBeLessThanOrEqual(content?.y ?? 0)
  await expect(page.getByRole('status')).toHaveCSS('position', 'static')
})

/** WCAG 1.4.10 and 1.4.4: nothing is cut off at 320 CSS pixels, nor with text of twice the size. */
async function expectNoSidewaysScroll(page: Page): Promise<void> {
  await page.setViewportSize(SMALLEST)
  for (const scale of ['100%', '200%']) {
    await page.evaluate(`document.documentElement.style.fontSize = '${scale}'`)
    const overflow = await page.evaluate(SIDEWAYS)
    expect(overflow, `at ${scale}`).toBe(0)
    // An amount that breaks across lines could be read as another amount.
    expect(await page.evaluate(LINES_OF_DIGITS), `at ${scale}`).toBeLessThanOrEqual(1)
  }
}

const sessions = new WeakMap<Page, Promise<CDPSession>>()

/** One for each page, because a session that ends takes the page back online. */
function sessionOf(page: Page): Promise<CDPSession> {
  const session = sessions.get(page) ?? page.context().newCDPSession(page)
  sessions.set(page, session)
  return session
}

async function takePicture(page: Page, name: string, language: string, colorScheme: string): Promise<void> {
  const isDocumented = (language === 'fr') === (colorScheme === 'light')
  if (wanted === undefined || !(isEach || isDocumented)) return
  mkdirSync(pictures, { recursive: true })
  const session = await sessionOf(page)
  for (const [device, size] of Object.entries({
    ...(isEach && { small: SMALLEST }),
    phone: PHONE,
    desktop: DESKTOP,
  })) {
    await page.setViewportSize(size)
    const { data } = await session.send('Page.captureScreenshot', {
      format: 'webp',
      quality: 70,
      captureBeyondViewport: false,
    })
    const file = `${name}-${device}-${language}-${colorScheme}.webp`
    writeFileSync(fileURLToPath(new URL(file, pictures)), Buffer.from(data, 'base64'))
  }
  await page.setViewportSize(PHONE)
}
