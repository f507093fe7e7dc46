import { createPrivateKey, createPublicKey, generateKeyPairSync, type JsonWebKey } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { runCli, runCliInto, temporaryFolder } from './run-cli.ts'

describe('keys create', () => {
  test('writes one key as PEM and JWK, private files for their owner alone', async () => {
    const folder = await temporaryFolder()
    const { code, stdout } = await runCli(['keys', 'create', '--out', folder, '--name', 'shop', '--json'])
    expect(code).toBe(0)
    const {
      kid,
      files,
      public_jwk: publicJwk,
    } = JSON.parse(stdout) as {
      kid: string
      files: Record<string, string>
      public_jwk: JsonWebKey
    }
    const pem = createPrivateKey(await readFile(join(folder, 'shop-private.pem'), 'utf8'))
    const jwk = JSON.parse(await readFile(join(folder, 'shop-private.jwk.json'), 'utf8')) as JsonWebKey
    expect(createPrivateKey({ key: jwk, format: 'jwk' }).equals(pem)).toBe(true)
    expect(createPublicKey({ key: publicJwk, format: 'jwk' }).equals(createPublicKey(pem))).toBe(true)
    expect(pem.asymmetricKeyDetails?.modulusLength).toBe(2048)
    expect([jwk['kid'], publicJwk['kid']]).toEqual([kid, kid])
    expect(publicJwk).not.toHaveProperty('d')
    expect(Object.values(files)).toHaveLength(3)
    for (const name of ['shop-private.pem', 'shop-private.jwk.json']) {
      expect((await stat(join(folder, name))).mode & 0o777).toBe(0o600)
    }
  })

  test('does not overwrite a key', async () => {
    const folder = await temporaryFolder()
    expect((await runCli(['keys', 'create', '--out', folder])).code).toBe(0)
    const again = await runCli(['keys', 'create', '--out', folder])
    expect(again).toMatchObject({ code: 2, stdout: '' })
    expect(again.stderr).toContain('merchant-private.pem exists already')
  })

  test('leaves no private key beside a public one that was there', async () => {
    const folder = await temporaryFolder()
    await writeFile(join(folder, 'merchant-public.jwk.json'), '{}')
    const { code, stderr } = await runCli(['keys', 'create', '--out', folder])
    expect(code).toBe(2)
    expect(stderr).toContain('merchant-public.jwk.json exists already')
    expect(await readdir(folder)).toEqual(['merchant-public.jwk.json'])
  })
})

describe('a file that cannot be written or read', () => {
  test.each<[string, string, string[]]>([
    ['a folder that is a file', 'ENOTDIR', ['keys', 'create', '--out', 'file/keys']],
    [
      'a folder in place of the public key',
      'EISDIR',
      ['client', 'new', 'a', '--name', 'A', '--public-key', '.'],
    ],
    ['a folder in place of the configuration', 'EISDIR', ['config', 'check', '.']],
  ])('%s ends with its code and its path, and without a stack', async (_what, reason, args) => {
    const folder = await temporaryFolder()
    await writeFile(join(folder, 'file'), '')
    const { code, stdout, stderr } = await runCli([...args, '--json'], {}, folder)
    expect({ code, stdout }).toEqual({ code: expect.any(Number), stdout: '' })
    const { error } = JSON.parse(stderr) as { error: { message: string } }
    expect(error.message).toContain(reason)
    expect(error.message).toContain(args.at(-1))
    expect(stderr).not.toContain('    at ')
  })
})

describe('client new', () => {
  test('takes the public key of a merchant, as PEM or JWK, and then makes none', async () => {
    const folder = await temporaryFolder()
    const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const jwk = { ...publicKey.export({ format: 'jwk' }), kid: 'mine' }
    await writeFile(join(folder, 'key.pem'), publicKey.export({ type: 'spki', format: 'pem' }))
    await writeFile(join(folder, 'key.json'), JSON.stringify(jwk))
    for (const [file, kid] of [
      ['key.pem', expect.stringMatching(/^[\w-]{43}$/)],
      ['key.json', 'mine'],
    ]) {
      const args = [
        'client',
        'new',
        'shop',
        '--name',
        'A shop',
        '--public-key',
        join(folder, String(file)),
        '--json',
      ]
      const { code, stdout } = await runCli(args, {}, folder)
      expect(code).toBe(0)
      expect(JSON.parse(stdout)).toMatchObject({
        entry: { client_id: 'shop', jwks: { keys: [{ n: jwk.n, kid }] }, webhooks: [] },
        merchant_env: { PAYMENTS_KEY_ID: kid },
        key_file: null,
      })
    }
  })

  test('refuses a private key in place of a public one, in each form', async () => {
    const folder = await temporaryFolder()
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const keys = [
      privateKey.export({ type: 'pkcs8', format: 'pem' }),
      privateKey.export({ type: 'pkcs1', format: 'pem' }),
      JSON.stringify(privateKey.export({ format: 'jwk' })),
    ]
    for (const key of keys) {
      await writeFile(join(folder, 'key'), key)
      const args = ['client', 'new', 'shop', '--name', 'A shop', '--public-key', join(folder, 'key')]
      const { code, stdout, stderr } = await runCli(args, {}, folder)
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
      expect(stderr).toContain('this is a private key')
      expect(stderr).toContain('the merchant must make a new key')
    }
  })

  test('refuses a public key that the service refuses', async () => {
    const folder = await temporaryFolder()
    const jwk = generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey.export({ format: 'jwk' })
    const short = generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey
    for (const [key, fault] of [
      [JSON.stringify({ ...jwk, e: 'AQAAAAE' }), 'must have a public exponent from 65537 to 4294967295'],
      [short.export({ type: 'spki', format: 'pem' }), 'must have 2048 to 8192 bits'],
    ] as const) {
      await writeFile(join(folder, 'key'), key)
      const args = ['client', 'new', 'shop', '--name', 'A shop', '--public-key', join(folder, 'key')]
      const { code, stdout, stderr } = await runCli(args, {}, folder)
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
      expect(stderr).toContain(`the public key ${fault}`)
    }
  })

  test('names the secrets of two merchants apart', async () => {
    const folder = await temporaryFolder()
    const nameOf = async (id: string): Promise<string> => {
      const args = ['client', 'new', id, '--name', 'A', '--webhook-url', 'https://a.example/', '--json']
      const { stdout } = await runCli(args, {}, folder)
      const [name = ''] = Object.keys((JSON.parse(stdout) as { deployment_env: object }).deployment_env)
      return name
    }
    const names = await Promise.all(['shop-1', 'shop.1', 'shop_1', 'Shop-1', '1-shop', '.1-shop'].map(nameOf))
    expect(new Set(names).size).toBe(names.length)
    for (const name of names) expect(name).toMatch(/^[A-Z_][A-Z0-9_]*_WEBHOOK_SECRET$/)
    expect(names[0]).toBe('SHOP_1_WEBHOOK_SECRET')
  })

  test.each([
    [['client', 'new', 'a shop', '--name', 'A shop'], 'the client id must have'],
    [['client', 'new', 'search', '--name', 'A shop'], 'the client id is reserved'],
    [['client', 'new', 'shop', '--name', 'A shop', '--public-key', 'nowhere.pem'], 'cannot be read'],
    [['client', 'new', 'shop'], '--name'],
    [['client', 'new', 'shop', '--name', 'A shop', '--url', 'pay.example'], '--url must be an http'],
    [['client', 'new', 'shop', '--name', 'A shop', '--url', 'https://pay.example/v1'], 'before /v1'],
    [
      ['client', 'new', 'shop', '--name', 'A shop', '--webhook-url', 'hooks'],
      '--webhook-url must be an http',
    ],
  ])('%j is refused with exit code 2', async (args, words) => {
    const { code, stdout, stderr } = await runCli(args, {}, await temporaryFolder())
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain(words)
  })
})

describe('config', () => {
  const faulty = 'livemode: false\nretention_days: 3\nlive_mode: true\n'

  test('check prints every fault of a file, and ends with 78', async () => {
    const file = join(await temporaryFolder(), 'deployment.yaml')
    await writeFile(file, faulty)
    const { code, stdout, stderr } = await runCli(['config', 'check', file])
    expect({ code, stdout }).toEqual({ code: 78, stdout: '' })
    const lines = stderr.trimEnd().split('\n')
    expect(lines).toContain('live_mode: is not a known key')
    expect(lines).toContain('signing_key: is required')
    expect(lines.length).toBeGreaterThan(5)

    const asJson = await runCli(['config', 'check', file, '--json'])
    const { error } = JSON.parse(asJson.stderr) as { error: { faults: object[] } }
    expect(error.faults).toHaveLength(lines.length)
    expect(error.faults).toContainEqual({ path: 'live_mode', message: 'is not a known key' })
  })

  test('schema prints the JSON Schema', async () => {
    const { code, stdout } = await runCli(['config', 'schema'])
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ type: 'object', additionalProperties: false })
  })

  test('explain describes a setting', async () => {
    const { code, stdout } = await runCli(['config', 'explain', 'worker.poll_interval_ms'])
    expect(code).toBe(0)
    expect(stdout).toBe(
      [
        'worker.poll_interval_ms',
        '  How often the worker looks for work that nothing announced. After a minute without work it looks once a second, or this often if that is rarer.',
        '  type: integer from 50 to 5000 ms',
        '  default: 200',
        '  specification: section 6.3.1',
        '',
      ].join('\n'),
    )
  })

  test('explain lists every key, and similar ones for a key that does not exist', async () => {
    const all = await runCli(['config', 'explain'])
    expect(all.stdout).toContain('merchant_clients[].webhooks[].secrets\n')
    const unknown = await runCli(['config', 'explain', 'pool_size'])
    expect(unknown.code).toBe(2)
    expect(unknown.stderr).toContain('database.pool_size')
  })
})

describe('an output that cannot be written', () => {
  const full = existsSync('/dev/full')

  test
    .runIf(full)
    .each<[string[]]>([
      [['client', 'new', 'shop', '--name', 'A shop', '--webhook-url', 'https://shop.example/hooks']],
      [['config', 'schema']],
      [['config', 'explain', '--json']],
      [['keys', 'create']],
    ])('%j ends with 74', async (args) => {
    const { code, stderr } = await runCliInto('/dev/full', args, await temporaryFolder())
    expect(code).toBe(74)
    expect(stderr).toContain('the output cannot be written (ENOSPC)')
    expect(stderr).not.toContain('    at ')
  })

  test('a reader that leaves early is no error', async () => {
    const { code, stderr } = await runCliInto('| true', ['config', 'explain'], await temporaryFolder())
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  })
})

describe('arguments', () => {
  test('--help lists the commands and the exit codes', async () => {
    const { code, stdout } = await runCli(['--help'])
    expect(code).toBe(0)
    for (const part of [
      'keys',
      'client',
      'config',
      'token',
      'pay',
      'trigger',
      'listen',
      'events',
      '--json',
      '78',
    ]) {
      expect(stdout).toContain(part)
    }
  })

  test.each([
    [['keys', 'created']],
    [['pay']],
    [['pay', '--rail', 'mtn_momo_cm', '--amount', '10.5']],
    [['events', 'list', '--limit', '0']],
    [['--colour']],
  ])('%j is refused with exit code 2', async (args) => {
    expect(await runCli(args)).toMatchObject({ code: 2, stdout: '' })
  })

  test.each([
    [['pay'], '--rail'],
    [['events', 'list', '--limit', '0'], '--limit'],
    [['--colour'], '--colour'],
    [['keys'], 'command'],
  ])('with --json, %j is refused in one line of JSON', async (args, words) => {
    const { code, stdout, stderr } = await runCli([...args, '--json'])
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect((JSON.parse(stderr) as { error: object }).error).toEqual({
      message: expect.stringContaining(words),
      hints: [],
    })
  })

  test('a call without an address says what to give', async () => {
    const { code, stderr } = await runCli(['token'])
    expect(code).toBe(2)
    expect(stderr).toContain('PAYMENTS_')
    expect(stderr).toContain('--dev')
  })

  test('an address with /v1 is refused, because the client adds it', async () => {
    const folder = await temporaryFolder()
    const key = join(folder, 'key.pem')
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    await writeFile(key, privateKey.export({ type: 'pkcs8', format: 'pem' }))
    const args = ['token', '--url', 'http://127.0.0.1:1/v1', '--client-id', 'shop', '--key', key]
    const { code, stderr } = await runCli(args)
    expect(code).toBe(2)
    expect(stderr).toContain('must end before /v1')
  })

  test('a folder without a development system says which one to name', async () => {
    const { code, stderr } = await runCli(['token', '--dev', await temporaryFolder()])
    expect(code).toBe(2)
    expect(stderr).toContain('stack.json')
    expect(stderr).toContain('npx pnpm@12 dev')
    expect(stderr).toContain('--dev ../merchant-payments/.data')
  })
})
