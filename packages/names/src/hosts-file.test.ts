import { expect, test } from 'vitest'
import { addressesIn } from './hosts-file.ts'

const file = `
# 192.0.2.9 rail.example
127.0.0.1\tlocalhost
::1 localhost ip6-localhost # shop.example
192.0.2.1  rail.example Rail
192.0.2.1:53 other.example
`

test.each([
  ['localhost', ['127.0.0.1', '::1']],
  ['LOCALHOST.', ['127.0.0.1', '::1']],
  ['rail.example', ['192.0.2.1']],
  ['rail', ['192.0.2.1']],
  ['shop.example', []],
  ['other.example', []],
  ['192.0.2.1', []],
  ['', []],
])('the file has for "%s" %j', (host, addresses) => {
  expect(addressesIn(file, host).map(({ address }) => address)).toEqual(addresses)
})
