import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { documents } from '@merchant-payments/contract/openapi'
import { requireProgram } from '@merchant-payments/testing/program'
import { testFolder } from '@merchant-payments/testing/test-folder'
import { FetchingJSONSchemaStore, InputData, JSONSchemaInput, quicktype } from 'quicktype-core'
import { expect, test } from 'vitest'
import { inRepository } from '../src/files.ts'

const run = promisify(execFile)

/** The snapshots of events, by `object` of the snapshot. */
const classes: Readonly<Record<string, string>> = {
  payment_intent: 'PaymentIntentSnapshot',
  'checkout.session': 'CheckoutSessionSnapshot',
  invoice: 'InvoiceSnapshot',
  refund: 'Refund',
  customer: 'Customer',
}

async function pythonOf(names: readonly string[]): Promise<string> {
  const { components } = JSON.parse(documents.v1) as { components: { schemas: Record<string, object> } }
  const definitions = JSON.parse(
    JSON.stringify(components.schemas).replaceAll('#/components/schemas/', '#/definitions/'),
  ) as Record<string, object>
  const input = new JSONSchemaInput(new FetchingJSONSchemaStore())
  for (const name of names) {
    await input.addSource({
      name,
      schema: JSON.stringify({ $ref: `#/definitions/${name}`, definitions }),
    })
  }
  const inputData = new InputData()
  inputData.addInput(input)
  const { lines } = await quicktype({
    inputData,
    lang: 'python',
    rendererOptions: { 'python-version': '3.7' },
  })
  return lines.join('\n')
}

/** What a merchant writes who handles webhooks in Python. */
const program = `import json, sys
import payments

readers = json.load(open(sys.argv[1]))
for event in json.load(open(sys.argv[2])):
    snapshot = event["data"]["object"]
    name = readers[snapshot["object"]]
    read = getattr(payments, name + "_from_dict")(snapshot)
    written = getattr(payments, name + "_to_dict")(read)
    assert written == snapshot, (written, snapshot)
    print(event["type"], read.id)
`

test('Python classes that are generated from the OpenAPI document read each event', async () => {
  requireProgram('python3')
  const folder = await testFolder()
  const page = await readFile(inRepository('docs/guides/events.md'), 'utf8')
  const events = [...page.matchAll(/^```json\n(.*?)^```$/gms)].map(
    ([, body = '']) => JSON.parse(body) as { type: string; data: { object: { id: string } } },
  )
  expect(events).toHaveLength(13)
  const snakeCase = (name: string) => name.replaceAll(/(?<=.)[A-Z]/g, (letter) => `_${letter}`).toLowerCase()
  const readers = Object.fromEntries(
    Object.entries(classes).map(([object, name]) => [object, snakeCase(name)]),
  )
  await writeFile(join(folder, 'payments.py'), await pythonOf(Object.values(classes)))
  await writeFile(join(folder, 'program.py'), program)
  await writeFile(join(folder, 'readers.json'), JSON.stringify(readers))
  await writeFile(join(folder, 'events.json'), JSON.stringify(events))
  const { stdout } = await run('python3', ['program.py', 'readers.json', 'events.json'], { cwd: folder })
  expect(stdout.trim().split('\n')).toEqual(events.map(({ type, data }) => `${type} ${data.object.id}`))
})
