import { addColumns } from '@merchant-payments/testing/newer-schema'
import { requireProgram } from '@merchant-payments/testing/program'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type StaffApi, startStaffApi } from './dash/staff.ts'
import { type ExampleRunner, examples, openExamples } from './examples/run.ts'
import { instruct, sendReturns, settle } from './harness.ts'
import { confirmedIntent } from './steps.ts'

// The text that the documents show for a shell covers every operation.
const calls = examples.filter(({ lang }) => lang === 'Shell')

let api: StaffApi
let runner: ExampleRunner
const clear = () =>
  api.owner.transact(async (tx) => {
    await tx.deleteFrom('disabled_clients').execute()
    await tx.deleteFrom('bulk_jobs').execute()
  })

beforeAll(async () => {
  requireProgram('curl')
  api = await startStaffApi()
  runner = await openExamples(api)
  for (const call of calls) {
    await runner.run(call)
    await clear()
  }
  await runPasses()
  await addColumns(api.databaseUrl)
}, 180_000)
afterAll(async () => {
  await runner.close()
  await api.stop()
})
afterEach(clear)

async function runPasses(): Promise<void> {
  await confirmedIntent(api, 'staysPending')
  expect((await settle(api)).claimed).toBeGreaterThan(0)
  await instruct(api)
  await sendReturns(api)
}

describe('a replica whose statements were prepared before a later release added a column to every table', () => {
  test.each(calls.map((call) => [call.operation.id, call] as const))('answers %s', async (_id, call) => {
    const { answer, expected } = await runner.run(call)
    if (expected.refused === undefined) expect(answer).toMatchObject(expected)
    else expect(answer).toMatchObject({ error: { code: expected.refused } })
  })

  test('settles charges, instructs refunds and returns, and has lost no connection', async () => {
    await runPasses()
    expect(api.lost).toEqual([])
  })
})
