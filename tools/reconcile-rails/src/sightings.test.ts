import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, describe, expect, test } from 'vitest'
import { REST_CHARS_MAX } from './lines.ts'
import { readSightings } from './sightings.ts'

const MTN = 'mtn_momo_cm'
const CHARGE = '9d0c1f66-5b0e-4a55-9d3e-1f1f5a1f0c11'
const PAYOUT = '1b6f6c0e-6a51-4c2f-8f3a-2d2d2d2d2d22'

const folder = await mkdtemp(join(tmpdir(), 'sightings-'))
afterAll(() => rm(folder, { recursive: true }))

let files = 0
async function readFiles(contents: Record<string, string | Buffer>) {
  const paths: string[] = []
  for (const [ending, content] of Object.entries(contents)) {
    files += 1
    const path = join(folder, `${files}.${ending}`)
    await writeFile(path, content)
    paths.push(path)
  }
  return readSightings(paths, new Set([MTN]))
}

const read = async (contents: Record<string, string | Buffer>) => (await readFiles(contents)).sightings

const logged = (facts: object) => JSON.stringify({ app: 'api', level: 'info', ...facts })
const instructed = (reference: string, operation: string, object: string) =>
  logged({ merchant: 'shop', object, rail: MTN, operation, reference, msg: 'rail instructed' })

const ofLog = {
  rail: MTN,
  source: 'log',
  merchant: 'shop',
  amountMinor: null,
  currency: null,
}

describe('log lines', () => {
  test('give the charges and payouts that a rail was sent, once each, among any other lines', async () => {
    const lines = [
      'Nov 23 00:15:00 api[1]: Node says something',
      `Nov 23 00:15:00 api[1]: ${instructed(CHARGE, 'submit', 'pi_1')}`,
      logged({ msg: 'request', reference: 'other' }),
      instructed(PAYOUT, 'refund', 're_1'),
      instructed(PAYOUT, 'refund', 're_1'),
      '',
    ]
    expect(await read({ log: lines.join('\n') })).toEqual([
      { ...ofLog, kind: 'charge', reference: CHARGE, object: 'pi_1' },
      { ...ofLog, kind: 'payout', reference: PAYOUT, object: 're_1' },
    ])
  })

  test('that were cut off are refused with their place', async () => {
    const line = instructed(CHARGE, 'submit', 'pi_1')
    await expect(read({ log: `\n${line.slice(0, -1)}` })).rejects.toThrow(/\d\.log: line 2 is no JSON$/)
  })

  const [charge, payout] = [instructed(CHARGE, 'submit', 'pi_1'), instructed(PAYOUT, 'refund', 're_1')]

  test.each([
    ['the text of a line of Docker', [{ log: `${charge}\n`, stream: 'stdout' }, { log: `${payout}\n` }]],
    ['the message of the journal', [{ MESSAGE: charge, PRIORITY: '6' }, { MESSAGE: payout }]],
    ['a text with a prefix, twice over', [{ line: JSON.stringify({ log: `F ${charge}` }) }, { log: payout }]],
    [
      'an object that a collector has parsed',
      [{ log: JSON.parse(charge) }, { k: { log: JSON.parse(payout) } }],
    ],
    ['a list on one line', [{ batch: [charge, { log: JSON.parse(payout) }] }]],
  ])('are found in %s', async (_, wrappers: readonly unknown[]) => {
    const text = wrappers.map((wrapper) => JSON.stringify(wrapper)).join('\n')
    const found = await read({ log: text })
    expect(found.map(({ kind, reference }) => [kind, reference])).toEqual([
      ['charge', CHARGE],
      ['payout', PAYOUT],
    ])
  })

  test('that nobody can read are refused with their place, because they may name a reference', async () => {
    const long = JSON.stringify({ log: charge, more: 'x'.repeat(65_536) })
    await expect(read({ log: long })).rejects.toThrow(/\.log: line 1 is too long$/)
    let nested: unknown = JSON.parse(charge)
    for (let layer = 0; layer < 20; layer += 1) nested = { nested }
    await expect(read({ log: JSON.stringify(nested) })).rejects.toThrow(/line 1 has too many layers$/)
  })

  test('of other programs may have any length', async () => {
    expect(await read({ log: `${'x'.repeat(200_000)}\n${charge}` })).toHaveLength(1)
  })
})

describe('a packed file', () => {
  const log = instructed(CHARGE, 'submit', 'pi_1')
  const csv = `rail,reference\n${MTN},${PAYOUT}\n`

  test('is read as its content is, and so is one of several parts', async () => {
    const parts = Buffer.concat([gzipSync(log.slice(0, 40)), gzipSync(log.slice(40))])
    expect(await read({ 'log.1.gz': gzipSync(log) })).toEqual(await read({ log }))
    expect(await read({ 'log.GZ': parts })).toEqual(await read({ log }))
    expect(await read({ 'csv.gz': gzipSync(csv) })).toEqual(await read({ csv }))
  })

  test('that is damaged or cut off is refused', async () => {
    const packed = gzipSync(log)
    await expect(read({ 'log.gz': packed.subarray(0, -9) })).rejects.toThrow(
      /\.gz: cannot be read \(Z_BUF_ERROR\)$/,
    )
    await expect(read({ 'log.gz': log })).rejects.toThrow(/\.gz: cannot be read \(Z_DATA_ERROR\)$/)
  })
})

test('each file is counted by the references that it names', async () => {
  const [charge, payout] = [instructed(CHARGE, 'submit', 'pi_1'), instructed(PAYOUT, 'refund', 're_1')]
  const found = await readFiles({
    log: [charge, payout, charge].join('\n'),
    csv: `rail,reference\n${MTN},${CHARGE}\n`,
    'other.log': 'nothing\n',
  })
  expect(found.files.map(({ references }) => references)).toEqual([2, 1, 0])
  expect(found.sightings).toHaveLength(2)
})

test('a packed file with an endless line is refused before it fills the memory', async () => {
  const packed = gzipSync('x'.repeat(REST_CHARS_MAX + 1))
  expect(packed.length).toBeLessThan(100_000)
  await expect(read({ 'log.gz': packed })).rejects.toThrow(/\.gz: has a line that is too long$/)
})

test('a file that cannot be read is named', async () => {
  const path = join(folder, 'none.log')
  await expect(readSightings([path], new Set([MTN]))).rejects.toThrow(`${path}: cannot be read (ENOENT)`)
})

describe('a statement', () => {
  test('gives a sighting for each line, with what its columns say', async () => {
    const lines = [
      'reference,rail,kind,amount,currency,merchant',
      `${CHARGE.toUpperCase()},${MTN},,2500,XAF,`,
      '',
      `${PAYOUT}, ${MTN}, payout, 100, XAF, shop`,
    ]
    expect(await read({ csv: lines.join('\r\n') })).toEqual([
      {
        ...ofLog,
        source: 'statement',
        kind: 'charge',
        reference: CHARGE,
        merchant: null,
        object: null,
        amountMinor: 2500,
        currency: 'XAF',
      },
      {
        ...ofLog,
        source: 'statement',
        kind: 'payout',
        reference: PAYOUT,
        object: null,
        amountMinor: 100,
        currency: 'XAF',
      },
    ])
  })

  test.each(['CSV', 'Csv'])('is known by the ending .%s, too', async (ending) => {
    expect(await read({ [ending]: `rail,reference\n${MTN},${CHARGE}\n` })).toHaveLength(1)
  })

  test('adds to the log lines of the same reference, in either order', async () => {
    const log = instructed(CHARGE, 'submit', 'pi_1')
    const csv = `rail,reference,amount\n${MTN},${CHARGE},2500`
    const both = {
      ...ofLog,
      source: 'statement',
      kind: 'charge',
      reference: CHARGE,
      object: 'pi_1',
      amountMinor: 2500,
    }
    expect(await read({ log, csv })).toEqual([both])
    expect(await read({ csv, log })).toEqual([both])
  })

  test.each([
    ['no header', `${MTN},${CHARGE}`, 'line 1 must name the columns rail, reference, and may name'],
    [
      'an unknown rail',
      `rail,reference\nother,${CHARGE}`,
      'line 2 names the rail other, which is not configured',
    ],
    ['a path for a reference', `rail,reference\n${MTN},../../x`, 'line 2 has a reference that is not ours'],
    ['a quoted field', `rail,reference\n${MTN},"${CHARGE}"`, 'line 2 has a quoted field'],
    ['a missing field', `rail,reference,amount\n${MTN},${CHARGE}`, 'line 2 has 2 fields for 3 columns'],
    ['another kind', `rail,reference,kind\n${MTN},${CHARGE},fee`, 'line 2 has a kind that is neither'],
    ['a name for a currency', `rail,reference,currency\n${MTN},${CHARGE},franc`, 'line 2 has a currency'],
    [
      'a fraction',
      `rail,reference,amount\n${MTN},${CHARGE},1.5`,
      'line 2 has an amount that is no whole number',
    ],
  ])('with %s is refused with its place', async (_, csv, message) => {
    await expect(read({ csv })).rejects.toThrow(message)
  })
})
