import {
  declines as declinesInEnglish,
  form as formInEnglish,
  page as pageInEnglish,
} from '@merchant-payments/payer-client/form/words/en'
import type {
  DeclineTexts,
  FormWords,
  Language,
  PageWords,
} from '@merchant-payments/payer-client/form/words/words'

/** A third language as a file has it. Its texts are only marked: a speaker has to write the real ones. */
export const language: Language = { tag: 'en-CM', api: 'en', title: 'Pidgin: payment', name: 'Pidgin' }

const MARK = 'pcm '

/** Marks each text, and each text that a function returns. */
const marked = <T>(texts: T): T =>
  (typeof texts === 'string'
    ? MARK + texts
    : typeof texts === 'function'
      ? (...parts: unknown[]) => marked((texts as (...parts: unknown[]) => unknown)(...parts))
      : Array.isArray(texts)
        ? texts.map(marked)
        : Object.fromEntries(Object.entries(texts as object).map(([key, text]) => [key, marked(text)]))) as T

export const form: FormWords = marked(formInEnglish)
export const page: PageWords = marked(pageInEnglish)
export const declines: DeclineTexts = marked(declinesInEnglish)
