import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const main = fileURLToPath(new URL('../src/main.ts', import.meta.url))

const run = (...args: string[]) =>
  new Promise<{ code: number; said: string; complained: string }>((resolve) => {
    execFile(process.execPath, [main, ...args], { env: {} }, (error, said, complained) => {
      resolve({ code: error === null ? 0 : Number(error.code), said, complained })
    })
  })

test.each([
  ['no file', ['config.yaml']],
  ['an unknown option', ['config.yaml', 'api.log', '--wirte']],
  ['a change without a person', ['config.yaml', 'api.log', '--write', '--reason', 'A test.']],
  [
    'a change without a reason',
    ['config.yaml', 'api.log', '--write', '--operator', 'amina', '--reason', ' '],
  ],
  ['a pace that would flood a rail', ['config.yaml', 'api.log', '--per-second', '21']],
])('reconcile:rails prints its usage for %s', async (_, args) => {
  expect(await run(...args)).toEqual({
    code: 2,
    said: '',
    complained: expect.stringMatching(/^Usage: reconcile:rails /) as unknown,
  })
})

test('reconcile:rails prints the faults of a configuration and ends with 78', async () => {
  expect(await run('/nowhere.yaml', 'api.log')).toEqual({
    code: 78,
    said: '',
    complained: '/nowhere.yaml: cannot be read (ENOENT)\n',
  })
})
