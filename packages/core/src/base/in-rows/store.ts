import type { Placing } from '@merchant-payments/db'
import { type RawBuilder, sql } from 'kysely'
import { type MerchantId, uuidOf } from '../ids.ts'

type AnyId = Parameters<typeof uuidOf>[0]

export const inRows = <Of extends { readonly merchantId: MerchantId }>(
  key: RawBuilder<unknown>,
  of: readonly Of[],
  id: (one: Of) => AnyId,
) =>
  sql<boolean>`${key} in (select * from unnest(
    ${of.map(({ merchantId }) => merchantId)}::text[], ${of.map((one) => uuidOf(id(one)))}::uuid[]))`

/** The same for a statement that is compiled once: its values are those of `keysOf`. */
export const inKeys = (key: RawBuilder<unknown>, value: Placing<Keys>) =>
  sql<boolean>`${key} in (select * from unnest(${value('merchants')}::text[], ${value('ids')}::uuid[]))`

export interface Keys {
  readonly merchants: readonly MerchantId[]
  readonly ids: readonly string[]
}

export const keysOf = <Of extends { readonly merchantId: MerchantId }>(
  of: readonly Of[],
  id: (one: Of) => AnyId,
): Keys => ({
  merchants: of.map(({ merchantId }) => merchantId),
  ids: of.map((one) => uuidOf(id(one))),
})
