import type { Stack } from '@merchant-payments/stack'
import { countSoon } from './stack/count-soon.ts'
import { expect, heading, test } from './stack/fixtures.ts'
import { pay } from './stack/pay.ts'
import { arrived, expectSteps, personAt, rowsOf, search } from './stack/tasks.ts'
import { until, type World } from './stack/world.ts'

// These tasks change money, so no other file's stories share their system.
test.use({ system: 'shift' })
test.describe.configure({ mode: 'default' })

/** The rail reports the first charge of this payer as failed, and as paid twenty seconds later. */
const PAYS_LATE = '670000480'
const PAYS = '670000001'
/** The mock reports another amount for this payer. */
const PAYS_ANOTHER_AMOUNT = '670000481'

async function payTwice(stack: Stack, world: World): Promise<void> {
  const { paymentIntents } = world.payments
  const rail = stack.mockRails.pushRail
  const id = await pay(stack, world, { amount: 8_200, msisdn: PAYS_LATE })
  await until(async () => (await paymentIntents.retrieve(id)).last_payment_error !== null)
  await paymentIntents.confirm(id, { payment_method_data: { [rail]: { msisdn: PAYS } } })
  await until(async () => (await paymentIntents.retrieve(id)).status === 'succeeded')
}

test('Find a payment by its id', async ({ page, world, comeAs }, { title }) => {
  await comeAs('vera')
  await arrived(page)
  const person = personAt(page)
  await search(page, person, world.declined)
  await expect(heading(page)).toContainText('48,000')
  expectSteps(title, person)
})

test('Find a payment by four digits from the middle of its payer’s number', async ({
  page,
  stack,
  world,
  comeAs,
}, { title }) => {
  await pay(stack, world, { amount: 3_300, msisdn: '677451201' })
  await comeAs('vera')
  await arrived(page)
  const person = personAt(page)
  await search(page, person, '4512')
  // These digits are an amount as well, so the search shows what it found.
  await person.click(
    page.getByRole('dialog', { name: 'Find' }).getByRole('button', { name: /found by the phone number/ }),
  )
  await expect(heading(page)).toContainText('3,300')
  expectSteps(title, person)
})

test('See why payments of a rail fail since 14:00', async ({ page, stack, comeAs }, { title }) => {
  await comeAs('vera')
  await arrived(page)
  await countSoon(stack)
  const counted = async () => {
    const answer = await page.request.get('/dash/v1/rails/mtn_momo_cm')
    return ((await answer.json()) as { health: { failed: number } }).health.failed
  }
  await expect.poll(counted, { timeout: 40_000 }).toBeGreaterThan(0)
  const person = personAt(page)
  await person.click(page.getByRole('link', { name: 'Rails', exact: true }))
  await person.click(rowsOf(page, 'Rails').getByRole('link', { name: 'mtn_momo_cm' }))
  await expect(heading(page)).toHaveText('MTN MoMo')
  await expect(rowsOf(page, 'Last errors')).toContainText(['NOT_ENOUGH_FUNDS'])
  await expect(page.getByRole('img', { name: 'Success rate, %' }).locator('canvas')).toBeVisible()
  expectSteps(title, person)
})

test('Load a month’s payments as CSV', async ({ page, comeAs }, { title }) => {
  await comeAs('vera')
  await arrived(page)
  const person = personAt(page)
  const month = new Date().toISOString().slice(0, 8)
  const last = new Date(Date.UTC(Number(month.slice(0, 4)), Number(month.slice(5, 7)), 0)).getUTCDate()
  await person.click(page.getByRole('link', { name: 'Finance', exact: true }))
  await person.enter(page.getByLabel('From, UTC', { exact: true }), `${month}01`)
  await person.enter(page.getByLabel('Until, UTC', { exact: true }), `${month}${last}`)
  const loading = page.waitForEvent('download')
  await person.click(page.getByRole('button', { name: 'Download the file' }))
  expect((await loading).suggestedFilename()).toMatch(/payment.*\.csv$/)
  expectSteps(title, person)
})

test('Reconcile the statement of an operator’s day', async ({ page, world, comeAs }, { title }) => {
  await comeAs('omar')
  await arrived(page)
  const answer = await page.request.get(`/dash/v1/payment_intents/${world.paid}`)
  const { charges } = (await answer.json()) as { charges: { reference: string; settled_at: number }[] }
  const [charge] = charges
  if (charge === undefined) throw new Error('the payment has a charge')
  const day = new Date((charge.settled_at + 3_600) * 1_000).toISOString().slice(0, 10)
  const buffer = Buffer.from(
    [
      'Id,External id,Date,Status,Type,Amount',
      `17677469451,${charge.reference},${day} 10:00:00,Successful,Debit,12500`,
      `17677469453,unknown,${day} 10:06:00,Successful,Debit,700`,
      '',
    ].join('\n'),
  )
  const person = personAt(page)
  await person.click(page.getByRole('link', { name: 'Reconciliation', exact: true }))
  await person.choose(page.getByLabel('Rail', { exact: true }), 'mtn_momo_cm')
  await person.fill(page.getByLabel('Day, of the operator'), day)
  await person.give(page.getByLabel('CSV file'), { name: 'PMMTNCM.csv', mimeType: 'text/csv', buffer })
  await person.fill(page.getByLabel('Reason (saved in the audit log)'), 'The statement of the day.')
  await person.click(page.getByRole('button', { name: 'Upload', exact: true }))
  await expect(heading(page)).toHaveText(`Statement of ${day}, mtn_momo_cm`)
  await expect(rowsOf(page, 'Differences').filter({ hasText: '17677469453' })).toHaveCount(1)
  expectSteps(title, person)
})

test('Return a payment that was paid twice', async ({ page, stack, world, comeAs }, { title }) => {
  test.setTimeout(180_000)
  await payTwice(stack, world)
  await comeAs('omar')
  await arrived(page)
  const duplicates = async () => {
    const answer = await page.request.get('/dash/v1/overview')
    return ((await answer.json()) as { duplicate_charges: { count: number } }).duplicate_charges.count
  }
  // The worker finds the late success when it next asks the rail.
  await expect.poll(duplicates, { timeout: 100_000 }).toBe(1)
  const person = personAt(page)
  await person.click(page.getByRole('link', { name: 'Duplicate charges', exact: true }))
  await expect(rowsOf(page, 'Charges')).toContainText('8,200')
  await person.click(page.getByRole('button', { name: 'Return to payer' }))
  await person.fill(page.getByLabel(/^Reason/), 'The payer was charged twice.')
  await person.click(page.getByRole('dialog').getByRole('button', { name: 'Return to payer' }))
  await expect(page.getByText('No matching charges.')).toBeVisible()
  expectSteps(title, person)
  await expect.poll(duplicates).toBe(0)
})

test('Refund what is left of a payment', async ({ page, world, comeAs }, { title }) => {
  await comeAs('omar')
  await arrived(page)
  const person = personAt(page)
  await search(page, person, world.paid)
  await person.click(page.getByRole('button', { name: 'Refund payment' }))
  const dialog = page.getByRole('dialog', { name: 'Refund payment' })
  await person.click(dialog.getByRole('button', { name: 'All that is left: 10000' }))
  await person.fill(dialog.getByLabel(/^Reason/), 'The bags were torn.')
  await person.click(dialog.getByRole('button', { name: 'Refund payment' }))
  await expect(page.getByRole('region', { name: 'Refunds' }).getByText('Accepted')).toHaveCount(2)
  expectSteps(title, person)
})

test('Take an alert, so that the shift knows who handles it', async ({ page, stack, world, comeAs }, {
  title,
}) => {
  await pay(stack, world, { amount: 9_100, msisdn: PAYS_ANOTHER_AMOUNT })
  await comeAs('omar')
  await arrived(page)
  const waiting = async () => {
    const answer = await page.request.get('/dash/v1/attention_items?alert=charge_amount_mismatch')
    return ((await answer.json()) as { data: unknown[] }).data.length
  }
  await expect.poll(waiting, { timeout: 40_000 }).toBe(1)
  const person = personAt(page)
  await person.press('g', 'n')
  const alert = rowsOf(page, 'Needs attention').filter({ hasText: 'The rail reports another amount' })
  await expect(alert).toContainText('Reported amount: 9,101 XAF')
  await person.click(alert.getByRole('button', { name: 'Take' }))
  await person.fill(page.getByLabel(/^Reason/), 'I am asking the operator.')
  await person.click(page.getByRole('dialog').getByRole('button', { name: 'Take' }))
  await expect(alert).toContainText('Omar Operator')
  expectSteps(title, person)
})
