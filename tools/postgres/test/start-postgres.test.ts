import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { Client } from 'pg'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { postgresBinDir } from '../src/binaries.ts'
import { type PostgresOptions, startPostgres } from '../src/start-postgres.ts'

// Each test creates one or two clusters, which is slow on a busy machine.
vi.setConfig({ testTimeout: 120_000 })

const UNSAFE_BUT_QUICK = { fsync: 'off' }

const temporaryDir = async () => {
  const dir = await mkdtemp(join(tmpdir(), 'merchant-payments-postgres-'))
  onTestFinished(() => rm(dir, { recursive: true, force: true }))
  return dir
}

const start = async (options: PostgresOptions) => {
  const postgres = await startPostgres({ settings: UNSAFE_BUT_QUICK, ...options })
  onTestFinished(postgres.stop)
  return postgres
}

const query = async (url: string, statement: string) => {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(statement)).rows
  } finally {
    await client.end()
  }
}

const postmasterPid = async (dataDir: string) => {
  const lock = await readFile(join(dataDir, 'cluster/postmaster.pid'), 'utf8')
  return Number(lock.split('\n')[0])
}

describe('a started server', () => {
  test('is PostgreSQL 18, only on the loopback interface, with checksums and code point order', async () => {
    const { url, port } = await start({
      dataDir: await temporaryDir(),
      settings: { ...UNSAFE_BUT_QUICK, work_mem: '5MB' },
    })

    const settings = `select current_setting('server_version_num')::int / 10000 as major,
      current_setting('port')::int as port,
      current_setting('listen_addresses') as addresses,
      current_setting('unix_socket_directories') as sockets,
      current_setting('server_encoding') as encoding,
      current_setting('data_checksums') as checksums,
      current_setting('work_mem') as work_mem,
      'É' > 'z' as by_code_point,
      lower('É') as lower`
    expect(await query(url, settings)).toEqual([
      {
        major: 18,
        port,
        addresses: '127.0.0.1',
        sockets: '',
        encoding: 'UTF8',
        checksums: 'on',
        work_mem: '5MB',
        by_code_point: true,
        lower: 'é',
      },
    ])
  })

  test('runs beside another, each on a free port', async () => {
    const dirs = await Promise.all([temporaryDir(), temporaryDir()])
    const [one, other] = await Promise.all(dirs.map((dataDir) => start({ dataDir })))

    expect(one?.port).not.toBe(other?.port)
    for (const postgres of [one, other]) {
      expect(await query(String(postgres?.url), 'select 1 as one')).toEqual([{ one: 1 }])
    }
  })

  test('can be stopped twice, and then accepts no connections', async () => {
    const { url, stop } = await start({ dataDir: await temporaryDir() })

    await Promise.all([stop(), stop()])
    await stop()

    await expect(query(url, 'select 1')).rejects.toMatchObject({ code: 'ECONNREFUSED' })
  })

  test('returns its log line by line', async () => {
    const lines: string[] = []
    const { stop } = await start({ dataDir: await temporaryDir(), log: (line) => lines.push(line) })

    await stop()

    expect(lines.at(-1)).toMatch(/LOG: {2}database system is shut down$/)
  })
})

describe('the data are kept', () => {
  test('after a stop, on the same port', async () => {
    const dataDir = await temporaryDir()
    const first = await start({ dataDir })
    await query(first.url, 'create table kept as select 7 as id')
    await first.stop()

    const second = await start({ dataDir, port: first.port })

    expect(second.url).toBe(first.url)
    expect(await query(second.url, 'select * from kept')).toEqual([{ id: 7 }])
  })

  test('after SIGKILL of the server', async () => {
    const dataDir = await temporaryDir()
    const first = await start({ dataDir })
    await query(first.url, 'create table kept as select 7 as id')
    process.kill(await postmasterPid(dataDir), 'SIGKILL')

    const second = await start({ dataDir })

    expect(await query(second.url, 'select * from kept')).toEqual([{ id: 7 }])
  })

  test.each(['SIGINT', 'SIGKILL'] as const)('after %s of the process that started it', async (signal) => {
    const dataDir = await temporaryDir()
    const program = `
      const { startPostgres } = await import(${JSON.stringify(import.meta.resolve('../src/index.ts'))})
      const { url } = await startPostgres({ dataDir: ${JSON.stringify(dataDir)} })
      console.log(url)`
    const parent = spawn(process.execPath, ['--input-type=module', '-e', program], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const [url] = await once(createInterface({ input: parent.stdout }), 'line')
    await query(url, 'create table kept as select 7 as id')
    const exited = once(parent, 'exit')
    parent.kill(signal)
    expect(await exited).toEqual([null, signal])

    const lines: string[] = []
    const { url: secondUrl } = await start({ dataDir, log: (line) => lines.push(line) })

    expect(await query(secondUrl, 'select * from kept')).toEqual([{ id: 7 }])
    expect(lines).toContainEqual(expect.stringMatching('database system was shut down at'))
  })

  test('if the process id in a stale lock now belongs to another process', async () => {
    const dataDir = await temporaryDir()
    const first = await start({ dataDir })
    await first.stop()
    const lock = [process.pid, join(dataDir, 'cluster'), 1, first.port, '', '127.0.0.1', '', 'ready'].join(
      '\n',
    )
    await writeFile(join(dataDir, 'cluster/postmaster.pid'), lock)

    const second = await start({ dataDir })

    expect(await query(second.url, 'select 1 as one')).toEqual([{ one: 1 }])
  })
})

test('an interrupted initdb is repeated', async () => {
  const dataDir = await temporaryDir()
  await mkdir(join(dataDir, 'cluster.draft/base'), { recursive: true })
  await writeFile(join(dataDir, 'cluster.draft/PG_VERSION'), '18\n')

  const { url } = await start({ dataDir })

  expect(await query(url, 'select 1 as one')).toEqual([{ one: 1 }])
})

describe('a start that fails', () => {
  test('rejects with the reason from the log', async () => {
    const failing = startPostgres({
      dataDir: await temporaryDir(),
      settings: { fsync: 'off', work_mem: 'plenty' },
    })

    await expect(failing).rejects.toThrow('invalid value for parameter "work_mem": "plenty"')
  })

  test('names the port that is in use', async () => {
    const { port } = await start({ dataDir: await temporaryDir() })

    const failing = startPostgres({ dataDir: await temporaryDir(), port, settings: UNSAFE_BUT_QUICK })

    await expect(failing).rejects.toThrow('Address already in use')
  })
})

test('the binaries are where postgresBinDir says', async () => {
  const { mode } = await stat(join(await postgresBinDir(), 'postgres'))

  expect(mode & 0o111).toBe(0o111)
})

test.runIf(process.getuid?.() === 0)(
  'root gets another folder for one that the server cannot reach',
  async () => {
    const closed = await temporaryDir()
    const lines: string[] = []

    const { url, dataDir } = await start({ dataDir: join(closed, 'data'), log: (line) => lines.push(line) })
    onTestFinished(() => rm(dataDir, { recursive: true, force: true }))

    expect(dirname(dataDir)).not.toBe(closed)
    expect(lines[0]).toContain(`cannot reach ${closed}/data: data in ${dataDir}`)
    expect(await query(url, 'select 1 as one')).toEqual([{ one: 1 }])
  },
)
