import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const run = promisify(execFile)

const boot = (statement: string) =>
  run(process.execPath, [
    '--input-type=module',
    '--eval',
    `import { ConfigError, exitOnFaults } from ${JSON.stringify(import.meta.resolve('../src/index.ts'))}\n${statement}`,
  ])

test('a refused configuration ends the process with status 78 and a line for each fault', async () => {
  const faults = [
    { path: 'livemode', message: 'is required' },
    { path: 'signing_key', message: 'was retired' },
  ]
  await expect(boot(`exitOnFaults(new ConfigError(${JSON.stringify(faults)}))`)).rejects.toMatchObject({
    code: 78,
    stdout: '',
    stderr: 'livemode: is required\nsigning_key: was retired\n',
  })
})

test('another error is thrown on', async () => {
  await expect(boot(`exitOnFaults(new TypeError('a bug'))`)).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining('TypeError: a bug'),
  })
})
