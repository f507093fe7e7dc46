import { once } from 'node:events'
import { createServer } from 'node:net'
import { listen } from '@merchant-payments/testing/listen'
import { expect, onTestFinished, test } from 'vitest'
import { createMtnMomo, createOrangeMoney } from '../src/index.ts'
import { charge, config, webPayment } from './open-rail.ts'

/** The rail accepts connections and never answers a handshake. */
const limits = { connectTimeoutMs: 60_000, totalTimeoutMs: 200 }

test.each([
  ['MTN Mobile Money', (baseUrl: string) => createMtnMomo({ ...config, ...limits, baseUrl })],
  ['Orange Money', (baseUrl: string) => createOrangeMoney({ ...webPayment, ...limits, baseUrl })],
])('%s gives up a connection when the time of its request is over', async (_name, openOn) => {
  const server = createServer()
  const rail = openOn(`https://127.0.0.1:${await listen(server)}`)
  onTestFinished(async () => {
    await rail.close()
    server.close()
  })
  const closed = once(server, 'connection').then(([socket]) => once(socket.resume(), 'close'))
  expect(
    await rail.submitCharge({ ...charge, returnUrl: 'https://a.example', callbackUrl: 'https://b.example' }),
  ).toMatchObject({
    kind: 'not_sent',
  })
  await closed
})
