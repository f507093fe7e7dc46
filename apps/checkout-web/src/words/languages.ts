import type { BrowserSession, LocalizedText } from '../wire/types.ts'

interface Language {
  /** Formats numbers and dates. */
  readonly tag: string
  /** The language of the API's and the rails' texts that comes nearest. */
  readonly api: NonNullable<BrowserSession['locale']>
  /** The tab's title before the payment is read. */
  readonly title: string
}

/** The page's languages. Another one needs a line here; the compiler then asks for its texts. */
const languages = {
  fr: { tag: 'fr-CM', api: 'fr', title: 'Paiement' },
  en: { tag: 'en-CM', api: 'en', title: 'Payment' },
} as const satisfies Readonly<Record<string, Language>>

export type Locale = keyof typeof languages

export const locales = Object.keys(languages) as readonly Locale[]

export const languageOf = (locale: Locale): Language => languages[locale]

/** A text of the API, which has fewer languages than the page may have. */
export const textIn = (text: LocalizedText, locale: Locale): string => text[languages[locale].api]

export const isLocale = (text: string | null): text is Locale => locales.some((locale) => locale === text)

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
