import { type Compilable, type Placing, type Reader, statement } from '@merchant-payments/db'
import type { MerchantId } from './ids.ts'

/** A merchant's row, by its uuid. */
export interface KeyOfRow {
  readonly merchantId: MerchantId
  readonly id: string
}

/** A read of one row, which a guarded read always returns. Its text is built once (see `statement`). */
export function oneRow<Values extends object, Row>(
  build: (value: Placing<Values>, reader: Reader) => Compilable<Row>,
): (reader: Reader, values: Values) => Promise<Row> {
  const read = statement(build)
  return async (reader, values) => {
    const [row] = await read(reader, values)
    if (row === undefined) throw new Error('a guarded read returned no row')
    return row
  }
}
