import { randomBytes } from 'node:crypto'
import { Socket } from 'node:net'
import { expect, test } from 'vitest'
import { BlockwiseRequest, BODY_BLOCK_BYTES } from './blockwise.ts'

const BLOCK = BODY_BLOCK_BYTES

async function chunksRead(sizes: readonly number[], readsAtOnce: boolean) {
  const request = new BlockwiseRequest(new Socket())
  const read: Buffer[] = []
  const collect = () => request.on('data', (chunk: Buffer) => read.push(chunk))
  if (readsAtOnce) collect()
  const sent = sizes.map((size) => randomBytes(size))
  for (const chunk of sent) request.push(chunk)
  const isRead = new Promise((resolve) => request.once('end', resolve))
  request.push(null)
  if (!readsAtOnce) collect()
  await isRead
  return { sent, read }
}

test.each([
  ['one chunk', [300]],
  ['two chunks', [1, 300]],
  ['a block less a byte', [1, BLOCK - 1]],
  ['a block', [1, 1, BLOCK - 1]],
  ['a block and a byte', [1, 1, BLOCK]],
  ['a full block, then a large chunk', [1, 1, BLOCK - 1, 3 * BLOCK]],
  ['a begun block, then a large chunk', [1, 1, 3 * BLOCK, 5]],
  ['a large chunk that leaves less than a block', [1, BLOCK / 2, BLOCK]],
  ['chunks of one byte', Array<number>(3 * BLOCK).fill(1)],
  ['chunks of all sizes', Array.from({ length: 200 }, (_, n) => (n * 997) % 9_001 || 1)],
])('a body keeps its bytes in few chunks, read at once or later: %s', async (_, sizes) => {
  for (const readsAtOnce of [true, false]) {
    const { sent, read } = await chunksRead(sizes, readsAtOnce)
    const body = Buffer.concat(sent)
    expect(Buffer.concat(read).equals(body)).toBe(true)
    expect(read.length).toBeLessThanOrEqual(2 + body.length / BLOCK)
  }
})

test('the first chunk is not copied', async () => {
  const { sent, read } = await chunksRead([300], true)
  expect(read[0]).toBe(sent[0])
})

test('a full buffer stops Node’s reading', () => {
  const request = new BlockwiseRequest(new Socket())
  const goesOn = Array.from({ length: 2 * request.readableHighWaterMark }, () =>
    request.push(Buffer.from('x')),
  )
  expect(goesOn.indexOf(false)).toBeLessThanOrEqual(request.readableHighWaterMark + BLOCK)
  expect(request.readableLength).toBeGreaterThanOrEqual(request.readableHighWaterMark)
  expect(goesOn).toContain(false)
})
