import { describe, expect, test } from 'vitest'
import { offsetSecOf, readPart, type StatementColumns, StatementFault } from './read-part.ts'

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
  amount: ['Crédit', 'Débit'],
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
    const text = `\uFEFF${heads}\n12345678901,${UUID},2026-11-21 00:30:00,Successful,Debit,0,XAF,"12,500",XAF\n`
    expect(() => readPart(mtn, text, null)).toThrow(StatementFault)
    const plain = text.replace('"12,500"', '12500')
    expect(readPart(mtn, plain, null)).toEqual({
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
    expect(() => readPart(mtn, `${heads}\n${line}\n`, null)).toThrow(StatementFault)
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
