import { readFileSync } from 'node:fs'
import { describe, expect, test, vi } from 'vitest'
import { isWebhookVerificationError, remedies, WebhookVerificationError } from './error.ts'

describe('a verification error', () => {
  test('is recognised by another copy of the package, where instanceof fails', async () => {
    vi.resetModules()
    const copy = await import('./error.ts')
    const error = new copy.WebhookVerificationError('missing_header')
    expect(error instanceof WebhookVerificationError).toBe(false)
    expect(isWebhookVerificationError(error)).toBe(true)
  })

  test.each([[new Error('other')], ['missing_header'], [null], [undefined], [{ code: 'missing_header' }]])(
    'is not %o',
    (value) => {
      expect(isWebhookVerificationError(value)).toBe(false)
    },
  )

  test('has its code, and the cause with a remedy', () => {
    const error = new WebhookVerificationError('body_not_raw')
    expect(error).toBeInstanceOf(Error)
    expect(String(error)).toBe(
      'WebhookVerificationError: The body was parsed or read before. Pass the raw bytes: express.raw(), not express.json().',
    )
    expect(Object.entries(error)).toEqual([
      ['name', 'WebhookVerificationError'],
      ['code', 'body_not_raw'],
    ])
  })

  test('is described in the README, code by code', () => {
    const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8')
    const table = readme.slice(readme.indexOf('## Errors'))
    const listed = [...table.matchAll(/^\| `(\w+)` +\|/gm)].map(([, code]) => code)
    expect(listed).toEqual(Object.keys(remedies))
  })
})
