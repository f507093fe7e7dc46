import { once } from 'node:events'
import { createServer } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { freePort, takeRange } from '../src/index.ts'

async function listenAt(port: number): Promise<void> {
  const server = createServer().listen(port, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
}

const freePorts = async (count: number) => {
  const ports: number[] = []
  for (let n = 0; n < count; n += 1) ports.push(await freePort())
  return ports
}

test('a port is not given again while its server may not have started', async () => {
  const ports = await freePorts(150)
  expect(new Set(ports).size).toBe(150)
})

test('a port that has a listener is skipped', async () => {
  const [first = 0, ...others] = await freePorts(199)
  await listenAt(first)
  expect(await freePorts(198)).toEqual(others)
})

test('a range without a free port is an error', async () => {
  for (const port of await freePorts(199)) await listenAt(port)
  await expect(freePort()).rejects.toThrow(/^each of the 199 TCP ports from \d+ has a listener$/)
})

test('no two processes have a range in common, also if their ids end alike', async () => {
  const given = await freePort()
  // Each call stands for a process with this one's id.
  const ranges = await Promise.all([takeRange(), takeRange(), takeRange()])
  const firsts = ranges.map(({ first }) => first)
  expect(new Set(firsts).size).toBe(3)
  expect(firsts.filter((first) => given >= first && given < first + 200)).toEqual([])
})
