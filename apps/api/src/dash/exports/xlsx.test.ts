import { inflateRawSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { xlsxOf } from './xlsx.ts'

const CELL_CHARS_MAX = 32_767

/** The texts of the sheet, which is the last entry of the archive. */
async function textsOf(cells: readonly string[]): Promise<string[]> {
  async function* parts() {
    yield [cells]
  }
  const chunks: Buffer[] = []
  for await (const chunk of xlsxOf([], parts())) chunks.push(chunk as Buffer)
  const bytes = Buffer.concat(chunks)
  const start = bytes.lastIndexOf('PK\u0003\u0004')
  const name = bytes.readUInt16LE(start + 26) + bytes.readUInt16LE(start + 28)
  const sheet = inflateRawSync(bytes.subarray(start + 30 + name)).toString()
  return [...sheet.matchAll(/<t [^>]*>([^<]*)<\/t>/g)].map(([, text = '']) => text)
}

test('a text that is too long for a cell of Excel says at its end that it is cut', async () => {
  const [fits, cut = ''] = await textsOf(['x'.repeat(CELL_CHARS_MAX), 'x'.repeat(CELL_CHARS_MAX + 1)])
  expect(fits).toBe('x'.repeat(CELL_CHARS_MAX))
  expect(cut).toHaveLength(CELL_CHARS_MAX)
  expect(cut).toMatch(/x… \(cut; the CSV file has all of it\)$/)
})
