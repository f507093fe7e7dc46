import { z } from 'zod'

const NEWEST_FIRST = 'The objects of this page, newest first in both directions.'

/** A page of a list (spec 2.1). Clients of the compatible API use `object`, and page by `url`. */
export const listOf = <T extends z.ZodType>(item: T, data = NEWEST_FIRST) =>
  z.strictObject({
    object: z.literal('list').describe('The kind of this object: always `list`.'),
    url: z.string().describe('The path of the list, without its query.'),
    has_more: z
      .boolean()
      .describe(
        'Whether more objects follow in the direction of paging: newer ones with `ending_before`, otherwise older ones.',
      ),
    data: z.array(item).describe(data),
  })

export interface List<T> {
  readonly object: 'list'
  readonly url: string
  readonly has_more: boolean
  readonly data: readonly T[]
}
