import { readdir, readFile } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { browserOperations, dashOperations, operations } from './operations.ts'

const kebab = (id: string) => id.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

/**
 * `paymentIntents.create` is tested in `v1/payment-intents/create.test.ts`, `browser.paymentIntents.confirm` in
 * `browser/payment-intents/confirm.test.ts`.
 */
const fileOf = (id: string) => {
  const path = kebab(id).replaceAll('.', '/')
  return new URL(`../${path.startsWith('browser/') ? path : `v1/${path}`}.test.ts`, import.meta.url)
}

describe('every operation of the contract', () => {
  test.each([...operations, ...browserOperations].map((operation) => [operation.id, operation] as const))(
    '%s has a test file with a describe for each status of its own',
    async (id, { ok, path, query, body }) => {
      const text = await readFile(fileOf(id), 'utf8')
      const statuses = [ok.status, ...((query ?? body) ? [400] : []), ...(path.includes('{') ? [404] : [])]
      for (const status of statuses) expect(text).toContain(`describe('${status}'`)
    },
  )

  /** Files that cover errors beside the operation's own. */
  const tables: Readonly<Record<string, readonly string[]>> = {
    'browser.paymentIntents.confirm': ['v1/invoices/settlement.test.ts'],
    'invoiceItems.create': ['v1/invoices/lifecycle.test.ts'],
    'invoiceItems.del': ['v1/invoices/lifecycle.test.ts'],
    'invoiceItems.update': ['v1/invoices/lifecycle.test.ts'],
    'invoices.del': ['v1/invoices/lifecycle.test.ts'],
    'invoices.markUncollectible': ['v1/invoices/lifecycle.test.ts'],
    'invoices.pay': ['v1/invoices/lifecycle.test.ts', 'v1/invoices/pay-spent.test.ts'],
    'invoices.update': ['v1/invoices/lifecycle.test.ts'],
    'invoices.voidInvoice': ['v1/invoices/lifecycle.test.ts'],
    'paymentIntents.confirm': ['v1/invoices/settlement.test.ts', 'v1/invoices/void-invoice.test.ts'],
    'refunds.create': ['dash/unproven-charges.test.ts'],
  }

  // `declared-errors.ts` checks the other direction: no test may meet an undeclared error.
  test.each([...operations, ...browserOperations].map((operation) => [operation.id, operation] as const))(
    '%s is provoked to each error that it declares of its own',
    async (id, { errors }) => {
      const files = [fileOf(id), ...(tables[id] ?? []).map((name) => new URL(`../${name}`, import.meta.url))]
      const texts = await Promise.all(files.map((file) => readFile(file, 'utf8')))
      expect(errors.filter((code) => !texts.some((text) => text.includes(`'${code}'`)))).toEqual([])
    },
  )

  test.each(dashOperations.map(({ id, errors }) => [id, errors] as const))(
    '%s is provoked to each error that it declares of its own, by a test of the staff’s surface',
    async (_id, errors) => {
      const folder = new URL('../dash/', import.meta.url)
      const names = (await readdir(folder)).filter((name) => name.endsWith('.test.ts'))
      const texts = await Promise.all(names.map((name) => readFile(new URL(name, folder), 'utf8')))
      expect(errors.filter((code) => !texts.some((text) => text.includes(`'${code}'`)))).toEqual([])
    },
  )

  // `dash/every-route.test.ts` covers what all of them share, such as refusals.
  test.each(dashOperations.map(({ id }) => id))(
    '%s has a describe of its own for what it does',
    async (id) => {
      const folder = new URL('../dash/', import.meta.url)
      const names = (await readdir(folder)).filter((name) => name.endsWith('.test.ts'))
      const texts = await Promise.all(names.map((name) => readFile(new URL(name, folder), 'utf8')))
      expect(names.filter((_, n) => texts[n]?.includes(`describe('${id}'`))).toHaveLength(1)
    },
  )
})
