import { createHash } from 'node:crypto'
import type pg from 'pg'
import { withConnection } from './servers.ts'
import { beginSnapshot } from './snapshot.ts'

/** The end of the chain, as the database has it or as it was noted outside the database. */
export interface AuditHead {
  readonly position: number
  readonly hash: string
}

export type AuditVerdict =
  | { readonly intact: true; readonly head: AuditHead }
  | { readonly intact: false; readonly fault: string }

interface Link {
  readonly position: string
  readonly entry_id: string
  readonly previous_hash: Buffer
  readonly hash: Buffer
  /** The text that was hashed; null if the entry is missing. */
  readonly words: string | null
}

const BATCH = 1_000
const START: AuditHead = { position: 0, hash: '0'.repeat(64) }

/**
 * Reads the audit log along its chain from the first entry to the last, and recomputes each hash without
 * using a function of the database. An owner of the database can rewrite the whole chain. Only heads that
 * were noted outside the database (log lines, output of earlier runs) reveal that.
 *
 * @returns the chain's end, or the first entry that differs from what was written
 */
export const verifyAuditChain = (url: string, noted: readonly AuditHead[]): Promise<AuditVerdict> =>
  withConnection(url, { application_name: 'merchant-payments-audit-verify' }, async (client) => {
    await beginSnapshot(client)
    // append_to_audit_chain of migration 0020 formats instants and bytes this way.
    await client.query(`set local timezone = 'UTC'; set local bytea_output = 'hex'`)
    return walk(client, noted)
  })

async function walk(client: pg.Client, noted: readonly AuditHead[]): Promise<AuditVerdict> {
  const end = await readEnd(client)
  if (end === null) return { intact: false, fault: 'the head of the chain was removed' }
  let head = START
  for (;;) {
    const { rows } = await client.query<Link>(linksAfter, [head.position, BATCH])
    for (const link of rows) {
      const fault = faultOf(link, head)
      if (fault !== null) return { intact: false, fault }
      head = { position: head.position + 1, hash: link.hash.toString('hex') }
      const { position, hash } = head
      if (noted.some((other) => other.position === position && other.hash !== hash)) {
        return { intact: false, fault: `the hash at position ${position} differs from the noted one` }
      }
    }
    if (rows.length < BATCH) break
  }
  const fault =
    faultOfEnd(head, end) ??
    cutOff(head, Math.max(0, ...noted.map(({ position }) => position)), 'was noted') ??
    (await faultOfStranger(client))
  return fault === null ? { intact: true, head } : { intact: false, fault }
}

function faultOf(link: Link, { position, hash }: AuditHead): string | null {
  const next = position + 1
  if (Number(link.position) !== next)
    return `position ${next} is missing: the chain continues at ${link.position}`
  const where = `${wireId(link.entry_id)} at position ${next}`
  if (link.words === null) return `the entry ${where} was removed`
  if (link.previous_hash.toString('hex') !== hash)
    return `the entry ${where} does not follow the previous one`
  const computed = createHash('sha256').update(link.previous_hash).update(`${next} ${link.words}`).digest()
  return computed.equals(link.hash) ? null : `the entry ${where} was altered or inserted later`
}

async function readEnd(client: pg.Client): Promise<AuditHead | null> {
  const { rows } = await client.query<{ position: string; hash: Buffer }>(
    'select position, hash from audit_head',
  )
  const [end] = rows
  return end === undefined ? null : { position: Number(end.position), hash: end.hash.toString('hex') }
}

function faultOfEnd(head: AuditHead, end: AuditHead): string | null {
  const cut = cutOff(head, end.position, 'is its head')
  if (cut !== null) return cut
  const isEnd = end.position === head.position && end.hash === head.hash
  return isEnd ? null : `the chain ends at ${head.position}, which differs from its head`
}

/** An entry outside the chain was written without the trigger. */
async function faultOfStranger(client: pg.Client): Promise<string | null> {
  const { rows } = await client.query<{ id: string }>(unchained)
  const [stranger] = rows
  return stranger === undefined ? null : `the entry ${wireId(stranger.id)} has no position in the chain`
}

const cutOff = ({ position }: AuditHead, expected: number, why: string): string | null =>
  position >= expected ? null : `the chain ends at ${position}, and ${expected} ${why}: its tail was cut off`

const wireId = (uuid: string): string => `au_${uuid.replaceAll('-', '')}`

const linksAfter = `
  select c.position, c.entry_id, c.previous_hash, c.hash, (
    select jsonb_object_agg(f.key, f.value) from jsonb_each(to_jsonb(e)) f where f.value <> 'null')::text as words
  from audit_chain c left join audit_entries e on e.id = c.entry_id
  where c.position > $1 order by c.position limit $2`

const unchained = `
  select id from audit_entries e where not exists (select from audit_chain c where c.entry_id = e.id) order by id limit 1`
