import { describe, expect, test } from 'vitest'
import { parseServerList, serverAddresses, ServerListError, withLogin } from './server-list.ts'

const ATTRS = '?target_session_attrs=read-write'

describe('a list of servers', () => {
  test('is each server with its port, in order', () => {
    expect(parseServerList(`postgres://api:a%40b@db-1:6000,10.0.0.2,[::1]:6001/payments${ATTRS}`)).toEqual([
      { url: `postgres://api:a%40b@db-1:6000/payments${ATTRS}`, host: 'db-1', port: 6000 },
      { url: `postgres://api:a%40b@10.0.0.2/payments${ATTRS}`, host: '10.0.0.2', port: 5432 },
      { url: `postgres://api:a%40b@[::1]:6001/payments${ATTRS}`, host: '::1', port: 6001 },
    ])
  })

  test('may name sockets, other parameters and no login', () => {
    const list = parseServerList(`postgresql://%2Frun%2Fa,%2Frun%2Fb:6000/db${ATTRS}&sslmode=verify-full`)
    expect(list?.map(({ host, port }) => `${host} ${port}`)).toEqual(['/run/a 5432', '/run/b 6000'])
    expect(list?.[1]?.url).toBe(`postgresql://%2Frun%2Fb:6000/db${ATTRS}&sslmode=verify-full`)
  })

  test.each([
    ['without the wish to write', 'postgres://a,b/db', /target_session_attrs=read-write/],
    ['for any server', 'postgres://a,b/db?target_session_attrs=any', /target_session_attrs=read-write/],
    ['with an empty server', `postgres://a,,b/db${ATTRS}`, /host:port/],
    ['with an invalid port', `postgres://a:x,b/db${ATTRS}`, /host:port/],
    ['with a port that is too high', `postgres://a:65536,b/db${ATTRS}`, /host:port/],
    ['with port 0', `postgres://a:0,b/db${ATTRS}`, /host:port/],
    ['with a space', `postgres://a,b c/db${ATTRS}`, /host:port/],
    ['with a host that is no text', `postgres://a,%ff/db${ATTRS}`, /host:port/],
    ['with servers in the query too', `postgres://a,b/db${ATTRS}&host=c`, /both/],
    ['in the query', 'postgres:///db?host=a,b', /before the path/],
    ['that is too long', `postgres://${Array.from('abcdefghi').join(',')}/db${ATTRS}`, /at most 8/],
  ])('is refused %s', (_case, address, message) => {
    const parse = () => parseServerList(address)
    expect(parse).toThrow(ServerListError)
    expect(parse).toThrow(message)
  })
})

test.each([
  'postgres://api:pass@db.internal:5432/payments?sslmode=verify-full',
  'postgres://api:a,b@db.internal/payments',
  'postgres:///payments?user=api',
  'postgres:///payments?host=/run/postgresql',
  'postgres://db/a,b',
  '/run/postgresql payments',
  'socket:/run/postgresql?db=a,b',
])('%s names one server and is left to the driver', (address) => {
  expect(parseServerList(address)).toBe(null)
  expect(serverAddresses(address)).toEqual([address])
})

test.each([
  ['postgres://db/payments', 'postgres://a%20b:c%2F@db/payments'],
  ['postgres://x:y@db/payments', 'postgres://a%20b:c%2F@db/payments'],
  [`postgres://x@h1,h2:5/p${ATTRS}`, `postgres://a%20b:c%2F@h1,h2:5/p${ATTRS}`],
])('the login of %s is replaced', (address, replaced) => {
  expect(withLogin(address, 'a b', 'c/')).toBe(replaced)
})

test('an address without a scheme is given no other login', () => {
  expect(() => withLogin('/run/postgresql payments', 'a', 'b')).toThrow(ServerListError)
})
