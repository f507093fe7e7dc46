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

/** @returns how many items there were, and how many of them moved */
export async function workOnParts<Item>(
  parts: readonly RailPart<Item>[],
  work: (part: RailPart<Item>) => Promise<number>,
): Promise<{ readonly claimed: number; readonly moved: number }> {
  const moved = await Promise.all(parts.map(work))
  return { claimed: sum(parts.map(({ items }) => items.length)), moved: sum(moved) }
}

const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0)
