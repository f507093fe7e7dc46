import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const fileOf = (name: string) => fileURLToPath(new URL(`../src/${name}.ts`, import.meta.url))

const runner =
  (name: string) =>
  (...args: string[]) =>
    new Promise<{ code: number; said: string; complained: string }>((resolve) => {
      execFile(process.execPath, [fileOf(name), ...args], { env: {} }, (error, said, complained) => {
        resolve({ code: error === null ? 0 : Number(error.code), said, complained })
      })
    })

const run = runner('main')
const close = runner('close')

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

const finding = ['config.yaml', 'mtn_momo_cm', 'charge', '9d0c1f66-5b0e-4a55-9d3e-1f1f5a1f0c11']
const by = ['--operator', 'amina', '--reason', 'A test.']

test.each([
  ['no reference', [...finding.slice(0, 3), ...by]],
  ['a kind that does not exist', finding.with(2, 'refund').concat(by)],
  ['a second reference', [...finding, 'another', ...by]],
  ['no person', [...finding, '--reason', 'A test.']],
  ['no reason', [...finding, '--operator', 'amina']],
])('finding:close prints its usage for %s', async (_, args) => {
  expect(await close(...args)).toEqual({
    code: 2,
    said: '',
    complained: expect.stringMatching(/^Usage: finding:close /) as unknown,
  })
})
