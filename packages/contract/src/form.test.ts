import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import {
  boundedText,
  clearable,
  clearableText,
  currency,
  formArray,
  idPattern,
  listQuery,
  metadata,
  METADATA_KEY_CHARS_MAX,
  METADATA_KEYS_MAX,
  METADATA_VALUE_CHARS_MAX,
  minorAmount,
  metadataChanges,
  optionalText,
  requiredId,
  signedAmount,
  wholeNumber,
} from './form.ts'

/** The kind of map that the decoder makes: without a prototype, so every key is an ordinary key. */
function form(entries: Iterable<readonly [string, unknown]>): Record<string, unknown> {
  const map = Object.create(null) as Record<string, unknown>
  for (const [key, value] of entries) map[key] = value
  return map
}

/** The path and the message of each fault. */
function faults(schema: z.ZodType, input: unknown): [path: string, message: string][] {
  const { error } = schema.safeParse(input)
  return (error?.issues ?? []).map(({ path, message }) => [path.join('.'), message])
}

describe('the amount of a line', () => {
  test('accepts exactly what ^-?[1-9]\\d{0,7}$ matches', () => {
    const spelled = fc.oneof(
      fc.string(),
      fc.integer().map(String),
      fc.double().map(String),
      fc.stringMatching(/^[\d+\-.eE ,_]{1,10}$/),
      fc.stringMatching(/^-?[1-9]\d{0,8}\n?$/),
    )
    fc.assert(
      fc.property(spelled, (text) => {
        const { data } = signedAmount.safeParse(text)
        expect(data).toBe(/^-?[1-9]\d{0,7}$/.test(text) ? Number(text) : undefined)
      }),
      { numRuns: 2_000 },
    )
  })
})

describe('a whole number', () => {
  test.each(['2', '10', '364'])('%s is within its bounds', (text) => {
    expect(wholeNumber(2, 364).parse(text)).toBe(Number(text))
  })
  test.each(['1', '365', '02', '+2', '-2', '2.0', '2e0', '', ' 2', '2\n', '99999999999', ['2'], null])(
    '%j is refused',
    (sent) => {
      expect(faults(wholeNumber(2, 364), sent)).toHaveLength(1)
    },
  )
})

describe('a field of a partial update', () => {
  const update = z.object({ text: clearableText(3), list: clearable(formArray(boundedText(3))) })
  test('is absent, cleared or set', () => {
    expect(update.parse({})).toEqual({})
    expect(update.parse({ text: '', list: '' })).toEqual({ text: null, list: null })
    expect(update.parse({ text: 'abc', list: { 0: 'a' } })).toEqual({ text: 'abc', list: ['a'] })
  })
  test('names the faulty field', () => {
    expect(faults(update, { text: 'abcd' })).toEqual([['text', 'must have at most 3 characters']])
    expect(faults(update, { list: 'abc' })).toEqual([['list', 'is required and must be a list']])
  })
  test('accepts any number of metadata keys: the limit applies to the merged result', () => {
    const keys = Array.from({ length: METADATA_KEYS_MAX + 1 }, (_, n) => [`k${n}`, ''] as const)
    expect(faults(metadataChanges, form(keys))).toEqual([])
    const filled = keys.map(([key]) => [key, 'x'] as const)
    expect(faults(metadata, form(filled))).toHaveLength(1)
  })
  test('counts no metadata key with an empty value, because none is stored', () => {
    const keys = Array.from(
      { length: METADATA_KEYS_MAX + 1 },
      (_, n) => [`k${n}`, n === 0 ? '' : 'x'] as const,
    )
    expect(faults(metadata, form(keys))).toEqual([])
  })
})

test('requiredId requires the id of another resource, and does not validate its form', () => {
  expect(requiredId.parse('x')).toBe('x')
  for (const sent of [undefined, '', { a: 'x' }])
    expect(faults(requiredId, sent)).toEqual([['', 'is required']])
})

describe('an amount [§1.3]', () => {
  test('accepts exactly what ^[1-9]\\d{0,7}$ matches', () => {
    const spelled = fc.oneof(
      fc.string(),
      fc.integer().map(String),
      fc.double().map(String),
      fc.stringMatching(/^[\d+\-.eE ,_]{1,10}$/),
      fc.stringMatching(/^[1-9]\d{0,7}$/),
      fc.stringMatching(/^[1-9]\d{0,7}\n$/),
    )
    fc.assert(
      fc.property(spelled, (text) => {
        const { data } = minorAmount.safeParse(text)
        expect(data).toBe(/^[1-9]\d{0,7}$/.test(text) ? Number(text) : undefined)
      }),
      { numRuns: 2_000 },
    )
  })

  test.each([
    '0',
    '-0',
    '-1',
    '+1',
    '01',
    '1.0',
    '1e3',
    '1E3',
    '0x10',
    ' 1',
    '1 ',
    '1\n',
    '1_000',
    '1,000',
    '',
    '100000000',
    '9'.repeat(400),
    '١',
    '１',
    'NaN',
    'Infinity',
  ])('is never %j', (text) => {
    expect(faults(minorAmount, text)).toEqual([['', 'must be an integer from 1 to 99999999, in minor units']])
  })

  test.each([[undefined], [null], [1000], [true], [form([['0', '1']])]])('refuses %j', (value) => {
    expect(faults(minorAmount, value)).toEqual([['', 'is required']])
  })

  test('accepts 1 to 99 999 999', () => {
    expect(['1', '99999999'].map((text) => minorAmount.parse(text))).toEqual([1, 99_999_999])
  })
})

describe('a currency', () => {
  test.each(['xaf', 'XAF', 'Xaf', 'xAF'])('accepts %s as XAF', (text) => {
    expect(currency.parse(text)).toBe('XAF')
  })

  test.each(['', 'usd', 'EU', 'EURO', ' EUR', 'constructor', '__proto__', 'toString'])(
    'is never %j',
    (text) => {
      expect(faults(currency, text)).toEqual([['', 'must be XAF or EUR']])
    },
  )

  test('is required', () => {
    expect(faults(currency, undefined)).toEqual([['', 'is required']])
  })
})

describe('a text', () => {
  test('with a length limit must not be empty', () => {
    expect(boundedText(3).parse('abc')).toBe('abc')
    expect(faults(boundedText(3), '')).toEqual([['', 'must not be empty']])
    expect(faults(boundedText(3), 'abcd')).toEqual([['', 'must have at most 3 characters']])
  })

  test('that is optional becomes null if absent or empty', () => {
    const text = optionalText(3)
    expect([undefined, '', 'abc'].map((value) => text.parse(value))).toEqual([null, null, 'abc'])
    expect(faults(text, 'abcd')).toEqual([['', 'must have at most 3 characters']])
    expect(faults(text, form([['a', 'b']]))).toEqual([['', 'must be a string']])
  })
})

describe('a list of a form', () => {
  const list = formArray(boundedText(5))

  test('is ordered by its indexes, which may have gaps', () => {
    const entries = form([
      ['10', 'c'],
      ['2', 'b'],
      ['0', 'a'],
    ])
    expect(list.parse(entries)).toEqual(['a', 'b', 'c'])
  })

  test('names the index of a faulty element as it was sent', () => {
    expect(
      faults(
        list,
        form([
          ['0', 'a'],
          ['7', 'longer'],
        ]),
      ),
    ).toEqual([['7', 'must have at most 5 characters']])
    expect(faults(list, form([['0', form([['x', 'y']])]]))).toEqual([['0', 'must be a string']])
  })

  test.each(['a', '-1', '01', '1.5', '10000', '__proto__', 'constructor', 'length'])(
    'has no index %j',
    (index) => {
      expect(
        faults(
          list,
          form([
            ['0', 'a'],
            [index, 'b'],
          ]),
        ),
      ).toEqual([['', 'must be a list with numeric indexes']])
    },
  )

  test('must not be empty, nor a scalar [§2.4]', () => {
    expect(faults(list, form([]))).toEqual([['', 'must not be empty']])
    for (const value of [undefined, '', 'a']) {
      expect(faults(list, value)).toEqual([['', 'is required and must be a list']])
    }
  })
})

describe('metadata', () => {
  const keys = (count: number) => form(Array.from({ length: count }, (_, n) => [`k${n}`, 'v']))

  test(`accepts at most ${METADATA_KEYS_MAX} keys`, () => {
    expect(faults(metadata, keys(METADATA_KEYS_MAX))).toEqual([])
    expect(faults(metadata, keys(METADATA_KEYS_MAX + 1))).toEqual([['', 'must have at most 50 keys']])
  })

  test(`accepts keys of 1 to ${METADATA_KEY_CHARS_MAX} characters`, () => {
    const longest = 'k'.repeat(METADATA_KEY_CHARS_MAX)
    expect(
      faults(
        metadata,
        form([
          ['k', 'v'],
          [longest, 'v'],
        ]),
      ),
    ).toEqual([])
    expect(faults(metadata, form([[`${longest}k`, 'v']]))).toEqual([
      [`${longest}k`, 'a key must have 1 to 40 characters'],
    ])
    expect(faults(metadata, form([['', 'v']]))).toEqual([['', 'a key must have 1 to 40 characters']])
  })

  test.each(['a[', 'a]', '[]'])('refuses a bracket in a key such as %s', (key) => {
    expect(faults(metadata, form([[key, 'v']]))).toEqual([[key, 'a key must not hold brackets']])
  })

  test(`accepts values of up to ${METADATA_VALUE_CHARS_MAX} characters, also empty ones`, () => {
    const longest = 'v'.repeat(METADATA_VALUE_CHARS_MAX)
    expect(
      faults(
        metadata,
        form([
          ['a', longest],
          ['b', ''],
        ]),
      ),
    ).toEqual([])
    expect(faults(metadata, form([['a', `${longest}v`]]))).toEqual([
      ['a', 'a value must have at most 500 characters'],
    ])
    expect(faults(metadata, form([['a', form([['b', 'c']])]]))).toEqual([['a', 'a value must be a string']])
  })

  test.each(['__proto__', 'constructor', 'prototype', 'hasOwnProperty'])(
    'keeps %s as an ordinary key that pollutes nothing',
    (key) => {
      const parsed = metadata.parse(form([[key, 'planted']]))
      expect(JSON.stringify(parsed)).toBe(`{"${key}":"planted"}`)
      expect(Object.hasOwn({}, key)).toBe(false)
      expect(({} as Record<string, unknown>)['planted']).toBeUndefined()
      expect(Object.getPrototypeOf(parsed)).toBeNull()
    },
  )

  test('may be an empty value: none on create, and the end of all keys on an update', () => {
    expect(metadata.parse('')).toEqual({})
    expect(metadataChanges.parse('')).toBeNull()
  })

  test('may be absent, and must not be a scalar', () => {
    expect(metadata.parse(undefined)).toBeUndefined()
    expect(faults(metadata, 'a')).toEqual([['', 'must be a map']])
    expect(faults(metadata, null)).toEqual([['', 'must be a map']])
  })
})

describe('the query of a list', () => {
  const query = z.strictObject(listQuery('pi'))
  const id = `pi_${'0123456789abcdef'.repeat(2)}`

  test('defaults to a page of ten', () => {
    expect(query.parse(form([]))).toEqual({ limit: 10 })
  })

  test('accepts a limit of 1 to 100 and a cursor of its own kind', () => {
    expect(query.parse(form([['limit', '1']]))).toEqual({ limit: 1 })
    expect(
      query.parse(
        form([
          ['limit', '100'],
          ['starting_after', id],
          ['expand', form([])],
        ]),
      ),
    ).toEqual({
      limit: 100,
      starting_after: id,
      expand: {},
    })
  })

  test.each(['0', '101', '1000', '-1', '+5', '5.0', '1e1', '', ' 5', '05'])(
    'refuses the limit %j',
    (limit) => {
      expect(faults(query, form([['limit', limit]]))).toEqual([['limit', 'must be an integer from 1 to 100']])
    },
  )

  test.each([id.toUpperCase(), `${id}0`, id.slice(0, -1), id.replace('pi_', 'evt_'), '', `${id}\n`])(
    'refuses the cursor %j',
    (cursor) => {
      for (const name of ['starting_after', 'ending_before']) {
        expect(faults(query, form([[name, cursor]]))).toEqual([
          [name, 'must be the id of an object of this list (pi_…)'],
        ])
      }
    },
  )

  test('refuses an unknown filter by name', () => {
    expect(query.safeParse(form([['email', 'a@b.example']])).error?.issues).toMatchObject([
      { code: 'unrecognized_keys', keys: ['email'] },
    ])
  })
})

test('an id is a prefix and 32 lower-case hex digits', () => {
  expect(idPattern('pi').test(`pi_${'a'.repeat(32)}`)).toBe(true)
  expect(idPattern('pi').test(`xpi_${'a'.repeat(32)}`)).toBe(false)
})
