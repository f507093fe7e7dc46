import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmod,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  truncate,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'
import { redactBody } from '@merchant-payments/core/redact'
import { cloneDatabase, type TestDatabase } from '@merchant-payments/testing'
import pg from 'pg'
import { beforeEach, describe, expect, test } from 'vitest'
import { openOwner } from '../src/archive/database.ts'
import { keepEarlier, publish, setAside } from '../src/archive/folder.ts'
import { PART_BYTES } from '../src/archive/parts.ts'
import { readLines } from '../src/archive/read.ts'
import { verifyMonths, writeMonths } from '../src/archive/run.ts'
import { openArchive, writeMonth } from '../src/archive/write.ts'

const MONTH = '202402'
const ALL = { table: null, merchant: null, id: null }
const NAME = 'Ngo Bassong Awa'
const PHONE = '237670001122'
const EMAIL = 'awa@example.cm'

let database: TestDatabase
let owner: pg.Client
const clients: pg.Client[] = []
let folder: string

beforeEach(async () => {
  database = await cloneDatabase()
  owner = await connect()
  await owner.query(`set timezone = 'UTC'; select ensure_partitions('2024-02-15Z')`)
  folder = await mkdtemp(join(tmpdir(), 'merchant-payments-archive-'))
  return async () => {
    for (const client of clients.splice(0)) await client.end()
    await database.drop()
    await rm(folder, { recursive: true })
  }
})

const rows = async <Row extends pg.QueryResultRow>(statement: string, values: unknown[] = []) =>
  (await owner.query<Row>(statement, values)).rows

async function connect(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  clients.push(client)
  return client
}

/** @returns what the run said */
async function writeDue(): Promise<string[]> {
  const said: string[] = []
  const report = (line: string) => said.push(line)
  await writeMonths({ url: database.url, folder, partBytes: PART_BYTES, report }, { retentionDays: 400 })
  return said
}

async function verify(url: string | null = database.url): Promise<{ faults: number; said: string[] }> {
  const said: string[] = []
  const faults = await verifyMonths({ url, folder, report: (line) => said.push(line) }, [])
  return { faults, said }
}

const drop = async () =>
  (await rows<{ month: string; outcome: string }>('select * from drop_oldest_month(now(), true)')).filter(
    ({ month }) => month === MONTH,
  )

const uuidAt = (n: number) => `018d7e00-0000-7000-8000-${n.toString(16).padStart(12, '0')}`

const customerEvent = {
  id: 'evt_1',
  object: 'event',
  type: 'customer.created',
  data: {
    object: {
      id: 'cus_1',
      object: 'customer',
      name: NAME,
      email: EMAIL,
      phone: PHONE,
      address: null,
      metadata: { table: '12' },
    },
  },
}
/** With bytes that a parser and a printer of JSON could change. */
const INVOICE_BODY = '{"object":"invoice","total":30,"number":"é\\n\\"/","metadata":{"b":"2","a":"1"}}'

async function insertEvent(n: number, merchant = 'shop', body = INVOICE_BODY): Promise<void> {
  await owner.query(
    `insert into events (merchant_id, id, type, body, position, customer_id) values ($1, $2, 'invoice.paid', $3, $4, $2)`,
    [merchant, uuidAt(n), body, n],
  )
}

/** An event with its delivery and an attempt, whose receiver has answered with the payer's number. */
async function insertDelivered(n: number, merchant = 'shop', body = INVOICE_BODY, status = 'succeeded') {
  await insertEvent(n, merchant, body)
  await owner.query(
    `insert into deliveries (merchant_id, event_id, endpoint_id, id, status, attempts, created_at)
      values ($1, $2, 'main', $3, $4, 1, '2024-02-06 10:00:00.123456Z')`,
    [merchant, uuidAt(n), uuidAt(n + 0x1000), status],
  )
  await owner.query(
    `insert into delivery_attempts (merchant_id, delivery_id, number, event_id, started_at, duration_ms, status_code, response_excerpt)
      values ($1, $2, 1, $3, '2024-02-06 10:00:01Z', 5, 200, $4)`,
    [merchant, uuidAt(n + 0x1000), uuidAt(n), n % 2 === 0 ? '' : `thanks, ${PHONE}`],
  )
}

async function linesOf(wanted: Parameters<typeof readLines>[2] = ALL) {
  const lines: Record<string, unknown>[] = []
  for await (const line of readLines(folder, MONTH, wanted)) lines.push(JSON.parse(line) as (typeof lines)[0])
  return lines
}

const stored = async () =>
  (
    await rows<{ row: Record<string, unknown> }>(`
      select to_jsonb(t) as row from (select * from events_${MONTH} order by merchant_id, id) t
      union all select to_jsonb(t) from (select * from deliveries_${MONTH} order by merchant_id, event_id) t
      union all select to_jsonb(t) from (select * from delivery_attempts_${MONTH} order by merchant_id, delivery_id) t`)
  ).map(({ row }) => row)

test('an archive is closed to other users, also in a folder that is open to them', async () => {
  await chmod(folder, 0o755)
  await insertDelivered(1)
  await writeDue()
  const names = await readdir(folder, { recursive: true })
  expect(names).toContain(join(MONTH, 'manifest.json'))
  const modes = await Promise.all(names.map(async (name) => (await stat(join(folder, name))).mode))
  expect(modes.filter((mode) => (mode & 0o007) !== 0)).toEqual([])
})

test('a month is written, verified, dropped and read back with the values that its rows had', async () => {
  await insertDelivered(1)
  await insertDelivered(2, 'café')
  await insertDelivered(3)
  const before = await stored()
  expect(await drop()).toEqual([{ month: MONTH, outcome: 'unarchived' }])

  const [said, ...more] = await writeDue()
  expect(more).toEqual([])
  expect(said).toMatch(/^202402: events 3, deliveries 3, delivery_attempts 3; \d+ bytes, written at 20/)
  expect(await verify()).toEqual({ faults: 0, said: [`OK: ${said}`] })

  expect(await drop()).toEqual([{ month: MONTH, outcome: 'dropped' }])
  expect(await rows('select from events')).toEqual([])
  expect(await linesOf()).toEqual(
    before.map((row) =>
      'response_excerpt' in row && row['response_excerpt'] !== ''
        ? { ...row, response_excerpt: '[redacted]' }
        : row,
    ),
  )
  expect((await linesOf({ ...ALL, table: 'events' })).map(({ body }) => body)).toEqual(
    Array.from({ length: 3 }, () => INVOICE_BODY),
  )
  expect(await verify()).toEqual({ faults: 0, said: [`OK: ${said}`] })
})

test('the manifest names the columns, the migration and the hash of each part', async () => {
  await insertDelivered(1)
  await writeDue()
  const manifest: unknown = JSON.parse(await readFile(join(folder, MONTH, 'manifest.json'), 'utf8'))
  const [{ version } = { version: 0 }] = await rows<{ version: number }>(
    'select max(version) as version from schema_migrations',
  )
  const hash = expect.stringMatching(/^[0-9a-f]{64}$/) as unknown
  expect(manifest).toMatchObject({
    format: 1,
    month: MONTH,
    schema_version: version,
    tables: [
      {
        name: 'events',
        columns: expect.arrayContaining([{ name: 'position', type: 'bigint' }]) as unknown,
        redacted: ['body'],
        rows: 1,
        sha256: hash,
        parts: [{ file: 'events-00001.ndjson.gz', rows: 1, sha256: hash }],
      },
      { name: 'deliveries', redacted: [], rows: 1 },
      { name: 'delivery_attempts', redacted: ['response_excerpt'], rows: 1 },
    ],
  })
})

test('an archive has no text of a customer that an erasure would have to reach', async () => {
  await insertDelivered(1, 'shop', JSON.stringify(customerEvent))
  await writeDue()
  const files = await readdir(join(folder, MONTH))
  const contents = await Promise.all(
    files.map(async (file) => {
      const content = await readFile(join(folder, MONTH, file))
      return (file.endsWith('.gz') ? gunzipSync(content) : content).toString()
    }),
  )
  expect(files).toHaveLength(4)
  for (const planted of [NAME, PHONE, EMAIL]) expect(contents.join('\n')).not.toContain(planted)
  const [event] = await linesOf({ ...ALL, table: 'events' })
  expect(JSON.parse(String(event?.['body']))).toMatchObject({
    data: { object: { id: 'cus_1', name: '[redacted]', metadata: { table: '12' } } },
  })
})

test('a month of many pages and parts is whole and in order, and a merchant needs only its parts', async () => {
  await owner.query(
    `insert into events (merchant_id, id, type, body, position)
      select 'm' || n % 3, ('018d7e00-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, 'invoice.paid',
        case when n % 1000 = 0 then jsonb_build_object('long', repeat('x', 3000000)) else '{"a": 1}' end::text, n
      from generate_series(1, 5000) n`,
  )
  const client = await openOwner(database.url)
  clients.push(client)
  const archiving = { client, archive: folder, partBytes: 50_000 }
  await openArchive(archiving)
  const manifest = await writeMonth(archiving, MONTH)
  const [events] = manifest.tables
  expect(events?.rows).toBe(5_000)
  expect(events?.parts.length).toBeGreaterThan(10)
  const keys = (
    await rows<{ key: string }>(`select merchant_id || ' ' || id as key from events order by merchant_id, id`)
  ).map(({ key }) => key)
  const keyOf = (row: Record<string, unknown>) => `${String(row['merchant_id'])} ${String(row['id'])}`
  expect((await linesOf()).map(keyOf)).toEqual(keys)

  const last = events?.parts.at(-1)?.file ?? ''
  await truncate(join(folder, MONTH, last), 10)
  expect((await linesOf({ ...ALL, merchant: 'm0' })).map(keyOf)).toEqual(
    keys.filter((key) => key.startsWith('m0 ')),
  )
  await expect(linesOf({ ...ALL, merchant: 'm2' })).rejects.toThrow('has 10 bytes')
})

test('reading prints the rows of a table, a merchant or an id', async () => {
  await insertDelivered(1)
  await insertDelivered(2, 'bakery')
  await writeDue()
  expect((await linesOf({ ...ALL, table: 'deliveries' })).map((row) => row['event_id'])).toEqual([
    uuidAt(2),
    uuidAt(1),
  ])
  expect((await linesOf({ ...ALL, merchant: 'bakery' })).map((row) => row['merchant_id'])).toEqual(
    Array.from({ length: 3 }, () => 'bakery'),
  )
  expect(await linesOf({ ...ALL, id: `evt_${uuidAt(1).replaceAll('-', '')}` })).toHaveLength(3)
  expect(await linesOf({ ...ALL, id: uuidAt(0x1001) })).toHaveLength(2)
  expect(await linesOf({ ...ALL, id: uuidAt(7) })).toEqual([])
})

describe('a damaged archive', () => {
  test.each([
    ['a truncated part', (path: string) => truncate(path, 40)],
    ['a missing part', (path: string) => rm(path)],
    [
      'a part of other bytes',
      async (path: string) => {
        const content = await readFile(path)
        content[30] = (content[30] ?? 0) ^ 1
        await writeFile(path, content)
      },
    ],
  ])('%s is refused by verify and read, and its month is kept and written again', async (_, damage) => {
    await insertDelivered(1)
    await writeDue()
    await damage(join(folder, MONTH, 'events-00001.ndjson.gz'))
    expect(await verify(null)).toEqual({ faults: 1, said: [expect.stringMatching(/^FAULT: .*events-00001/)] })
    await expect(linesOf()).rejects.toThrow('events-00001')
    expect((await verify()).faults).toBe(1)
    expect(await drop()).toEqual([{ month: MONTH, outcome: 'unarchived' }])
    await writeDue()
    expect((await verify()).faults).toBe(0)
    expect(await drop()).toEqual([{ month: MONTH, outcome: 'dropped' }])
  })

  test('another manifest than the one that the database has marked is refused', async () => {
    await insertDelivered(1)
    await writeDue()
    const path = join(folder, MONTH, 'manifest.json')
    const manifest = await readFile(path, 'utf8')
    await writeFile(path, manifest.replace('"schema_version": ', '"schema_version": 9'))
    expect((await verify(null)).faults).toBe(0)
    expect(await verify()).toEqual({
      faults: 1,
      said: ['FAULT: the manifest of 202402 is not the one that the database has marked'],
    })
    await writeFile(path, manifest.slice(0, 100))
    expect(await verify(null)).toEqual({
      faults: 1,
      said: [expect.stringMatching(/manifest.json is no manifest of an archive$/)],
    })
  })
})

describe('a month that the folder has lost before its drop', () => {
  beforeEach(async () => {
    await insertDelivered(1)
    await writeDue()
    await rm(join(folder, MONTH), { recursive: true })
  })

  test('is a fault, and stays in the database', async () => {
    const { faults, said } = await verify()
    expect([faults, said]).toEqual([1, [`FAULT: ${join(folder, MONTH, 'manifest.json')} is missing`]])
    expect(await drop()).toEqual([{ month: MONTH, outcome: 'unarchived' }])
  })

  test('is a fault, and stays in the database, if the whole folder is gone', async () => {
    await rm(folder, { recursive: true })
    const { faults, said } = await verify()
    expect([faults, said]).toEqual([1, [`FAULT: ${join(folder, MONTH, 'manifest.json')} is missing`]])
    expect(await drop()).toEqual([{ month: MONTH, outcome: 'unarchived' }])
    await expect(verify(null)).rejects.toThrow('ENOENT')
    await expect(writeDue()).rejects.toThrow('has no database.json')
    await beginFolder()
    expect(await writeDue()).toEqual([expect.stringMatching(/^202402: events 1, /)])
  })

  test('is written again', async () => {
    expect(await writeDue()).toEqual([expect.stringMatching(/^202402: events 1, /)])
    expect(await drop()).toEqual([{ month: MONTH, outcome: 'dropped' }])
    expect((await verify()).faults).toBe(0)
  })
})

test('a month that came back after its drop without a row keeps its archive and its mark, and is dropped again', async () => {
  await insertDelivered(1)
  await writeDue()
  const marks = () => rows('select month, run, verified_at, manifest_sha256 from archived_months')
  const before = await marks()
  expect(await drop()).toEqual([{ month: MONTH, outcome: 'dropped' }])
  // A move makes it, and is abandoned or has no row of it.
  await owner.query(`select ensure_partitions('2024-02-15Z')`)
  expect(await writeDue()).toEqual(['202402 came back without rows: its archive stays'])
  expect((await readdir(folder)).toSorted()).toEqual([MONTH, 'database.json'])
  expect(await marks()).toEqual(before)
  expect(await drop()).toEqual([{ month: MONTH, outcome: 'dropped' }])
  expect(await rows(`select to_regclass('events_${MONTH}') as part`)).toEqual([{ part: null }])
  expect(await linesOf()).toHaveLength(3)
  expect(await verify()).toMatchObject({ faults: 0 })
})

/** As an operator makes a new folder for a database with archives elsewhere. */
async function beginFolder(): Promise<void> {
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'database.json'), '')
}

describe('a folder whose disk is away', () => {
  let disk: string

  /** A month is archived and dropped, and the next one is due. */
  beforeEach(async () => {
    await insertDelivered(1)
    await writeDue()
    await drop()
    await owner.query(`select ensure_partitions('2024-03-15Z');
      insert into events (merchant_id, id, type, body, position)
        values ('shop', uuid_v7_floor('2024-03-10Z'), 'invoice.paid', '{}', 2)`)
    disk = `${folder}.disk`
    await rename(folder, disk)
    return () => rm(disk, { recursive: true, force: true })
  })

  const dropped = async () =>
    (await rows('select month from archived_months where dropped_at is not null order by 1')).map(
      ({ month }) => month as string,
    )

  test.each(['is an empty mount point', 'is not there'])('that %s gets no archive', async (place) => {
    if (place === 'is an empty mount point') await mkdir(folder)
    await expect(writeDue()).rejects.toThrow(
      `${folder} has no database.json, but months of this database were archived before: mount its disk`,
    )
    expect(await rows('select * from drop_oldest_month(now(), true) limit 1')).toEqual([
      { month: '202403', outcome: 'unarchived' },
    ])
    await rm(folder, { recursive: true, force: true })
    await rename(disk, folder)
    expect(await writeDue()).toEqual([expect.stringMatching(/^202403: events 1, /)])
    expect(await verify()).toMatchObject({ faults: 0 })
  })

  test('is replaced by a new one that an operator begins, and verify names what the database has dropped', async () => {
    await beginFolder()
    expect(await writeDue()).toEqual([expect.stringMatching(/^202403: events 1, /)])
    await rows('select * from drop_oldest_month(now(), true) limit 1')
    expect(await dropped()).toEqual([MONTH, '202403'])
    const { faults, said } = await verify()
    expect([faults, said]).toEqual([
      1,
      [
        `FAULT: ${join(folder, MONTH, 'manifest.json')} is missing, and the database has dropped ${MONTH}`,
        expect.stringMatching(/^OK: 202403: /),
      ],
    ])
    expect(await dropped()).toEqual([MONTH, '202403'])
    await owner.query('delete from archived_months where month = $1', [MONTH])
    expect(await verify()).toMatchObject({ faults: 0 })
  })
})

describe('a run', () => {
  /** Locks what the run reads last but one, so that it has written the events and waits. */
  async function lockDeliveries(): Promise<pg.Client> {
    // The triggers are there already, so the run needs no lock before it reads.
    await owner.query('select begin_archive($1, gen_random_uuid())', [MONTH])
    const lock = await connect()
    await lock.query(`begin; lock table deliveries_${MONTH} in access exclusive mode`)
    return lock
  }

  const names = () => readdir(folder)
  const untilEventsAreWritten = () =>
    expect
      .poll(async () => {
        const unfinished = (await names()).find((name) => name.startsWith(`.${MONTH}.`))
        return unfinished === undefined ? [] : readdir(join(folder, unfinished))
      })
      .toEqual(['events-00001.ndjson.gz'])

  test('that is killed leaves nothing under the name of a month, and the next one clears what it left', async () => {
    await insertDelivered(1)
    const lock = await lockDeliveries()
    const child = spawn(
      process.execPath,
      ['--input-type=module', '--eval', PROGRAM, database.url, folder, MONTH],
      { env: {}, stdio: 'inherit' },
    )
    const closed = once(child, 'close')
    await untilEventsAreWritten()
    child.kill('SIGKILL')
    await closed
    await lock.query('rollback')

    expect((await names()).filter((name) => !name.startsWith('.'))).toEqual(['database.json'])
    expect(await drop()).toEqual([{ month: MONTH, outcome: 'unarchived' }])
    // The lock of the killed run goes once PostgreSQL has seen that its client is gone.
    await expect.poll(() => writeDue().then(() => 'written', String)).toBe('written')
    expect((await names()).toSorted()).toEqual([MONTH, 'database.json'])
    expect(await drop()).toEqual([{ month: MONTH, outcome: 'dropped' }])
  })

  test.each([
    ['an event that comes', () => insertEvent(9)],
    ['a delivery that goes', () => owner.query('delete from delivery_attempts')],
    ['an event that gets a customer', () => owner.query('update events set customer_id = gen_random_uuid()')],
  ])('%s meanwhile keeps the month from being archived', async (_, change) => {
    await insertDelivered(1)
    const lock = await lockDeliveries()
    const client = await openOwner(database.url)
    const written = writeMonth({ client, archive: folder, partBytes: PART_BYTES }, MONTH).catch(String)
    await untilEventsAreWritten()
    await change()
    await lock.query('rollback')
    expect(await written).toMatch('came, went or changed')
    await client.end()
    expect(await drop()).toEqual([{ month: MONTH, outcome: 'unarchived' }])
    await writeDue()
    expect(await linesOf()).toHaveLength((await stored()).length)
    expect(await drop()).toEqual([{ month: MONTH, outcome: 'dropped' }])
  })

  test('keeps no snapshot from its first row to its last', async () => {
    await insertDelivered(1)
    const lock = await lockDeliveries()
    const client = await openOwner(database.url)
    const written = writeMonth({ client, archive: folder, partBytes: PART_BYTES }, MONTH).catch(String)
    await untilEventsAreWritten()
    await owner.query(
      'insert into delivery_attempts select merchant_id, delivery_id, 2, event_id, started_at, duration_ms from delivery_attempts',
    )
    await lock.query('rollback')
    expect(await written).toMatch('came, went or changed')
    await client.end()
    // What it read is as new as it can be, although no mark says that it is the month.
    expect(await linesOf({ ...ALL, table: 'delivery_attempts' })).toHaveLength(2)
  })

  test('writes the same bytes, although an erasure redacts texts meanwhile', async () => {
    await insertDelivered(1, 'shop', JSON.stringify(customerEvent))
    const lock = await lockDeliveries()
    const client = await openOwner(database.url)
    const archiving = { client, archive: folder, partBytes: PART_BYTES }
    const written = writeMonth(archiving, MONTH)
    await untilEventsAreWritten()
    await owner.query('update events set body = $1', [redactBody(JSON.stringify(customerEvent))])
    await owner.query(`update delivery_attempts set response_excerpt = '[redacted]'`)
    await lock.query('rollback')
    const { tables } = await written
    const afterwards = await writeMonth(archiving, MONTH)
    await client.end()
    expect(tables).toEqual(afterwards.tables)
  })

  test.each(['', '{"name":"pay'])(
    'that is killed while it claims the folder leaves it to the next: %j',
    async (left) => {
      await insertDelivered(1)
      await writeFile(join(folder, 'database.json'), left)
      expect(await writeDue()).toEqual([expect.stringMatching(/^202402: events 1, /)])
      expect((await names()).toSorted()).toEqual([MONTH, 'database.json'])
      expect(await writeDue()).toEqual(['202402 is archived already'])
    },
  )

  test('archives a month again if a row came after the mark, and not if an erasure redacted a text', async () => {
    await insertDelivered(1, 'shop', JSON.stringify(customerEvent))
    await writeDue()
    await owner.query(`update events set body = '{"redacted": true}'`)
    await owner.query(`update delivery_attempts set response_excerpt = '[redacted]'`)
    expect(await writeDue()).toEqual(['202402 is archived already'])
    await insertEvent(2)
    expect(await drop()).toEqual([{ month: MONTH, outcome: 'unarchived' }])
    expect(await writeDue()).toEqual([expect.stringMatching(/^202402: events 2,/)])
  })

  test('keeps a second one out, and ends as if alone', async () => {
    await insertDelivered(1)
    const lock = await lockDeliveries()
    const client = await openOwner(database.url)
    clients.push(client)
    const archiving = { client, archive: folder, partBytes: PART_BYTES }
    await openArchive(archiving)
    const first = writeMonth(archiving, MONTH)
    await untilEventsAreWritten()
    await expect(writeDue()).rejects.toThrow('another run archives months of this database')
    await lock.query('rollback')
    expect(await first).toMatchObject({ month: MONTH })
    await client.end()
    expect(await verify()).toMatchObject({ faults: 0 })
    expect((await names()).toSorted()).toEqual([MONTH, 'database.json'])
  })

  test('that cannot give its folder the name of the month leaves the archive that is there', async () => {
    await insertDelivered(1)
    await writeDue()
    // PostgreSQL has ended the session of a run that stands still, and the next run has removed its folder.
    const removed = join(folder, `.${MONTH}.removed`)
    await expect(publish(folder, MONTH, removed)).rejects.toThrow('ENOENT')
    // No folder can be moved into itself.
    await expect(publish(folder, MONTH, folder)).rejects.toThrow('EINVAL')
    expect((await names()).toSorted()).toEqual([MONTH, 'database.json'])
    expect(await verify()).toMatchObject({ faults: 0 })
  })

  test('that is killed while it replaces an archive leaves the old one to the next', async () => {
    await insertDelivered(1)
    await writeDue()
    expect(await setAside(folder, MONTH)).not.toBeNull()
    expect((await names()).filter((name) => name === MONTH)).toEqual([])
    expect(await writeDue()).toEqual(['202402 is archived already'])
    expect(await verify()).toMatchObject({ faults: 0 })
    expect((await names()).toSorted()).toEqual([MONTH, 'database.json'])
  })

  test('leaves a month with something unfinished', async () => {
    await insertDelivered(1, 'shop', INVOICE_BODY, 'exhausted')
    expect(await writeDue()).toEqual(['202402 is left: a fan-out or a delivery of it is not finished'])
    expect(await names()).toEqual(['database.json'])
    expect(await drop()).toEqual([{ month: MONTH, outcome: 'unfinished' }])
  })

  test('refuses to run beside another one, in the folder of another database, and for a month that is too young', async () => {
    const [{ month } = { month: '' }] = await rows<{ month: string }>(
      `select to_char(now() at time zone 'UTC', 'YYYYMM') as month`,
    )
    const write = (which: Parameters<typeof writeMonths>[1]) =>
      writeMonths({ url: database.url, folder, partBytes: PART_BYTES, report: () => undefined }, which)
    await expect(write({ months: [month] })).rejects.toThrow('ended less than 31 days ago')
    await expect(write({ months: ['202301'] })).rejects.toThrow('has no partitions')

    const other = await openOwner(database.url)
    await expect(writeDue()).rejects.toThrow('another run archives months of this database')
    await other.end()

    await writeFile(join(folder, 'database.json'), '{"name":"other","system_identifier":"1"}\n')
    await expect(writeDue()).rejects.toThrow('is the archive of another database')
  })
})

/** Archives one month, as the command does, in a process of its own. */
const PROGRAM = `
  const [url, archive, month] = process.argv.slice(1)
  const { openOwner } = await import('${new URL('../src/archive/database.ts', import.meta.url).href}')
  const { openArchive, writeMonth } = await import('${new URL('../src/archive/write.ts', import.meta.url).href}')
  const archiving = { client: await openOwner(url), archive, partBytes: 1_000 }
  await openArchive(archiving)
  await writeMonth(archiving, month)`

describe('the command', () => {
  const run = async (env: Record<string, string>, ...args: string[]) => {
    const script = fileURLToPath(new URL('../src/archive.ts', import.meta.url))
    const child = spawn(process.execPath, [script, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] })
    const [[code], said, complained] = await Promise.all([
      once(child, 'close'),
      text(child.stdout),
      text(child.stderr),
    ])
    return { code: code as unknown, said, complained }
  }

  test('takes the folder and the retention of the configuration, and needs the database to write alone', async () => {
    await insertDelivered(1)
    await insertDelivered(2)
    const config = join(folder, 'merchant-payments.yaml')
    const archive = join(folder, 'archive')
    await writeFile(
      config,
      `archive_folder: ${archive}\nretention_days: 400\nsigning_key: { env: SIGNING_KEY }\n`,
    )
    const env = { MERCHANT_PAYMENTS_CONFIG: config }
    const written = await run({ ...env, DATABASE_OWNER_URL: database.url }, 'write')
    expect(written).toEqual({
      code: 0,
      said: expect.stringMatching(
        /^202402: events 2, deliveries 2, delivery_attempts 2; \d+ bytes/,
      ) as unknown,
      complained: '',
    })
    expect(await run(env, 'list')).toEqual(written)
    expect(await run(env, 'verify')).toEqual({ ...written, said: `OK: ${written.said}` })
    const read = await run(env, 'read', MONTH, '--table', 'events', '--id', uuidAt(2))
    expect(JSON.parse(read.said)).toMatchObject({ id: uuidAt(2), body: INVOICE_BODY })
    await truncate(join(archive, MONTH, 'events-00001.ndjson.gz'), 40)
    expect(await run(env, 'verify')).toMatchObject({
      code: 1,
      said: expect.stringMatching(/^FAULT: /) as unknown,
    })
    expect(await run(env, 'read', MONTH)).toMatchObject({ code: 1, said: '' })
  })

  test('writes a month that came back after its drop beside its earlier archive, and reads both', async () => {
    const config = join(folder, 'merchant-payments.yaml')
    await writeFile(config, `archive_folder: ${folder}\nretention_days: 400\n`)
    const env = { MERCHANT_PAYMENTS_CONFIG: config, DATABASE_OWNER_URL: database.url }
    const idsOf = (said: string) =>
      said
        .trim()
        .split('\n')
        .map((line) => (JSON.parse(line) as { id: string }).id)
    for (const [n, names] of [
      [1, [MONTH]],
      [2, [MONTH, `${MONTH}-1`]],
      [3, [MONTH, `${MONTH}-1`, `${MONTH}-2`]],
    ] as const) {
      await owner.query(`select ensure_partitions('2024-02-15Z')`)
      await insertEvent(n)
      expect(await drop()).toEqual([{ month: MONTH, outcome: 'unarchived' }])
      expect(await run(env, 'write')).toMatchObject({ code: 0, complained: '' })
      expect((await readdir(folder)).filter((name) => name.startsWith(MONTH)).toSorted()).toEqual(names)
      expect(await verify()).toMatchObject({ faults: 0 })
      expect(await drop()).toEqual([{ month: MONTH, outcome: 'dropped' }])
    }
    expect(await verify()).toMatchObject({ faults: 0 })
    const all = await run(env, 'read', MONTH)
    expect(idsOf(all.said)).toEqual([uuidAt(3), uuidAt(1), uuidAt(2)])
    const first = await run(env, 'read', `${MONTH}-1`)
    expect(idsOf(first.said)).toEqual([uuidAt(1)])
    // The operator removes the earliest. No later one takes the name of another.
    await rm(join(folder, `${MONTH}-1`), { recursive: true })
    expect(await keepEarlier(folder, MONTH)).toBe(`${MONTH}-3`)
  })

  test.each([
    [['write', '--folder', '/tmp']],
    [['list', '202402', '--folder', '/tmp']],
    [['read', '--folder', '/tmp']],
    [['verify', 'February', '--folder', '/tmp']],
    [['read', '202402', '--table', 'customers', '--folder', '/tmp']],
    [['list']],
  ])('%j prints its usage', async (args) => {
    expect(await run({}, ...args)).toMatchObject({
      code: 2,
      said: '',
      complained: expect.stringMatching(/^Usage: /) as unknown,
    })
  })
})
