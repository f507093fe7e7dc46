import { afterAll, beforeAll, expect, test } from 'vitest'
import { completePorts } from '../src/ports.ts'
import { startReceiver, type WebhookReceiver } from '../src/receiver.ts'

let receiver: WebhookReceiver
beforeAll(async () => {
  const { receiver: port } = await completePorts({})
  receiver = await startReceiver({ port, endpointId: 'main', clock: () => 0 })
})
afterAll(() => receiver.stop())

test.each([
  ['/thanks', 'Thank you'],
  ['/basket', 'Your basket'],
])('%s is a page of the shop, for the links of the checkout page', async (path, title) => {
  const answer = await fetch(new URL(path, receiver.receivedUrl))

  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
  expect(await answer.text()).toContain(`<h1>${title}</h1>`)
})
