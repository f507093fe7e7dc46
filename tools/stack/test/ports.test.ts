import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { startOnDevPorts } from '../src/dev-ports.ts'
import { completePorts, freePortFrom } from '../src/ports.ts'

async function listenOn(port: number): Promise<number> {
  const server = createServer().listen(port, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return (server.address() as AddressInfo).port
}

const takePort = () => listenOn(0)

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

test('a port that another process takes between the choice and the start is left to it', async () => {
  const told: string[] = []
  const tried: (number | undefined)[] = []
  const port = await startOnDevPorts(
    async ({ apiMetrics = 0 }) => {
      tried.push(apiMetrics)
      // The first start meets a process that was quicker.
      if (tried.length === 1) await listenOn(apiMetrics)
      await listenOn(apiMetrics)
      return apiMetrics
    },
    { tell: (line) => told.push(line), ownPostgres: false },
  )
  expect(tried).toHaveLength(2)
  expect(port).toBe(tried[1])
  expect(port).not.toBe(tried[0])
  expect(told).toContain(`another process took port ${tried[0]}: starting again`)
})

test('a start that fails for another reason is not repeated', async () => {
  const failing = startOnDevPorts(() => Promise.reject(new Error('no database')), {
    tell: () => undefined,
    ownPostgres: false,
  })
  await expect(failing).rejects.toThrow('no database')
})
