import { languageOf, type Locale } from './languages.ts'

const timeZone = 'Africa/Douala'
/** From its time to UTC, all year. */
const OFFSET_MIN = -60

export const timeText = (atMs: number, locale: Locale): string =>
  format(atMs, locale, { hour: '2-digit', minute: '2-digit', hour12: false })

export const dateText = (atMs: number, locale: Locale): string =>
  format(atMs, locale, { dateStyle: 'long', timeStyle: 'short' })

/** Names the place to a payer whose own clock shows another time. */
function format(atMs: number, locale: Locale, options: Intl.DateTimeFormatOptions): string {
  const text = new Intl.DateTimeFormat(languageOf(locale).tag, { timeZone, ...options }).format(atMs)
  return new Date(atMs).getTimezoneOffset() === OFFSET_MIN ? text : `${text} (Douala)`
}
