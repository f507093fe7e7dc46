import type { RailPart } from '@merchant-payments/core'
import type { Tracer } from '@merchant-payments/telemetry'

/** Records a span of the part that links to the requests behind its items. */
export async function tracePart<Item>(
  tracer: Tracer,
  name: string,
  { rail, items }: RailPart<Item>,
  requestOf: (item: Item) => string | null,
  work: () => Promise<number>,
): Promise<number> {
  const span = tracer.startBatch(name, items.map(requestOf))
  let moved: number | undefined
  try {
    moved = await tracer.within(span, work)
    return moved
  } finally {
    span.end({ rail, items: items.length, moved: moved ?? 0 }, moved === undefined)
  }
}
