import type { Locale } from './languages.ts'
import { en } from './en.ts'
import { fr } from './fr.ts'
import type { Words } from './words.ts'

export type { Words } from './words.ts'

export const words: Readonly<Record<Locale, Words>> = { fr, en }
