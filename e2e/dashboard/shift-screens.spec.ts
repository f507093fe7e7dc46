import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runStatement } from '@merchant-payments/testing/client'
import type { Page } from '@playwright/test'
import type { Stack } from '@merchant-payments/stack'
import { SIDEWAYS } from '../src/browser/page-checks.ts'
import { violationsOn } from '../src/browser/violations.ts'
import { countSoon } from './stack/count-soon.ts'
import { expect, heading, test } from './stack/fixtures.ts'
import { pay } from './stack/pay.ts'
import { sendAsPage } from './stack/send.ts'
import type { World } from './stack/world.ts'

// These screens need alerts and findings, which other files' stories do not expect.
test.use({ system: 'screens' })
test.describe.configure({ mode: 'default' })

/** The first status of each list whose column of actions lies over it, before anybody scrolls. */
const COVERED = `[...document.querySelectorAll('main .table:has(td.acts button)')]
  .map((table) => table.querySelector('td .status'))
  .filter((status) => status !== null && (() => {
    scrollTo(0, scrollY + status.getBoundingClientRect().top - 200)
    const { left, right, top, bottom } = status.getBoundingClientRect()
    const { left: from, right: to } = status.closest('.table').getBoundingClientRect()
    const y = (top + bottom) / 2
    return left < from || right > to || [left + 2, right - 2].some((x) => !status.contains(document.elementFromPoint(x, y)))
  })())
  .map((status) => status.textContent)`

const SMALLEST_BAR = `Math.min(1_000, ...[...document.querySelectorAll('main meter, main progress')]
  .map((bar) => bar.getBoundingClientRect().width))`

/** With `PICTURES=<folder>`, a picture of each screen in both languages, both themes and three widths. */
const folder = process.env['PICTURES']
const languages = ['en', 'fr'] as const
const widths = [360, 768, 1280] as const
/** The first screen waits for the worker’s counts, and each check takes about a second. */
const CHECK_MS = 120_000

/** The mock reports another amount for this payer. */
const PAYS_ANOTHER_AMOUNT = '670000481'
const LACKS_FUNDS = '670000470'

interface Screen {
  readonly name: string
  readonly path: (world: World) => string
  /** Shown once the screen has loaded, in either language. */
  readonly shown: string
  /** Opens what the address does not. */
  readonly open?: (page: Page) => Promise<void>
  /** Whether it shows nothing of the last two and a half minutes. */
  readonly isAhead?: true
}

const screens: readonly Screen[] = [
  { name: 'search', path: () => '/dash/rails', shown: 'dialog .match', open: lookUp },
  { name: 'attention', path: () => '/dash/attention', shown: 'main tbody tr' },
  { name: 'rail', path: () => '/dash/rails/mtn_momo_cm', shown: 'main canvas' },
  { name: 'analytics', path: () => '/dash/analytics?size=5m', shown: 'main canvas' },
  { name: 'bulk-jobs', path: () => '/dash/bulk-jobs', shown: 'main tbody tr' },
  { name: 'event', path: () => '/dash/events', shown: 'main pre', open: openFirstEvent },
  { name: 'finance', path: () => '/dash/finance', shown: 'main tbody tr', isAhead: true },
  { name: 'reconciliation', path: () => '/dash/reconciliation', shown: 'main tbody tr code' },
  { name: 'customer', path: ({ customer }) => `/dash/customers/${customer}`, shown: '.timeline li' },
  { name: 'merchant', path: () => '/dash/merchants/demo_shop', shown: '.timeline li' },
  { name: 'payments', path: () => '/dash/payments?order=oldest&rows=100', shown: 'main tbody tr' },
]

async function lookUp(page: Page): Promise<void> {
  // A page that still loads has a heading too, and hears no keys. The search hears them as soon as it is there.
  await page.locator('#find').waitFor({ state: 'attached' })
  await page.keyboard.press('/')
  await page.locator('#find').fill('6700')
  await page.locator('#find').press('Enter')
}

async function openFirstEvent(page: Page): Promise<void> {
  await page.locator('main tbody tr a').first().click()
}

/** An alert, a bulk action, and a reference that a restore has lost. A system that has them is left alone. */
async function makeTrouble(page: Page, stack: Stack, world: World): Promise<void> {
  const read = async (path: string) => (await page.request.get(`/dash/v1${path}`)).json()
  const counts = async (): Promise<{ marks: number; points: number }> => {
    const { marks, points } = (await read('/analytics')) as { marks: unknown[]; points: unknown[] }
    return { marks: marks.length, points: points.length }
  }
  if ((await counts()).marks > 0) return
  await pay(stack, world, { amount: 9_100, msisdn: PAYS_ANOTHER_AMOUNT })
  await pay(stack, world, { amount: 12_500, msisdn: LACKS_FUNDS })
  const { charge } = (await read(`/payment_intents/${world.waiting}`)) as { charge: { id: string } }
  const reason = 'The payer says that it is paid.'
  await sendAsPage(page, '/bulk_jobs', { kind: 'charge.query', 'ids[0]': charge.id, reason })
  await runStatement(
    stack.databaseUrl,
    `
    insert into rail_findings (rail, kind, reference, answer, amount, currency, source, merchant_id, found_at, answered_at)
    values ('mtn_momo_cm', 'charge', 'f2c7a1b0-9d4e-4c2a-8f57-0b6d1e93a4c8', 'succeeded', 7500, 'XAF', 'log', 'demo_shop', now(), now())`,
  )
  await countSoon(stack)
  await expect.poll(async () => Math.min(...Object.values(await counts())), { timeout: 40_000 }).toBe(1)
}

for (const screen of screens) {
  test(`${screen.name}: WCAG 2.2 AA in both languages and themes, at three widths`, async ({
    page,
    stack,
    world,
    comeAs,
  }) => {
    test.setTimeout(CHECK_MS)
    await comeAs('omar', screen.path(world))
    await heading(page).waitFor()
    await makeTrouble(page, stack, world)
    if (screen.isAhead) await stack.api.restart({ CLOCK_OFFSET_MS: String(3 * 60_000) })
    for (const language of languages) {
      await page.setViewportSize({ width: 1280, height: 800 })
      await page.evaluate(`localStorage.setItem('language', '${language}')`)
      await page.goto(screen.path(world))
      await screen.open?.(page)
      await page.locator(screen.shown).first().waitFor()
      for (const width of widths) await checkAt(page, { name: screen.name, language, width })
    }
  })
}

interface Shape {
  readonly name: string
  readonly language: (typeof languages)[number]
  readonly width: (typeof widths)[number]
}

/** Layouts and themes with their own rules, each in one of the languages. */
const axed: readonly string[] = ['en 1280 light', 'fr 1280 dark', 'fr 360 light', 'en 360 dark']

async function checkAt(page: Page, { name, language, width }: Shape): Promise<void> {
  await page.setViewportSize({ width, height: 800 })
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    await takePicture(page, `${name}-${language}-${width}-${colorScheme}`)
    if (!axed.includes(`${language} ${width} ${colorScheme}`)) continue
    expect(await violationsOn(page, { bestPractice: true })).toEqual([])
  }
  await expect.poll(() => page.evaluate(SIDEWAYS), { message: `${name} in ${language} at ${width}` }).toBe(0)
  expect(await page.evaluate(COVERED), `${name} in ${language} at ${width}`).toEqual([])
  expect(await page.evaluate(SMALLEST_BAR), `${name} in ${language} at ${width}`).toBeGreaterThan(60)
}

async function takePicture(page: Page, name: string): Promise<void> {
  if (folder === undefined) return
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, `${name}.png`), await page.screenshot({ fullPage: true }))
}
