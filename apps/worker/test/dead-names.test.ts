import { startNameServer } from '@merchant-payments/testing/name-server'
import { expect, test } from 'vitest'
import { openLookup } from '../src/egress/lookup.ts'
import { testEgress } from './harness.ts'
import { answerWith, startReceiver } from './receiver.ts'

type Names = Parameters<typeof startNameServer>[0]

async function open(names: Names, { allowPrivate = true, limitMs = 3_600_000 } = {}) {
  const nameServer = await startNameServer(names)
  const receiver = await startReceiver(answerWith(204))
  const lookup = openLookup({ allowPrivate, limitMs, servers: [nameServer.address] })
  const egress = testEgress({ allowPrivate, lookup, totalTimeoutMs: 3_600_000 })
  const post = (owner: string, host: string) =>
    egress.post({
      owner,
      url: new URL(`http://${host}:${receiver.port}/`),
      headers: {},
      body: Buffer.from('{}'),
    })
  return { nameServer, receiver, post }
}

const failed = { result: 'failed', error: 'dns_failure' }

test('a merchant with dead names, more than it may have under way, delays no other merchant', async () => {
  const dead = Array.from({ length: 40 }, (_, n) => `hook${n}.dead.example`)
  const silent = Object.fromEntries(dead.map((name) => [name, 'silent' as const]))
  const { nameServer, receiver, post } = await open({ ...silent, 'hooks.example': ['127.0.0.1'] })
  let ended = 0
  for (const host of dead) void post('dead', host).finally(() => (ended += 1))
  await expect.poll(() => nameServer.asked().length).toBeGreaterThanOrEqual(8)

  for (const host of ['hooks.example', '127.0.0.1', 'localhost']) {
    expect(await post('shop', host)).toMatchObject({ result: 'succeeded', statusCode: 204 })
  }
  expect({ ended, posts: receiver.posts.length }).toEqual({ ended: 0, posts: 3 })
})

test('a name whose server does not answer, answers with a fault, or denies the name is a failed look-up', async () => {
  const { post } = await open({ 'silent.example': 'silent', 'broken.example': 'failed' }, { limitMs: 50 })

  for (const host of ['silent.example', 'broken.example', 'gone.example', 'no..name']) {
    expect(await post('shop', host)).toMatchObject(failed)
  }
})

test('a private address among all that the name server answers is refused, in either family [§6.3.10]', async () => {
  const { receiver, post } = await open(
    {
      'v4.example': ['127.0.0.1'],
      'among.example': ['192.0.9.1', '127.0.0.1'],
      'v6.example': ['192.0.9.1', '::1'],
      'mapped.example': ['::ffff:7f00:1'],
    },
    { allowPrivate: false },
  )

  for (const host of ['v4.example', 'among.example', 'v6.example', 'mapped.example', 'localhost']) {
    expect(await post('shop', host)).toMatchObject({ result: 'refused', error: 'address_refused' })
  }
  expect(receiver.connections()).toBe(0)
})
