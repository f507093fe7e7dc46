import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { devPorts, sayMoved } from '../src/dev-ports.ts'
import { completePorts, startAt } from '../src/ports.ts'

async function listenOn(port: number): Promise<number> {
  const server = createServer().listen(port, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return (server.address() as AddressInfo).port
}

const takePort = () => listenOn(0)

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

describe('startAt', () => {
  test('binds each port of the part ten higher, if another process has one of them', async () => {
    const taken = await takePort()
    const told: unknown[] = []
    const at = await startAt(
      { mockWire: taken, mockControl: taken + 1 },
      async (ports) => {
        await listenOn(ports.mockWire)
        return ports
      },
      (...moved) => told.push(moved),
    )
    // Another process may have the next ones too.
    expect((at.mockWire - taken) % 10).toBe(0)
    expect(at.mockWire).toBeGreaterThan(taken)
    expect(at.mockControl - at.mockWire).toBe(1)
    expect(told[0]).toEqual([taken, { mockWire: taken + 10, mockControl: taken + 11 }])
  })

  test('fails if the ports are fixed, or if no port was the reason', async () => {
    const taken = await takePort()
    const start = ({ receiver }: { receiver: number }) => listenOn(receiver)
    await expect(startAt({ receiver: taken }, start, undefined)).rejects.toThrow('EADDRINUSE')
    const failing = () => Promise.reject(new Error('no database'))
    await expect(startAt({ receiver: taken }, failing, () => undefined)).rejects.toThrow('no database')
  })

  test('is bounded', async () => {
    let starts = 0
    const inUse = Object.assign(new Error('in use'), { code: 'EADDRINUSE', port: 1 })
    const start = () => {
      starts += 1
      return Promise.reject(inUse)
    }
    await expect(startAt({ receiver: 1 }, start, () => undefined)).rejects.toBe(inUse)
    expect(starts).toBe(21)
  })
})

test('a line about moved ports names the one that is taken, and each place', () => {
  const lines: string[] = []
  sayMoved((line) => lines.push(line))(4010, { mockWire: 4020, mockControl: 4021 })
  expect(lines).toEqual(["port 4010 is taken: the mock rails' wire is on 4020, the handset is on 4021"])
})

test('no two parts meet when one of them moves', () => {
  const ports = Object.values(devPorts)
  const ends = ports.map((port) => port % 10)
  // Those whose ports end alike are far from each other.
  const meet = ports.some((port, n) =>
    ports.some((other, m) => m !== n && ends[m] === ends[n] && Math.abs(other - port) <= 200),
  )
  expect(meet).toBe(false)
})
