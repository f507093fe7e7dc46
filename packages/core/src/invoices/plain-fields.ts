interface Values {
  readonly text: string
  readonly integer: number
  readonly boolean: boolean
}

/**
 * The merchant's own values on an invoice, with the types of their columns. Each is a nullable column and a field of the
 * API under one name. An update can change it in any status (spec 4.4.1).
 */
export const plainColumns = { description: 'text' } as const satisfies Readonly<Record<string, keyof Values>>

type Columns = typeof plainColumns
type Name = keyof Columns

export type PlainFields = { readonly [N in Name]: Values[Columns[N]] | null }

/** An absent value stays, and null clears it. */
export type PlainChanges = { readonly [N in Name]: PlainFields[N] | undefined }

export const plainNames = Object.keys(plainColumns) as Name[]

export const plainTexts = plainNames.filter((name) => plainColumns[name] === 'text')

const each = (valueOf: (name: Name) => unknown) =>
  Object.fromEntries(plainNames.map((name) => [name, valueOf(name)])) as Readonly<Record<Name, unknown>>

export const plainInvoiceFields = (from: PlainFields): PlainFields =>
  each((name) => from[name]) as PlainFields

/** @param from the body of an update, which has to declare every plain field */
export const plainInvoiceChanges = <Body extends Partial<PlainChanges>>(
  from: Name extends keyof Body ? Body : never,
): PlainChanges => each((name) => from[name]) as PlainChanges

export const hasPlainChange = (changes: PlainChanges): boolean =>
  plainNames.some((name) => changes[name] !== undefined)

export const changePlain = (before: PlainFields, changes: PlainChanges): PlainFields =>
  each((name) => (changes[name] === undefined ? before[name] : changes[name])) as PlainFields
