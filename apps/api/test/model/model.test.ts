import { readdir, readFile } from 'node:fs/promises'
import { soakOf } from '@merchant-payments/testing/soaks'
import { beforeAll, describe, expect, test } from 'vitest'
import { browserOperations, operations } from '../v1/operations.ts'
import type { OperationId } from './books/operations.ts'
import type { RefusalCode } from './books/verdict.ts'
import { type Report, runSequences } from './run/sequences.ts'
import { Tally } from './run/tally.ts'
import { operationPlans, stepNames } from './steps/index.ts'

/** `MODEL_STEPS=100000` makes a longer run; `RANDOM_SEED=7 MODEL_STEPS=1 MODEL_SHRINK_MS=600000` makes one sequence again. */
const { size: STEPS, seed: SEED, isFull } = soakOf('modelSteps')
const SHRINK_MS = Number(process.env['MODEL_SHRINK_MS'] ?? 45_000)
/** For a machine that runs everything at once. */
const STEP_MAX_MS = 60

/** Refusals of each operation that the full run must meet. Others may occur. */
const refusals: Partial<Record<OperationId, readonly (RefusalCode | 'replayed')[]>> = {
  'accountHolders.retrieve': ['not_supported'],
  'browser.paymentIntents.confirm': ['provider_unavailable', 'resource_missing', 'session_not_open'],
  'checkout.sessions.create': ['intent_has_session', 'invalid_request', 'replayed'],
  'checkout.sessions.expire': ['session_not_open'],
  'customers.create': ['invalid_request', 'replayed'],
  'invoiceItems.create': ['invalid_request', 'invoice_not_draft'],
  'invoices.finalizeInvoice': ['invalid_request', 'invoice_not_draft'],
  'invoices.pay': ['invoice_draft', 'resource_missing'],
  'paymentIntents.cancel': ['invalid_request'],
  'paymentIntents.confirm': [
    'charge_in_progress',
    'charge_terminal',
    'customer_erased',
    'idempotency_key_in_use',
    'intent_canceled',
    'invalid_request',
    'provider_unavailable',
    'replayed',
    'resource_missing',
  ],
  'paymentIntents.create': ['invalid_request', 'replayed'],
  'refunds.cancel': ['refund_not_cancelable'],
  'refunds.create': ['intent_not_succeeded', 'invalid_request', 'not_supported', 'replayed'],
}

test('every operation of the contract has a step', () => {
  const declared = [...operations, ...browserOperations].map(({ id }) => id)
  expect(Object.keys(operationPlans).sort()).toEqual(declared.sort())
})

test('the model is independent: it imports nothing of the service', async () => {
  const folder = new URL('books/', import.meta.url)
  const texts = await Promise.all(
    (await readdir(folder)).map((name) => readFile(new URL(name, folder), 'utf8')),
  )
  const imported = texts.flatMap((text) => [...text.matchAll(/ from '([^']+)'/g)].map(([, path]) => path))
  expect(imported.length).toBeGreaterThan(0)
  expect(imported.filter((path) => !/^\.\/[\w-]+\.ts$/.test(path ?? ''))).toEqual([])
})

describe(`sequences of ${STEPS} random steps or more, RANDOM_SEED=${SEED}:`, () => {
  const tally = new Tally()
  let report: Report
  beforeAll(
    async () => {
      report = await runSequences({ seed: SEED, stepsMin: STEPS, shrinkMs: SHRINK_MS }, tally)
      if ('MODEL_STEPS' in process.env) console.log(tally.lines().join('\n'))
    },
    60_000 + SHRINK_MS + STEPS * STEP_MAX_MS,
  )

  test('after each step the service has answered and written exactly what the model expects [§3.1, §6.2, §8]', () => {
    if (report.failure !== null) throw report.failure
    expect(tally.steps).toBeGreaterThanOrEqual(STEPS)
  })

  test('every invariant of the database and of the rails’ ledger holds', () => {
    expect(report.violations).toEqual([])
  })

  test.runIf(isFull)('each step was taken, and each operation succeeded', () => {
    const neverOk = ['repeat', 'refunds.cancel']
    expect(stepNames.filter((name) => !neverOk.includes(name) && !tally.saw(name, 'ok'))).toEqual([])
  })

  test.runIf(isFull)('each operation gave its own refusals', () => {
    const missing = Object.entries(refusals).flatMap(([step, codes]) =>
      codes.filter((code) => !tally.saw(step, code)).map((code) => `${step} ${code}`),
    )
    expect(missing).toEqual([])
  })
})
