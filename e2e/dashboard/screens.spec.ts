import { mkdirSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Page } from '@playwright/test'
import { refusedByPolicy, SIDEWAYS } from '../src/browser/page-checks.ts'
import { violationsOn } from '../src/browser/violations.ts'
import { expect, heading, test } from './stack/fixtures.ts'
import type { World } from './stack/world.ts'

const NARROW = { width: 320, height: 640 }
const DESK = { width: 1280, height: 800 }

/** `SCREENSHOTS=1` rewrites the pictures of the documentation. */
const pictures =
  process.env['SCREENSHOTS'] === undefined ? null : new URL('../../docs/screenshots/', import.meta.url)

interface Screen {
  readonly name: string
  readonly path: (world: World) => string
  readonly title: string | RegExp
  /** The documentation has a picture of it. */
  readonly isShown?: boolean
}

const screens: readonly Screen[] = [
  { name: 'overview', path: () => '/dash/', title: 'Overview', isShown: true },
  { name: 'attention', path: () => '/dash/attention', title: 'Needs attention' },
  { name: 'payments', path: () => '/dash/payments', title: 'Payments', isShown: true },
  { name: 'payment', path: ({ paid }) => `/dash/payments/${paid}`, title: /12,500/, isShown: true },
  { name: 'charges', path: () => '/dash/charges', title: 'Charges' },
  { name: 'refunds', path: () => '/dash/refunds', title: 'Refunds' },
  { name: 'approvals', path: () => '/dash/approvals', title: 'Approvals' },
  { name: 'deliveries', path: () => '/dash/deliveries', title: 'Webhook deliveries', isShown: true },
  { name: 'events', path: () => '/dash/events', title: 'Events' },
  { name: 'fanouts', path: () => '/dash/fanouts', title: 'Fan-outs' },
  { name: 'customers', path: () => '/dash/customers', title: 'Customers' },
  { name: 'customer', path: ({ customer }) => `/dash/customers/${customer}`, title: 'Aïcha Nkeng' },
  { name: 'invoices', path: () => '/dash/invoices', title: 'Invoices' },
  { name: 'invoice', path: ({ invoice }) => `/dash/invoices/${invoice}`, title: /6,000/ },
  { name: 'merchants', path: () => '/dash/merchants', title: 'Merchants' },
  { name: 'merchant', path: () => '/dash/merchants/demo_shop', title: /Enabled/, isShown: true },
  { name: 'bulk-jobs', path: () => '/dash/bulk-jobs', title: 'Bulk actions' },
  { name: 'rails', path: () => '/dash/rails', title: 'Rails' },
  { name: 'analytics', path: () => '/dash/analytics', title: 'Analytics' },
  { name: 'finance', path: () => '/dash/finance', title: 'Finance' },
  { name: 'reconciliation', path: () => '/dash/reconciliation', title: 'Reconciliation' },
  { name: 'audit-log', path: () => '/dash/audit-log', title: 'Audit log' },
  { name: 'nowhere', path: () => '/dash/nowhere', title: 'There is no such page' },
  { name: 'missing', path: () => `/dash/payments/pi_${'0'.repeat(32)}`, title: 'There is no such object' },
]

/** How much of an element's content is out of sight. */
const hiddenWidth = ({ scrollWidth, clientWidth }: { scrollWidth: number; clientWidth: number }): number =>
  scrollWidth - clientWidth

const HELD = 'WCAG 2.2 AA by day and by night, narrow, enlarged, and under its policy'

test(`sign-in: ${HELD}`, async ({ page }) => {
  const refusals = refusedByPolicy(page)
  await page.goto('/dash/')
  await expect(heading(page)).toHaveText('Sign in')
  await check(page, { name: 'sign-in', isShown: false })
  expect(refusals).toEqual([])
})

for (const { name, path, title, isShown = false } of screens) {
  test(`${name}: ${HELD}`, async ({ page, world, comeAs }) => {
    const refusals = refusedByPolicy(page)
    await comeAs('ada', path(world))
    await expect(page.getByRole('heading').filter({ hasText: title }).first()).toBeVisible()
    await expect(page.getByText('Loading…')).toHaveCount(0)
    await check(page, { name, isShown })
    expect(refusals).toEqual([])
  })
}

/** A phone, and a window of 1280 by 800 pixels at a zoom of 200 %. */
const small = [
  { width: 360, height: 740 },
  { width: 640, height: 400 },
]
/** The largest share of the height that the header takes. */
const HEADER_SHARE_MAX = 0.17

test('a small screen shows its content first, and a button opens the navigation', async ({
  page,
  comeAs,
}) => {
  await comeAs('omar', '/dash/payments')
  await page.getByRole('region', { name: 'Payments' }).waitFor()
  for (const viewport of small) {
    await page.setViewportSize(viewport)
    const header = await page.locator('.shell > aside').boundingBox()
    expect(header?.height).toBeLessThan(viewport.height * HEADER_SHARE_MAX)
    expect(await violationsOn(page, { bestPractice: true })).toEqual([])
    if (process.env['SCREENSHOTS'] === 'all') await takePicture(page, `payments-${viewport.width}`)
    await page.getByRole('button', { name: 'Menu' }).click()
    await page.getByRole('link', { name: 'Refunds' }).click()
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Refunds')
    await expect(page.getByRole('link', { name: 'Invoices' })).toBeHidden()
    await page.goBack()
    await page.getByRole('region', { name: 'Payments' }).waitFor()
  }
})

test('a window of 1280 by 800 shows who is signed in and the sign-out, and a phone the whole brand', async ({
  page,
  comeAs,
}) => {
  await page.setViewportSize({ width: 1_280, height: 800 })
  await comeAs('ada', '/dash/charges')
  await expect(page.getByText('Ada Admin')).toBeInViewport({ ratio: 1 })
  await expect(page.getByRole('button', { name: 'Sign out' })).toBeInViewport({ ratio: 1 })
  await page.setViewportSize({ width: 390, height: 844 })
  const brand = page.getByText('Merchant Payments', { exact: true })
  expect(await brand.evaluate(hiddenWidth)).toBe(0)
})

test('a list that is wider than its place shows an edge where it goes on', async ({ page, comeAs }) => {
  await comeAs('ada', '/dash/charges')
  const list = page.getByRole('region', { name: 'Charges' })
  await expect(list).toHaveAttribute('data-after')
  await expect(list).not.toHaveAttribute('data-before')
  await list.evaluate((area: { scrollLeft: number }) => {
    area.scrollLeft = 100_000
  })
  await expect(list).toHaveAttribute('data-before')
  await expect(list).not.toHaveAttribute('data-after')
  await expect(list.getByRole('columnheader', { name: 'Merchant' })).toBeInViewport({ ratio: 1 })
  await page.setViewportSize({ width: 2_560, height: 800 })
  await expect(list).not.toHaveAttribute('data-before')
})

test('long texts of a merchant lie over nothing, and push nothing out of sight', async ({
  page,
  world: { payments },
  comeAs,
}) => {
  const { id: customer } = await payments.customers.create({
    name: 'Établissements Ngo-Bayiha et Fils '.repeat(5).trim(),
    phone: '+237 670 00 00 09',
    metadata: { ['k'.repeat(40)]: 'a value' },
  })
  const invoice = await payments.invoices.create({ customer, currency: 'XAF' })
  await payments.invoiceItems.create({
    customer,
    invoice: invoice.id,
    amount: 7_300,
    currency: 'XAF',
    description: 'Quincaillerie générale '.repeat(10).trim(),
  })
  await comeAs('ada', `/dash/customers/${customer}`)
  const key = page.getByText('k'.repeat(40))
  expect(await key.evaluate(hiddenWidth)).toBe(0)
  await page.goto(`/dash/invoices/${invoice.id}`)
  const lines = page.getByRole('region', { name: 'Lines' })
  await expect(lines.getByText('7,300')).toBeInViewport({ ratio: 1 })
  expect(await lines.evaluate(hiddenWidth)).toBe(0)
  await page.goto('/dash/customers')
  const list = page.getByRole('region', { name: 'Customers' })
  await expect(list.getByText('237670000009')).toBeInViewport({ ratio: 1 })
})

test('on a phone, no action hides an amount', async ({ page, world, comeAs }) => {
  await comeAs('ada', `/dash/payments/${world.waiting}`)
  await page.setViewportSize({ width: 360, height: 740 })
  const amount = page.getByRole('region', { name: 'Charges' }).getByText('2,750')
  await amount.scrollIntoViewIfNeeded()
  await expect(amount).toBeInViewport({ ratio: 1 })
  await amount.click({ trial: true })
  if (process.env['SCREENSHOTS'] === 'all') await takePicture(page, 'payment-360')
})

test('the dialogs: WCAG 2.2 AA by day and by night', async ({ page, world, comeAs }) => {
  await comeAs('ada', `/dash/customers/${world.customer}`)
  await page.getByRole('button', { name: 'Erase customer' }).click()
  await expect(page.getByRole('dialog')).toBeVisible()
  await check(page, { name: 'erase-customer', isShown: true })
  await page.keyboard.press('Escape')
  await page.keyboard.press('Control+k')
  await expect(page.getByRole('dialog', { name: 'Find' })).toBeVisible()
  await check(page, { name: 'find', isShown: false })
})

async function check(page: Page, { name, isShown }: { name: string; isShown: boolean }): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    expect(await violationsOn(page, { bestPractice: true })).toEqual([])
    if (isShown || process.env['SCREENSHOTS'] === 'all') await takePicture(page, `${name}-${colorScheme}`)
  }
  await page.emulateMedia({ colorScheme: 'light' })
  await expectNoSidewaysScroll(page)
}

/** WCAG 1.4.10: only tables scroll sideways, inside their own area. */
async function expectNoSidewaysScroll(page: Page): Promise<void> {
  await page.setViewportSize(NARROW)
  // A chart follows its place one frame later.
  await expect.poll(() => page.evaluate(SIDEWAYS)).toBe(0)
  await page.setViewportSize(DESK)
}

async function takePicture(page: Page, name: string): Promise<void> {
  if (pictures === null) return
  mkdirSync(pictures, { recursive: true })
  const session = await page.context().newCDPSession(page)
  const { data } = await session.send('Page.captureScreenshot', {
    format: 'webp',
    quality: 70,
    captureBeyondViewport: false,
  })
  await session.detach()
  writeFileSync(fileURLToPath(new URL(`dashboard-${name}.webp`, pictures)), Buffer.from(data, 'base64'))
}
