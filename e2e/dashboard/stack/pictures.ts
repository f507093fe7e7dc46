import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from '@playwright/test'

const widths = [360, 768, 1280] as const
const languages = ['en', 'fr'] as const

/** With `PICTURES=<folder>`, a picture of the screen in both languages, both themes and three widths. */
export async function takeFinancePictures(page: Page, name: string): Promise<void> {
  const folder = process.env['PICTURES']
  if (folder === undefined) return
  mkdirSync(folder, { recursive: true })
  for (const language of languages) {
    await page.evaluate(`localStorage.setItem('language', '${language}')`)
    await page.reload()
    await page.locator('main table').first().waitFor()
    for (const width of widths) {
      await page.setViewportSize({ width, height: 800 })
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        const picture = await page.screenshot()
        writeFileSync(join(folder, `${name}-${language}-${width}-${colorScheme}.png`), picture)
      }
    }
  }
  await page.evaluate(`localStorage.removeItem('language')`)
  await page.emulateMedia({ colorScheme: 'light' })
  await page.setViewportSize({ width: 1280, height: 800 })
  await page.reload()
  await page.locator('main table').first().waitFor()
}
