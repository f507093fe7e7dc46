import { z } from 'zod'

/**
 * Reports each element whose field repeats that of an earlier one. Runs on faulty elements too, so that one
 * run reports every fault.
 */
export const unique = <T>(field: string) =>
  z.superRefine<T[]>(
    (elements, ctx) => {
      const seen = new Set<string>()
      for (const [index, element] of entriesOf(elements)) {
        const value = fieldOf(element, field)
        if (value === null) continue
        if (seen.has(value)) ctx.addIssue({ code: 'custom', path: [index, field], message: 'is a duplicate' })
        seen.add(value)
      }
    },
    { when: () => true },
  )

const entriesOf = (elements: unknown): [number, unknown][] =>
  Array.isArray(elements) ? [...elements.entries()] : []

function fieldOf(element: unknown, field: string): string | null {
  if (typeof element !== 'object' || element === null) return null
  const value: unknown = Reflect.get(element, field)
  return typeof value === 'string' ? value : null
}
