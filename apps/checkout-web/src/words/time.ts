import type { Locale } from '../wire/types.ts'

const timeZone = 'Africa/Douala'

export const timeText = (atMs: number, locale: Locale): string =>
  new Intl.DateTimeFormat(`${locale}-CM`, {
    timeZone,
    hour: '2-digit',
    minute: '2-digit',
    hour12: false,
  }).format(atMs)

export const dateText = (atMs: number, locale: Locale): string =>
  new Intl.DateTimeFormat(`${locale}-CM`, { timeZone, dateStyle: 'long', timeStyle: 'short' }).format(atMs)
