import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { describe, expect, test } from 'vitest'
import { startFakeApi } from './fake-api.ts'
import { runCli, temporaryFolder } from './run-cli.ts'

const folders = ['C# projects', "d'Abidjan", ' "outer" spaces ', 'c:\\new', '"C#" d\'Abidjan']

describe('a .env file', () => {
  test.each(folders)('of env names a key in the folder %j, and Node reads it back', async (name) => {
    const folder = join(await temporaryFolder(), name)
    await mkdir(folder)
    const keyFile = join(folder, name)
    const stack = { base_url: 'http://127.0.0.1:1', client_id: 'shop', private_key_file: keyFile }
    await writeFile(join(folder, 'stack.json'), JSON.stringify(stack))
    const { stdout } = await runCli(['env', '--dev', folder])
    expect(parseEnv(stdout)).toMatchObject({ PAYMENTS_CLIENT_ID: 'shop', PAYMENTS_KEY_FILE: keyFile })
  })

  test('of client new is one that the other commands read', async () => {
    const api = await startFakeApi()
    const folder = await temporaryFolder()
    const out = join(folder, '# keys')
    await mkdir(out)
    const args = ['client', 'new', 'shop', '--name', 'A', '--url', String(api.merchant['PAYMENTS_URL'])]
    const { stdout } = await runCli([...args, '--out', out])
    const file = join(folder, '.env')
    await writeFile(file, stdout.slice(stdout.indexOf("# 2. The merchant's .env:")))
    expect(await runCli(['token', '--env-file', file])).toMatchObject({ code: 0, stderr: '' })
  })

  test('is refused for a value with quotes of each kind', async () => {
    const folder = await temporaryFolder()
    const stack = { base_url: 'http://127.0.0.1:1', client_id: 'shop', private_key_file: '\'"`' }
    await writeFile(join(folder, 'stack.json'), JSON.stringify(stack))
    const { code, stdout, stderr } = await runCli(['env', '--dev', folder])
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain('PAYMENTS_KEY_FILE')
  })
})
