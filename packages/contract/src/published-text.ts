/**
 * Removes references such as ` (spec 4.3.6)`. Declarations keep them for the people of this repository. Merchants
 * cannot open the specification, so published texts have none.
 */
export const withoutSections = (text: string): string => text.replaceAll(/ \(spec \d[\d.]*\)/g, '')

export const publishedDocument = <T extends object>(document: T): T =>
  JSON.parse(withoutSections(JSON.stringify(document))) as T
