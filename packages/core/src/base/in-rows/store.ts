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
