import type { ResolvedAddress } from '@merchant-payments/names'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { keepLastAddresses, LAST_ADDRESSES_MAX_AGE_MS } from './last-addresses.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const [old, young] = ['192.0.2.1', '192.0.2.2'].map((address) => [{ address, family: 4 }])
const failure = (code: string) => Object.assign(new Error(code), { code })

/** A rail's look-ups, whose answers the test gives in order. */
function open() {
  const asked: PromiseWithResolvers<readonly ResolvedAddress[]>[] = []
  let nowMs = 0
  const lookup = keepLastAddresses(
    () => {
      const answer = Promise.withResolvers<readonly ResolvedAddress[]>()
      asked.push(answer)
      return answer.promise
    },
    () => nowMs,
  )
  const find = () =>
    new Promise((resolve) => {
      lookup('rail.example', { all: true }, (error, addresses) => resolve(error?.code ?? addresses))
    })
  const answer = (addresses: readonly ResolvedAddress[] = []) => asked.at(-1)?.resolve(addresses)
  const fail = (code: string) => asked.at(-1)?.reject(failure(code))
  const known = async () => {
    const found = find()
    answer(old)
    await found
  }
  return { find, answer, fail, known, asked, passMs: (ms: number) => (nowMs += ms) }
}

test('connections that open together share a look-up, and later ones look up again', async () => {
  const { find, answer, asked } = open()
  const together = Promise.all([find(), find()])
  answer(old)
  expect(await together).toEqual([old, old])
  const later = find()
  answer(young)
  expect(await later).toEqual(young)
  expect(asked).toHaveLength(2)
})

test('one address is given to a caller that wants one', async () => {
  const lookup = keepLastAddresses(
    async () => young ?? [],
    () => 0,
  )
  const found = new Promise((resolve) => {
    lookup('rail.example', {}, (_error, address, family) => resolve([address, family]))
  })
  expect(await found).toEqual(['192.0.2.2', 4])
})

test('without last addresses, a look-up fails as it does', async () => {
  const { find, fail } = open()
  const found = find()
  fail('EAI_AGAIN')
  expect(await found).toBe('EAI_AGAIN')
})

test('the last addresses serve if no name server answers, for a bounded time', async () => {
  const { find, fail, known, passMs } = open()
  await known()
  passMs(LAST_ADDRESSES_MAX_AGE_MS)
  const served = find()
  fail('EAI_AGAIN')
  expect(await served).toEqual(old)

  passMs(1)
  const tooOld = find()
  fail('EAI_AGAIN')
  expect(await tooOld).toBe('EAI_AGAIN')
})

test('a slow answer does not keep a connection waiting, and serves the next one', async () => {
  const { find, answer, known, asked } = open()
  await known()
  const first = find()
  await vi.advanceTimersByTimeAsync(1_000)
  expect(await first).toEqual(old)
  const second = find()
  answer(young)
  expect(await second).toEqual(young)
  expect(asked).toHaveLength(2)
})

test('an answer that there is no such name ends the use of the last addresses', async () => {
  const { find, fail, known } = open()
  await known()
  for (const code of ['ENOTFOUND', 'EAI_AGAIN']) {
    const found = find()
    fail(code)
    expect(await found).toBe(code)
  }
})
