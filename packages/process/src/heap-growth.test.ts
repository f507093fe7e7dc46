import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { serverFlags } from '@merchant-payments/config'
import { expect, test } from 'vitest'

/**
 * Keeps some 50 MB, and lets some 15 MB more live for longer than two collections of the new space. It runs long enough
 * that V8 collects some 15 times by its own choice. With a handful, one more or less decides the comparison.
 */
const CHURN = `
  const kept = Array.from({ length: 400_000 }, (_, index) => ({ index, text: 'kept ' + index }))
  const recent = []
  for (let round = 0; round < 480; round++) {
    recent.push(Array.from({ length: 20_000 }, (_, index) => ({ index, text: round + ' ' + index })))
    if (recent.length > 6) recent.shift()
  }
  if (kept.length + recent.length === 0) throw new Error()
`

test('the heap is collected less often than by V8’s own choice, below the same limit', async () => {
  const module = JSON.stringify(new URL('./heap-growth.ts', import.meta.url).href)
  const own = await collectionsOf(CHURN)
  const ours = await collectionsOf(`(await import(${module})).letHeapGrow();${CHURN}`)
  expect(ours).toBeGreaterThan(0)
  expect(ours).toBeLessThan(own * 0.75)
})

async function collectionsOf(program: string): Promise<number> {
  const options = [...serverFlags, '--trace-gc', '--input-type=module', '--eval', program]
  const { stdout } = await promisify(execFile)(process.execPath, options, { maxBuffer: 1 << 20 })
  return stdout.split('\n').filter((line) => line.includes('Mark-Compact')).length
}
