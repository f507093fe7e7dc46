import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { expect, test } from 'vitest'
import { createControlClient } from '../src/index.ts'
import type { MockRails } from '../src/index.ts'
import { query, submit } from './mtn-client.ts'

const main = new URL('../src/main.ts', import.meta.url).pathname

async function run(...args: string[]) {
  const child = spawn(process.execPath, [main, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  const exited = once(child, 'exit')
  const firstLine = once(createInterface(child.stdout), 'line')
  return { child, exited, firstLine }
}

test.each(['SIGTERM', 'SIGINT'] as const)(
  'a mock of its own process is controlled over HTTP and ends at %s',
  async (signal) => {
    const settings = JSON.stringify({ mtn: { auto_approve_after_ms: 0 } })
    const { child, exited, firstLine } = await run(
      '--wire-port',
      '0',
      '--control-port',
      '0',
      '--settings',
      settings,
    )
    const ready = JSON.parse(String(await firstLine))
    expect(ready).toEqual({
      wire_url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      control_url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
    })
    const control = createControlClient(ready.control_url)
    const rails: MockRails = {
      wireUrl: ready.wire_url,
      controlUrl: ready.control_url,
      control,
      stop: async () => {},
    }
    const { reference } = await submit(rails)
    expect((await query(rails, reference)).body).toMatchObject({ status: 'SUCCESSFUL' })
    expect(await control.getLedger()).toMatchObject({ debits: [{ reference }], debitCount: 1 })
    child.kill(signal)
    expect(await exited).toEqual([0, null])
  },
)

test.each([
  ['an invalid port', ['--wire-port', 'eighty']],
  ['an unknown setting', ['--settings', '{"mtn":{"colour":"red"}}']],
  ['an unknown option', ['--colour', 'red']],
])('%s ends the process with an error', async (_name, args) => {
  const { exited } = await run(...args)
  expect(await exited).toEqual([1, null])
})
