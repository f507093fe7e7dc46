import { cloneDatabase } from '@merchant-payments/testing'
import { promotedShare } from '@merchant-payments/testing/promoted'
import { afterAll, expect, test } from 'vitest'

const { url, drop } = await cloneDatabase()
afterAll(drop)

test('a young collection frees the statements that have ended', async () => {
  expect(await promotedShare(new URL('./writes.ts', import.meta.url), [url])).toBeLessThan(0.03)
})
