/** A queue with several owners. The next item comes from the owner who has waited longest for a turn. */
interface Turns<Owner, Item> {
  readonly size: () => number
  readonly sizeOf: (owner: Owner) => number
  readonly add: (owner: Owner, item: Item) => void
  /** Owners that `mayGo` passes over keep their place. */
  readonly take: (mayGo?: (item: Item, owner: Owner) => boolean) => Item | undefined
  readonly remove: (owner: Owner, item: Item) => boolean
}

export function takeTurns<Owner, Item>(): Turns<Owner, Item> {
  // In the order of turns: a key that is deleted and set again moves to the end of a Map.
  const lanes = new Map<Owner, Item[]>()
  let size = 0

  function shorten(owner: Owner, lane: Item[], at: number): void {
    size -= 1
    lane.splice(at, 1)
    if (lane.length === 0) lanes.delete(owner)
  }

  return {
    size: () => size,
    sizeOf: (owner) => lanes.get(owner)?.length ?? 0,
    add: (owner, item) => {
      size += 1
      const lane = lanes.get(owner)
      if (lane === undefined) lanes.set(owner, [item])
      else lane.push(item)
    },
    take: (mayGo = () => true) => {
      for (const [owner, lane] of lanes) {
        const [item] = lane as [Item]
        if (!mayGo(item, owner)) continue
        lanes.delete(owner)
        lanes.set(owner, lane)
        shorten(owner, lane, 0)
        return item
      }
      return undefined
    },
    remove: (owner, item) => {
      const lane = lanes.get(owner)
      const at = lane?.indexOf(item) ?? -1
      if (lane === undefined || at < 0) return false
      shorten(owner, lane, at)
      return true
    },
  }
}
