import type { Resolve, ResolvedAddress } from '@merchant-payments/names'
import { expect, test } from 'vitest'
import { boundedLookup, openLookup } from './lookup.ts'

const found = [{ address: '8.8.8.8', family: 4 }]
const NO_LIMIT = { running: 100 }

/** Look-ups whose answers the test gives. */
function heldLookup(limits: Parameters<typeof boundedLookup>[1]) {
  const asked: {
    host: string
    signal: AbortSignal | undefined
    answer: PromiseWithResolvers<readonly ResolvedAddress[]>
  }[] = []
  const resolve: Resolve = (host, signal) => {
    const answer = Promise.withResolvers<readonly ResolvedAddress[]>()
    asked.push({ host, signal, answer })
    return answer.promise
  }
  const lookup = boundedLookup(resolve, limits)
  const ask = (owner: string, host: string, signal = new AbortController().signal) =>
    lookup(host, { owner, signal })
  const one = (host: string) => {
    const last = asked.findLast((question) => question.host === host)
    return last ?? expect.unreachable(`${host} was not asked for`)
  }
  return { ask, one, hosts: () => asked.map(({ host }) => host) }
}

test('attempts that start while a host is being resolved share the answer, and the next one resolves again', async () => {
  const { ask, one, hosts } = heldLookup(NO_LIMIT)

  const first = ask('acme', 'a.example')
  const second = ask('acme', 'a.example')
  const other = ask('acme', 'b.example')
  await expect.poll(hosts).toEqual(['a.example', 'b.example'])

  one('a.example').answer.resolve(found)
  expect(await Promise.all([first, second])).toEqual([found, found])

  const again = ask('acme', 'a.example')
  await expect.poll(hosts).toEqual(['a.example', 'b.example', 'a.example'])
  one('b.example').answer.reject(new Error('SERVFAIL'))
  await expect(other).rejects.toThrow('SERVFAIL')
  one('a.example').answer.resolve([])
  expect(await again).toEqual([])
})

test('a look-up is cancelled once all of its attempts have ended, and the next attempt begins another', async () => {
  const { ask, one, hosts } = heldLookup(NO_LIMIT)
  const [left, right] = [new AbortController(), new AbortController()]
  const ends = Promise.allSettled([
    ask('acme', 'a.example', left.signal),
    ask('acme', 'a.example', right.signal),
  ])
  await expect.poll(hosts).toEqual(['a.example'])
  const cancelled = one('a.example')

  left.abort()
  expect(cancelled.signal?.aborted).toBe(false)
  right.abort()
  expect(cancelled.signal?.aborted).toBe(true)

  const again = ask('acme', 'a.example')
  await expect.poll(hosts).toEqual(['a.example', 'a.example'])
  cancelled.answer.reject(new Error('cancelled'))
  await ends
  const shared = ask('acme', 'a.example')
  one('a.example').answer.resolve(found)
  expect(await Promise.all([again, shared])).toEqual([found, found])
  expect(hosts()).toEqual(['a.example', 'a.example'])
})

test('an attempt that ends after its answer cancels nothing', async () => {
  const { ask, one, hosts } = heldLookup(NO_LIMIT)
  const ended = new AbortController()
  const first = ask('acme', 'a.example', ended.signal)
  await expect.poll(hosts).toHaveLength(1)
  one('a.example').answer.resolve(found)
  await first

  const second = ask('acme', 'a.example')
  await expect.poll(hosts).toHaveLength(2)
  ended.abort()
  expect(one('a.example').signal?.aborted).toBe(false)
  one('a.example').answer.resolve(found)
  expect(await second).toEqual(found)
})

test('a merchant’s look-ups wait above its share, and another merchant’s do not, also for the same name', async () => {
  const { ask, one, hosts } = heldLookup({ running: 4, runningOfOwner: 2 })
  const dead = ['1.dead', '2.dead', '3.dead', '4.dead'].map((host) => ask('acme', host))
  const ends = Promise.allSettled(dead)
  const shop = ask('shop', '3.dead')
  const bank = ask('bank', 'bank.example')
  const late = ask('late', 'late.example')
  await expect.poll(hosts).toEqual(['1.dead', '2.dead', '3.dead', 'bank.example'])

  one('3.dead').answer.resolve(found)
  expect(await shop).toEqual(found)
  await expect.poll(hosts).toEqual(['1.dead', '2.dead', '3.dead', 'bank.example', 'late.example'])
  one('late.example').answer.resolve(found)
  expect(await late).toEqual(found)
  expect(hosts()).toHaveLength(5)

  one('1.dead').answer.reject(new Error('EAI_AGAIN'))
  await expect.poll(() => hosts().slice(5)).toEqual(['3.dead'])
  for (const host of ['2.dead', '3.dead']) one(host).answer.reject(new Error('EAI_AGAIN'))
  await expect.poll(() => hosts().slice(5)).toEqual(['3.dead', '4.dead'])
  for (const host of ['4.dead', 'bank.example']) one(host).answer.reject(new Error('EAI_AGAIN'))
  await Promise.allSettled([ends, bank])
})

test('the name of this machine is found, whether private targets are allowed or not', async () => {
  for (const allowPrivate of [true, false]) {
    const asker = { owner: 'acme', signal: new AbortController().signal }
    for (const { address, family } of await openLookup({ allowPrivate })('localhost', asker))
      expect([address, family]).toEqual(family === 4 ? ['127.0.0.1', 4] : ['::1', 6])
  }
})
