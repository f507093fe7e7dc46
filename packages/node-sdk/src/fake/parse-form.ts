/** Parameters of a form with bracket nesting (spec 2.1). A list has its indexes as keys. */
export interface Form {
  [name: string]: string | Form
}

const emptyForm = (): Form => Object.create(null) as Form

export function parseForm(text: string): Form {
  const form = emptyForm()
  for (const [name, value] of new URLSearchParams(text)) {
    const parts = name.match(/[^[\]]+/g) ?? []
    const last = parts.pop() ?? ''
    let inner = form
    for (const part of parts) {
      const next = inner[part]
      inner = inner[part] = typeof next === 'object' ? next : emptyForm()
    }
    inner[last] = value
  }
  return form
}

/** A text; null if it is empty or absent. */
export const textOf = (value: string | Form | undefined): string | null =>
  typeof value === 'string' && value !== '' ? value : null

/** The values of a list, or of a map, in their order. */
export const valuesOf = (value: string | Form | undefined): string[] =>
  typeof value === 'object' ? Object.values(value).filter((one) => typeof one === 'string') : []
