import { languageOf, type Locale } from './languages.ts'

const timeZone = 'Africa/Douala'

export const timeText = (atMs: number, locale: Locale): string =>
  new Intl.DateTimeFormat(languageOf(locale).tag, {
    timeZone,
    hour: '2-digit',
    minute: '2-digit',
    hour12: false,
  }).format(atMs)

export const dateText = (atMs: number, locale: Locale): string =>
  new Intl.DateTimeFormat(languageOf(locale).tag, { timeZone, dateStyle: 'long', timeStyle: 'short' }).format(
    atMs,
  )
