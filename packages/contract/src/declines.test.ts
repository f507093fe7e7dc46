import { readFile } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { declineMessages } from './declines.ts'
import { declineCodes } from './words.ts'

/** Fits on a phone's screen. */
const MESSAGE_CHARS_MAX = 90

test('the codes of last_payment_error are a fixed list that integrators may rely on', () => {
  expect([...declineCodes].sort()).toEqual([
    'approval_timeout',
    'declined',
    'insufficient_funds',
    'insufficient_funds_or_limit',
    'limit_reached',
    'not_accepted',
    'payee_refused',
    'payer_declined',
    'payer_inactive',
    'payer_not_found',
    'rail_misconfigured',
    'rail_processing_error',
    'rail_unavailable',
    'redirect_expired',
  ])
})

test('docs/errors.md has the same sentence for each code', async () => {
  const markdown = await readFile(new URL('../../../docs/errors.md', import.meta.url), 'utf8')
  const section = markdown.split('## Why a rail refused')[1]?.split('\n## ')[0] ?? ''
  const rows = [...section.matchAll(/^\| `(\w+)` \| (.+) \| (.+) \|$/gm)]
  expect(Object.fromEntries(rows.map(([, code, en, fr]) => [code, { en, fr }]))).toEqual(declineMessages)
})

describe.each(declineCodes)('%s: the sentence for payers', (code) => {
  test.each(['fr', 'en'] as const)('in %s has one or two short sentences', (lang) => {
    const text = declineMessages[code][lang]
    expect(text).toMatch(/^\p{Lu}[^']*\.$/u)
    expect(text.length).toBeLessThanOrEqual(MESSAGE_CHARS_MAX)
  })

  test('differs from that of any other code', () => {
    for (const lang of ['fr', 'en'] as const) {
      const same = declineCodes.filter(
        (other) => declineMessages[other][lang] === declineMessages[code][lang],
      )
      expect(same).toEqual([code])
    }
  })
})
