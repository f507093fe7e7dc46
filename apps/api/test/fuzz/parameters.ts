import type { z } from 'zod'

interface Inside {
  readonly innerType?: z.ZodType
  readonly in?: z.ZodType
  readonly shape?: Readonly<Record<string, z.ZodType>>
}

/** Every parameter that a declaration names, in bracket spelling: `address` with a shape gives `address[city]`. */
export function parametersOf(schema: z.ZodType | undefined, under = ''): string[] {
  if (schema === undefined) return []
  const { innerType, in: before, shape } = schema.def as Inside
  if (shape !== undefined) {
    const nameOf = (key: string) => (under === '' ? key : `${under}[${key}]`)
    const inside = Object.entries(shape).flatMap(([key, of]) => parametersOf(of, nameOf(key)))
    return under === '' ? inside : [under, ...inside]
  }
  const wrapped = innerType ?? before
  if (wrapped !== undefined) return parametersOf(wrapped, under)
  return under === '' ? [] : [under]
}
