import type { Locale } from './languages.ts'
import type { Catalogue, DeclineTexts, FormWords } from './words.ts'

/** The texts of the languages that are loaded. The page has all from its start, and the embedded form loads one. */
export const formWords: Record<Locale, FormWords> = {} as Record<Locale, FormWords>
export const declineTexts: Record<Locale, DeclineTexts> = {} as Record<Locale, DeclineTexts>

/** The page adds the declines later than the rest. */
export function addLanguage(locale: Locale, { form, declines }: Partial<Catalogue>): void {
  if (form !== undefined) formWords[locale] = form
  if (declines !== undefined) declineTexts[locale] = declines
}
