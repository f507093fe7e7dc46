import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'

const run = promisify(execFile)
const startOf = (app: string) => fileURLToPath(new URL(`../../../apps/${app}/start.mjs`, import.meta.url))

/** Imports the file in a Node that says that it is another one. */
const startWith = (version: string, app: string) =>
  run(process.execPath, [
    '--input-type=module',
    '--eval',
    `Object.defineProperty(process.versions, 'node', { value: '${version}' })
     process.argv = [process.argv[0], '${startOf(app)}', '--help']
     await import('${startOf(app)}')`,
  ])

describe.each(['api', 'worker'])('start.mjs of the %s', (app) => {
  test('ends an old Node with one log line that says what to do, and 78', async () => {
    const { code, stdout, stderr } = (await startWith('18.20.8', app).catch(
      (error: { code: number; stdout: string; stderr: string }) => error,
    )) as { code: number; stdout: string; stderr: string }
    expect({ code, stderr }).toEqual({ code: 78, stderr: '' })
    expect(JSON.parse(stdout)).toEqual({
      level: 'fatal',
      time: expect.any(Number),
      app,
      reason: 'node_too_old',
      hint: 'Node 18.20.8 is too old: use Node 24 or newer',
      msg: 'start refused',
    })
  })

  test('starts the server with a Node that is not', async () => {
    const { stdout } = await startWith('24.0.0', app)
    expect(stdout).toContain(`Usage: node apps/${app}/start.mjs`)
  })

  test('has nothing that an old Node cannot read', async () => {
    const text = await readFile(startOf(app), 'utf8')
    const [first = '', ...others] = [...text.matchAll(/from '([^']+)'|import\('([^']+)'\)/g)].map(
      ([, from, later]) => from ?? `later ${later ?? ''}`,
    )
    expect([first, ...others]).toEqual(['@merchant-payments/process/old-node', 'later ./src/main.ts'])
  })
})
