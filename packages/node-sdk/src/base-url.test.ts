import { describe, expect, test } from 'vitest'
import { readBaseUrl } from './base-url.ts'

describe('a base URL', () => {
  test.each([
    ['https://payments.example.com', 'https://payments.example.com'],
    ['https://Payments.Example.com:443/', 'https://payments.example.com'],
    ['https://example.com/payments//', 'https://example.com/payments'],
    ['http://localhost:3000/', 'http://localhost:3000'],
    ['http://api.localhost:3000', 'http://api.localhost:3000'],
    ['http://127.0.0.1:3000', 'http://127.0.0.1:3000'],
    ['http://127.8.9.1', 'http://127.8.9.1'],
    ['http://[::1]:3000', 'http://[::1]:3000'],
    ['https://v1.example.com/api-v1', 'https://v1.example.com/api-v1'],
  ])('%s is read as %s', (baseUrl, expected) => {
    expect(readBaseUrl(baseUrl, false)).toBe(expected)
  })

  test.each([
    'http://payments.example.com',
    'http://127.example.com',
    'http://127.0.0.1.example.com',
    'http://localhost.example.com',
    'http://10.0.0.1',
    'http://0.0.0.0:3000',
  ])('%s is refused, because plain http would expose the token', (baseUrl) => {
    expect(() => readBaseUrl(baseUrl, false)).toThrow(/^baseUrl must be https: plain http/)
    expect(readBaseUrl(baseUrl, true)).toBe(baseUrl)
  })

  test.each([
    ['', 'baseUrl must be a URL, such as https://payments.example.com'],
    ['payments.example.com', 'baseUrl must be a URL, such as https://payments.example.com'],
    ['ftp://example.com', 'baseUrl must be an https URL'],
    ['https://user:secret@example.com', 'baseUrl must have no credentials, query or fragment'],
    ['https://example.com/?a=1', 'baseUrl must have no credentials, query or fragment'],
    ['https://example.com/v1', 'baseUrl must end before /v1, which the client adds'],
    ['http://localhost:3000/pay/v1/', 'baseUrl must end before /v1, which the client adds'],
    ['https://example.com/#a', 'baseUrl must have no credentials, query or fragment'],
  ])('%j is refused with a message that names the option', (baseUrl, message) => {
    expect(() => readBaseUrl(baseUrl, true)).toThrow(new TypeError(message))
  })
})
