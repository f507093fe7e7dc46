import type { Placing } from '@merchant-payments/db'
import { type RawBuilder, sql } from 'kysely'
import { type MerchantId, uuidOf } from './ids.ts'

type AnyId = Parameters<typeof uuidOf>[0]

export interface Keys {
  readonly merchants: readonly MerchantId[]
  readonly ids: readonly string[]
}

/** Whether the key is one of `keysOf`, for a statement that is compiled once. */
export const inKeys = (key: RawBuilder<unknown>, value: Placing<Keys>) =>
  sql<boolean>`${key} in (select * from unnest(${value('merchants')}::text[], ${value('ids')}::uuid[]))`

export const keysOf = <Of extends { readonly merchantId: MerchantId }>(
  of: readonly Of[],
  id: (one: Of) => AnyId,
): Keys => ({
  merchants: of.map(({ merchantId }) => merchantId),
  ids: of.map((one) => uuidOf(id(one))),
})

/** `inKeys` with its values bound, for a statement that is compiled at each run. */
export const inRows = <Of extends { readonly merchantId: MerchantId }>(
  key: RawBuilder<unknown>,
  of: readonly Of[],
  id: (one: Of) => AnyId,
) => {
  const keys = keysOf(of, id)
  return inKeys(key, (name) => sql.val(keys[name]))
}
