import { readFile } from 'node:fs/promises'
import type { Page } from '@playwright/test'
import { countSoon } from './stack/count-soon.ts'
import { expect, heading, test } from './stack/fixtures.ts'
import { takeFinancePictures } from './stack/pictures.ts'

test.describe.configure({ mode: 'default' })

const fileOf = async (page: Page, name: string, format: string): Promise<string> => {
  await page.getByLabel('File of').selectOption(name)
  await page.getByLabel('Format').selectOption(format)
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download the file' }).click(),
  ])
  return readFile(await download.path(), 'latin1')
}

test('finance loads payments and sums of the days as files, and the audit log names them', async ({
  page,
  world,
  stack,
  comeAs,
}) => {
  // Files and sums end two and a half minutes ago.
  await stack.api.restart({ CLOCK_OFFSET_MS: String(3 * 60_000) })
  await comeAs('vera', '/dash/finance')
  const days = page.getByRole('region', { name: 'By day' })
  await expect(days).toContainText('12,500')
  await expect(days).toContainText('2,500')
  await takeFinancePictures(page, 'finance')
  const csv = await fileOf(page, 'payment_intents', 'csv')
  expect(csv).toContain(`${world.paid},succeeded,12500,2500,XAF`)
  expect(await fileOf(page, 'finance_summary', 'xlsx')).toMatch(/^PK/)
  await page.goto('/dash/audit-log?action=export.create')
  await expect(page.getByRole('region', { name: 'Audit log' }).getByRole('row')).toHaveCount(3)
  await stack.api.restart()
})

test('a chart of each hour has a table, whose rows lead to their charges', async ({
  page,
  stack,
  comeAs,
}) => {
  await comeAs('vera', '/dash/analytics?size=5m')
  await expect(heading(page)).toHaveText('Analytics')
  await countSoon(stack)
  const counted = async () => {
    const answer = await page.request.get('/dash/v1/analytics')
    return ((await answer.json()) as { funnel: { approved: number } }).funnel.approved
  }
  await expect.poll(counted, { timeout: 40_000 }).toBe(1)
  await page.reload()
  await expect(page.getByRole('img', { name: 'Success rate, %' }).locator('canvas')).toBeVisible()
  await expect(page.getByRole('region', { name: 'From creation to payment' })).toContainText('33 %')
  await takeFinancePictures(page, 'analytics')
  await page.getByRole('region', { name: 'The charts as a table' }).getByRole('link').first().click()
  await expect(heading(page)).toHaveText('Charges')
  await expect(page.getByRole('region', { name: 'Charges' })).toContainText('mtn_momo_cm')
  await page.goto('/dash/rails')
  await expect(page.getByRole('region', { name: 'The last hour' })).toContainText('NOT_ENOUGH_FUNDS')
})

test('an operator reconciles a statement, looks at the differences, and closes the day', async ({
  page,
  world,
  comeAs,
}) => {
  await comeAs('omar', '/dash/reconciliation')
  await expect(heading(page)).toHaveText('Reconciliation')
  const answer = await page.request.get(`/dash/v1/payment_intents/${world.paid}`)
  const { charges, refunds } = (await answer.json()) as {
    charges: { reference: string; settled_at: number }[]
    refunds: { reference: string }[]
  }
  const [charge, refund] = [charges[0], refunds[0]]
  if (charge === undefined || refund === undefined) throw new Error('the payment has a charge and a refund')
  const day = new Date((charge.settled_at + 3_600) * 1_000).toISOString().slice(0, 10)
  const statement = [
    'Id,External id,Date,Status,Type,Amount',
    `17677469451,${charge.reference},${day} 10:00:00,Successful,Debit,12500`,
    `17677469452,${refund.reference},${day} 10:05:00,Successful,Cash in,-2500`,
    `17677469453,unknown,${day} 10:06:00,Successful,Debit,700`,
    '',
  ].join('\n')
  await page.getByLabel('Rail', { exact: true }).selectOption('mtn_momo_cm')
  await page.getByLabel('Day, of the operator').fill(day)
  await page.getByLabel('CSV file').setInputFiles({
    name: 'PMMTNCM.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from(statement),
  })
  await page.getByLabel('Reason (saved in the audit log)').fill('The statement of the day.')
  await page.getByRole('button', { name: 'Upload', exact: true }).click()
  await expect(heading(page)).toHaveText(`Statement of ${day}, mtn_momo_cm`)
  const rows = page.getByRole('region', { name: 'Differences' })
  await expect(rows).toContainText('Only in the statement')
  await expect(rows).toContainText('17677469453')
  await expect(rows).not.toContainText('17677469451')
  await takeFinancePictures(page, 'statement')

  await page.getByRole('button', { name: 'Close the day' }).click()
  await page.getByLabel('Reason (saved in the audit log)').fill('The operator is asked about one line.')
  await page.getByRole('dialog').getByRole('button', { name: 'Close the day' }).click()
  await expect(page.getByText('Omar Operator').first()).toBeVisible()
  await expect(page.getByRole('button', { name: 'Reopen the day' })).toBeVisible()

  await page.goto('/dash/refunds')
  await page.getByRole('link', { name: 'Confirmed' }).click()
  await expect(heading(page)).toHaveText(`Statement of ${day}, mtn_momo_cm`)
})
