import { fireEvent, screen } from '@testing-library/react'
import { describe, expect, test } from 'vitest'
import { words } from '../src/words/index.ts'
import { heading, openPage, pageText, plain, press, usePage, write } from './page.ts'
import { atOrange, mtn, orange, sessionOf, waiting } from './wire.ts'

const api = usePage()

const radio = (name: string) => screen.getByRole<HTMLInputElement>('radio', { name })
const chosen = () =>
  screen.getAllByRole<HTMLInputElement>('radio').map(({ value, checked }) => (checked ? value : null))
const alert = () => plain(screen.getByRole('alert').textContent ?? '')

const amounts = { fr: '12 500 FCFA', en: '12,500 FCFA' }

describe.each(['fr', 'en'] as const)('the number, in %s', (language) => {
  const say = words[language]
  const payButton = say.pay(amounts[language])

  test('proposes its operator while it is typed, in any spelling', async () => {
    api.session = sessionOf({ rails: [mtn, orange] })
    await openPage({ language })
    expect(chosen()).toEqual([null, null])
    for (const [number, code] of [
      ['6 99', orange.code],
      ['+237 650', mtn.code],
      ['00237-6.55.1', orange.code],
      ['tel:237680000001', mtn.code],
      ['٦٩٩', orange.code],
    ] as const) {
      write(number)
      expect([number, chosen().filter((value) => value !== null)]).toEqual([number, [code]])
      const { name } = code === mtn.code ? mtn : orange
      expect(pageText()).toContain(say.railProposed(name[language]))
    }
  })

  test.each([
    ['(+237) 670 00 00 01', '+(237) 670 00 00 01'],
    ['( +237 670 00 00 01)', '+(237 670 00 00 01)'],
    ['tel:(+237)670000001', 'tel:+(237)670000001'],
  ])('with a plus in brackets, %s, is sent as the API reads it', async (written, sent) => {
    api.session = sessionOf({ rails: [mtn, orange] })
    api.confirms = [waiting()]
    await openPage({ language })
    write(written.slice(0, 13))
    expect(chosen()).toEqual([mtn.code, null])
    write(written)
    await press(payButton)
    expect(api.confirmCalls()[0]?.form).toMatchObject({ 'payment_method_data[mtn_momo_cm][msisdn]': sent })
  })

  test('of the other operator than the chosen one says so, and the choice is kept', async () => {
    api.session = sessionOf({ rails: [mtn, orange] })
    api.confirms = [waiting()]
    await openPage({ language })
    write('699000001')
    fireEvent.click(radio('MTN Mobile Money'))
    expect(pageText()).toContain(say.railDiffers('Orange Money', 'MTN Mobile Money'))
    await press(payButton)
    expect(api.confirmCalls()[0]?.form).toMatchObject({
      'payment_method_data[mtn_momo_cm][msisdn]': '699000001',
    })
  })

  test('that becomes one of another operator proposes that one, also after a choice', async () => {
    api.session = sessionOf({ rails: [mtn, orange] })
    await openPage({ language })
    fireEvent.click(radio('Orange Money'))
    write('677')
    expect(chosen()).toEqual([mtn.code, null])
  })

  test.each([
    { rails: [mtn, orange], number: '222 33 44 55' },
    { rails: [mtn], number: '699 00 00 01' },
    { rails: [mtn], number: '+33 6 12 34 56 78 9' },
  ])('$number fits none of $rails.length operators: nothing is sent before the payer knows', async (of) => {
    api.session = sessionOf({ rails: of.rails })
    api.confirms = [waiting()]
    await openPage({ language })
    if (of.rails.length > 1) fireEvent.click(radio('MTN Mobile Money'))
    write(of.number)
    await press(payButton)
    expect(alert()).toBe(plain(say.numberFitsNone(of.rails.map(({ name }) => name[language]))))
    expect(api.confirmCalls()).toEqual([])

    await press(payButton)
    expect(heading()).toBe(say.approveTitle)
    expect(api.confirmCalls()).toHaveLength(1)
  })

  test('of an unknown operator asks for the operator, and nothing is sent', async () => {
    api.session = sessionOf({ rails: [mtn, orange] })
    await openPage({ language })
    await press(payButton)
    expect(alert()).toBe(say.numberMissing)
    write('222334455')
    await press(payButton)
    expect(alert()).toBe(say.railMissing)
    expect(api.confirmCalls()).toEqual([])
  })

  test.each(['12345', 'a bag of rice', '+237 222 33 44'])(
    'that is incomplete, such as %s, is to be corrected, and nothing is sent',
    async (number) => {
      api.session = sessionOf({ rails: [mtn, orange] })
      await openPage({ language })
      write(number)
      await press(payButton)
      expect(alert()).toBe(say.numberRefused)
      expect(api.confirmCalls()).toEqual([])
    },
  )

  test('that is incomplete is sent to an operator that the payer chooses: the API decides about it', async () => {
    api.session = sessionOf({ rails: [mtn, orange] })
    api.confirms = [waiting()]
    await openPage({ language })
    write('12345')
    fireEvent.click(radio('MTN Mobile Money'))
    await press(payButton)
    expect(api.confirmCalls()).toHaveLength(1)
  })

  test('is not needed on a rail that asks for it itself', async () => {
    api.session = sessionOf({ rails: [mtn, orange] })
    api.confirms = [atOrange('http://127.0.0.1/rail#page')]
    await openPage({ language })
    fireEvent.click(radio('Orange Money'))
    expect(pageText()).toContain(say.numberAtRail('Orange Money'))
    await press(say.payAtRail('Orange Money'))
    expect(JSON.stringify(api.confirmCalls()[0]?.form)).not.toContain('msisdn')
  })
})

test('digits of another script are shown as they are read', async () => {
  api.confirms = [waiting()]
  await openPage()
  write('٦٧٠ ١٢٣ ٤٢٧')
  expect(screen.getByRole<HTMLInputElement>('textbox').value).toBe('670 123 427')
  await press('Pay 12,500 FCFA')
  expect(pageText()).toContain('Request sent to 6 •• •• •• 27.')
})

test('without known numbers the first rail is chosen, and no number is doubted', async () => {
  const unknown = [mtn, orange].map((rail) => ({ ...rail, number_prefixes: [] }))
  api.session = sessionOf({ rails: unknown })
  api.confirms = [waiting()]
  await openPage()
  expect(chosen()).toEqual([mtn.code, null])
  write('222334455')
  await press('Pay 12,500 FCFA')
  expect(heading()).toBe('Confirm on your phone')
})
