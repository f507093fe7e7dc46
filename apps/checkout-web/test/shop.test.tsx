import { webAddress } from '@merchant-payments/contract'
import { screen } from '@testing-library/react'
import { describe, expect, test } from 'vitest'
import { inkOn } from '@merchant-payments/payer-client/form/ink'
import { accentColors } from '../src/ui/accent.ts'
import { words } from '../src/words/index.ts'
import { heading, openPage, pageText, pass, press, usePage, write } from './page.ts'
import { mtn, orange, paid, refused, sessionOf, waiting } from './wire.ts'

const api = usePage()

const CART = 'https://shop.example/panier'
const amounts = { fr: '12 500 FCFA', en: '12,500 FCFA' }
const back = () => screen.getByRole('link').getAttribute('href')
const kept = (storage: Storage) => Object.keys(storage).map((key) => storage.getItem(key))
const number = () => screen.getByRole<HTMLInputElement>('textbox').value

test.each([
  'https://shop.example',
  'HTTPS://shop.example/cart?order=7#top',
  'http://127.0.0.1:4000/',
  'https://shop.example/épicerie',
  'https:shop.example',
  'https:/shop.example/cart',
  'https:\\\\shop.example',
  ' https://shop.example',
  '\nhttps://shop.example',
  'javascript:alert(1)',
])('the shop has its link exactly if the API takes its address: %j', async (address) => {
  api.session = sessionOf({ cancel_url: address })
  await openPage()
  expect(screen.queryByRole('link')?.getAttribute('href')).toBe(
    webAddress.test(address) ? address : undefined,
  )
})

describe.each(['fr', 'en'] as const)('the shop, in %s', (language) => {
  const say = words[language]

  test('can be reached from the form and after a decline', async () => {
    api.confirms = [refused('insufficient_funds')]
    await openPage({ language })
    expect(back()).toBe(CART)
    write('670123427')
    await press(say.pay(amounts[language]))
    expect(heading()).toBe(say.declinedTitle)
    expect(back()).toBe(CART)
  })

  test('has no link while money may be on its way: its page might take a second order', async () => {
    let shown: unknown
    api.onConfirm = () => {
      shown = screen.queryByRole('link')
    }
    api.confirms = [waiting(60)]
    await openPage({ language })
    write('670123427')
    await press(say.pay(amounts[language]))
    expect(shown).toBeNull()
    await pass(122)
    expect(heading()).toBe(say.pendingTitle)
    expect(screen.queryByRole('link')).toBeNull()
    api.change(refused('approval_timeout'))
    await pass(10)
    expect(heading()).toBe(say.declinedTitle)
    expect(back()).toBe(CART)
  })

  test('says what is bought', async () => {
    api.change({ description: 'Riz parfumé, 25 kg' })
    await openPage({ language })
    expect(pageText()).toContain('Riz parfumé, 25 kg')
  })

  test('and the state of the payment are the title of the tab, in one language', async () => {
    await openPage({ language })
    expect(document.title).toBe(`${say.payTitle} · Boutique Akwa`)
  })

  test('shows its logo and its color', async () => {
    const logo = 'data:image/png;base64,iVBORw0KGgo='
    api.session = sessionOf({ merchant: { name: 'Boutique Akwa', accent_color: '#6a1b9a', logo } })
    const page = await openPage({ language })
    expect(document.querySelector('img')?.getAttribute('src')).toBe(logo)
    const { style } = document.documentElement
    expect(style.getPropertyValue('--accent')).toBe('rgb(106,27,154)')
    page.close()
    expect(style.getPropertyValue('--accent')).toBe('')
  })

  test('an operator has its mark, which screen readers pass over', async () => {
    api.session = sessionOf({ rails: [mtn, { ...orange, color: null }] })
    await openPage({ language })
    const marks = [...document.querySelectorAll('.rail-mark')]
    expect(marks.map((mark) => [mark.textContent, mark.getAttribute('aria-hidden')])).toEqual([['M', 'true']])
    expect(screen.getByRole('radio', { name: 'MTN Mobile Money' })).toBeTruthy()
  })
})

describe('the number', () => {
  test('is kept over a reload before it was sent, and gone once it has paid', async () => {
    const page = await openPage()
    write('6 70 12 34 27')
    page.close()
    const again = await openPage()
    expect(number()).toBe('6 70 12 34 27')
    again.close()
    api.change(paid())
    await openPage()
    expect([...kept(sessionStorage), ...kept(localStorage)].join()).not.toContain('6 70 12')
  })

  test('is in no other tab', async () => {
    const page = await openPage()
    write('670123427')
    page.close()
    expect(kept(localStorage).join()).not.toContain('670123427')
    sessionStorage.clear()
    await openPage()
    expect(number()).toBe('')
  })

  test('that was sent is kept nowhere, and the API shows it masked after a reload and in another tab', async () => {
    api.confirms = [waiting()]
    const page = await openPage()
    write('670123427')
    await press('Pay 12,500 FCFA')
    expect([...kept(sessionStorage), ...kept(localStorage)].join()).not.toContain('670123427')
    page.close()
    const again = await openPage()
    expect(pageText()).toContain('Request sent to 6 •• •• •• 27.')
    again.close()
    sessionStorage.clear()
    await openPage()
    expect(pageText()).toContain('Request sent to 6 •• •• •• 27.')
  })

  test('that was refused before a reload is asked for again', async () => {
    api.confirms = [refused('payer_declined')]
    const page = await openPage()
    write('670123427')
    await press('Pay 12,500 FCFA')
    expect(screen.getByRole('button', { name: 'Use the same number' })).toBeTruthy()
    page.close()
    await openPage()
    expect(screen.queryByRole('button', { name: 'Use another number' })).toBeNull()
    await press('Try again')
    expect(number()).toBe('')
  })

  test('that was corrected after a decline is the one that a reload keeps', async () => {
    api.confirms = [refused('payer_declined')]
    const page = await openPage()
    write('670123427')
    await press('Pay 12,500 FCFA')
    await press('Use another number')
    write('670123428')
    page.close()
    await openPage()
    await press('Use the same number')
    expect(number()).toBe('670123428')
  })
})

/** WCAG 2.2, written apart from the page's own function. */
function contrast(one: string, other: string): number {
  const lights = [one, other].map((color) => {
    const parts = (color.match(/\d+/g) ?? []).map((part) => Number(part) / 255)
    const [r = 0, g = 0, b = 0] = parts.map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
    return 0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05
  })
  return Math.max(...lights) / Math.min(...lights)
}

test.each(['#000000', '#0b5d3b', '#6a1b9a', '#8a0000', '#00008b', '#595959'])(
  'the accent %s is readable in both schemes',
  (color) => {
    const [accent = '', , tint = '', dark = '', darkTint = ''] = accentColors(color)
    expect(contrast(accent, 'rgb(255,255,255)')).toBeGreaterThanOrEqual(4.5)
    expect(contrast(accent, tint)).toBeGreaterThanOrEqual(4.5)
    for (const ground of ['rgb(25,32,28)', 'rgb(15,20,17)', 'rgb(11,20,16)', darkTint])
      expect(contrast(dark, ground)).toBeGreaterThanOrEqual(4.5)
  },
)

test.each([
  ['#ffcc00', '#000'],
  ['#ff7900', '#000'],
  ['#00008b', '#fff'],
])('the initial on %s is %s', (color, ink) => {
  expect(inkOn(color)).toBe(ink)
})
