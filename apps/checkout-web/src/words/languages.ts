import type { Locale } from '../wire/types.ts'

export const isLocale = (text: string | null): text is Locale => text === 'fr' || text === 'en'

export const localeOf = (languages: readonly string[]): Locale =>
  languages.map((language) => language.slice(0, 2).toLowerCase()).find(isLocale) ?? 'fr'
