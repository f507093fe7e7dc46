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

test('a port that is in use, or about to be, is skipped', async () => {
  const taken = await takePort()
  const next = await freePortFrom(taken, [])
  expect(next).toBeGreaterThan(taken)
  // Its requester may not have opened it yet.
  const later = await freePortFrom(taken, [])
  expect(later).toBeGreaterThan(next)
  expect(await freePortFrom(taken, [later + 1])).toBeGreaterThan(later + 1)
})

test('a range without a free port is an error', async () => {
  const taken = await takePort()
  const others = Array.from({ length: 99 }, (_, n) => taken + 1 + n)
  await expect(freePortFrom(taken, others)).rejects.toThrow(`none of the 100 TCP ports from ${taken} is free`)
})

test('requested ports are kept, and the others are free and all different', async () => {
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
