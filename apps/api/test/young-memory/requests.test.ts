import { promotedShare } from '@merchant-payments/testing/promoted'
import { expect, test } from 'vitest'

test('a young collection frees the requests that have ended', async () => {
  expect(await promotedShare(new URL('./requests.ts', import.meta.url))).toBeLessThan(0.03)
})
