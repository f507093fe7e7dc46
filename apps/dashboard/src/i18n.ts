import { setupI18n } from '@lingui/core'
import { readPreference } from './preferences.ts'

export const languages = ['en', 'fr'] as const
export type Language = (typeof languages)[number]

const catalogs = {
  en: () => import('./locales/en.ts'),
  fr: () => import('./locales/fr.ts'),
} as const satisfies Record<Language, () => Promise<unknown>>

/** The chosen language, or the first of the browser's that the dashboard has. */
function findLanguage(): Language {
  const wanted = [readPreference('language') ?? '', ...navigator.languages]
  return (
    wanted.map((tag) => languages.find((one) => tag.startsWith(one))).find((one) => one !== undefined) ?? 'en'
  )
}

export const language: Language = findLanguage()
const { messages } = await catalogs[language]()

/** Translates. The English text of a message is its id, and `locales` has the catalogs. */
export const i18n = setupI18n({ locale: language, messages: { [language]: messages } })

/** The language with the region whose formats of numbers and dates are used. */
export const formatLocale: string = { en: 'en-GB', fr: 'fr-CM' }[language]
