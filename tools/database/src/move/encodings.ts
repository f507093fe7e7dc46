import { type Encoding, encodingColumns } from '@merchant-payments/db'
import type { Cell, Cells } from './cell.ts'

/** How the new cell would store or find the merchant's texts otherwise. */
export async function findEncodingFaults({ from, to }: Cells): Promise<string[]> {
  const [here, there] = [await readEncoding(from), await readEncoding(to)]
  if (here.encoding !== there.encoding)
    return [`the encodings differ: ${from.name} has ${here.encoding}, ${to.name} has ${there.encoding}`]
  if (!here.foldsAccents || there.foldsAccents) return []
  return [
    `the locale of ${to.name} does not fold accents, as that of ${from.name} does: searches would find less`,
  ]
}

async function readEncoding({ client }: Cell): Promise<Encoding> {
  const { rows } = await client.query<Encoding>(`select ${encodingColumns}`)
  return rows[0] ?? { encoding: 'unknown', foldsAccents: false }
}
