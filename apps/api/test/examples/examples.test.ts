import { requireProgram } from '@merchant-payments/testing/program'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type StaffApi, startStaffApi } from '../dash/staff.ts'
import { browserOperations, dashOperations, operations } from '../v1/operations.ts'
import { type ExampleRunner, examples, openExamples } from './run.ts'

let api: StaffApi
let runner: ExampleRunner
beforeAll(async () => {
  requireProgram('curl')
  api = await startStaffApi()
  runner = await openExamples(api)
})
afterAll(async () => {
  await runner.close()
  await api.stop()
})
afterEach(() => api.owner.transact((tx) => tx.deleteFrom('disabled_clients').execute()))

const cases = examples.map((example) => [example.operation.id, example.lang, example] as const)

describe('the example of', () => {
  test.each(cases)('%s in %s runs as it stands, and answers what it says', async (_id, _lang, example) => {
    const { answer, expected } = await runner.run(example)
    if (expected.refused !== undefined) {
      expect(answer).toMatchObject({ error: { code: expected.refused } })
      return
    }
    expect(answer).toMatchObject(expected)
    expect(example.operation.ok.schema.safeParse(answer)).toMatchObject({ success: true })
  })

  test('every operation has an example with curl, and each of /v1 also with the SDK and in the collection', () => {
    const shown = cases.map(([id, lang]) => `${id} ${lang}`)
    expect(shown).toEqual(
      expect.arrayContaining([
        ...[...operations, ...browserOperations, ...dashOperations].map(({ id }) => `${id} Shell`),
        ...operations.map(({ id }) => `${id} TypeScript`),
        ...operations.map(({ id }) => `${id} Collection`),
      ]),
    )
  })
})
