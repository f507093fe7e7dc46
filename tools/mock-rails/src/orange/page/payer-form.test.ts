import { describe, expect, test } from 'vitest'
import { parsePayerForm } from './payer-form.ts'

const parse = (msisdn: string, otp = '1234') => parsePayerForm(new URLSearchParams({ msisdn, otp }))

describe('the number of the payer', () => {
  test.each([
    '690000451',
    '6 90 00 04 51',
    '690.000.451',
    '6-90-00-04-51',
    '(237) 690 000 451',
    '237690000451',
    '+237 6 90 00 04 51',
    '00237690000451',
    ' 690000451 ',
  ])('is understood as %j', (typed) => {
    expect(parse(typed)).toEqual({ msisdn: '237690000451' })
  })

  test.each(['', '69000045', '6900004511', '222000451', '+33690000451', '690000abc', '٦٩٠٠٠٠٤٥١'])(
    'is not %j',
    (typed) => {
      expect(parse(typed)).toEqual({ typed, isNumberWrong: true, isOtpWrong: false })
    },
  )
})

describe('the code of the payer', () => {
  test.each(['1234', '123456', ' 0000 '])('may be %j', (otp) => {
    expect(parse('690000001', otp)).toEqual({ msisdn: '237690000001' })
  })

  test.each(['', '123', '1234567', 'abcd'])('may not be %j', (otp) => {
    expect(parse('690000001', otp)).toEqual({ typed: '690000001', isNumberWrong: false, isOtpWrong: true })
  })
})

test('an empty form is wrong in both', () => {
  expect(parsePayerForm(new URLSearchParams())).toEqual({ typed: '', isNumberWrong: true, isOtpWrong: true })
})
