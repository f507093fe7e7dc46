import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { expect, onTestFinished, test } from 'vitest'

const helper = new URL('../src/end-with-this-process.ts', import.meta.url)

const parentOfAServer = `
  import { spawn } from 'node:child_process'
  import { endWithThisProcess } from ${JSON.stringify(helper.href)}
  const server = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1_000)'])
  console.log(endWithThisProcess(server).pid)`

test('a server of a test ends with the process of the test, even if that is killed', async () => {
  const parent = spawn(process.execPath, ['--input-type=module-typescript', '-e', parentOfAServer], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void parent.kill('SIGKILL'))
  const { value } = await createInterface(parent.stdout)[Symbol.asyncIterator]().next()
  const isThere = () => {
    try {
      return process.kill(Number(value), 0)
    } catch {
      return false
    }
  }
  expect(isThere()).toBe(true)
  parent.kill('SIGKILL')
  await expect.poll(isThere).toBe(false)
})
