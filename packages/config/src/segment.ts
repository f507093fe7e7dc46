import { reservedSegments } from '@merchant-payments/contract'
import { z } from 'zod'

/** For an id that is a segment of a path. */
export const notReserved = z.refine<string>(
  (id) => !reservedSegments.includes(id),
  'is reserved, because no path leads to search, . or .. as an id: choose another',
)
