import { readdir, readFile } from 'node:fs/promises'
import { posix, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { analyse } from 'scslre'
import { beforeAll, describe, expect, test } from 'vitest'
import { alertNames } from '../src/base/alerts.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))

interface Source {
  /** From the root of the repository. */
  readonly path: string
  /** Without comments, because they may name what the code must not use. */
  readonly code: string
}

let sources: Source[]
let core: Source[]

beforeAll(async () => {
  const folders = ['apps/api/src', 'apps/worker/src', ...(await packageFolders())]
  sources = (await Promise.all(folders.map(readSources))).flat()
  core = sources
    .filter(({ path }) => path.startsWith('packages/core/src/'))
    .map(({ path, code }) => ({ path: path.slice('packages/core/src/'.length), code }))
})

const packageFolders = async () =>
  (await readdir(`${root}packages`))
    .filter((name) => name !== 'testing')
    .map((name) => `packages/${name}/src`)

async function readSources(folder: string): Promise<Source[]> {
  const entries = await readdir(`${root}${folder}`, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile() && /^(?!.*\.test).*\.ts$/.test(entry.name))
  return Promise.all(
    files.map(async ({ parentPath, name }) => {
      const code = await readFile(`${parentPath}/${name}`, 'utf8')
      return {
        path: relative(root, `${parentPath}/${name}`),
        code: code.replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, ''),
      }
    }),
  )
}

const pathsWith = (among: readonly Source[], pattern: RegExp) =>
  among.filter(({ code }) => pattern.test(code)).map(({ path }) => path)

test('the sources are found', () => {
  expect(core.map(({ path }) => path)).toEqual(
    expect.arrayContaining(['payment-intents/transitions.ts', 'settlement/settle.ts']),
  )
  expect(sources.map(({ path }) => path)).toEqual(expect.arrayContaining(['apps/api/src/main.ts']))
})

describe('core', () => {
  test('reaches no network: of Node it uses cryptography, and of packages the contract, the database and kysely', () => {
    const imported = core.flatMap(({ code }) =>
      [...code.matchAll(/^(?:import .*|export .*|\} )from '([^.'][^']*)'/gm)].map(([, name]) => name),
    )
    expect(new Set(imported)).toEqual(
      new Set(['@merchant-payments/contract', '@merchant-payments/db', 'kysely', 'node:crypto']),
    )
    expect(pathsWith(core, /\b(?:fetch|WebSocket|EventSource|import|require)\s*\(/)).toEqual([])
  })

  test('draws its randomness where ids and secrets are minted', () => {
    expect(pathsWith(core, /\b(?:randomBytes|randomUUID|randomInt|getRandomValues)\b/)).toEqual([
      'base/ids.ts',
      'base/secrets.ts',
    ])
  })

  test('writes SQL by hand only in stores, insertions and transitions, in its commits, its queues and its OAuth tables', () => {
    const others = pathsWith(core, /\bsql(?:`|<|\.)/).filter(
      (path) =>
        !/^base\/(?:client-status|columns|in-rows)\.ts$|^pages\/cut\.ts$|[/-]store\.ts$|\/(?:insertions|transitions)\.ts$|^(?:commit|queue|oauth)\//.test(
          path,
        ),
    )
    expect(others).toEqual([])
  })

  test('claims keys and writes events in one place each, in its folder of commits', () => {
    const statements = {
      'insert into idempotency_keys': ['commit/claim-keys.ts'],
      'insert into events': ['commit/write-events.ts'],
      'insert into event_counters': ['commit/write-events.ts'],
    }
    for (const [text, places] of Object.entries(statements)) {
      expect(
        core.flatMap(({ path, code }) =>
          code
            .split(text)
            .slice(1)
            .map(() => path),
        ),
      ).toEqual(places)
    }
  })
})

describe('SQL names the columns that it reads', () => {
  /** Reads that expand the rows of tables: their prepared form fails once a later release adds a column. */
  function expansions(code: string, tables: ReadonlySet<string>): string[] {
    const isTable = (source = '', alias = '') => source === '}' || tables.has(source) || tables.has(alias)
    const ofKysely = [...code.matchAll(/\b(?:selectAll|returningAll)\b/g)]
    const ofChanges = [...code.matchAll(/\breturning (?:\w+\.)?\*/g)]
    const ofRows = [...code.matchAll(/\bselect \*[^`]*?\bfrom (?:(\w+)|\$\{)/g)].filter(([, source]) =>
      isTable(source ?? '}'),
    )
    const ofAliases = [...code.matchAll(/\b(?!count\b)(\w+)\.\*/g)].filter(({ 1: alias, index }) => {
      const declared = new RegExp(`(\\w+|[)}])\\s+(?:as\\s+)?${alias}\\b(?!\\.)`)
      return isTable(declared.exec(code.slice(index))?.[1], alias)
    })
    return [...ofKysely, ...ofChanges, ...ofRows, ...ofAliases].map(([text]) => text)
  }

  let tables: ReadonlySet<string>
  beforeAll(async () => {
    const folder = `${root}packages/db/migrations`
    const migrations = await Promise.all(
      (await readdir(folder)).map((name) => readFile(`${folder}/${name}`, 'utf8')),
    )
    const created = migrations.flatMap((text) => [...text.matchAll(/^create table (\w+)/gm)])
    tables = new Set(created.map(([, name = '']) => name))
  })

  test('no source uses a function of PostgreSQL that version 17 lacks, or that reads no UUID of version 7 there', () => {
    expect(
      pathsWith(sources, /\b(?:uuid_extract_timestamp|uuidv[47]|casefold|array_sort|array_reverse)\(/),
    ).toEqual([])
  })

  test('no statement of core or the servers uses `*`, selectAll or returningAll', () => {
    const found = sources.flatMap(({ path, code }) => expansions(code, tables).map((text) => [path, text]))
    expect(found).toEqual([])
  })

  test.each([
    ["reader.selectFrom('charges').selectAll('c')", 'selectAll'],
    ["tx.insertInto('refunds').values(row).returningAll()", 'returningAll'],
    ['`update refund_jobs q set tries = 1 returning q.*`', 'returning q.*'],
    ['`select * from charges where id = 1`', 'select * from charges'],
    ['`select * from ${sql.table(table)} limit 1`', 'select * from ${'],
    ['`select r.*, j.due_at from refunds r join refund_jobs j using (id)`', 'r.*'],
    ['`select p.*, c.id from ${intents} p`', 'p.*'],
    ['`select charges.* from charges`', 'charges.*'],
  ])('%s is found', (code, text) => {
    expect(expansions(code, tables)).toContain(text)
  })

  test.each([
    '`select t.* from jsonb_to_recordset(${batch}::jsonb) as t (id uuid)`',
    '`with seen as (select id from charges) select seen.*, count(*) from seen`',
    '`select l.* from leased cross join lateral (${ledger}) l`',
    '`(merchant_id, id) in (select * from unnest(${merchants}::text[], ${uuids}::uuid[]))`',
    '`select *, count(*) over () from event_rows`',
  ])('%s is not', (code) => {
    expect(expansions(code, tables)).toEqual([])
  })
})

describe('the folders of core', () => {
  const folderOf = (path: string) => /^[^/]+(?=\/)/.exec(path)?.[0]
  const innermostOf = (path: string) => /^.+(?=\/)/.exec(path)?.[0]

  /** For each folder, the other folders that it imports, including types. */
  const imports = (folderOf: (path: string) => string | undefined) => {
    const arrows = new Map<string, Set<string>>()
    for (const { path, code } of core) {
      const from = folderOf(path)
      if (from === undefined) continue
      const to = arrows.get(from) ?? new Set()
      arrows.set(from, to)
      for (const [, target = ''] of code.matchAll(/\bfrom '(\.[^']*)'/g)) {
        const folder = folderOf(posix.join(posix.dirname(path), target))
        if (folder !== undefined && folder !== from) to.add(folder)
      }
    }
    return arrows
  }

  test.each([
    ['', folderOf],
    [', nor do the folders within them', innermostOf],
  ])('import each other in no circle%s', (_, folderIn) => {
    const arrows = imports(folderIn)
    const left = new Set(arrows.keys())
    // Removes folders that import no remaining folder until none is left to remove. The rest form circles.
    const isFree = (folder: string) => [...(arrows.get(folder) ?? [])].every((to) => !left.has(to))
    for (let free = [...left].filter(isFree); free.length > 0; free = [...left].filter(isFree)) {
      for (const folder of free) left.delete(folder)
    }
    expect([...left]).toEqual([])
  })

  test('that hold no noun import only those below them', () => {
    const arrows = imports(folderOf)
    const below = (folder: string) => [...(arrows.get(folder) ?? [])].toSorted()
    expect(
      Object.fromEntries(
        ['base', 'rails', 'pages', 'commit', 'queue', 'reads'].map((name) => [name, below(name)]),
      ),
    ).toEqual({
      base: [],
      rails: ['base'],
      pages: ['base'],
      commit: ['base'],
      queue: ['base', 'rails'],
      reads: ['base', 'commit'],
    })
  })

  test('are alone at its root, with index.ts and deps.ts', () => {
    expect(
      core
        .filter(({ path }) => folderOf(path) === undefined)
        .map(({ path }) => path)
        .toSorted(),
    ).toEqual(['deps.ts', 'index.ts'])
  })
})

describe('time and chance are passed in', () => {
  test('the clock is read in clock.ts alone', () => {
    const readers = pathsWith(sources, /\bDate\.now\b|\bnew Date\(\s*\)|\bperformance\.now\b|\bhrtime\b/)
    // Text of an example in the documentation.
    const example = 'packages/contract/src/types/usage.ts'
    expect(readers.filter((path) => !path.endsWith('/clock.ts') && path !== example)).toEqual([])
    expect(readers).toContain('packages/core/src/base/clock.ts')
  })

  test('Math.random is used in clock.ts alone', () => {
    expect(pathsWith(sources, /\bMath\.random\b/).filter((path) => !path.endsWith('/clock.ts'))).toEqual([])
  })

  test('the environment is read in main.ts alone', () => {
    expect(pathsWith(sources, /\bprocess\.env\b/)).toEqual([
      'apps/api/src/main.ts',
      'apps/worker/src/main.ts',
    ])
  })
})

test('Unicode is normalised only where the length is bounded before, because a run of marks takes quadratic time', () => {
  expect(pathsWith(sources, /\.normalize\(/).toSorted()).toEqual([
    'packages/core/src/base/phone.ts',
    'packages/core/src/screens/lookup/question.ts',
    'packages/statements/src/read-part.ts',
  ])
})

describe('regular expressions', () => {
  const literal =
    /(?<=[(=,:!&|?\s[])\/(?![/*])((?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+)\/([dgimsuvy]*)(?=[\s.,;)\]])/g

  /** These trim text of the deployment or of this code, never text of a caller. */
  const trims = new Set(['\\/+$', '=+$', '0+$'])

  /** Expressions whose running time grows faster than the length of the text. */
  const slow = (source: string, flags: string) =>
    !trims.has(source) && analyse({ source, flags }).reports.length > 0

  test('take time linear in what they match', () => {
    const found = sources.flatMap(({ path, code }) =>
      [...code.matchAll(literal)].map(([, source = '', flags = '']) => ({ path, source, flags })),
    )
    expect(found.length).toBeGreaterThan(100)
    expect(found.filter(({ source, flags }) => slow(source, flags))).toEqual([])
  })

  test.each([String.raw`^(?:tel:)?\s*\+?[\d .\-/()]+$`, '^(?:[a-z]+,?)*$', '(?:x+)+y', ' +$'])(
    '%s would be found',
    (source) => {
      expect(slow(source, '')).toBe(true)
    },
  )
})

test('each status has one writer', () => {
  const statement =
    /update (payment_intents|charges|invoices|checkout_sessions|refunds|charge_returns|approval_requests|deliveries|fanout_jobs)\b[^`]*?\bset\b([^`]*?)(?=\bfrom\b|\bwhere\b|`)/g
  const writers = sources.flatMap(({ path, code }) =>
    [...code.matchAll(statement)].flatMap(([, table, assignments = '']) =>
      [...assignments.matchAll(/\b(status|payment_status|instruction|fanout_state)\s*=/g)].map(
        ([, column]) => `${path}: ${table}.${column}`,
      ),
    ),
  )
  expect([...new Set(writers)].toSorted()).toEqual([
    'packages/core/src/approvals/transitions.ts: approval_requests.status',
    'packages/core/src/charge-returns/transitions.ts: charge_returns.instruction',
    'packages/core/src/checkout-sessions/store.ts: checkout_sessions.status',
    'packages/core/src/deliveries/store.ts: deliveries.status',
    'packages/core/src/events/store.ts: fanout_jobs.fanout_state',
    'packages/core/src/invoices/store.ts: invoices.status',
    'packages/core/src/payment-intents/transitions.ts: charges.status',
    'packages/core/src/payment-intents/transitions.ts: checkout_sessions.payment_status',
    'packages/core/src/payment-intents/transitions.ts: checkout_sessions.status',
    'packages/core/src/payment-intents/transitions.ts: invoices.status',
    'packages/core/src/payment-intents/transitions.ts: payment_intents.status',
    'packages/core/src/refunds/transitions.ts: refunds.instruction',
    'packages/core/src/refunds/transitions.ts: refunds.status',
    // While no process of the service runs.
    'packages/db/src/restored.ts: charge_returns.instruction',
    'packages/db/src/restored.ts: charges.status',
    'packages/db/src/restored.ts: refunds.instruction',
  ])
})

test('no rail can be called inside a transaction: what knows rails opens none', () => {
  const openers = core.filter(({ code }) => /\.transact\(/.test(code))
  expect(openers.map(({ path }) => path.replace(/\/.*/, ''))).toEqual(
    expect.arrayContaining(['customers', 'oauth']),
  )
  expect(pathsWith(openers, /\brails?\b/i)).toEqual([])
})

test('only an adapter’s folder, its configuration shape and the registration tables name the adapter', () => {
  // The contract and the published packages name rails in their examples.
  const service = sources.filter(
    ({ path }) => !/^packages\/(?:contract|node-sdk|webhook-verifier|payer-client)\//.test(path),
  )
  const named = pathsWith(service, /mtn_?momo|orange_?money/i).filter(
    (path) => !/^packages\/(?:rails\/src\/(?:mtn-momo|orange-money)|config\/src\/rails)\//.test(path),
  )
  expect(named.toSorted()).toEqual([
    'packages/config/src/rail.ts',
    'packages/rails/src/index.ts',
    'packages/rails/src/open-rails.ts',
  ])
})

describe('docs/operations.md', () => {
  let page = ''
  beforeAll(async () => {
    page = await readFile(`${root}docs/operations.md`, 'utf8')
  })

  test('says for each alert what it means and what to do', () => {
    const table = page.split(/^## /m).find((section) => section.startsWith('Alert lines')) ?? ''
    const rows = [...table.matchAll(/^\| `(\w+)` \| [^|]+ \| [^|]+ \|$/gm)].map(([, name = '']) => name)
    expect(rows.toSorted()).toEqual(alertNames.toSorted())
  })

  test('names each metric and each queue', () => {
    const metrics = namesIn(sources, /\.(?:counter|durations|gauge)\(\s*'(\w+)'/g)
    const queues = namesIn(
      core.filter(({ path }) => path === 'queue/depths.ts'),
      /(?:\b(?:claimedD|d)epth\(|\brailDepth\('\w+', )'(\w+)'/g,
    )
    expect(metrics.length).toBeGreaterThan(20)
    expect(queues.length).toBeGreaterThan(10)
    expect([...metrics, ...queues].filter((name) => !new RegExp(`\\b${name}\\b`).test(page))).toEqual([])
  })
})

const namesIn = (among: readonly Source[], pattern: RegExp) =>
  among.flatMap(({ code }) => [...code.matchAll(pattern)].map(([, name = '']) => name))
