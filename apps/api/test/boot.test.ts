import { execFile } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { adoptSigningKey } from '@merchant-payments/core'
import { openDatabase } from '@merchant-payments/db'
import { cloneDatabase } from '@merchant-payments/testing'
import { expect, onTestFinished, test } from 'vitest'
import { createSigner } from '../src/oauth/signing-key.ts'

const run = promisify(execFile)
const main = new URL('../src/main.ts', import.meta.url).pathname
const makeKey = (kid: string) => ({
  kid,
  privateKey: generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey,
})
const key = makeKey('first')

const orangeMoney = {
  adapter: 'orange_money',
  display_name: 'Orange Money',
  settlement_currency: 'XAF',
  base_url: 'http://127.0.0.1:1',
  country: 'cm',
  merchant_key: { env: 'ORANGE_KEY' },
  client_id: 'client',
  client_secret: { env: 'ORANGE_KEY' },
}

/** The API as a deployment runs it, with a file that it refuses. */
async function boot(changes: object) {
  const folder = await mkdtemp(join(tmpdir(), 'merchant-payments-api-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const path = join(folder, 'deployment.yaml')
  const deployment = {
    livemode: false,
    public_base_url: 'https://payments.merchant.example',
    // Nobody answers there: what is refused before is refused without a look at it.
    database: { url: 'postgres://127.0.0.1:1/payments' },
    signing_key: { env: 'SIGNING_KEY' },
    merchant_clients: [],
    rails: { orange_money_cm: orangeMoney },
    ...changes,
  }
  await writeFile(path, JSON.stringify(deployment))
  const jwk = JSON.stringify({ ...key.privateKey.export({ format: 'jwk' }), kid: key.kid })
  return run(process.execPath, [main, path], { env: { SIGNING_KEY: jwk, ORANGE_KEY: 'orange-key' } })
}

const refused = (stderr: string) => ({ code: 78, stdout: '', stderr })

test('going back to a retired signing key is refused with status 78 (spec 5.5)', async () => {
  const { url, drop } = await cloneDatabase()
  onTestFinished(drop)
  const db = openDatabase({
    url,
    poolSize: 1,
    readConnections: 0,
    applicationName: 'boot-test',
    namedStatements: true,
    onConnectionLost: () => undefined,
  })
  for (const [nowMs, { jwk }] of [key, makeKey('second')].map(createSigner).entries()) {
    await adoptSigningKey(db, { jwk, nowMs })
  }
  await db.close()

  await expect(boot({ database: { url } })).rejects.toMatchObject(
    refused('signing_key: was retired; rolling back to a retired key is refused (spec 5.5)\n'),
  )
})

test('a rail that would refuse the address of its callback is refused with status 78, before anything is touched', async () => {
  // Of the 120 characters that the rail takes, 33 are the origin's, 24 the path's and 30 the reference's.
  const [fits, tooLong] = ['a'.repeat(33), 'b'.repeat(34)]
  await expect(boot({ rails: { [fits]: orangeMoney, [tooLong]: orangeMoney } })).rejects.toMatchObject(
    refused(
      `rails.${tooLong}: has a callback address, below public_base_url, that is longer than the rail takes\n`,
    ),
  )
})
