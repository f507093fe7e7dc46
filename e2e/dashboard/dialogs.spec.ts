import type { Locator, Page } from '@playwright/test'
import { expect, heading, test } from './stack/fixtures.ts'
import { sendAsPage } from './stack/send.ts'
import type { World } from './stack/world.ts'

const viewports = [
  { width: 360, height: 640 },
  { width: 768, height: 1_024 },
  { width: 1_280, height: 720 },
  { width: 1_920, height: 1_080 },
] as const

interface DialogOf {
  readonly action: string
  readonly path: (world: World) => string
}

/** The dialogs of staff's changes, on the screens that open them. */
const dialogs: readonly DialogOf[] = [
  { action: 'Cancel payment', path: ({ waiting }) => `/dash/payments/${waiting}` },
  { action: 'Query rail now', path: ({ waiting }) => `/dash/payments/${waiting}` },
  { action: 'Resolve', path: ({ waiting }) => `/dash/payments/${waiting}` },
  { action: 'Refund payment', path: ({ paid }) => `/dash/payments/${paid}` },
  { action: 'Approve', path: () => '/dash/approvals' },
  { action: 'Decline', path: () => '/dash/approvals' },
  { action: 'Erase customer', path: ({ customer }) => `/dash/customers/${customer}` },
  { action: 'Void', path: ({ invoice }) => `/dash/invoices/${invoice}` },
  { action: 'Mark uncollectible', path: ({ invoice }) => `/dash/invoices/${invoice}` },
  { action: 'Disable', path: () => '/dash/merchants' },
]

test('each dialog has its controls in view, where a person can press them', async ({
  page,
  world,
  comeAs,
}) => {
  test.setTimeout(240_000)
  await requestRefund(page, world, comeAs)
  await page.context().clearCookies()
  await comeAs('ada')
  await heading(page).waitFor()
  for (const { action, path } of dialogs) {
    await page.goto(path(world))
    for (const viewport of viewports) {
      await page.setViewportSize(viewport)
      await page.getByRole('button', { name: action, exact: true }).first().click()
      const dialog = page.getByRole('dialog', { name: action, exact: true })
      expect(await dialog.evaluate(coveredPixels), `${action} at ${viewport.width}`).toBe(0)
      await expectInView(dialog, `${action} at ${viewport.width}`)
      await dialog.getByRole('button', { name: /^(?:Cancel|Keep the payment)$/ }).click()
      await expect(dialog).toBeHidden()
    }
  }
})

/** A refund to a number that did not pay waits for a second person. */
async function requestRefund(
  page: Page,
  world: World,
  comeAs: (login: 'omar', path: string) => Promise<void>,
): Promise<void> {
  await comeAs('omar', `/dash/payments/${world.paid}`)
  await expect(heading(page)).toContainText('12,500')
  const answer = await sendAsPage(page, `/payment_intents/${world.paid}/refund`, {
    amount: '100',
    msisdn: '670000009',
    reason: 'Their phone was lost.',
  })
  expect(answer.status()).toBe(200)
}

/** How much of the last control lies under the buttons of a dialog that needs no scrolling. */
const coveredPixels = (dialog: Area): number => {
  if (dialog.scrollHeight > dialog.clientHeight) return 0
  const above = [...dialog.querySelectorAll('input, textarea, select')].map(
    (control) => control.getBoundingClientRect().bottom,
  )
  const [buttons] = dialog.querySelectorAll('.buttons')
  return Math.max(0, Math.max(0, ...above) - (buttons?.getBoundingClientRect().top ?? 0))
}

interface Area {
  readonly scrollHeight: number
  readonly clientHeight: number
  querySelectorAll(selector: string): Iterable<{
    getBoundingClientRect(): { readonly top: number; readonly bottom: number }
  }>
}

interface Width {
  readonly scrollWidth: number
  readonly clientWidth: number
}

/** Nothing of the dialog is cut off to the side, and its buttons need no scrolling. */
async function expectInView(dialog: Locator, where: string): Promise<void> {
  await expect(dialog).toBeVisible()
  const hidden = await dialog.evaluate(({ scrollWidth, clientWidth }: Width) => scrollWidth - clientWidth)
  expect(hidden, where).toBe(0)
  for (const button of await dialog.getByRole('button').all()) {
    await expect(button, where).toBeInViewport({ ratio: 1 })
  }
  for (const control of await dialog.locator('input, textarea, select').all()) {
    await control.scrollIntoViewIfNeeded()
    await expect(control, where).toBeInViewport({ ratio: 1 })
  }
}
