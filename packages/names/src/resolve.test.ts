import { startNameServer } from '@merchant-payments/testing/name-server'
import { describe, expect, test } from 'vitest'
import { createResolve, type Resolve } from './resolve.ts'

/** Longer than any test. */
const NEVER_MS = 3_600_000

const known = ['192.0.2.1', '192.0.2.2', '2001:db8:0:1::1']
const addressesOf = (...addresses: string[]) =>
  addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))

/** A system that knows every name, and remembers those it was asked for. */
function recordingSystem() {
  const asked: string[] = []
  const system: Resolve = async (host) => {
    asked.push(host)
    return addressesOf('10.0.0.1')
  }
  return { asked, system }
}

async function open(names: Parameters<typeof startNameServer>[0], limitMs = NEVER_MS, dropsIpv6 = false) {
  const server = await startNameServer(names, { dropsIpv6 })
  const { asked, system } = recordingSystem()
  const servers = [server.address]
  return {
    server,
    asked,
    resolve: createResolve({ servers, limitMs, system }),
    withoutSystem: createResolve({ servers, limitMs }),
  }
}

test('a name has all of its addresses, of both families', async () => {
  const { resolve } = await open({ 'both.example': known, 'six.example': ['2001:db8::1'] })

  expect(await resolve('both.example')).toEqual(addressesOf(...known))
  expect(await resolve('six.example')).toEqual(addressesOf('2001:db8::1'))
})

test('a name server that drops questions for IPv6 addresses delays no name of the other family', async () => {
  const { resolve } = await open({ 'both.example': known }, NEVER_MS, true)

  expect(await resolve('both.example')).toEqual(addressesOf('192.0.2.1', '192.0.2.2'))
})

test('names without an answer delay no other name, and the system is not asked for them', async () => {
  const dead = Array.from({ length: 8 }, (_, n) => `hook${n}.dead.example`)
  const silent = Object.fromEntries(dead.map((name) => [name, 'silent' as const]))
  const { resolve, server, asked } = await open({ ...silent, 'alive.example': known })
  const left = new AbortController()
  let ended = 0
  const waiting = dead.map((name) => resolve(name, left.signal).finally(() => (ended += 1)))
  const ends = Promise.allSettled(waiting)
  await expect.poll(() => server.asked()).toEqual(expect.arrayContaining(dead))

  expect(await resolve('alive.example')).toEqual(addressesOf(...known))
  expect({ ended, asked }).toEqual({ ended: 0, asked: [] })

  left.abort()
  for (const end of await ends) expect(end).toMatchObject({ reason: { code: 'EAI_AGAIN' } })
  await expect(resolve('alive.example', left.signal)).rejects.toMatchObject({ code: 'EAI_AGAIN' })
  expect(asked).toEqual([])
})

test.each(['silent', 'failed'] as const)(
  'a name whose server is %s ends in time, and is no missing name',
  async (state) => {
    const { resolve, asked } = await open({ 'rail.example': state }, 50)

    await expect(resolve('rail.example')).rejects.toMatchObject({ code: 'EAI_AGAIN' })
    expect(asked).toEqual([])
  },
)

describe('the system is asked', () => {
  test('for a name that the name server does not have', async () => {
    const { resolve, withoutSystem, server, asked } = await open({ 'empty.example': [] })

    for (const name of ['rail.payments', 'empty.example', 'no..name']) {
      expect(await resolve(name)).toEqual(addressesOf('10.0.0.1'))
      await expect(withoutSystem(name)).rejects.toMatchObject({ code: 'ENOTFOUND' })
    }
    expect(asked).toEqual(['rail.payments', 'empty.example', 'no..name'])
    expect(server.asked()).toEqual(['rail.payments', 'empty.example'])
  })

  test('for a name without a dot, which the name server is not asked for', async () => {
    const { resolve, withoutSystem, server } = await open({})

    expect(await resolve('rail')).toEqual(addressesOf('10.0.0.1'))
    await expect(withoutSystem('rail')).rejects.toMatchObject({ code: 'ENOTFOUND' })
    expect(server.asked()).toEqual([])
  })
})

test('a name of the hosts file needs neither a name server nor the system', async () => {
  const { resolve, server, asked } = await open({})

  const addresses = await resolve('localhost')

  expect(addresses).not.toEqual([])
  for (const { address, family } of addresses)
    expect([address, family]).toEqual(family === 4 ? ['127.0.0.1', 4] : ['::1', 6])
  expect({ asked, server: server.asked() }).toEqual({ asked: [], server: [] })
})
