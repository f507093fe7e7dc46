import type { BrowserSession, LocalizedText } from '../types.ts'
import type { Language } from './words.ts'

/** The languages. Another one is a file of texts beside these and a line here; the compiler then asks who loads the file. */
export const languages: { readonly fr: Language; readonly en: Language } = {
  fr: { tag: 'fr-CM', api: 'fr', title: 'Paiement', name: 'Français' },
  en: { tag: 'en-CM', api: 'en', title: 'Payment', name: 'English' },
}

export type Locale = keyof typeof languages

export const locales = (): readonly Locale[] => Object.keys(languages) as Locale[]

export const languageOf = (locale: Locale): Language => languages[locale]

/** A text of the API, which has fewer languages than the page may have. */
export const textIn = (text: LocalizedText, locale: Locale): string => text[languages[locale].api]

export const isLocale = (text: string | null): text is Locale => locales().some((locale) => locale === text)

export const localeOf = (wanted: readonly string[]): Locale =>
  wanted.map((tag) => tag.toLowerCase().replace(/-.*/, '')).find(isLocale) ?? 'fr'

export interface LanguageChoice {
  /** What the payer chose on this page. */
  readonly chosen: Locale | null
  /** What the payer chose on an earlier page. */
  readonly remembered: Locale | null
  readonly ofBrowser: Locale
  readonly choose: (locale: Locale) => void
}

/** The page's language. The session's goes before a choice that the payer made on another page. */
export const shownLocale = (
  { chosen, remembered, ofBrowser }: Omit<LanguageChoice, 'choose'>,
  session: Pick<BrowserSession, 'locale'> | null,
): Locale => chosen ?? session?.locale ?? remembered ?? ofBrowser
