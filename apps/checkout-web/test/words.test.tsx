import { declineCodes } from '@merchant-payments/contract'
import { fireEvent, screen } from '@testing-library/react'
import { describe, expect, test } from 'vitest'
import type { Locale } from '@merchant-payments/payer-client/form/words/languages'
import { amountText } from '@merchant-payments/payer-client/form/words/amount'
import { declineWords } from '@merchant-payments/payer-client/form/words/declines'
import { words } from '../src/words/index.ts'
import { localeOf } from '@merchant-payments/payer-client/form/words/languages'
import { maskedNumber, withMaskedNumbers } from '@merchant-payments/payer-client/form/words/masked-number'
import { heading, openPage, pageText, plain, press, usePage } from './page.ts'
import { refused, sessionOf } from './wire.ts'

const api = usePage()

describe('the page’s language', () => {
  test.each([
    { session: 'en', browser: 'fr-CM', title: 'Pay', lang: 'en' },
    { session: 'fr', browser: 'en-GB', title: 'Payer', lang: 'fr' },
    { session: null, browser: 'en-GB', title: 'Pay', lang: 'en' },
    { session: null, browser: 'de', title: 'Payer', lang: 'fr' },
  ] as const)('session $session, browser $browser: $lang', async ({ session, browser, title, lang }) => {
    api.session = sessionOf({ locale: session })
    await openPage({ language: browser })
    expect(heading()).toBe(title)
    expect(document.documentElement.lang).toBe(lang)
  })

  test('is switched by the payer, keeps the input, and is remembered', async () => {
    const page = await openPage({ language: 'fr' })
    fireEvent.change(screen.getByRole('textbox'), { target: { value: '670' } })
    await press('English')
    expect(heading()).toBe('Pay')
    expect(screen.getByRole<HTMLInputElement>('textbox').value).toBe('670')
    page.close()
    await openPage({ language: 'fr' })
    expect(heading()).toBe('Pay')
  })
})

describe('the session’s language', () => {
  test('goes before a choice on another page', async () => {
    api.session = sessionOf({ locale: 'fr' })
    localStorage.setItem('checkout.language', 'en')
    await openPage({ language: 'en' })
    expect(heading()).toBe('Payer')
  })

  test('goes behind a choice on this page, also after a reload', async () => {
    api.session = sessionOf({ locale: 'fr' })
    const page = await openPage({ language: 'fr' })
    await press('English')
    page.close()
    await openPage({ language: 'fr' })
    expect(heading()).toBe('Pay')
  })
})

test('in French the page of a rail is written as it is spoken', () => {
  const { redirectNote, atRailText, leavingTitle, refuseAtRail } = words.fr
  for (const text of [redirectNote, atRailText, leavingTitle, refuseAtRail]) {
    expect(text('Orange Money')).toContain('la page d’Orange Money')
    expect(text('MTN Mobile Money')).toContain('la page de MTN Mobile Money')
  }
})

describe.each(['fr', 'en'] as const)('in %s', (locale) => {
  test.each(declineCodes)('%s has a plain sentence', async (code) => {
    api.change(refused(code))
    await openPage({ language: locale })
    const { reason, advice } = declineWords(code, locale, 'Boutique Akwa')
    expect(heading()).toBe(words[locale].declinedTitle)
    expect(pageText()).toContain(`${reason} ${advice}`)
    expect(advice).not.toMatch(/\{|boutique\b|\bshop\b|\bmeans\b/)
  })

  test('no text of the page is empty', () => {
    expect(Object.entries(words[locale]).filter(([, text]) => text === '')).toEqual([])
  })
})

test('the merchant’s text stays text, whatever it contains', async () => {
  api.session = sessionOf({
    merchant: { name: '<img src=x onerror=alert(1)>', accent_color: null, logo: null },
  })
  await openPage()
  expect(document.querySelector('img')).toBeNull()
  expect(pageText()).toContain('<img src=x onerror=alert(1)>')
})

test('an address of the shop that is not a web page is not a link', async () => {
  api.session = sessionOf({ status: 'expired', cancel_url: 'javascript:alert(1)' })
  await openPage()
  expect(screen.queryByRole('link')).toBeNull()
})

test.each([
  [12_500, 'XAF', 'fr', '12 500 FCFA'],
  [12_500, 'XAF', 'en', '12,500 FCFA'],
  [1, 'XAF', 'en', '1 FCFA'],
  [1_250, 'EUR', 'fr', '12,50 €'],
  [5, 'EUR', 'en', '€0.05'],
  [99_999_999, 'EUR', 'en', '€999,999.99'],
] as const)('%d %s in %s is written %s', (minor, currency, locale: Locale, text) => {
  expect(plain(amountText(minor, currency, locale))).toBe(text)
})

test.each([
  ['+237 6 70 12 34 27', '6 •• •• •• 27'],
  ['670123427', '6 •• •• •• 27'],
  ['tel:00237670123427', '6 •• •• •• 27'],
])('%s is shown as %s', (written, masked) => {
  expect(plain(maskedNumber(written))).toBe(masked)
})

test.each([
  ['The payer 237670123427 has no account', 'The payer 6 •• •• •• 27 has no account'],
  ['+237 6 70-12.34 27: ٦٧٠١٢٣٤٢٨', '6 •• •• •• 27: 6 •• •• •• 28'],
  ['Error 5001 of 2026', 'Error 5001 of 2026'],
])('an operator’s text %s is shown as %s', (text, shown) => {
  expect(plain(withMaskedNumbers(text))).toBe(shown)
})

test('the first language that the page supports is used', () => {
  expect(localeOf(['de-DE', 'en-US', 'fr'])).toBe('en')
  expect(localeOf([])).toBe('fr')
})
