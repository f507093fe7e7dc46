import type { Page } from '@playwright/test'
import { expect, heading, test } from './stack/fixtures.ts'
import { exhaustDelivery } from './stack/exhaust-delivery.ts'
import { sendAsPage } from './stack/send.ts'

test.describe.configure({ mode: 'default' })

for (const [login, name, role] of [
  ['vera', 'Vera Viewer', 'Viewer'],
  ['omar', 'Omar Operator', 'Operator'],
  ['ada', 'Ada Admin', 'Administrator'],
] as const) {
  test(`${name} signs in, is known, and signs out`, async ({ page, signInAs }) => {
    await signInAs(login)
    await expect(heading(page)).toHaveText('Overview')
    await expect(page.getByText(name)).toBeVisible()
    await expect(page.getByText(role, { exact: true })).toBeVisible()
    expect(await page.evaluate('document.cookie')).toBe('')
    // When the API was asked last, for all tabs. Nothing of the session or of what it showed.
    expect(await page.evaluate('JSON.stringify({ ...localStorage })')).toMatch(/^\{"last_request":"\d+"\}$/)

    await page.getByRole('button', { name: 'Sign out' }).click()
    // The provider asks on a page of its own whether to end its session too.
    await expect(heading(page)).toHaveText('Sign out')
    await page.getByRole('button', { name: 'Sign out' }).click()
    await expect(heading(page)).toHaveText('Sign in')
    expect((await page.request.get('/dash/v1/me')).status()).toBe(401)
  })
}

test('who has no role is not let in', async ({ page, signInAs }) => {
  await signInAs('nils')
  await expect(heading(page)).toHaveText('No access')
  // The provider's code and the state are not left in the address.
  await expect(page).toHaveURL(/\/dash\/v1\/callback$/)
  await expect(page.locator('main')).not.toHaveCSS('border-radius', '0px')
})

test('a payment is found by its id, and by its payer’s number', async ({ page, world, comeAs }) => {
  await comeAs('vera', '/dash/rails')
  await expect(heading(page)).toHaveText('Rails')
  await page.keyboard.press('Control+k')
  await page.keyboard.type(world.paid)
  await page.keyboard.press('Enter')
  await page.waitForURL(`**/dash/payments/${world.paid}`)
  await expect(heading(page)).toContainText('12,500')
  await expect(page.getByRole('region', { name: 'Charges' })).toContainText('237670000001')

  await page.goto('/dash/payments')
  await page.getByLabel('Payer’s number').fill('+237 6 70 00 04 70')
  await page.keyboard.press('Enter')
  const rows = page.getByRole('region', { name: 'Payments' }).getByRole('row')
  await expect(rows).toHaveCount(2)
  await expect(rows.last()).toContainText('48,000')
  expect(new URL(page.url()).searchParams.get('payer')).toMatch(/^num_/)
  expect(page.url()).not.toContain('70000470')
})

test('a payment is found by the last digits of its payer’s number', async ({ page, comeAs }) => {
  await comeAs('vera', '/dash/rails')
  await expect(heading(page)).toHaveText('Rails')
  await page.keyboard.press('Control+k')
  await page.keyboard.type('0470')
  await page.keyboard.press('Enter')
  await expect(heading(page)).toContainText('48,000')
})

const tiles = [
  'Alerts',
  'Charges at a rail',
  'Refunds to send',
  'Stuck charges',
  'Duplicate charges',
  'Deliveries stopped by a fault',
]

test('a count on the overview leads to a list of as many rows', async ({ page, comeAs }) => {
  await comeAs('vera')
  for (const name of tiles) {
    await page.goto('/dash/')
    const tile = page.getByRole('listitem').filter({ has: page.getByRole('link', { name, exact: true }) })
    const count = Number(await tile.locator('b').textContent())
    await tile.getByRole('link').click()
    await expect(heading(page)).not.toHaveText('Overview')
    const rows = page.locator('main tbody tr')
    await expect(count === 0 ? page.locator('main .empty') : rows, name).toHaveCount(count === 0 ? 1 : count)
  }
})

test('a list turns its order, and a customer’s timeline has everything in one', async ({
  page,
  world,
  comeAs,
}) => {
  await comeAs('vera', '/dash/payments')
  const rows = page.getByRole('region', { name: 'Payments' }).locator('tbody tr')
  const ids = () => rows.getByRole('link').allTextContents()
  await rows.first().waitFor()
  const newest = await ids()
  await page.getByRole('link', { name: 'Oldest first' }).click()
  await expect(page).toHaveURL(/order=oldest/)
  await expect.poll(ids).toEqual(newest.toReversed())
  await page.getByRole('link', { name: 'Newest first' }).click()
  await expect.poll(ids).toEqual(newest)

  await page.goto(`/dash/customers/${world.customer}`)
  const timeline = page.locator('.timeline')
  for (const text of ['12,500', '48,000', '2,750', '6,000', '2,500'])
    await expect(timeline).toContainText(text)
  await page.getByRole('button', { name: 'Payment', exact: true }).click()
  await expect(timeline).not.toContainText('48,000')
  await expect(timeline).toContainText('6,000')
})

test('times and filters follow the chosen zone, and a link keeps its own', async ({ page, comeAs }) => {
  await comeAs('vera', '/dash/payments')
  await expect(page.getByRole('columnheader', { name: 'Created, UTC' })).toBeVisible()
  await page.getByLabel('Times in').selectOption('douala')
  await expect(page.getByRole('columnheader', { name: 'Created, Douala' })).toBeVisible()
  await page.getByLabel('From, Douala', { exact: true }).fill('2026-01-01')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/from=2026-01-01&zone=douala/)
  await page.goto('/dash/payments?from=2026-01-02')
  await expect(page.getByLabel('From, UTC', { exact: true })).toHaveValue('2026-01-02')
})

test('a viewer sees no action, and the API refuses theirs', async ({ page, world, comeAs }) => {
  await comeAs('vera', `/dash/payments/${world.waiting}`)
  await expect(heading(page)).toContainText('2,750')
  for (const name of ['Cancel payment', 'Query rail now', 'Resolve']) {
    await expect(page.getByRole('button', { name })).toHaveCount(0)
  }
  const refused = await sendAsPage(page, `/payment_intents/${world.waiting}/cancel`, { reason: 'curiosity' })
  expect(refused.status()).toBe(403)
  expect(await refused.text()).toContain('This needs the role operator; yours is viewer.')
})

test('a session that ends amid work is come back from, filters and all', async ({ page, signInAs }) => {
  await signInAs('omar', '/dash/payments?status=succeeded')
  await expect(page.getByRole('region', { name: 'Payments' })).toContainText('12,500')
  expect((await sendAsPage(page, '/sign_out')).status()).toBe(200)
  await page.getByLabel('Status').selectOption('requires_payment_method')
  await expect(heading(page)).toHaveText('Your session is over')
  await expect(page.getByText('12,500')).toHaveCount(0)

  await page.getByRole('link', { name: 'Sign in' }).click()
  // The provider may still have a session, or it asks.
  if (!page.url().includes('/dash/')) await page.getByRole('button', { name: /^Omar/ }).click()
  await expect(heading(page)).toHaveText('Payments')
  await expect(page.getByLabel('Status')).toHaveValue('requires_payment_method')
  await expect(page.getByRole('region', { name: 'Payments' })).toContainText('48,000')
})

/** Presses Tab until the element with this name is focused. */
async function tabTo(page: Page, name: string): Promise<void> {
  for (let presses = 0; presses < 60; presses += 1) {
    await page.keyboard.press('Tab')
    const focused = await page.evaluate<string>('document.activeElement?.textContent ?? ""')
    if (focused.trim() === name) return
  }
  throw new Error(`the keyboard never reaches ${name}`)
}

test('a payment is canceled with the keyboard alone', async ({ page, world, comeAs }) => {
  await comeAs('omar')
  await expect(heading(page)).toBeFocused()
  await page.reload()
  await heading(page).waitFor()
  await page.evaluate('document.activeElement.blur()')
  await tabTo(page, 'Payments')
  await page.keyboard.press('Enter')
  await expect(heading(page)).toHaveText('Payments')
  await expect(heading(page)).toBeFocused()
  await page.getByRole('region', { name: 'Payments' }).waitFor()
  await tabTo(page, world.waiting)
  await page.keyboard.press('Enter')
  await expect(heading(page)).toContainText('2,750')
  await tabTo(page, 'Cancel payment')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('dialog', { name: 'Cancel payment' })).toContainText(world.waiting)
  await page.keyboard.type('The shop asked for it by phone.')
  await tabTo(page, 'Cancel payment')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('status').filter({ hasText: 'done for' })).toBeVisible()
  await expect(heading(page)).toContainText('Canceled')
  await expect(page.getByRole('region', { name: 'Changes by staff' })).toContainText(
    'The shop asked for it by phone.',
  )
})

test('a delivery that failed for good is replayed, and seen delivered', async ({
  page,
  stack,
  world,
  comeAs,
}) => {
  test.setTimeout(150_000)
  const event = await exhaustDelivery(stack, world)
  await comeAs('omar', '/dash/deliveries?status=exhausted')
  const failed = page.getByRole('region', { name: 'Webhook deliveries' })
  await failed.getByRole('link').first().click()
  await expect(heading(page)).toContainText('Exhausted')
  await expect(page.getByRole('region', { name: 'Attempts' }).getByRole('row')).toHaveCount(9)

  await page.getByRole('button', { name: 'Replay' }).click()
  await page.getByLabel(/^Reason/).fill('The shop has repaired its endpoint.')
  await page.getByRole('dialog').getByRole('button', { name: 'Replay' }).click()
  await expect(heading(page)).toContainText('Succeeded')
  await expect(page.getByRole('button', { name: 'Replay' })).toHaveCount(0)
  const bodies = (stack.webhook?.receiver.received() ?? []).map(({ body }) => body)
  const posted = bodies.filter((body) => body.includes(event))
  expect(posted).toHaveLength(9)
  expect(new Set(posted).size).toBe(1)
})

test('what is left of a payment is refunded, to the number that paid', async ({ page, world, comeAs }) => {
  await comeAs('omar', `/dash/payments/${world.paid}`)
  await page.getByRole('button', { name: 'Refund payment' }).click()
  const dialog = page.getByRole('dialog', { name: 'Refund payment' })
  await dialog.getByRole('button', { name: 'All that is left: 10000' }).click()
  await dialog.getByLabel(/^Reason/).fill('The bags were torn.')
  await dialog.getByRole('button', { name: 'Refund payment' }).click()
  const refunds = page.getByRole('region', { name: 'Refunds' })
  await expect(refunds.getByRole('row')).toHaveCount(3)
  await expect(refunds.getByText('Accepted by the rail')).toHaveCount(2)
  await expect(page.getByText('may still refuse it')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Refund payment' })).toHaveCount(0)
})

test('a customer is erased by who types the id, and the audit log knows who it was', async ({
  page,
  world,
  comeAs,
}) => {
  await comeAs('ada', `/dash/customers/${world.customer}`)
  await expect(heading(page)).toHaveText('Aïcha Nkeng')
  await page.getByRole('button', { name: 'Erase customer' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel(/^Reason/).fill('Asked for by letter.')
  await dialog.getByLabel(/^Type the id/).fill(world.customer.slice(0, -1))
  await dialog.getByRole('button', { name: 'Erase customer' }).click()
  await expect(dialog).toBeVisible()
  await expect(heading(page)).toHaveText('Aïcha Nkeng')
  await dialog.getByLabel(/^Type the id/).fill(world.customer)
  await dialog.getByRole('button', { name: 'Erase customer' }).click()
  await expect(heading(page)).toHaveText('Erased customer')
  await expect(page.getByText('aicha@shop.example')).toHaveCount(0)

  await page.getByRole('link', { name: 'Audit log' }).click()
  const log = page.getByRole('region', { name: 'Audit log' })
  await expect(log).toContainText('Customer erased')
  await expect(log).toContainText('Asked for by letter.')
  await expect(log).toContainText('Ada Admin')
})

/** The mock reports another amount for this payer. */
const PAYS_ANOTHER_AMOUNT = '670000481'

test('an alert is taken, its payment is opened, and it is resolved', async ({
  page,
  stack,
  world,
  comeAs,
}) => {
  const { paymentIntents } = world.payments
  const rail = stack.mockRails.pushRail
  const { id } = await paymentIntents.create({ amount: 9_100, currency: 'XAF', payment_method_types: [rail] })
  await paymentIntents.confirm(id, { payment_method_data: { [rail]: { msisdn: PAYS_ANOTHER_AMOUNT } } })
  await comeAs('omar', '/dash/attention?status=waiting&alert=charge_amount_mismatch')
  const items = page.getByRole('region', { name: 'Needs attention' })
  await expect(items).toContainText('The rail reports another amount', { timeout: 40_000 })

  await items.getByRole('button', { name: 'Take' }).click()
  await page.getByLabel(/^Reason/).fill('I am asking the operator.')
  await page.getByRole('dialog').getByRole('button', { name: 'Take' }).click()
  await expect(items).toContainText('Omar Operator')

  await items.getByRole('link').first().click()
  await expect(heading(page)).toContainText('9,100')
  await expect(page.getByRole('region', { name: 'Charges' })).toContainText('Amount differs')
  await page.goBack()
  await items.getByRole('button', { name: 'Resolve' }).click()
  await page.getByLabel(/^Reason/).fill('The operator corrects it.')
  await page.getByRole('dialog').getByRole('button', { name: 'Resolve' }).click()
  await expect(page.getByRole('status').filter({ hasText: 'done for' })).toBeVisible()
  await page.goto('/dash/attention?alert=charge_amount_mismatch')
  const times = async () => Number(await items.locator('td[data-head="Times"]').textContent())
  const counted = await times()
  // The rail reports the same amount at each query, which counts and opens nothing.
  await expect.poll(times, { timeout: 40_000 }).toBeGreaterThan(counted)
  await expect(items).toContainText('Resolved')
})
