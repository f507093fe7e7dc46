import { expect, test } from 'vitest'
import { type ResolvedAddress, sharingLookup, systemLookup } from './lookup.ts'

test('attempts that start while a host is being resolved share the answer, and the next one resolves again', async () => {
  const asked: { host: string; answer: PromiseWithResolvers<ResolvedAddress[]> }[] = []
  const lookup = sharingLookup((host) => {
    const answer = Promise.withResolvers<ResolvedAddress[]>()
    asked.push({ host, answer })
    return answer.promise
  })
  const hosts = () => asked.map(({ host }) => host)

  const one = lookup('a.example')
  const two = lookup('a.example')
  const other = lookup('b.example')
  expect(hosts()).toEqual(['a.example', 'b.example'])

  const found = [{ address: '8.8.8.8', family: 4 }]
  asked[0]?.answer.resolve(found)
  expect(await Promise.all([one, two])).toEqual([found, found])

  const again = lookup('a.example')
  expect(hosts()).toEqual(['a.example', 'b.example', 'a.example'])
  asked[1]?.answer.reject(new Error('SERVFAIL'))
  await expect(other).rejects.toThrow('SERVFAIL')
  asked[2]?.answer.resolve([])
  expect(await again).toEqual([])
})

test('the system resolver returns all addresses of a name', async () => {
  const addresses = await systemLookup('localhost')

  expect(addresses).not.toEqual([])
  for (const { address, family } of addresses)
    expect([address, family]).toEqual(family === 4 ? ['127.0.0.1', 4] : ['::1', 6])
})
