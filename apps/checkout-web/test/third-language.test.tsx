import { addLanguage, declineTexts, formWords } from '@merchant-payments/payer-client/form/words/index'
import { type Locale, languages } from '@merchant-payments/payer-client/form/words/languages'
import { screen } from '@testing-library/react'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { words } from '../src/words/index.ts'
import { heading, openPage, pageText, press, status, usePage, write } from './page.ts'
import * as pcm from './pcm.ts'
import { paid, refused } from './wire.ts'

const api = usePage()

const LOCALE = 'pcm' as Locale

// The lines that name a language and its file.
beforeAll(() => {
  Object.assign(languages, { pcm: pcm.language })
  Object.assign(words, { pcm: { ...pcm.form, ...pcm.page } })
  addLanguage(LOCALE, { form: pcm.form, declines: pcm.declines })
})
afterAll(() =>
  [languages, words, formWords, declineTexts].forEach((texts) => Reflect.deleteProperty(texts, 'pcm')),
)

test('a language is one file: the browser’s language finds it, and every text of a payment comes from it', async () => {
  api.confirms = [refused('insufficient_funds'), paid()]
  await openPage({ language: 'pcm-CM' })
  expect(document.documentElement.lang).toBe('pcm')
  expect(heading()).toBe('pcm Pay')
  write('670123427')
  await press('pcm Pay 12,500 FCFA')
  expect(heading()).toBe('pcm The payment did not go through')
  expect(pageText()).toContain('pcm There is not enough money, fees included.')
  await press('pcm Use another number')
  write('670123428')
  await press('pcm Pay 12,500 FCFA')
  expect(status()).toBe('pcm Payment successful')
  const terms = screen.getAllByRole('term').map(({ textContent }) => textContent)
  expect(terms.filter((text) => text?.startsWith('pcm ') !== true)).toEqual([])
  // The API has no such language, so it gets the nearest one.
  expect(api.confirmCalls().map(({ form }) => form['locale'])).toEqual(['en', 'en'])
})

test('the payer can choose it, and it is remembered', async () => {
  const page = await openPage({ language: 'fr' })
  expect(['English', 'Pidgin'].map((name) => screen.getByRole('button', { name }).lang)).toEqual([
    'en',
    'pcm',
  ])
  await press('Pidgin')
  expect(heading()).toBe('pcm Pay')
  page.close()
  await openPage({ language: 'fr' })
  expect(heading()).toBe('pcm Pay')
})
