import { expect, test } from 'vitest'
import { startFakeApi } from './fake-api.ts'
import { startCli, startServer } from './run-cli.ts'

const isList = (path: string) => path === '/v1/events'

test('Ctrl-C stops it while the service does not answer', async () => {
  const api = await startFakeApi()
  const server = await startServer(200)
  const running = startCli(['listen', '--forward-to', server.url, '--json'], api.merchant)
  const reached = new Promise<void>((resolve) => {
    let lists = 0
    api.fate = (_method, path) => {
      if (!isList(path)) return null
      lists += 1
      // The first list is that of the place at which it begins.
      if (lists === 1) return null
      resolve()
      return 'silent'
    }
  })
  await running.line()
  await reached
  expect(await running.stop()).toBe(0)
})
