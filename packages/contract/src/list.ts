import { z } from 'zod'

/** Spec 2.1: data[] and has_more; `object` and `url` serve clients of the compatible API that page by `url`. */
export const listOf = <T extends z.ZodType>(item: T) =>
  z.strictObject({
    object: z.literal('list'),
    url: z.string(),
    has_more: z.boolean(),
    data: z.array(item),
  })

export interface List<T> {
  readonly object: 'list'
  readonly url: string
  readonly has_more: boolean
  readonly data: readonly T[]
}
