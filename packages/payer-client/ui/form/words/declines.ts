import type { DeclineCode } from '../../../src/wire.ts'
import { declineTexts } from './index.ts'
import type { Locale } from './languages.ts'
import type { DeclineWords } from './words.ts'

/** The texts of a code. Codes newer than this page get the generic texts. */
export function declineWords(code: DeclineCode, locale: Locale, merchant: string): DeclineWords {
  const { reason, advice } = declineTexts[locale][code] ?? declineTexts[locale].declined
  return { reason, advice: advice.replace('{merchant}', () => merchant) }
}
