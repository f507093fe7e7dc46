import { expect, test } from 'vitest'
import { webAddress } from './web-address.ts'

test.each([
  'https://shop.example',
  'HTTPS://shop.example/a?b#c',
  'http://127.0.0.1:4000/',
  'https://shop.example/épicerie?session={CHECKOUT_SESSION_ID}',
])('%s is an address', (text) => {
  expect(webAddress.test(text)).toBe(true)
})

test.each([
  'shop.example',
  'https:',
  'https://',
  'https:shop.example',
  'https:/shop.example',
  'https:///shop.example',
  'https:\\\\shop.example',
  'https://shop.example\\thanks',
  ' https://shop.example',
  'https://shop.example ',
  '\nhttps://shop.example',
  'ht\ntps://shop.example',
  'https://shop.example/a\tb',
  'https://shop.example/a b',
  'https://shop.example/a\u00a0b',
  'https://shop.example/\u0000',
  'https://shop.example/\u0085',
  'javascript:alert(1)//https://shop.example',
])('%j is none', (text) => {
  expect(webAddress.test(text)).toBe(false)
})
