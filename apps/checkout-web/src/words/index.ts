import { form as formEn, page as pageEn } from '@merchant-payments/payer-client/form/words/en'
import { form as formFr, page as pageFr } from '@merchant-payments/payer-client/form/words/fr'
import { addLanguage } from '@merchant-payments/payer-client/form/words/index'
import type { Locale } from '@merchant-payments/payer-client/form/words/languages'
import type { FormWords, PageWords } from '@merchant-payments/payer-client/form/words/words'

/** Every text of the page: those of its form, and its own. */
export type Words = FormWords & PageWords

export const words: Readonly<Record<Locale, Words>> = {
  fr: { ...formFr, ...pageFr },
  en: { ...formEn, ...pageEn },
}

addLanguage('fr', { form: formFr })
addLanguage('en', { form: formEn })
