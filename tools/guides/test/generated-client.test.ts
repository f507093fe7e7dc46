import { execFile } from 'node:child_process'
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { stackFileOf, startStack } from '@merchant-payments/stack'
import { cloneDatabase } from '@merchant-payments/testing'
import { testFolder } from '@merchant-payments/testing/test-folder'
import openapiTS, { astToString } from 'openapi-typescript'
import { expect, onTestFinished, test } from 'vitest'
import { inRepository } from '../src/files.ts'

const run = promisify(execFile)
const pathOf = (path: string) => fileURLToPath(inRepository(path))

/** What a merchant writes who has the OpenAPI document alone. Forms with brackets need a serializer of one's own. */
const program = `import createClient from 'openapi-fetch'
import type { paths } from './v1.ts'

const pairs = (value: unknown, name = ''): [string, string][] =>
  typeof value !== 'object' || value === null
    ? [[name, String(value)]]
    : Object.entries(value).flatMap(([key, one]) => pairs(one, name === '' ? key : \`\${name}[\${key}]\`))
const bodySerializer = (body: unknown) => new URLSearchParams(pairs(body))

const { BASE_URL = '', ACCESS_TOKEN = '' } = process.env
const headers = {
  authorization: \`Bearer \${ACCESS_TOKEN}\`,
  'content-type': 'application/x-www-form-urlencoded',
}
const client = createClient<paths>({ baseUrl: BASE_URL, headers, bodySerializer })
const keyed = (key: string) => ({ header: { 'Idempotency-Key': key } })

const created = await client.POST('/v1/payment_intents', {
  params: keyed('create'),
  body: { amount: 2500, currency: 'XAF', payment_method_types: ['mtn_momo_cm'] },
})
const id = created.data?.id ?? ''
const confirmed = await client.POST('/v1/payment_intents/{id}/confirm', {
  params: { path: { id }, ...keyed('confirm') },
  body: { payment_method_data: { mtn_momo_cm: { msisdn: '237670000001' } } },
})
// A later version may have other states.
if (confirmed.data?.status === 'a_later_state') throw new Error('This version has no such state.')
const listed = await client.GET('/v1/payment_intents', { params: { query: { limit: 1 } } })
console.log(created.data?.amount, confirmed.data?.status, listed.data?.data[0]?.id === id)
`

test('a client that is generated from the OpenAPI document compiles, and calls the service', async () => {
  const database = await cloneDatabase()
  onTestFinished(() => database.drop())
  const stack = await startStack({ databaseUrl: database.url })
  onTestFinished(() => stack.stop())
  const folder = await testFolder()
  await mkdir(join(folder, 'node_modules'))
  const library = fileURLToPath(import.meta.resolve('openapi-fetch')).replace(
    /(\/node_modules\/openapi-fetch)\/.*$/,
    '$1',
  )
  await symlink(library, join(folder, 'node_modules/openapi-fetch'))
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }')

  const document = await readFile(pathOf('packages/contract/openapi/v1.json'), 'utf8')
  await writeFile(join(folder, 'v1.ts'), astToString(await openapiTS(document)))
  await writeFile(join(folder, 'program.ts'), program)
  await writeFile(
    join(folder, 'tsconfig.json'),
    JSON.stringify({
      extends: pathOf('tsconfig.base.json'),
      compilerOptions: {
        types: ['node'],
        typeRoots: [pathOf('node_modules/@types')],
        lib: ['es2024', 'dom', 'dom.iterable'],
      },
      files: ['program.ts'],
    }),
  )
  const faults = await run(pathOf('node_modules/.bin/tsc'), ['-p', folder]).then(
    () => '',
    ({ stdout }: { stdout: string }) => stdout,
  )
  expect(faults).toBe('')

  await writeFile(join(folder, 'stack.json'), JSON.stringify(stackFileOf(stack)))
  const cli = pathOf('tools/cli/src/main.ts')
  const { stdout: token } = await run(process.execPath, [cli, 'token', '--dev', folder])
  const env = { ...process.env, BASE_URL: stack.baseUrl, ACCESS_TOKEN: token.trim() }
  const { stdout } = await run(process.execPath, [join(folder, 'program.ts')], { env })
  expect(stdout).toBe('2500 processing true\n')
})
