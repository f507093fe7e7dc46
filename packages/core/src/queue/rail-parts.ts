import type { RailCode } from '../rails/port.ts'

/** Each part is processed by itself, so that a rail that hangs delays no other. */
export interface RailPart<Item> {
  readonly rail: RailCode
  readonly items: readonly Item[]
  readonly leaseUntilMs: number
}

export const partsByRail = <Item extends { readonly rail: RailCode }>(
  items: readonly Item[],
  leaseUntilMs: number,
): RailPart<Item>[] =>
  [...Map.groupBy(items, ({ rail }) => rail)].map(([rail, some]) => ({ rail, items: some, leaseUntilMs }))
