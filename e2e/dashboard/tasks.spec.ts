import type { Page } from '@playwright/test'
import { exhaustDelivery } from './stack/exhaust-delivery.ts'
import { expect, heading, test } from './stack/fixtures.ts'
import { arrived, expectSteps, personAt, rowsOf, search } from './stack/tasks.ts'

test.describe.configure({ mode: 'default' })

/** The rail's own transaction, as the payer's SMS has it. */
async function transactionOf(page: Page, payment: string): Promise<string> {
  const answer = await page.request.get(`/dash/v1/payment_intents/${payment}`)
  const { charges } = (await answer.json()) as { charges: readonly { rail_txn_id: string }[] }
  return charges[0]?.rail_txn_id ?? ''
}

test('Find a payment by the SMS of its payer', async ({ page, world, comeAs }, { title }) => {
  await comeAs('vera')
  await arrived(page)
  const id = await transactionOf(page, world.paid)
  const person = personAt(page)
  const sms = `Votre paiement de 12500 XAF a ete effectue le 2026-06-25. Frais: 0 XAF. Transaction Id: ${id}.`
  await search(page, person, sms)
  await expect(heading(page)).toContainText('12,500')
  expectSteps(title, person)
})

for (const [task, text, found] of [
  ['Find a payment by its order number', 'A-12500', '12,500'],
  ['Find a customer by a part of the name', 'nkeng', 'Aïcha Nkeng'],
  ['Find a customer by the e-mail', 'aicha@shop.example', 'Aïcha Nkeng'],
  ['Find a payment by the last four digits of its payer’s number', '0470', '48,000'],
] as const) {
  test(task, async ({ page, comeAs }, { title }) => {
    await comeAs('vera')
    await arrived(page)
    const person = personAt(page)
    await search(page, person, text)
    await expect(heading(page)).toContainText(found)
    expectSteps(title, person)
  })
}

test('List the payments of a payer’s number', async ({ page, comeAs }, { title }) => {
  await comeAs('vera')
  await arrived(page)
  const person = personAt(page)
  await person.press('g', 'p')
  await person.enter(page.getByLabel('Payer’s number'), '670 00 04 70')
  await expect(rowsOf(page, 'Payments')).toHaveCount(1)
  await expect(page.locator('.totals')).toContainText('48,000')
  expectSteps(title, person)
})

test('List the payments of an amount', async ({ page, comeAs }, { title }) => {
  await comeAs('vera')
  await arrived(page)
  const person = personAt(page)
  await search(page, person, '12 500')
  await person.click(page.getByRole('link', { name: /^Payments of this amount/ }))
  await expect(rowsOf(page, 'Payments')).toHaveCount(1)
  expectSteps(title, person)
})

test('List the refunds above an amount, with their sum', async ({ page, comeAs }, { title }) => {
  await comeAs('vera')
  await arrived(page)
  const person = personAt(page)
  await person.press('g', 'r')
  await person.enter(page.getByLabel('Amount from'), '2 000')
  await expect(page).toHaveURL(/amount_from=2\+000/)
  await expect(page.locator('.totals')).toContainText('2,500')
  await page.getByLabel('Amount from').fill('3000')
  await page.getByLabel('Amount from').press('Enter')
  await expect(page.getByText('No matching refunds.')).toBeVisible()
  expectSteps(title, person)
})

test('List the payments that lacked money', async ({ page, comeAs }, { title }) => {
  await comeAs('vera')
  await arrived(page)
  const person = personAt(page)
  await person.press('g', 'p')
  await person.click(page.getByText('More filters'))
  await person.choose(page.getByLabel('Last error', { exact: true }), 'Too little money')
  await expect(rowsOf(page, 'Payments')).toHaveCount(1)
  await expect(rowsOf(page, 'Payments')).toContainText('48,000')
  expectSteps(title, person)
})

test('Browse the events of a type, and see the bytes that were sent', async ({ page, comeAs }, { title }) => {
  await comeAs('vera')
  await arrived(page)
  const person = personAt(page)
  await person.press('g', 'e')
  await person.choose(page.getByLabel('Event type'), 'payment_intent.succeeded')
  await expect(rowsOf(page, 'Events')).toHaveCount(1)
  await person.click(rowsOf(page, 'Events').getByRole('link'))
  await expect(page.getByRole('region', { name: 'Bytes as they are signed' })).toContainText('{"id":"evt_')
  expectSteps(title, person)
})

test('See whether a merchant’s endpoint is well', async ({ page, comeAs }, { title }) => {
  await comeAs('vera')
  await arrived(page)
  const person = personAt(page)
  await person.click(page.getByRole('link', { name: 'Merchants', exact: true }))
  await person.click(rowsOf(page, 'Merchants').getByRole('link').first())
  await expect(page.getByText(/half within \d+ ms, 95% within \d+ ms/)).toBeVisible()
  expectSteps(title, person)
})

test('Send all that an endpoint missed again', async ({ page, stack, world, comeAs }, { title }) => {
  test.setTimeout(180_000)
  const customer = await exhaustDelivery(stack, world)
  await comeAs('omar', '/dash/')
  await arrived(page)
  const person = personAt(page)
  await person.click(page.getByRole('link', { name: 'Merchants', exact: true }))
  await person.click(rowsOf(page, 'Merchants').getByRole('link').first())
  await person.click(page.getByRole('button', { name: 'Send all again since…' }))
  await person.fill(page.getByLabel(/^Reason/), 'The shop has repaired its endpoint.')
  await person.click(page.getByRole('dialog').getByRole('button', { name: 'Send all again since…' }))
  await expect(page.getByText('Started for 1 object.', { exact: false })).toBeVisible()
  expectSteps(title, person)
  const posted = () =>
    (stack.webhook?.receiver.received() ?? []).filter(({ body }) => body.includes(customer))
  await expect.poll(() => posted().length).toBe(9)

  await page.goto('/dash/bulk-jobs')
  await expect(rowsOf(page, 'Bulk actions')).toContainText('1 of 1')
  await expect(rowsOf(page, 'Bulk actions')).toContainText('Finished')
  await page.goto('/dash/audit-log')
  await expect(rowsOf(page, 'Audit log').filter({ hasText: 'Delivery sent again' })).toHaveCount(1)
})

test('Ask the rail about all stuck charges of a list', async ({ page, comeAs }, { title }) => {
  await comeAs('omar')
  await arrived(page)
  const person = personAt(page)
  await person.press('g', 'c')
  await person.choose(page.getByLabel('State'), 'open')
  await expect(page).toHaveURL(/state=open/)
  await expect(rowsOf(page, 'Charges')).toHaveCount(1)
  await person.click(page.getByRole('checkbox', { name: 'Select all rows' }))
  await person.click(page.getByRole('button', { name: 'Query rails now' }))
  await person.fill(page.getByLabel(/^Reason/), 'The payer says that it is paid.')
  await person.click(page.getByRole('dialog').getByRole('button', { name: 'Query rails now' }))
  await expect(page.getByText('Started for 1 object.', { exact: false })).toBeVisible()
  expectSteps(title, person)
})

test('Read the dashboard in French', async ({ page, comeAs }, { title }) => {
  await comeAs('vera')
  await arrived(page)
  const person = personAt(page)
  await person.choose(page.getByLabel('Language'), 'Français')
  await expect(heading(page)).toHaveText('Vue d’ensemble')
  expectSteps(title, person)
})

test('See times in Douala’s time zone', async ({ page, comeAs }, { title }) => {
  await comeAs('vera', '/dash/payments')
  await arrived(page)
  const person = personAt(page)
  await person.choose(page.getByLabel('Times in'), 'Times: Douala')
  await expect(page.getByRole('columnheader', { name: 'Created, Douala' })).toBeVisible()
  expectSteps(title, person)
})

test('List the payments that were paid twice', async ({ page, comeAs }, { title }) => {
  await comeAs('vera')
  const person = personAt(page)
  await person.click(page.getByRole('link', { name: 'Duplicate charges', exact: true }))
  await expect(page).toHaveURL(/state=duplicate/)
  expectSteps(title, person)
})

test('See what the keys do', async ({ page, comeAs }, { title }) => {
  await comeAs('vera')
  await arrived(page)
  const person = personAt(page)
  await person.press('?')
  await expect(page.getByRole('dialog', { name: 'Keyboard shortcuts' })).toContainText('Next row')
  expectSteps(title, person)
})
