import { expect, test } from 'vitest'
import { askSystem, oneAtATime } from './ask-system.ts'
import type { ResolvedAddress } from './resolve.ts'

test('the system knows this machine', async () => {
  for (const { address, family } of await askSystem('localhost'))
    expect([address, family]).toEqual(family === 4 ? ['127.0.0.1', 4] : ['::1', 6])
})

test('one name at a time holds a thread; one that nobody waits for is not asked', async () => {
  const asked: { host: string; answer: PromiseWithResolvers<readonly ResolvedAddress[]> }[] = []
  const ask = oneAtATime((host) => {
    const answer = Promise.withResolvers<readonly ResolvedAddress[]>()
    asked.push({ host, answer })
    return answer.promise
  })
  const left = new AbortController()

  const first = ask('first')
  const second = ask('second', left.signal)
  const third = ask('third')
  await Promise.resolve()
  expect(asked.map(({ host }) => host)).toEqual(['first'])

  left.abort()
  asked[0]?.answer.reject(new Error('ENOTFOUND'))
  await expect(first).rejects.toThrow('ENOTFOUND')
  await expect(second).rejects.toMatchObject({ code: 'EAI_AGAIN' })
  await expect.poll(() => asked.map(({ host }) => host)).toEqual(['first', 'third'])
  asked[1]?.answer.resolve([])
  expect(await third).toEqual([])
})
