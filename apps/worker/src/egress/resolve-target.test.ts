import { describe, expect, test } from 'vitest'
import type { Lookup, ResolvedAddress } from './lookup.ts'
import { resolveTarget } from './resolve-target.ts'

const unused: Lookup = () => expect.unreachable('no look-up is expected for an address')

const answering =
  (...addresses: string[]): Lookup =>
  async () =>
    addresses.map(addressed)

const addressed = (address: string): ResolvedAddress => ({ address, family: address.includes(':') ? 6 : 4 })

const resolve = (url: string, lookup: Lookup, allowPrivate = false) =>
  resolveTarget(new URL(url), { lookup, allowPrivate })

describe('every spelling of a private address is recognised without a look-up', () => {
  test.each([
    'http://127.0.0.1/',
    'http://2130706433/',
    'http://0x7f000001/',
    'http://0177.0.0.1/',
    'http://127.1/',
    'http://0/',
    'http://127.0.0.1./',
    'http://127。0。0。1/',
    'http://１２７.0.0.1/',
    'http://①②⑦.0.0.1/',
    'http://[::1]/',
    'http://[::ffff:127.0.0.1]/',
    'http://[::ffff:7f00:1]/',
    'http://[0:0:0:0:0:0:0:1]/',
    'http://[64:ff9b::7f00:1]/',
    'http://user@127.0.0.1/',
    String.raw`http://127.0.0.1:80\@example.com/`,
    'https://169.254.169.254/latest/meta-data/',
  ])('%s', async (url) => {
    expect(await resolve(url, unused)).toEqual({ kind: 'refused' })
  })
})

test('a host with any non-public address is refused [§6.3.10]', async () => {
  const answers = [['10.0.0.1'], ['8.8.8.8', '10.0.0.1'], ['2606:4700::1111', '::1'], ['::ffff:10.0.0.1']]

  for (const answer of answers) {
    expect(await resolve('https://hooks.example/', answering(...answer))).toEqual({ kind: 'refused' })
  }
})

test('a name of the machine itself is checked by its resolved addresses', async () => {
  for (const host of ['localhost', 'localhost.', 'shop.localhost']) {
    expect(await resolve(`http://${host}/`, answering('127.0.0.1'))).toEqual({ kind: 'refused' })
  }
})

test('a public host passes with all of its addresses, resolved once', async () => {
  const hosts: string[] = []
  const lookup: Lookup = async (host) => {
    hosts.push(host)
    return ['8.8.8.8', '2606:4700::1111'].map(addressed)
  }

  expect(await resolve('https://hooks.example:8443/a?b=c', lookup)).toEqual({
    kind: 'checked',
    addresses: [
      { address: '8.8.8.8', family: 4 },
      { address: '2606:4700::1111', family: 6 },
    ],
  })
  expect(hosts).toEqual(['hooks.example'])
})

test('a public address passes without a look-up', async () => {
  expect(await resolve('https://[2606:4700::1111]/', unused)).toEqual({
    kind: 'checked',
    addresses: [{ address: '2606:4700::1111', family: 6 }],
  })
})

test('a host that does not resolve is unresolved, for every kind of failure', async () => {
  const failing: Lookup = () => Promise.reject(new Error('ENOTFOUND'))

  expect(await resolve('https://gone.example/', failing)).toEqual({ kind: 'unresolved' })
  expect(await resolve('https://gone.example/', answering())).toEqual({ kind: 'unresolved' })
})

test('a deployment that allows private targets reaches them [§6.3.10]', async () => {
  expect(await resolve('http://hooks.internal/', answering('10.0.0.1'), true)).toEqual({
    kind: 'checked',
    addresses: [{ address: '10.0.0.1', family: 4 }],
  })
})
