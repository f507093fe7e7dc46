import { execFile } from 'node:child_process'
import { generateKeyPairSync, randomUUID } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { DEFAULT_SETTINGS, startMockRails } from '@merchant-payments/mock-rails'
import { cloneDatabase } from '@merchant-payments/testing'
import { testFolder } from '@merchant-payments/testing/test-folder'
import { expect, onTestFinished, test } from 'vitest'

const fileOf = (name: string) => fileURLToPath(new URL(`../src/${name}.ts`, import.meta.url))

const runner =
  (name: string, env: Record<string, string> = {}) =>
  (...args: string[]) =>
    new Promise<{ code: number; said: string; complained: string }>((resolve) => {
      execFile(process.execPath, [fileOf(name), ...args], { env }, (error, said, complained) => {
        resolve({ code: error === null ? 0 : Number(error.code), said, complained })
      })
    })

const run = runner('main')
const close = runner('close')

test.each([
  ['no file', ['config.yaml']],
  ['an unknown option', ['config.yaml', 'api.log', '--wirte']],
  ['a change without a person', ['config.yaml', 'api.log', '--write', '--reason', 'A test.']],
  [
    'a change without a reason',
    ['config.yaml', 'api.log', '--write', '--operator', 'amina', '--reason', ' '],
  ],
  ['a pace that would flood a rail', ['config.yaml', 'api.log', '--per-second', '21']],
])('reconcile:rails prints its usage for %s', async (_, args) => {
  expect(await run(...args)).toEqual({
    code: 2,
    said: '',
    complained: expect.stringMatching(/^Usage: reconcile:rails /) as unknown,
  })
})

test('reconcile:rails prints the faults of a configuration and ends with 78', async () => {
  expect(await run('/nowhere.yaml', 'api.log')).toEqual({
    code: 78,
    said: '',
    complained: '/nowhere.yaml: cannot be read (ENOENT)\n',
  })
})

/** A deployment with one rail, which knows no charge. */
async function deployed() {
  const [database, mock, folder] = await Promise.all([cloneDatabase(), startMockRails(), testFolder()])
  onTestFinished(async () => {
    await Promise.all([database.drop(), mock.stop()])
  })
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const { apiUser, apiKey, collectionSubscriptionKeys, targetEnvironment } = DEFAULT_SETTINGS.mtn
  const env = {
    CLIENT_SECRET_KEY: randomUUID(),
    SIGNING_KEY: privateKey.export({ format: 'pem', type: 'pkcs8' }).toString(),
    SUBSCRIPTION_KEY: collectionSubscriptionKeys[0] ?? '',
    API_KEY: apiKey,
  }
  const config = {
    statements: [
      {
        rail: 'mtn_momo_cm',
        date: 'Date',
        status: 'Status',
        succeeded: ['Successful'],
        type: 'Type',
        charges: ['Debit'],
        reference: 'External id',
        transaction: 'Id',
        amount: ['Amount'],
      },
    ],
    livemode: false,
    public_base_url: 'http://127.0.0.1:8080',
    database: { url: database.appUrl },
    client_secret_keys: [{ version: 1, key: { env: 'CLIENT_SECRET_KEY' } }],
    signing_key: { env: 'SIGNING_KEY' },
    merchant_clients: [],
    rails: {
      mtn_momo_cm: {
        adapter: 'mtn_momo',
        display_name: 'MTN Mobile Money',
        settlement_currency: 'XAF',
        base_url: mock.wireUrl,
        target_environment: targetEnvironment,
        collection: {
          subscription_keys: [{ env: 'SUBSCRIPTION_KEY' }],
          api_user: apiUser,
          api_key: { env: 'API_KEY' },
        },
      },
    },
  }
  const write = async (name: string, content: string) => {
    await writeFile(join(folder, name), content)
    return join(folder, name)
  }
  const configPath = await write('config.yaml', JSON.stringify(config))
  return {
    reconcile: runner('main', env).bind(null, configPath),
    reconcileStatement: runner('statement', env).bind(null, configPath, 'mtn_momo_cm'),
    write,
  }
}

test('reconcile:rails counts the references of each file, and ends with 2 for a file without one', async () => {
  const { reconcile, write } = await deployed()
  const reference = randomUUID()
  const facts = { rail: 'mtn_momo_cm', operation: 'submit', reference, msg: 'rail instructed' }
  const api = await write('api.log', JSON.stringify(facts))
  const worker = await write('worker.log', 'Nothing was instructed.\n')
  const counts = `${api}: 1 references\n${worker}: 0 references\n`
  expect(await reconcile(api, worker)).toEqual({
    code: 2,
    said: counts,
    complained: `${worker}: no reference found. Look at the file. If it names none, use --allow-empty.\n`,
  })
  expect(await reconcile(api, worker, '--allow-empty')).toEqual({
    code: 0,
    said: [
      `${counts}mtn_momo_cm charge ${reference}: not_found`,
      '0 known, 0 recorded before, 1 asked about, 0 recorded',
      'This was a dry run: nothing was written. Use --write to record.',
      '',
    ].join('\n'),
    complained: '',
  })
})

test('reconcile:statement ends with 0 if file and ledger agree, with 1 if not, and with 2 for what is no statement', async () => {
  const { reconcileStatement, write } = await deployed()
  const by = ['--operator', 'amina', '--reason', 'A test.']
  const compared = async (day: string, lines: string) => {
    const path = await write(`${day}.csv`, lines)
    const { code, said, complained } = await reconcileStatement(day, path, ...by)
    return { code, said: said.split('\n').slice(0, 2), complained: complained.replace(path, 'FILE') }
  }
  const heads = 'Id,External id,Date,Status,Type,Amount\n'
  const recorded = (day: string, lines: number) =>
    expect.stringMatching(
      new RegExp(`^mtn_momo_cm ${day}: ${lines} lines with money, recorded as st_`),
    ) as unknown
  expect(await compared('2026-11-21', heads)).toEqual({
    code: 0,
    said: [recorded('2026-11-21', 0), '0 matched, 0 ours only, 0 theirs only'],
    complained: '',
  })
  expect(
    await compared('2026-11-22', `${heads}T1,unknown,2026-11-22 10:00:00,Successful,Debit,700\n`),
  ).toEqual({
    code: 1,
    said: [recorded('2026-11-22', 1), '0 matched, 0 ours only, 1 theirs only'],
    complained: '',
  })
  expect(await compared('2026-11-23', '')).toEqual({
    code: 2,
    said: [''],
    complained: 'FILE: no line names the columns\n',
  })
})

const finding = ['config.yaml', 'mtn_momo_cm', 'charge', '9d0c1f66-5b0e-4a55-9d3e-1f1f5a1f0c11']
const by = ['--operator', 'amina', '--reason', 'A test.']

test.each([
  ['no reference', [...finding.slice(0, 3), ...by]],
  ['a kind that does not exist', finding.with(2, 'refund').concat(by)],
  ['a second reference', [...finding, 'another', ...by]],
  ['no person', [...finding, '--reason', 'A test.']],
  ['no reason', [...finding, '--operator', 'amina']],
])('finding:close prints its usage for %s', async (_, args) => {
  expect(await close(...args)).toEqual({
    code: 2,
    said: '',
    complained: expect.stringMatching(/^Usage: finding:close /) as unknown,
  })
})
