/**
 * The merchant's own texts on an invoice. Each is a column and a field of the API under one name. An update can change
 * it in any status (spec 4.4.1).
 */
export const textNames = ['description'] as const

type TextName = (typeof textNames)[number]

export type InvoiceTexts = { readonly [Name in TextName]: string | null }

/** An absent text stays, and null clears it. */
export type InvoiceTextChanges = { readonly [Name in TextName]: string | null | undefined }

const each = <T>(valueOf: (name: TextName) => T) =>
  Object.fromEntries(textNames.map((name) => [name, valueOf(name)])) as { readonly [Name in TextName]: T }

/** The texts alone of an object that has them, such as a row or the body of a request. */
export const invoiceTextsOf = (from: InvoiceTexts): InvoiceTexts => each((name) => from[name])

/** @param from the body of an update, which has to declare every text */
export const invoiceTextChangesOf = <Body extends Partial<InvoiceTextChanges>>(
  from: TextName extends keyof Body ? Body : never,
): InvoiceTextChanges => each((name) => from[name])

export const hasTextChange = (changes: InvoiceTextChanges): boolean =>
  textNames.some((name) => changes[name] !== undefined)

export const changeTexts = (before: InvoiceTexts, changes: InvoiceTextChanges): InvoiceTexts =>
  each((name) => (changes[name] === undefined ? before[name] : changes[name]))

/** Columns of an insert, with their types. */
export const textColumns = each(() => 'text' as const)
