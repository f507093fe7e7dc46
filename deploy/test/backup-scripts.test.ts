import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { MARKER } from './point-in-time.ts'

const backup = fileURLToPath(new URL('../backup/', import.meta.url))
const TIME = '2026-11-23 00:15:00+00'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'backup-scripts-'))
})
afterEach(() => rm(folder, { recursive: true }))

const at = (...names: string[]) => join(folder, ...names)

const run = (script: string, ...args: string[]) => runWith({}, script, ...args)

const runWith = (more: Readonly<Record<string, string>>, script: string, ...args: string[]) =>
  new Promise<{ code: number; output: string }>((resolve) => {
    const env = { ...process.env, ...more }
    execFile('sh', [join(backup, script), ...args], { env }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), output: stdout + stderr })
    })
  })

test('each script is one that a POSIX shell can read, and may be executed', async () => {
  const scripts = (await readdir(backup)).filter((name) => name.endsWith('.sh'))
  expect(scripts.toSorted()).toEqual(['archive-wal.sh', 'base-backup.sh', 'restore.sh'])
  const found = scripts.map(async (script) => {
    const path = join(backup, script)
    const code = await new Promise((resolve) => {
      execFile('sh', ['-n', path], (error) => resolve(error === null ? 0 : error.code))
    })
    return [script, (await stat(path)).mode & 0o111, code]
  })
  expect(await Promise.all(found)).toEqual(scripts.map((script) => [script, 0o111, 0]))
})

const NO_OFFSET = 'PostgreSQL reads a time without an offset in its own zone'

const missing = (script: string, folder: string): string =>
  `${script}: ${folder} has no file ${MARKER}: its disk is away or new. Mount it. On a new disk, once it is mounted: touch ${folder}/${MARKER}\n`

describe('archive-wal.sh', () => {
  const archive = (name: string) => run('archive-wal.sh', at('wal'), at('segment'), name)
  beforeEach(async () => {
    await mkdir(at('wal'))
    await writeFile(at('wal', MARKER), '')
    await writeFile(at('segment'), 'first')
  })

  test('copies a segment, and leaves nothing else in the archive', async () => {
    expect(await archive('0001')).toEqual({ code: 0, output: '' })
    expect((await readdir(at('wal'))).toSorted()).toEqual(['0001', MARKER])
    expect(await readFile(at('wal', '0001'), 'utf8')).toBe('first')
  })

  test('accepts the same segment again, after PostgreSQL was interrupted', async () => {
    await archive('0001')
    expect((await archive('0001')).code).toBe(0)
  })

  test('writes the folder to the disk before it accepts a segment, also after it was interrupted', async () => {
    // Before sync writes something to the disk, it notes what.
    const real = process.env['PATH'] ?? ''
    await mkdir(at('bin'))
    const noting = `#!/bin/sh\nprintf '%s\\n' "$@" >> "${at('synced')}"\nPATH='${real}' exec sync "$@"\n`
    await writeFile(at('bin', 'sync'), noting, { mode: 0o755 })
    const synced = async () => {
      await writeFile(at('synced'), '')
      const args = [at('wal'), at('segment'), '0001']
      const { code } = await runWith({ PATH: `${at('bin')}:${real}` }, 'archive-wal.sh', ...args)
      return [code, ...(await readFile(at('synced'), 'utf8')).trim().split('\n')]
    }
    expect(await synced()).toEqual([0, at('wal', '.0001.part'), at('wal')])
    expect(await synced()).toEqual([0, at('wal')])
    await writeFile(at('segment'), 'other')
    expect(await synced()).toEqual([1, ''])
  })

  test('never replaces a segment by another one', async () => {
    await archive('0001')
    await writeFile(at('segment'), 'other')
    expect((await archive('0001')).code).toBe(1)
    expect(await readFile(at('wal', '0001'), 'utf8')).toBe('first')
  })

  test('fails if the archive is away, so that PostgreSQL keeps the segment', async () => {
    await rm(at('wal'), { recursive: true })
    expect((await archive('0001')).code).toBe(1)
  })

  test('writes nothing into the empty mount point of a disk that is away, and says what to do', async () => {
    await rm(at('wal', MARKER))
    const { code, output } = await archive('0001')
    expect(code).toBe(1)
    expect(output).toBe(missing('archive-wal.sh', at('wal')))
    expect(await readdir(at('wal'))).toEqual([])
  })

  test('accepts no segment that an earlier script left in an empty mount point', async () => {
    await rm(at('wal', MARKER))
    await writeFile(at('wal', '0001'), 'first')
    expect((await archive('0001')).code).toBe(1)
  })
})

describe('base-backup.sh', () => {
  test('makes no base in the empty mount point of a disk that is away, and says what to do', async () => {
    for (const name of ['base', 'bin']) await mkdir(at(name))
    const tool = `#!/bin/sh\necho pg_basebackup 17.0\necho "$*" >> "${at('called')}"\n`
    await writeFile(at('bin', 'pg_basebackup'), tool, { mode: 0o755 })
    const path = `${at('bin')}:${process.env['PATH'] ?? ''}`
    const { code, output } = await runWith({ PATH: path }, 'base-backup.sh', at('base'))
    expect(code).toBe(1)
    expect(output).toBe(missing('base-backup.sh', at('base')))
    expect(await readdir(at('base'))).toEqual([])
    await expect(stat(at('called'))).rejects.toThrow('ENOENT')
  })
})

test('the guide makes the file of the disk in each folder that it gives to the scripts', async () => {
  const guide = await readFile(new URL('../../docs/guides/first-deployment.md', import.meta.url), 'utf8')
  const settings = await readFile(join(backup, 'archiving.conf'), 'utf8')
  const given = [...`${guide}${settings}`.matchAll(/(?:archive-wal|base-backup)\.sh (\/[^\s'"]+)/g)]
  const folders = [...new Set(given.map(([, given = '']) => given))]
  expect(folders.toSorted()).toEqual(['base', 'wal', 'wal-2'].map((name) => `/var/backups/payments/${name}`))
  const touched = [...guide.matchAll(/^touch (.*)$/gm)].flatMap(([, files = '']) => files.split(' '))
  expect(touched.toSorted()).toEqual(folders.map((folder) => `${folder}/${MARKER}`).toSorted())
})

describe('restore.sh', () => {
  const restore = (data = at('data'), time = TIME) => run('restore.sh', at('base'), at('wal'), data, time)
  beforeEach(async () => {
    for (const name of ['base', 'base/pg_replslot', 'base/pg_replslot/standby', 'wal']) await mkdir(at(name))
    for (const name of ['backup_label', 'postmaster.pid', 'standby.signal'])
      await writeFile(at('base', name), name)
    await writeFile(at('base', 'postgresql.auto.conf'), "work_mem = '8MB'\n")
  })

  test('makes a data directory that recovers to the time and pauses there', async () => {
    expect(await restore()).toEqual({
      code: 0,
      output: `${at('data')} recovers to ${TIME} when the server starts\n`,
    })
    expect((await readdir(at('data'))).toSorted()).toEqual([
      'backup_label',
      'pg_replslot',
      'postgresql.auto.conf',
      'recovery.signal',
    ])
    expect(await readdir(at('data', 'pg_replslot'))).toEqual([])
    expect((await stat(at('data'))).mode & 0o777).toBe(0o700)
    const settings = await readFile(at('data', 'postgresql.auto.conf'), 'utf8')
    expect(settings.split('\n').filter((line) => line !== '' && !line.startsWith('#'))).toEqual([
      "work_mem = '8MB'",
      `restore_command = 'cp "${at('wal')}/%f" "%p"'`,
      `recovery_target_time = '${TIME}'`,
      "recovery_target_action = 'pause'",
      'archive_mode = off',
      "synchronous_standby_names = ''",
    ])
  })

  test('touches no data directory that exists', async () => {
    await mkdir(at('old'))
    expect(await restore(at('old'))).toMatchObject({
      code: 1,
      output: expect.stringContaining('exists: move it away') as unknown,
    })
    expect(await readdir(at('old'))).toEqual([])
  })

  test.each([
    ['a folder that is no base backup', 'backup_label', TIME, 'is no base backup'],
    ['a time that would end its setting', '', "now' # ", 'must not contain quotes'],
    ['no time', '', '', 'no time'],
    ['a time without an offset', '', '2026-11-23 00:15:00', NO_OFFSET],
    ['a time without an offset, before its date', '', '00:15 2026-11-23', NO_OFFSET],
    ['a date alone', '', '2026-11-23', NO_OFFSET],
    ['a word for a time', '', 'yesterday', NO_OFFSET],
    ['a second line after the time', '', `${TIME}\nx`, NO_OFFSET],
  ])('refuses %s and makes nothing', async (_, missing, time, message) => {
    if (missing !== '') await rm(at('base', missing))
    expect(await restore(at('data'), time)).toMatchObject({
      code: 1,
      output: expect.stringContaining(message) as unknown,
    })
    await expect(stat(at('data'))).rejects.toThrow('ENOENT')
  })

  test.each([
    '2026-11-23T00:15:00Z',
    '2026-11-23 00:15+01',
    '2026-11-23 00:15:00.123456+05:30',
    '2026-11-23 00:15:00-0330',
  ])('takes the time %s', async (time) => {
    expect((await restore(at('data'), time)).code).toBe(0)
    expect(await readFile(at('data', 'postgresql.auto.conf'), 'utf8')).toContain(
      `recovery_target_time = '${time}'`,
    )
  })

  test('refuses a base with tablespaces', async () => {
    await writeFile(at('base', 'tablespace_map'), '16384 /mnt/fast')
    expect(await restore()).toMatchObject({
      code: 1,
      output: expect.stringContaining('tablespaces') as unknown,
    })
  })

  test('refuses an archive that is away', async () => {
    await rm(at('wal'), { recursive: true })
    expect(await restore()).toMatchObject({
      code: 1,
      output: expect.stringContaining('there is no archive') as unknown,
    })
  })
})
