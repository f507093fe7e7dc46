import { expect, test } from 'vitest'
import { parseWebAddress } from './web-address.ts'

test.each(['https://shop.example', 'HTTPS://shop.example/a?b#c', 'https://xn--bcher-kva.example:8443/'])(
  '%s is an address to send a payer to',
  (text) => {
    expect(parseWebAddress(text, true)?.protocol).toBe('https:')
  },
)

test.each([
  '',
  'shop.example',
  '//shop.example',
  'javascript:alert(1)',
  ' java\nscript:alert(1)',
  'data:text/html,x',
  'file:///etc/passwd',
  'https:',
  'https:shop.example',
  ' https://shop.example',
  'https:\\\\shop.example',
  'https://shop.example:port',
])('%j is not an address to send a payer to', (text) => {
  expect(parseWebAddress(text, false)).toBeNull()
})

test('an http address is accepted only outside livemode', () => {
  expect(parseWebAddress('http://localhost:4000/', false)?.port).toBe('4000')
  expect(parseWebAddress('http://shop.example/', true)).toBeNull()
})
