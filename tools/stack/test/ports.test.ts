import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { completePorts, freePortFrom } from '../src/ports.ts'

async function takePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return (server.address() as AddressInfo).port
}

test('a port that is taken, or about to be, is passed over', async () => {
  const taken = await takePort()
  const next = await freePortFrom(taken + 1, [])

  expect(await freePortFrom(taken, [])).toBe(next)
  expect(await freePortFrom(taken, [next])).toBeGreaterThan(next)
})

test('ports asked for are kept, and the others are free and all different', async () => {
  const ports = await completePorts({ api: 8080, postgres: 5433 })

  expect(ports).toEqual({
    api: 8080,
    apiInternal: expect.any(Number),
    workerInternal: expect.any(Number),
    apiMetrics: expect.any(Number),
    workerMetrics: expect.any(Number),
    postgres: 5433,
    mockWire: expect.any(Number),
    mockControl: expect.any(Number),
    receiver: expect.any(Number),
    identityProvider: expect.any(Number),
  })
  expect(new Set(Object.values(ports)).size).toBe(10)
})
