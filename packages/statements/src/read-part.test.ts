import { describe, expect, test } from 'vitest'
import { offsetSecOf, readPart, readPartInSteps, type StatementColumns, StatementError } from './read-part.ts'

const mtn: StatementColumns = {
  rail: 'push',
  delimiter: ',',
  utcOffset: '+01:00',
  date: 'Date',
  dayFirst: false,
  status: 'Status',
  succeeded: ['Successful'],
  type: 'Type',
  charges: ['Debit'],
  payouts: ['Cash in'],
  reference: 'External id',
  transaction: 'Id',
  amount: ['Amount'],
  currency: 'Currency_1',
  defaultCurrency: 'XAF',
}
const heads = 'Id,External id,Date,Status,Type,From / Fee,Currency,Amount,Currency'
const UUID = '9D0C1F66-5B0E-4A55-9D3E-1F1F5A1F0C11'

const orange: StatementColumns = {
  rail: 'redirect',
  delimiter: ';',
  utcOffset: '+01:00',
  date: 'Date',
  time: 'Heure',
  dayFirst: true,
  status: 'Statut',
  succeeded: ['Succès'],
  type: 'Service',
  charges: ['Merchant Payment'],
  payouts: [],
  transaction: 'Référence',
  credit: ['Crédit'],
  debit: ['Débit'],
  defaultCurrency: 'XAF',
}

const orangeFile = `Relevé de vos opérations;;;
Période;01/07/2025;02/07/2025;
N°;Date;Heure;Référence;Service;Statut;N° de Compte;N° de Compte;Débit;Crédit
1;02/07/2025;14:14:05;MP250702.1410.C51350;Merchant Payment;Succès;699000000;655000000;;10 000
2;02/07/2025;14:20:00;MP250702.1419.C51351;Merchant Payment;Echec;699000000;655000000;;5000
;;;;;;;;;
N°;Date;Heure;Référence;Service;Statut;N° de Compte;N° de Compte;Débit;Crédit
3;02/07/2025;15:00;CO250702.1500.A00001;Cash Out;Succès;699000000;655000000;700;
Solde final;;;;;;;;;12 000
`

describe('a statement of MTN', () => {
  test('its lines with money have our reference, the transaction, the amount and the time', () => {
    const text = `\uFEFF${heads}\n12345678901,${UUID},2026-11-21 00:30:00,Successful,Debit,0,XAF,12500,XAF\n`
    expect(readPart(mtn, text, null)).toEqual({
      heads: [
        'Id',
        'External id',
        'Date',
        'Status',
        'Type',
        'From / Fee',
        'Currency',
        'Amount',
        'Currency_1',
      ],
      lines: 1,
      money: [
        {
          offset: 0,
          kind: 'charge',
          reference: UUID.toLowerCase(),
          transactionId: '12345678901',
          amountMinor: 12_500,
          currency: 'XAF',
          atMs: Date.parse('2026-11-20T23:30:00Z'),
        },
      ],
    })
  })

  test('a payout has a negative amount; failures and other kinds are left out, but counted as lines', () => {
    const lines = [
      `1,${UUID},2026-11-21 00:30:00,Successful,Cash in,0,XAF,-22000,XAF`,
      `2,${UUID},2026-11-21 00:30:00,Failed,Debit,0,XAF,5,XAF`,
      `3,${UUID},2026-11-21 00:30:00,Successful,Fee,0,XAF,5,XAF`,
    ]
    const { lines: count, money } = readPart(mtn, lines.join('\n'), heads.split(',').with(8, 'Currency_1'))
    expect(count).toBe(3)
    expect(money).toMatchObject([{ offset: 0, kind: 'payout', amountMinor: 22_000 }])
  })

  test.each([
    ['an amount that is no number', '1,r,2026-11-21 00:30:00,Successful,Debit,0,XAF,x,XAF'],
    ['a fraction of a franc', '1,r,2026-11-21 00:30:00,Successful,Debit,0,XAF,10.5,XAF'],
    ['an unknown currency', '1,r,2026-11-21 00:30:00,Successful,Debit,0,XAF,10,USD'],
    ['a transaction whose digits are lost', '1.69E+12,r,2026-11-21 00:30:00,Successful,Debit,0,XAF,10,XAF'],
    ['a quote that does not end', '1,"r,2026-11-21 00:30:00,Successful,Debit,0,XAF,10,XAF'],
  ])('%s is a fault', (_, line) => {
    expect(() => readPart(mtn, `${heads}\n${line}\n`, null)).toThrow(StatementError)
  })

  test.each([
    ['within an amount', '1,r,2026-11-21 00:30:00,Successful,Debit,0,XAF,12'],
    ['before an amount', '1,r,2026-11-21 00:30:00,Succ'],
    ['and then has spaces', '1,r,2026-11-21 00:30:00,Successful,Debit,0,XAF,12  '],
  ])('a file that ends %s was cut off', (_, line) => {
    const whole = '1,r,2026-11-21 00:30:00,Successful,Debit,0,XAF,10,XAF'
    const faultOf = (number: number) =>
      new RegExp(String.raw`^line ${number} of the part: the line has \d of 9 fields and no line break`)
    expect(() => readPart(mtn, `${heads}\n${whole}\n${line}`, null)).toThrow(faultOf(3))
    expect(() => readPart(mtn, `${whole}\n${line}`, heads.split(','))).toThrow(faultOf(2))
  })

  test('a line may leave out its last fields if they are empty, as spreadsheets do', () => {
    const short = '1,r,2026-11-21 00:30:00,Successful,Debit,0,XAF,10'
    const whole = `${short},XAF`
    for (const text of [`${short}\n`, `${short}\r\n\n`, `${short}\n${whole}`]) {
      expect(readPart(mtn, `${heads}\n${text}`, null).money[0]).toMatchObject({ amountMinor: 10 })
    }
  })

  test('a file of another rail is a fault', () => {
    expect(() => readPart(mtn, orangeFile, null)).toThrow('no line of the first part names the columns')
  })
})

test('a statement of Orange has a preamble, repeated heads, days first and spaces in amounts', () => {
  expect(readPart(orange, orangeFile, null)).toMatchObject({
    lines: 5,
    money: [
      {
        offset: 0,
        kind: 'charge',
        reference: null,
        transactionId: 'MP250702.1410.C51350',
        amountMinor: 10_000,
        currency: 'XAF',
        atMs: Date.parse('2025-07-02T13:14:05Z'),
      },
    ],
  })
})

/** The transactions of a file whose lines moved money. */
const transactionsOf = (text: string, columns: StatementColumns = mtn) =>
  readPart(columns, text, null).money.map(({ transactionId }) => transactionId)

const paid = (transaction: string, fee = '0') =>
  `${transaction},r,2026-11-21 00:30:00,Successful,Debit,${fee},XAF,10,XAF`

describe('the line ends of a file', () => {
  test.each([
    ['heads with CRLF and lines with LF', `${heads}\r\n${paid('A')}\n${paid('B')}\n`],
    ['two exports that were joined', `${heads}\r\n${paid('A')}\r\n${paid('B')}\n`],
    ['a preamble with a carriage return', `Boutique\rChez Paul\n${heads}\n${paid('A')}\n${paid('B')}\n`],
    ['a carriage return in a cell', `${heads}\n${paid('A', 'non\rmerci')}\n${paid('B', '"a\rb"')}\r\n`],
    ['a carriage return at the end of a cell', `${heads}\n${paid('A', '0\r')}\n${paid('B')}\r\r\n`],
    ['quoted cells at the ends of lines', `${heads}\r\n${paid('A')}\r\n"B"${paid('')},""\r\n`],
  ])('%s: no line is lost', (_, text) => {
    expect(transactionsOf(text)).toEqual(['A', 'B'])
  })

  test('a carriage return in a cell of any line loses none, wherever a step begins', async () => {
    const lines = Array.from({ length: 3_000 }, (_, n) => `${paid(`T${n}`)}${n % 7 === 0 ? ' \rmerci' : ''}`)
    const { money } = await readPartInSteps(
      { ...mtn, currency: 'Currency' },
      [heads, ...lines, ''].join('\n'),
      null,
    )
    expect(money).toHaveLength(3_000)
  })

  test.each([
    ['the whole file', `${heads}\r${paid('A')}\r${paid('B')}\r`],
    ['one line', `${heads}\n${paid('A')}\r${paid('B')}\n`],
    ['one of short lines', `${heads},,,,,,,,,,,\n${paid('A')},x\r${paid('B')},x\n`],
    ['heads that are repeated', `${heads}\n${paid('A')}\n${heads}\r${paid('B')}\n`],
  ])('%s with a carriage return alone as its end is a fault, and no line is lost', (_, text) => {
    expect(() => readPart(mtn, text, null)).toThrow(StatementError)
  })
})

describe('the fields of a line', () => {
  test('more than there are heads are a fault, because the line would be misread', () => {
    const text = `${heads}\n${paid('A')}\n${paid('B', '10,000')}\n`
    expect(() => readPart(mtn, text, null)).toThrow('line 3 of the part: the line has 10 of 9 fields')
  })

  test('may end with empty ones that have no heads, as exports with a separator at the end have', () => {
    expect(transactionsOf(`${heads}\n${paid('A')},\n${heads},,\n${paid('B')}, ,\n`)).toEqual(['A', 'B'])
    expect(transactionsOf(`${heads},\n${paid('A')}\n${heads}\n${paid('B')},\n`)).toEqual(['A', 'B'])
  })

  test.each([
    ['in another order', 'Id,External id,Date,Status,Type,Amount,From / Fee,Currency,Currency'],
    ['without one of them', heads.replace('From / Fee,', '')],
  ])('heads that are repeated %s are a fault', (_, others) => {
    const text = `${heads}\n${paid('A')}\n${others}\n${paid('B')}\n`
    expect(() => readPart(mtn, text, null)).toThrow(
      'line 3 of the part: the heads are not those of the first',
    )
    const known = readPart(mtn, `${heads}\n`, null).heads
    expect(() => readPart(mtn, `${others}\n`, known)).toThrow(StatementError)
  })
})

describe('what PostgreSQL cannot hold', () => {
  test.each([
    ['the transaction', paid('A\0')],
    ['the reference', paid('A').replace(',r,', ',r\0,')],
    ['a status, whose line would be left out', paid('A').replace('Successful', 'Successful\0')],
    ['half a surrogate pair', paid('A\uD83D')],
  ])('%s with it is a fault', (_, line) => {
    expect(() => readPart(mtn, `${heads}\n${line}\n`, null)).toThrow(
      'line 2 of the part: a field has a character that cannot be stored',
    )
  })

  test('heads with it are a fault', () => {
    expect(() => readPart(mtn, `x\n${heads},No\0te\n`, null)).toThrow('line 2 of the part: a field has')
  })

  test.each([
    ['0000-01-01 00:00:00', '+01:00'],
    ['0001-01-01 00:00:00', '+01:00'],
    ['9999-12-31 23:59:59', '-01:00'],
  ])('the time %s in the zone %s is left out', (time, utcOffset) => {
    const line = paid('A').replace('2026-11-21 00:30:00', time)
    const { money } = readPart({ ...mtn, utcOffset }, `${heads}\n${line}\n`, null)
    expect(money).toMatchObject([{ transactionId: 'A', atMs: null }])
  })
})

describe('the line of a fault', () => {
  const broken = paid('B').replace(',10,', ',x,')

  test('counts the preamble, the heads, blank lines and the lines of a quoted field', () => {
    const text = `Statement\nPeriod,x\n\n${heads}\n${paid('A', '"a\n\nb"')}\r\n,,\n${broken}\n`
    expect(() => readPart(mtn, text, null)).toThrow('line 9 of the part: the amount')
  })

  test('is a line of the file if the lines before the part are known', async () => {
    const known = readPart(mtn, `${heads}\n`, null).heads
    const fault = 'line 103 of the file: the amount'
    expect(() => readPart(mtn, `${paid('A')}\n\n${broken}\n`, known, 100)).toThrow(fault)
    await expect(readPartInSteps(mtn, `${paid('A')}\n\n${broken}\n`, known, 100)).rejects.toThrow(fault)
  })
})

test.each(['NFC', 'NFD'])('accents in %s are those of the other form', (form) => {
  const [file, configured] = form === 'NFC' ? ['NFD', 'NFC'] : ['NFC', 'NFD']
  const columns = JSON.parse(JSON.stringify(orange).normalize(configured)) as StatementColumns
  expect(transactionsOf(orangeFile.normalize(file), columns)).toEqual(['MP250702.1410.C51350'])
})

describe('the amount of a line', () => {
  const orangeHeads = 'Date;Heure;Statut;Service;Référence;Crédit;Débit'
  const amountOf = (
    credit: string,
    { out = '', ...more }: Partial<StatementColumns> & { out?: string } = {},
  ) =>
    readPart(
      { ...orange, ...more },
      `${orangeHeads}\n21/11/2026;10:00;Succès;Merchant Payment;MP1;${credit};${out}`,
      null,
    ).money[0]?.amountMinor

  test.each([
    ['10,000', 10_000],
    ['25.000', 25_000],
    ['25,500', 25_500],
    ['-25.500', -25_500],
    ['- 25 500', -25_500],
    ['+25.500', 25_500],
    ['1.234.567', 1_234_567],
    ['10.000,00', 10_000],
    ['10,000.00', 10_000],
    ['10000,00', 10_000],
    ['250.0000', 250],
  ])('%s XAF is %i francs, because a franc has no decimals', (text, francs) => {
    expect(amountOf(text)).toBe(francs)
  })

  test.each([
    ['1.234,56', 123_456],
    ['1,234,567', 123_456_700],
    ['1234,5', 123_450],
  ])('%s EUR is %i cents', (text, cents) => {
    expect(amountOf(text, { defaultCurrency: 'EUR' })).toBe(cents)
  })

  test.each([
    ['10000.000', 'XAF'],
    ['0,500', 'XAF'],
    ['25,50', 'XAF'],
    ['1,23,456', 'XAF'],
    ['10.000', 'EUR'],
    ['1234.500', 'EUR'],
  ] as const)('%s %s is a fault, because it has no one reading', (text, defaultCurrency) => {
    expect(() => amountOf(text, { defaultCurrency })).toThrow(StatementError)
  })

  test.each(['0', '0,00', '0.000'])('is in the second column if the first has %s', (text) => {
    expect(amountOf(text, { out: '500' })).toBe(-500)
  })

  test('is a fault if a credit and a debit both have one', () => {
    expect(() => amountOf('500', { out: '500' })).toThrow(
      'line 2 of the part: the line has a credit and a debit',
    )
  })

  test('that is 0 in each column leaves the line out', () => {
    expect(amountOf('0', { out: '0.000' })).toBeUndefined()
  })
})

describe('the amount of a line is negative if the money moved against its kind:', () => {
  const oneColumn: Partial<StatementColumns> = { amount: ['Crédit'], credit: undefined, debit: undefined }
  const signedOf = (
    kind: 'Merchant Payment' | 'Cash in',
    [credit, debit]: readonly [string, string],
    more: Partial<StatementColumns>,
  ) =>
    readPart(
      { ...orange, payouts: ['Cash in'], ...more },
      `Date;Heure;Statut;Service;Référence;Crédit;Débit\n21/11/2026;10:00;Succès;${kind};MP1;${credit};${debit}`,
      null,
    ).money[0]?.amountMinor

  test.each([
    ['a charge that came in', 'Merchant Payment', ['700', ''], {}, 700],
    ['a charge that went out', 'Merchant Payment', ['', '700'], {}, -700],
    ['a charge that went out, with a minus sign', 'Merchant Payment', ['0', '-700'], {}, -700],
    ['a credit of a charge with a minus sign', 'Merchant Payment', ['-700', ''], {}, -700],
    ['a payout that went out', 'Cash in', ['', '700'], {}, 700],
    ['a payout that went out, with a minus sign', 'Cash in', ['', '-700'], {}, 700],
    ['a payout that came in', 'Cash in', ['700', ''], {}, -700],
    ['a credit of a payout with a minus sign', 'Cash in', ['-700', ''], {}, 700],
    [
      'a debit of the other sign than payouts have',
      'Cash in',
      ['', '-700'],
      { payoutSign: 'positive' },
      -700,
    ],
    ['a charge in one column', 'Merchant Payment', ['700', ''], oneColumn, 700],
    ['a charge in one column with a minus sign', 'Merchant Payment', ['-700', ''], oneColumn, -700],
    ['a payout of either sign', 'Cash in', ['700', ''], oneColumn, 700],
    ['a payout of either sign, negative', 'Cash in', ['-700', ''], oneColumn, 700],
    ['a payout of its sign', 'Cash in', ['-700', ''], { ...oneColumn, payoutSign: 'negative' }, 700],
    ['a payout that came back', 'Cash in', ['700', ''], { ...oneColumn, payoutSign: 'negative' }, -700],
    [
      'a charge, whatever the sign of payouts',
      'Merchant Payment',
      ['700', ''],
      { ...oneColumn, payoutSign: 'negative' },
      700,
    ],
  ] as const)('%s', (_, kind, cells, more, amount) => {
    expect(signedOf(kind, cells, more)).toBe(amount)
  })
})

describe('heads without a configured column', () => {
  const english = { ...mtn, amount: undefined, credit: ['Credit', 'Crédit'], debit: ['Debit', 'Débit'] }
  const directed = 'Id,External id,Date,Status,Type,Currency,Credit,Debit,Currency'
  const readHeads = (columns: StatementColumns, text: string) =>
    readPart(columns, `Period,x\n${text}\n`, null)

  test.each([
    ['reference', { ...mtn, reference: 'External ID' }, heads, 'do not name the column External ID'],
    ['currency', { ...mtn, currency: 'Curency' }, heads, 'do not name the column Curency'],
    ['time', { ...mtn, time: 'Time' }, heads, 'do not name the column Time'],
    ['amount', { ...mtn, amount: ['Amout', 'Montant'] }, heads, 'name none of the columns Amout, Montant'],
    ['credit', { ...english, credit: ['Credits'] }, directed, 'do not name the column Credits'],
    ['debit', { ...english, debit: ['Debits'] }, directed, 'do not name the column Debits'],
  ])('are a fault if it is that of the %s', (_, columns, text, fault) => {
    expect(() => readHeads(columns, text)).toThrow(`line 2 of the part: the heads ${fault}`)
  })

  test('are read if they have one of its names', () => {
    const french = directed.replace('Credit,Debit', 'Crédit,Débit')
    expect([directed, french].map((text) => readHeads(english, text).heads?.length)).toEqual([9, 9])
  })

  test('are read if the configuration names no reference, no currency and no time', () => {
    const { reference: _, currency: __, ...columns } = mtn
    expect(readHeads(columns, 'Id,Date,Status,Type,Amount').heads).toHaveLength(5)
  })
})

describe('the size of a line', () => {
  const wide = [heads, ...Array.from({ length: 191 }, (_, n) => `more ${n}`)].join(',')
  const long = paid('A', 'x'.repeat(1_000))
  const marks = `a${'\u0301'.repeat(500)}${'\u0316'.repeat(499)}`

  test.each([
    ['200 fields', `${wide}\n${paid('A')}\n`],
    ['a field of 1000 characters', `${heads}\n${long}\n`],
    ['a field of 1000 combining marks', `${heads}\n${paid('A', marks)}\n`],
    ['32768 characters', `${heads}\n${paid('A')}${' '.repeat(32_767 - paid('A').length)}\n`],
  ])('may be %s', (_, text) => {
    expect(readPart(mtn, text, null).money).toHaveLength(1)
  })

  test.each([
    ['201 fields', `${wide},x\n`, 'line 1 of the part: the line has more than 200 fields'],
    ['201 empty fields', `${heads}${','.repeat(192)}\n`, 'the line has more than 200 fields'],
    [
      'a longer field',
      `${heads}\n\n${paid('A', 'x'.repeat(1_001))}\n`,
      'line 3 of the part: a field has more than',
    ],
    [
      'a longer field before the heads',
      `${marks}\u0316\n${heads}\n`,
      'a field has more than 1000 characters',
    ],
    ['more characters', `${heads}\n${' '.repeat(32_768)}\n`, 'the line has more than 32768 characters'],
    [
      'a file without line feeds',
      `${heads}\r${`${paid('A')}\r`.repeat(999)}`,
      'a line ends with a carriage return alone',
    ],
    ['a field that its quotes make long', `${heads}\n"${marks.repeat(33)}`, 'a quote does not end'],
  ])('is at most that: %s', (_, text, fault) => {
    expect(() => readPart(mtn, text, null)).toThrow(fault)
  })
})

test('nothing of a payer is kept', () => {
  expect(JSON.stringify(readPart(orange, orangeFile, null).money)).not.toContain('699000000')
})

test.each([
  ['+01:00', 3_600],
  ['-05:30', -19_800],
  ['+00:00', 0],
])('the offset %s is %i seconds', (utcOffset, seconds) => {
  expect(offsetSecOf({ utcOffset })).toBe(seconds)
})

describe('a part that is read in steps', () => {
  const lineOf = (n: number) => `${n},r${n},2026-11-21 00:30:00,Successful,Debit,0,XAF,${n},XAF`
  const numbers = Array.from({ length: 6_000 }, (_, n) => n + 1)

  test('is read as in one go, and gives way in between', async () => {
    const quoted = `7,"a name\n with ""lines"" ${'x'.repeat(900)}\n",2026-11-21 00:30:00,Successful,Debit,0,XAF,9,XAF`
    const text = [heads, ...numbers.map(lineOf), quoted, ...numbers.map(lineOf), ''].join('\n')
    const reading = readPartInSteps(mtn, text, null)
    let steps = 0
    const count = () => {
      steps += 1
      immediate = setImmediate(count)
    }
    let immediate = setImmediate(count)
    const read = await reading
    clearImmediate(immediate)
    expect(read).toEqual(readPart(mtn, text, null))
    expect(read.lines).toBe(12_001)
    expect(steps).toBeGreaterThan(10)
  })

  test('gives way also between lines of one character', async () => {
    let turns = 0
    const count = () => {
      turns += 1
      immediate = setImmediate(count)
    }
    let immediate = setImmediate(count)
    await readPartInSteps(mtn, `${heads}\n${'x\n'.repeat(5_000)}`, null)
    clearImmediate(immediate)
    expect(turns).toBeGreaterThan(10)
  })

  test('is read as in one go if a cell has a quote in its middle', async () => {
    const stray = lineOf(1).replace('r1', 'a 5" pipe')
    const quoted = `7,"a name\n${'with lines\n'.repeat(80)}",2026-11-21 00:30:00,Successful,Debit,0,XAF,9,XAF`
    const text = [heads, stray, quoted, ...numbers.map(lineOf), ''].join('\n')
    expect(await readPartInSteps(mtn, text, null)).toEqual(readPart(mtn, text, null))
  })

  test('names the line of a fault as in one go', async () => {
    const text = [heads, ...numbers.map(lineOf), lineOf(1).replace('XAF,1,', 'XAF,x,')].join('\n')
    const fault = 'line 6002 of the part: the amount is no number of the currency'
    expect(() => readPart(mtn, text, null)).toThrow(fault)
    await expect(readPartInSteps(mtn, text, null)).rejects.toThrow(fault)
  })

  test.each(['', heads, `${heads}\n`])('%j is read as in one go', async (text) => {
    const inOneGo = () => readPart(mtn, text, null)
    const expected = text === '' ? null : inOneGo()
    if (expected === null) await expect(readPartInSteps(mtn, text, null)).rejects.toThrow(StatementError)
    else expect(await readPartInSteps(mtn, text, null)).toEqual(expected)
  })
})
