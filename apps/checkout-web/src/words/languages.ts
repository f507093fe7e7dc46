import type { BrowserSession, Locale } from '../wire/types.ts'

export const isLocale = (text: string | null): text is Locale => text === 'fr' || text === 'en'

export const localeOf = (languages: readonly string[]): Locale =>
  languages.map((language) => language.slice(0, 2).toLowerCase()).find(isLocale) ?? 'fr'

export interface LanguageChoice {
  /** What the payer chose on this page. */
  readonly chosen: Locale | null
  /** What the payer chose on an earlier page. */
  readonly remembered: Locale | null
  readonly ofBrowser: Locale
  readonly choose: (locale: Locale) => void
}

/** The page's language. The session's goes before a choice that the payer made on another page. */
export const languageOf = (
  { chosen, remembered, ofBrowser }: Omit<LanguageChoice, 'choose'>,
  session: Pick<BrowserSession, 'locale'> | null,
): Locale => chosen ?? session?.locale ?? remembered ?? ofBrowser
